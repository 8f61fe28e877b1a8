//! Tests how files are split into documents, and what invalid documents affect.

use portolan_core_catalog::{Catalog, Defect, Reader, Severity};
use portolan_kit::assert_same;
use rstest::rstest;

use crate::lines::{catalog, catalog_lines, with_properties};

const A: &str = r#"{"schema": "olm.package", "name": "a", "defaultChannel": "s"}"#;
const S: &str =
    r#"{"schema": "olm.channel", "package": "a", "name": "s", "entries": [{"name": "a.v1"}]}"#;
const V1: &str = r#"{"schema": "olm.bundle", "package": "a", "name": "a.v1", "image": "r.test/a:1",
    "properties": [{"type": "olm.package", "value": {"packageName": "a", "version": "1.0.0"}}]}"#;

const SOUND: [&str; 3] = ["package a -> s", "channel s: a.v1", "bundle a.v1 1.0.0"];

/// Returns the lines of a catalog with a valid package and this text. Omits the lines of the
/// package.
fn with_sound(text: &str) -> Vec<String> {
    let text = with_properties("") + text;
    catalog_lines(&catalog(&text)).split_off(3)
}

#[rstest]
#[case::json_lines(format!("{A}\n{S}\n{}\n", V1.replace('\n', "")))]
#[case::json_without_anything_between(format!("{A}{S}{V1}"))]
#[case::json_over_several_lines(
    format!("\n\n{A}\n\n{S}\n{V1}").replace(": ", ":\n\t").replace(", ", "\n,")
)]
#[case::json_with_separators_of_yaml(format!("{A}\n---\n{S}\n---\n{V1}\n---\n"))]
#[case::yaml(with_properties(""))]
#[case::yaml_with_separators_first_and_last(format!("---\n---\n{}---\n\n---\n# \
     end\n", with_properties("")))]
#[case::yaml_with_a_byte_order_mark(format!("\u{feff}{}", with_properties("")))]
#[case::yaml_with_carriage_returns(with_properties("").replace('\n', "\r\n"))]
#[case::json_as_documents_of_yaml(format!("# JSON\n{A}\n---\n{S}\n---\n{V1}\n"))]
fn supported_file_formats_give_the_same_catalog(#[case] text: String) {
    assert_same!(catalog_lines(&catalog(&text)), SOUND);
}

#[rstest]
#[case::no_yaml(
    "---\nschema: [olm.package\n---\nschema: custom\n", &[
    "1 of custom",
    "! f:19: not YAML: unclosed bracket '['",
])]
#[case::a_list("---\n- schema: olm.package\n", &["! f:19: `a document` is a list; expected an \
 object"])]
#[case::a_text("---\nhello\n", &["! f:19: `a document` is the text \"hello\"; expected an object"])]
#[case::no_schema("---\nname: b\n", &["! f:19: a document has no `schema`"])]
#[case::unknown_schemas(
    "---\nschema: custom\npackage: a\n---\nschema: custom\nany: {thing: 1}\n---\nschema: other\n",
    &["2 of custom", "1 of other"]
)]
#[case::a_document_that_opens_no_mark("---\nschema: \"olm.package\nname: b\n---\nschema: \
     custom\n", &[
    "1 of custom",
    "! f:20: not YAML: invalid indentation in multiline quoted scalar",
])]
fn invalid_document_is_omitted(#[case] text: &str, #[case] expected: &[&str]) {
    assert_same!(with_sound(text), expected);
}

#[rstest]
#[case::a_line_cut_off(format!("{{\"schema\": \"olm.package\", \"name\": {{\n{A}\n{S}{V1}"),
    "! f:1: not JSON: EOF while parsing an object")]
#[case::a_string_cut_off(format!("{{\"schema\": \"olm.pac\n{A}\n{S}{V1}"),
    "! f:1: not JSON: control character (\\u0000-\\u001F) found while parsing a string")]
#[case::text_outside_of_documents(format!("{A}{S}{V1}\nhello world\n"), "! f:3: not JSON: expected value")]
#[case::a_bracket_too_many(format!("{A}}}{S}{V1}"), "! f:1: not JSON: expected value")]
#[case::a_list(format!("{A}{S}[{A}]{V1}"), "! f:1: `a document` is a list; expected an object")]
#[case::a_property_with_a_broken_value(
    format!("{A}{S}{V1}\n{{\"schema\": \"olm.bundle\", \"properties\": [{{\"type\": \"x\", \
         \"value\": tru}}]}}"),
    "! f:3: not JSON: expected ident"
)]
fn invalid_json_document_is_omitted(#[case] text: String, #[case] fault: &str) {
    let lines = catalog_lines(&catalog(&text));
    assert_same!(lines[..3], SOUND);
    assert_eq!(lines[3..], [fault], "{lines:?}");
}

#[test]
fn document_with_invalid_utf8_is_omitted() {
    let mut bytes = b"schema: olm.package\nname: \xff\xfe\n---\n".to_vec();
    bytes.extend(with_properties("").into_bytes());
    let reading = portolan_core_catalog::Reading::of("f", &bytes);
    let lines = catalog_lines(&portolan_core_catalog::Catalog::of([reading]));
    assert_same!(lines[..3], SOUND);
    assert_same!(
        lines[3..],
        ["! f:2: not YAML: there are bytes that are not UTF-8"]
    );
}

#[test]
fn caller_can_add_faults_between_documents() {
    let mut reader = Reader::new("told");
    assert!(reader.feed(format!("{A}\n{S}\n").as_bytes()).is_continue());
    let defect = Defect::Doubtful {
        key: "properties",
        sentence: "nobody can read them".to_owned(),
        severity: Severity::Error,
    };
    reader.complain("a", "bundle a.v1", defect);
    let read = Catalog::of([reader.finish()]);
    assert_same!(
        catalog_lines(&read),
        [
            "package a -> s",
            "channel s: a.v1",
            "! told:2: package a: channel s has the entry a.v1, but the catalog has no such bundle",
            "! told:2: package a, bundle a.v1: `properties`: nobody can read them",
        ]
    );
}
