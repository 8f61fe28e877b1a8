//! Tests that unquoted YAML scalars have the same meaning as in opm.

use portolan_kit::assert_same;
use rstest::rstest;

use crate::lines::{bundle, catalog, catalog_lines};

fn channel_line(name: &str) -> Vec<String> {
    let text = format!(
        "schema: olm.package\nname: a\ndefaultChannel: {name}\n---\nschema: olm.channel\n\
         package: a\nname: {name}\nentries:\n- name: a.v1\n"
    ) + &bundle("a.v1", "1.0.0", "");
    catalog_lines(&catalog(&text))
}

#[rstest]
#[case::quoted("'4.6'", "4.6")]
#[case::tagged("!!str 4.6", "4.6")]
#[case::with_letters("stable-4.6", "stable-4.6")]
#[case::a_date("2024-01-01", "2024-01-01")]
#[case::three_parts("4.6.1", "4.6.1")]
#[case::a_capital("Fast", "Fast")]
fn channel_names_are_unrestricted(#[case] written: &str, #[case] name: &str) {
    let expected = [
        format!("package a -> {name}"),
        format!("channel {name}: a.v1"),
        "bundle a.v1 1.0.0".to_owned(),
    ];
    assert_same!(channel_line(written), expected);
}

#[rstest]
#[case::a_number("4.6", "the number 4.6")]
#[case::a_whole_number("4", "the number 4")]
#[case::a_truth_value("on", "the truth value true")]
fn channel_name_that_is_not_a_string_is_a_fault(#[case] written: &str, #[case] found: &str) {
    let wrong = format!("is {found}; expected a quoted string");
    assert_same!(
        channel_line(written),
        [
            "package a".to_owned(),
            "bundle a.v1 1.0.0".to_owned(),
            "! f:1: package a: package a has no channel".to_owned(),
            format!("! f:3: package a: `defaultChannel` {wrong}"),
            format!("! f:7: package a: `name` {wrong}"),
            "! f:10: package a: bundle a.v1 is in no channel".to_owned(),
        ]
    );
}

#[test]
fn unquoted_version_with_two_numbers_is_a_fault() {
    let text = bundle("a.v1", "1.0", "");
    let lines = catalog_lines(&catalog(&text));
    assert_same!(
        lines,
        ["! f:8: package a, bundle a.v1: `version` is the number 1.0; expected a quoted string"]
    );
}

#[test]
fn anchors_aliases_and_merge_keys_are_read() {
    let text = "schema: olm.package\nname: &p a\ndefaultChannel: &c s\n---\n\
                schema: olm.channel\npackage: a\nname: s\n\
                entries:\n- &e {name: a.v1, skipRange: '<1.0.0'}\n\
                - {<<: *e, name: a.v2}\n- <<: [{name: a.v3}, *e]\n";
    let lines = catalog_lines(&catalog(text));
    assert_same!(
        lines[..2],
        [
            "package a -> s".to_owned(),
            "channel s: a.v1 (covers <1.0.0) a.v2 (covers <1.0.0) a.v3 (covers <1.0.0)".to_owned(),
        ]
    );
}

#[test]
fn binary_scalar_is_decoded_to_text() {
    let text = "schema: olm.package\nname: !!binary |\n  ZmVy\n  cnk=\ndefaultChannel: s\n";
    assert_same!(
        catalog_lines(&catalog(text))[..1],
        ["package ferry -> s".to_owned()]
    );
}

/// This is fast only if the keys are not compared in pairs, which would take minutes.
#[test]
fn merging_many_keys_is_fast() {
    let keys: String = (0..200_000)
        .map(|number| format!("k{number}: 1, "))
        .collect();
    let text = format!(
        "schema: olm.package\nname: a\ndefaultChannel: s\nother: {{<<: [{{{keys}last: 1}}]}}\n"
    );
    assert_same!(
        catalog_lines(&catalog(&text))[..1],
        ["package a -> s".to_owned()]
    );
}
