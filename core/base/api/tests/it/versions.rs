//! Tests that the schema and the parser accept the same texts in `spec.version`.

use kube_core::CustomResourceExt as _;
use portolan_api::operator::{Intent, Operator};
use portolan_core_names::VersionRange;
use proptest::prelude::*;
use regex::Regex;
use rstest::rstest;
use serde_json::{Value, json};

use crate::plan_definition::server::complaints;

fn spec(version: &str) -> Value {
    json!({"packageName": "ferry", "version": version})
}

fn is_parsed(version: &str) -> bool {
    Intent::parse(&Operator::new("ferry", spec(version).into())).is_ok()
}

fn schema_errors(version: &str) -> Vec<String> {
    let definition = serde_json::to_value(Operator::crd()).expect("JSON");
    let whole = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    complaints(&whole["properties"]["spec"], &spec(version))
}

#[rstest]
fn api_server_rejects_versions_that_cannot_be_parsed(
    #[values(
        "latest",
        "v1.2.3",
        "1.2",
        "1",
        "x.x",
        "foo",
        "*",
        "1.X",
        "~1.2.3",
        "^1.2.3",
        "=>1.2.3",
        "1.2.3.4",
        "01.2.3",
        "1.2.3-",
        "1.2.3-01",
        "1.2.3 - 1.3.0",
        ">=1.0.0,<2.0.0",
        "1.2.3||1.2.4",
        "1.2.3 ||",
        "! 1.2.3",
        ">=1.0.0<2.0.0",
        "x.1.2",
        "1.2.x-a",
        "1.2.3 || || 1.2.4"
    )]
    version: &str,
) {
    let message = "spec.version must be a version such as 1.2.3, or a range such as >=1.2.0 \
                   <1.3.0, 1.2.x or 1.x || 2.0.0; latest, v1.2.3, 1.2, ~ and ^ are not supported";
    assert_eq!(schema_errors(version), [message]);
    assert!(!is_parsed(version));
}

#[rstest]
fn api_server_accepts_versions_that_can_be_parsed(
    #[values(
        "",
        " ",
        "1.2.3",
        "1.2.3-rc.1+build.01",
        "1.2.3-x",
        "1.x",
        "1.2.x",
        "1.x.x",
        ">= 1.2.0 <1.3.0",
        "> = 1.2.3",
        "!=1.2.3",
        "!1.2.3",
        "==1.2.3",
        " 1.2.3 || >=2.0.0\t<3.0.0 ",
        "<=18446744073709551615.0.0"
    )]
    version: &str,
) {
    assert_eq!(schema_errors(version), [""; 0]);
    assert!(is_parsed(version));
}

/// Generates texts from valid and invalid tokens of version ranges, so that most texts are nearly
/// valid.
fn texts() -> impl Strategy<Value = String> {
    let operator = prop::sample::select(vec![
        "", "", "=", "==", "= =", "!", "!=", "!= ", ">", ">=", "> =", "<", "<\t=", "! ", "=>", "~",
        "=!",
    ]);
    let operand = prop_oneof![
        4 => "(0|[1-9][0-9]{0,17}|01)(\\.(0|[1-9]|00)){1,3}(-[0-2a.x-]{0,4})?(\\+[0-2a.x-]{0,3})?",
        2 => "[1-3]\\.(x|x\\.x|[0-2]\\.x|X|\\*|x\\.1|x-a)",
        1 => "[0-2x.v-]{0,5}",
    ];
    let word = prop_oneof![
        6 => (operator, operand).prop_map(|(operator, operand)| operator.to_owned() + &operand),
        1 => Just("||".to_owned()),
    ];
    let joint = prop::sample::select(vec![
        " ", " ", " ", "", "\t", "\u{a0}", " || ", "||", "\x0b",
    ]);
    let words = prop::collection::vec((word, joint), 0..4);
    let sentence = words.prop_map(|words| {
        let words = words.into_iter().map(|(word, joint)| word + joint);
        words.collect::<String>()
    });
    prop_oneof![4 => sentence, 1 => "[ \t\n\x0c\r\x0b0-2x.<>=!|a+v-]{0,17}"]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn pattern_and_parser_accept_the_same_texts(text in texts()) {
        thread_local! {
            static PATTERN: Regex = Regex::new(&VersionRange::pattern()).expect("a pattern");
        }
        let is_blank = text.chars().all(|c| c.is_ascii_whitespace());
        let is_read = is_blank || VersionRange::parse(&text).is_ok();
        let is_matched = PATTERN.with(|pattern| pattern.is_match(&text));
        prop_assert_eq!(is_matched, is_read, "{:?}", text);
    }
}
