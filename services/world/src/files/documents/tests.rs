use rstest::rstest;
use serde_json::json;

use super::*;

fn split(text: &str) -> Vec<Document> {
    let mut all = Vec::new();
    documents(text.as_bytes(), &mut |document| all.push(document));
    all
}

fn sound(line: u64, value: Value) -> Document {
    Document {
        line,
        value: Ok(value),
    }
}

#[rstest]
#[case::nothing("", vec![])]
#[case::comments("# nothing\n---\n# more of it\n", vec![])]
#[case::one("a: 1\n", vec![sound(1, json!({"a": 1}))])]
#[case::several(
    "---\na: 1\n---\n\n# two\nb: 2\n--- \nc: 3",
    vec![sound(2, json!({"a": 1})), sound(6, json!({"b": 2})), sound(8, json!({"c": 3}))]
)]
#[case::text_that_resembles_a_document_end(
    "a: |\n  ---\n  x\nb: '---x'\n",
    vec![sound(1, json!({"a": "---\nx\n", "b": "---x"}))]
)]
#[case::windows(
    "a: 1\r\n---\r\nb: 2\r\n",
    vec![sound(1, json!({"a": 1})), sound(3, json!({"b": 2}))]
)]
#[case::words_are_parsed_like_in_kubectl(
    "a: '1'\nb: \"true\"\nc: v1.0\nd: no\n",
    vec![sound(1, json!({"a": "1", "b": "true", "c": "v1.0", "d": false}))]
)]
#[case::json(
    "\n{\"a\": 1}\n{\"b\": 2}",
    vec![sound(2, json!({"a": 1})), sound(3, json!({"b": 2}))]
)]
fn documents_are_found_with_their_lines(#[case] text: &str, #[case] expected: Vec<Document>) {
    assert_eq!(split(text), expected);
}

#[rstest]
#[case::yaml("a: 1\n---\nb: 2\n  c: 3\n---\nd: 4\n", &[(1, true), (4, false), (6, true)])]
#[case::an_open_quote("a: 'x\n---\nb: 1\n", &[(2, false), (3, true)])]
#[case::json("{\"a\": 1}\n{\"b\": \n}", &[(1, true), (3, false)])]
fn broken_document_drops_only_itself(#[case] text: &str, #[case] expected: &[(u64, bool)]) {
    let found = split(text);
    let lines: Vec<_> = found.iter().map(|it| (it.line, it.value.is_ok())).collect();
    assert_eq!(lines, expected, "{found:?}");
}

#[rstest]
#[case::a_number_in_yaml("a: ", "\n")]
#[case::a_number_in_json("{\"a\": ", "}")]
#[case::an_alias_in_yaml("a: *a", "\n")]
#[case::a_key_in_yaml("? [1]\n: ", "\n")]
fn error_does_not_quote_a_long_scalar(#[case] before: &str, #[case] after: &str) {
    let text = format!("{before}{}{after}", "9".repeat(1 << 20));
    for Document { value, .. } in split(&text) {
        let reported = value.err().unwrap_or_default();
        assert!(
            reported.len() < 1000,
            "{} bytes: {reported:.200}",
            reported.len()
        );
    }
}

#[test]
fn bytes_outside_utf8_are_an_error() {
    let mut all = Vec::new();
    documents(b"a: 1\nb: \xff\n", &mut |document| all.push(document));
    let expected = Document {
        line: 2,
        value: Err("it is not UTF-8 text".to_owned()),
    };
    assert_eq!(all, [expected]);
}

#[test]
fn exponential_aliases_are_a_fault() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..20 {
        let inner = vec![format!("*a{}", level - 1); 10].join(", ");
        bomb += &format!("a{level}: &a{level} [{inner}]\n");
    }
    let found = split(&bomb);
    assert!(
        found.len() == 1 && found[0].value.is_err(),
        "{:?}",
        found.len()
    );
}

#[test]
fn catalog_documents_are_skipped_without_a_fault() {
    let text = "schema: olm.package\nname: a\n---\nschema: any.other\n---\nname: b\n---\n\
                apiVersion: v1\nkind: Namespace\nschema: olm.x\n";
    let mut all = Vec::new();
    objects(text.as_bytes(), &mut |line, object| {
        all.push((line, object.map(|it| it.kind)))
    });
    let why = "it has no apiVersion and kind, which every object must have".to_owned();
    assert_eq!(all, [(6, Err(why)), (8, Ok("Namespace".to_owned()))]);
}

#[test]
fn second_object_without_separator_is_an_error_about_the_separator() {
    let found = split("apiVersion: v1\nkind: Pod\napiVersion: v1\nkind: Pod\n");
    let why = "duplicate key apiVersion; is a line `---` missing between two objects?";
    assert_eq!(found[0].value, Err(why.to_owned()));
    let found = split("apiVersion: v1\nkind: Pod\na: 1\na: 2\n");
    assert_eq!(found[0].value, Err("duplicate key a".to_owned()));
}

#[test]
fn read_objects_returns_a_result_for_each_document() {
    let list = "apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Pod}, {kind: Pod}]\n";
    let text = format!("schema: olm.package\n---\n{list}---\na: [\n");
    let found = read_objects(text.as_bytes());
    let reported: Vec<_> = found
        .iter()
        .map(|Written { line, object }| (*line, object.as_ref().map(|object| &object["kind"])))
        .collect();
    let none = "it has no apiVersion and kind, which every object must have".to_owned();
    assert_eq!(
        reported[..3],
        [(1, Err(&none)), (3, Ok(&json!("Pod"))), (3, Err(&none))]
    );
    assert_eq!(reported.len(), 4);
    assert!(reported[3].1.is_err());
}
