//! Tests of malicious input.

use portolan_core_catalog::{Catalog, Limits, Reader, Reading};
use portolan_kit::assert_same;
use proptest::prelude::*;
use rstest::rstest;

use crate::lines::{catalog_lines, with_properties};

const TIGHT: Limits = Limits {
    document: 65_536,
    file: 200_000,
    values: 10_000,
    depth: 50,
    entries: 100,
    faults: 5,
};

fn read(text: &[u8]) -> Catalog {
    let mut reader = Reader::with_limits("f", TIGHT);
    let _ = reader.feed(text);
    Catalog::of([reader.finish()])
}

/// Returns a text whose aliases double the size of the content with every line.
fn laughs(lines: usize) -> String {
    let mut text = "schema: olm.package\nname: a\nx0: &x0 [ha, ha]\n".to_owned();
    for line in 1..lines {
        let before = line - 1;
        text += &format!("x{line}: &x{line} [*x{before}, *x{before}]\n");
    }
    text
}

/// Returns a text in which each line nests an alias of the previous line in two more lists.
fn ladder() -> String {
    let mut text = "schema: olm.package\nname: a\nx0: &x0 [a]\n".to_owned();
    for line in 1..40 {
        let before = line - 1;
        text += &format!("x{line}: &x{line} [[*x{before}]]\n");
    }
    text
}

const TOO_MANY: &str = "a document of more values than 10000, more than any catalog needs; the \
 rest was not read";

/// Properties that no rule can read are dropped. A constraint that OLM rejects is an error.
#[rstest]
#[case::a_property(
    "tide",
    "! f:19: package a, bundle a.v1: `value`: \"tide\" is longer than 131072 bytes and is hidden \
     from rules"
)]
#[case::a_constraint(
    "olm.constraint",
    "! f:19: package a, bundle a.v1: a constraint of more bytes than 131072, more than any \
     catalog needs; the rest was not read"
)]
fn too_long_property_is_a_fault(#[case] kind: &str, #[case] expected: &str) {
    let long = "a".repeat(132_000);
    let text = format!("- type: {kind}\n  value: {{failureMessage: {long}}}\n");
    let catalog = Catalog::of([Reading::of("f", with_properties(&text).as_bytes())]);
    let lines = catalog_lines(&catalog);
    assert!(lines.iter().any(|line| line == expected), "{lines:?}");
}

#[rstest]
#[case::a_key_twice("{\"schema\": \"olm.package\", \"LONG\": 1, \"LONG\": 2}")]
#[case::a_name("{\"schema\": \"olm.package\", \"name\": \"LONG\"}")]
#[case::a_package("{\"schema\": \"olm.channel\", \"name\": \"a\", \"package\": \"LONG\"}")]
#[case::yaml_that_ends("schema: LONG: LONG\n")]
fn faults_do_not_quote_long_texts(#[case] text: &str) {
    let text = text.replace("LONG", &"a".repeat(1 << 20));
    let catalog = Catalog::of([Reading::of("f", text.as_bytes())]);
    assert!(!catalog.faults.is_empty());
    for line in catalog_lines(&catalog) {
        assert!(line.len() < 5000, "{} bytes: {line:.200}", line.len());
    }
}

#[rstest]
#[case::aliases_that_double(laughs(60), format!("! f:13: {TOO_MANY}"))]
#[case::aliases_that_nest(
    ladder(),
    "! f:27: values nested deeper than 50, more than any catalog needs; the rest was not \
     read".into()
)]
#[case::too_many_values(
    format!("schema: olm.package\nx: [{}]\n", "1,".repeat(15_000)),
    format!("! f:2: {TOO_MANY}")
)]
#[case::too_many_values_of_json(
    format!("{{\"schema\": \"olm.package\", \"icon\": [{}1]}}\n", "1,".repeat(15_000)),
    format!("! f:1: {TOO_MANY}")
)]
#[case::a_document_too_long(
    format!("schema: olm.package\nx: {}\n", "a".repeat(70_000)),
    "! f:1: a document of more bytes than 65536, more than any catalog needs; the rest was not \
     read".into()
)]
#[case::deep_json(
    format!("{{\"schema\": \"olm.package\", \"icon\": {}{}}}", "[".repeat(200), "]".repeat(200)),
    "! f:1: not JSON: recursion limit exceeded".into()
)]
#[case::a_long_text_that_is_repeated(
    format!("schema: olm.package\nx: &x {}\ny: [*x, *x, *x]\n", "a".repeat(20_000)),
    "! f:3: a document of more bytes than 65536, more than any catalog needs; the rest was not \
     read".into()
)]
#[case::bytes_that_are_no_base64(
    "schema: olm.package\nname: !!binary '?'\n".into(),
    "! f:2: not YAML: `!!binary` is no base64: Invalid symbol 63, offset 0.".into()
)]
#[case::an_alias_of_itself(
    "schema: olm.package\nx: &x [*x]\n".into(), "! f:2: not YAML: a value contains itself".into()
)]
#[case::a_key_that_is_a_list(
    "schema: olm.package\n? [a]\n: b\n".into(), "! f:2: the key of an object is not a string".into()
)]
fn invalid_input_ends_in_a_fault(#[case] text: String, #[case] fault: String) {
    assert_same!(catalog_lines(&read(text.as_bytes())), [fault]);
}

#[rstest]
#[case::lists("[")]
#[case::objects("{a: ")]
#[case::sequences("- ")]
#[case::objects_of_json("{\"a\":")]
#[case::keys("? ")]
#[case::tags("!a ")]
#[case::anchors("&a ")]
#[case::quotes("\"")]
#[case::blanks(" ")]
#[case::brackets("}")]
#[case::documents("---\n")]
#[case::directives("%YAML 1.2\n")]
fn highly_repeated_token_is_rejected(#[case] thing: &str) {
    for start in [
        "",
        "schema: olm.bundle\nx: ",
        "{\"schema\": \"olm.bundle\", \"x\": ",
    ] {
        let text = start.to_owned() + &thing.repeat(100_000);
        let catalog = Catalog::of([Reading::of("f", text.as_bytes())]);
        assert_eq!(catalog.packages.len(), 0);
    }
}

#[test]
fn lists_first_faults_of_a_file_and_number_of_omitted_faults() {
    let lines = catalog_lines(&read("a\n---\n".repeat(20).as_bytes()));
    let fault =
        |line: u64| format!("! f:{line}: `a document` is the text \"a\"; expected an object");
    let expected: Vec<_> = [1, 3, 5, 7, 9].into_iter().map(fault).collect();
    assert_same!(lines[..5], expected);
    assert_same!(
        lines[5..],
        ["! f:11: 15 more faults in this file are not listed"]
    );
}

#[test]
fn lists_first_faults_of_a_document_and_number_of_omitted_faults() {
    let entries = "- {}\n".repeat(3000);
    let text = with_properties("") + &crate::lines::channel(&entries).replace("name: s", "name: t");
    let catalog = Catalog::of([Reading::of("f", text.as_bytes())]);
    let lines = catalog_lines(&catalog);
    assert_eq!(catalog.faults.len(), 1002);
    assert!(lines.contains(&"! f:18: 2000 more faults in this file are not listed".to_owned()));
}

#[test]
fn too_long_file_is_read_up_to_the_limit() {
    let mut reader = Reader::with_limits("f", TIGHT);
    let sound = with_properties("") + "---\n";
    assert!(reader.feed(sound.as_bytes()).is_continue());
    assert!(reader.feed(&b"# noise\n".repeat(30_000)).is_break());
    assert!(reader.feed(b"more").is_break());
    let lines = catalog_lines(&Catalog::of([reader.finish()]));
    assert_same!(lines[..1], ["package a -> s"]);
    assert!(
        lines[3].contains("a file of more bytes than 200000"),
        "{lines:?}"
    );
}

/// Returns a valid catalog with all kinds of content. Tests then damage it.
fn sound(as_json: bool) -> Vec<u8> {
    let shop = portolan_kit::catalog(
        "a[stable, fast]: 1.0.0 -> 1.1.0 covers >=1.0.0 <1.1.0; 1.1.0 provides g.test/v1/A
         1.1.0 requires b >=1.0.0; 1.0.0 deprecated \"old\"; package deprecated \"older\"",
    );
    if as_json {
        shop.to_json_lines().into_bytes()
    } else {
        shop.to_yaml().into_bytes()
    }
}

/// Generates a damage: a position, the number of removed bytes, and the inserted bytes.
fn damage() -> impl Strategy<Value = (usize, usize, Vec<u8>)> {
    let marks = prop::sample::select(&b"{}[]:,\"'\\-|>&*!%#?\n\t \x00\xff~0a"[..]);
    let inserted = prop_oneof![
        prop::collection::vec(marks, 0..4),
        prop::collection::vec(any::<u8>(), 0..4),
        Just(b"<<: *a".to_vec()),
        Just(b"\n---\n".to_vec()),
    ];
    (any::<prop::sample::Index>(), 0..12_usize, inserted)
        .prop_map(|(place, gone, inserted)| (place.index(100_000), gone, inserted))
}

fn damaged(mut text: Vec<u8>, damages: &[(usize, usize, Vec<u8>)]) -> Vec<u8> {
    for (place, gone, inserted) in damages {
        let from = place % (text.len() + 1);
        let to = (from + gone).min(text.len());
        text.splice(from..to, inserted.iter().copied());
    }
    text
}

/// Asserts that positions are within the file, that each fault has one line, and that the result
/// does not depend on the size of chunks.
fn is_consistent(text: &[u8], step: usize) -> Result<(), TestCaseError> {
    let reading = Reading::of("f", text);
    let mut reader = Reader::new("f");
    for bytes in text.chunks(step) {
        prop_assert!(reader.feed(bytes).is_continue());
    }
    prop_assert_eq!(&reader.finish(), &reading);
    let catalog = Catalog::of([reading]);
    let lines = text.iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
    for fault in &catalog.faults {
        prop_assert!(
            (1..=lines).contains(&fault.line),
            "{} of {} lines",
            fault,
            lines
        );
        prop_assert!(!fault.to_string().contains(char::is_control), "{:?}", fault);
    }
    for package in catalog.packages.values() {
        for bundle in package.bundles.values() {
            let end = bundle.place.offset + bundle.place.length;
            prop_assert!(end <= text.len() as u64);
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn reading_random_bytes_gives_consistent_results(text in prop::collection::vec(any::<u8>(), 0..300), step in 1..50_usize) {
        is_consistent(&text, step)?;
    }

    #[test]
    fn reading_random_text_gives_consistent_results(text in "[-a{}\\[\\]:,\"'&*!|>#%? \n]{0,200}", step in 1..50_usize) {
        is_consistent(text.as_bytes(), step)?;
    }

    #[test]
    fn reading_damaged_catalog_gives_consistent_results(
        as_json: bool,
        damages in prop::collection::vec(damage(), 1..6),
        step in 1..500_usize,
    ) {
        is_consistent(&damaged(sound(as_json), &damages), step)?;
    }

    /// Damage in the lines of one package does not affect the other package.
    #[test]
    fn damage_in_one_package_does_not_change_the_other_package(damages in prop::collection::vec(damage(), 1..6)) {
        let broken = Reading::of("broken", &damaged(sound(false), &damages));
        let other = portolan_kit::catalog("z: 1.0.0 -> 1.1.0").to_yaml();
        let other = Reading::of("other", other.as_bytes());
        let alone = Catalog::of([&other]);
        let together = Catalog::of([&broken, &other]);
        prop_assert_eq!(together.packages.get("z"), alone.packages.get("z"));
    }
}
