use rstest::rstest;

use super::*;

const HEAD: &str = "schema: olm.bundle\nname: a.v1\nproperties:\n";

fn cut_of(properties: &str) -> Option<String> {
    cut(&format!("{HEAD}{properties}")).map(|kept| kept[HEAD.len()..].to_owned())
}

#[rstest]
#[case::manifests_leave_empty_lines(
    "- type: olm.bundle.object\n  value:\n    data: aGFy\n      Ym9y\n- type: x\n  value: 1\n",
    "- type: olm.bundle.object\n  value:\n\n\n- type: x\n  value: 1\n"
)]
#[case::of_the_metadata_a_few_keys_stay(
    "- type: olm.csv.metadata\n  value:\n    annotations:\n      a: |\n        text\n\n        \
         more\n    \
     displayName: Ferry\n    installModes:\n    - supported: true\n      type: AllNamespaces\n    \
     links:\n    - name: x\nimage: y\n",
    "- type: olm.csv.metadata\n  value:\n\n\n\n\n\n    displayName: Ferry\n    installModes:\n    \
         - \
     supported: true\n      type: AllNamespaces\n\n\nimage: y\n"
)]
#[case::indented_properties_are_also_cut(
    "  - type: olm.bundle.object\n    value:\n      data: x\n  - type: z\n",
    "  - type: olm.bundle.object\n    value:\n\n  - type: z\n"
)]
#[case::a_value_that_does_not_follow_its_type_stays(
    "- type: olm.bundle.object\n  other: 1\n  value:\n    data: x\n",
    "- type: olm.bundle.object\n  other: 1\n  value:\n    data: x\n"
)]
#[case::a_value_on_the_line_of_its_key_stays(
    "- type: olm.bundle.object\n  value: {data: x}\n",
    "- type: olm.bundle.object\n  value: {data: x}\n"
)]
fn unneeded_lines_are_removed_before_parsing(#[case] properties: &str, #[case] expected: &str) {
    assert_eq!(cut_of(properties).as_deref(), Some(expected));
}

#[rstest]
#[case::an_alias_outside("- type: olm.bundle.object\n  value:\n    data: &d x\n- type: *d\n")]
#[case::a_rebuilt_bundle(
    "- type: olm.csv.metadata\n  value:\n    annotations:\n      olm.substitutesFor: a.v0\n"
)]
#[case::a_quoted_key("- type: olm.csv.metadata\n  value:\n    \"links\": []\n")]
#[case::an_explicit_key("- type: olm.csv.metadata\n  value:\n    ? links\n    : []\n")]
#[case::a_key_left_of_the_first("- type: olm.csv.metadata\n  value:\n      a: 1\n    b: 2\n")]
fn ambiguous_document_is_not_cut(#[case] properties: &str) {
    assert_eq!(cut_of(properties), None);
}

#[test]
fn lines_are_removed_only_from_bundles() {
    let text =
        "schema: olm.package\nproperties:\n- type: olm.bundle.object\n  value:\n    data: x\n";
    assert_eq!(cut(text), None);
}

#[test]
fn text_like_a_property_outside_of_properties_is_kept() {
    let text = "schema: olm.bundle\ndescription: |\n  - type: olm.bundle.object\n    value:\n      \
                data: x\n";
    assert_eq!(cut(text).as_deref(), Some(text));
}
