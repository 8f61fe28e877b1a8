use rstest::rstest;
use serde_json::json;

use super::*;
use crate::{CatalogSource, CatalogSourceSpec};

fn fault_texts(json: &str) -> Vec<String> {
    let (_, faults) = read::<CatalogSource>(json).expect("a CatalogSource");
    faults.iter().map(ReadFault::to_string).collect()
}

#[test]
fn invalid_field_is_omitted() {
    let odd = r#"{"spec": {"priority": "high", "address": "a:1", "secrets": ["x", 5, "y"]}}"#;
    let (source, faults) = read::<CatalogSource>(odd).expect("a CatalogSource");
    let expected = CatalogSourceSpec {
        address: "a:1".into(),
        secrets: vec!["x".into(), "y".into()],
        ..CatalogSourceSpec::default()
    };
    assert_eq!(source.spec, expected);
    let fields: Vec<_> = faults.iter().map(|fault| fault.field.as_str()).collect();
    assert_eq!(fields, ["spec.priority", "spec.secrets[1]"]);
}

#[rstest]
#[case::text_for_a_number(
    r#"{"spec": {"priority": "high"}}"#,
    r#"spec.priority: invalid type: string "high", expected i32"#
)]
#[case::too_large(
    r#"{"spec": {"priority": 4294967296}}"#,
    "spec.priority: invalid value: integer `4294967296`, expected i32"
)]
#[case::text_for_an_object(
    r#"{"status": "fine"}"#,
    r#"status: invalid type: string "fine", expected struct CatalogSourceStatus"#
)]
#[case::no_time(
    r#"{"status": {"connectionState": {"lastConnect": "soon"}}}"#,
    "status.connectionState.lastConnect: "
)]
fn omitted_field_is_reported(#[case] json: &str, #[case] fault: &str) {
    let texts = fault_texts(json);
    assert!(texts[0].starts_with(fault), "{texts:?}");
}

#[test]
fn long_value_is_truncated_in_the_error() {
    let long = "9".repeat(1 << 20);
    let texts = fault_texts(&format!(r#"{{"spec": {{"priority": "{long}"}}}}"#));
    assert!(texts[0].starts_with("spec.priority: "), "{:.100}", texts[0]);
    assert!(texts[0].len() < 1000, "{} bytes", texts[0].len());
    let unreadable = read::<CatalogSource>(&format!("\"{long}\"")).expect_err("no object");
    assert!(unreadable.to_string().len() < 1000);
}

#[test]
fn null_is_read_like_a_missing_field() {
    let texts = fault_texts(r#"{"status": null, "spec": {"priority": null, "secrets": null}}"#);
    assert_eq!(texts, <[&str; 0]>::default());
}

#[rstest]
#[case::text(r#""shop""#)]
#[case::no_json("{")]
fn json_that_is_not_an_object_is_rejected(#[case] json: &str) {
    let read = read::<CatalogSource>(json);
    assert!(read.is_err(), "{read:?}");
}

#[test]
fn object_with_too_many_faults_is_rejected() {
    let secrets: Vec<_> = (0..=MOST_FAULTS).collect();
    let read = read_value::<CatalogSource>(json!({"spec": {"secrets": secrets}}));
    assert!(read.is_err(), "{read:?}");
}

#[rstest]
#[case::a_list_for_an_object(r#"{"spec": [1]}"#, "spec[0]")]
#[case::an_object_for_a_text(r#"{"spec": {"address": {"host": "a"}}}"#, "spec.address")]
#[case::a_number_for_a_text(r#"{"metadata": {"name": 7}}"#, "metadata.name")]
#[case::a_name_with_line_breaks(r#"{"spec": {"a\nb": 1, "priority": "high"}}"#, "spec.priority")]
#[case::behind_a_long_list(
    r#"{"spec": {"secrets": ["a", "b", "c"], "priority": {}}}"#,
    "spec.priority"
)]
#[case::in_an_object_of_a_list(
    r#"{"metadata": {"ownerReferences": [{"name": []}]}}"#,
    "metadata.ownerReferences[0].name"
)]
fn fault_has_the_path_of_its_field(#[case] json: &str, #[case] field: &str) {
    let (_, faults) = read::<CatalogSource>(json).expect("a CatalogSource");
    assert_eq!(faults[0].field, field, "{faults:?}");
}
