//! Tests of `olm.package` documents.

use portolan_kit::assert_same;
use rstest::rstest;

use crate::lines::{bundle, catalog, catalog_lines, channel};

/// Returns the lines of a package, without the lines of its valid channel and bundle.
fn package_lines(document: &str) -> Vec<String> {
    let text = document.to_owned() + &channel("- name: a.v1\n") + &bundle("a.v1", "1.0.0", "");
    let lines = catalog_lines(&catalog(&text));
    lines
        .into_iter()
        .filter(|line| line.starts_with("package") || line.starts_with('!'))
        .collect()
}

#[rstest]
#[case::a_default_channel("schema: olm.package\nname: a\ndefaultChannel: s\n", &["package a -> s"])]
#[case::no_default_channel("schema: olm.package\nname: a\n", &[
    "package a", "! f:1: package a: the package names no default channel"
])]
#[case::an_empty_default_channel("schema: olm.package\nname: a\ndefaultChannel: ''\n", &[
    "package a", "! f:1: package a: the package names no default channel"
])]
#[case::a_missing_default_channel(
    "schema: olm.package\nname: a\ndefaultChannel: t\n", &[
    "package a -> t",
    "! f:1: package a: the default channel t is not among the channels of the package",
])]
#[case::keys_in_another_case(
    "Schema: olm.package\nNAME: a\ndefaultchannel: s\n", &["package a -> s"]
)]
#[case::a_key_in_two_cases("schema: olm.package\nname: a\nName: a\ndefaultChannel: s\n", &[
    "! f:3: `name` and `Name` are the same key; write one of them",
    "! f:5: package a: package a has no olm.package document, so it is not offered",
])]
#[case::a_key_twice_as_opm_takes_it(
    "schema: olm.package\nname: b\nname: a\ndefaultChannel: s\n",
    &["package a -> s", "! f:3: package a: `name` appears twice; the last one is used"]
)]
#[case::a_name_that_is_an_object("schema: olm.package\nname: {}\n", &[
    "! f:2: `name` is an object; expected a text",
    "! f:3: package a: package a has no olm.package document, so it is not offered",
])]
#[case::no_name("schema: olm.package\ndefaultChannel: s\n", &[
    "! f:1: olm.package has no `name`",
    "! f:3: package a: package a has no olm.package document, so it is not offered",
])]
#[case::unknown_keys(
    "schema: olm.package\nname: a\ndefaultChannel: s\ncolor: {b: [1]}\n", &["package a -> s"]
)]
fn package_document_has_the_expected_values(#[case] document: &str, #[case] expected: &[&str]) {
    assert_same!(package_lines(document), expected);
}

#[rstest]
#[case::with_a_dot("a.b")]
#[case::longer_than_a_label("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")]
fn name_that_only_opm_rejects_is_accepted_with_a_fault(#[case] name: &str) {
    let lines = catalog_lines(&catalog(&format!(
        "schema: olm.package\nname: {name}\ndefaultChannel: s\n"
    )));
    assert_same!(
        lines,
        [
            format!("package {name} -> s"),
            format!("! f:1: package {name}: package {name} has no channel"),
            format!(
                "! f:1: package {name}: the default channel s is not among the channels of the \
                 package"
            ),
            format!("! f:2: package {name}: `name`: opm rejects dots, and more than 63 characters"),
        ]
    );
}

#[test]
fn first_of_two_documents_of_the_same_package_wins() {
    let lines = package_lines(
        "schema: olm.package\nname: a\ndefaultChannel: s\n---\nschema: olm.package\nname: a\n\
         defaultChannel: t\n",
    );
    assert_same!(
        lines,
        [
            "package a -> s",
            "! f:4: package a: package a appears twice in the catalog; the first one is used",
        ]
    );
}
