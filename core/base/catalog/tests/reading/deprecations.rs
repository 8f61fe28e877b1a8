//! Tests of deprecations.

use portolan_kit::assert_same;
use rstest::rstest;

use crate::lines::{catalog, catalog_lines, with_properties};

/// Returns all lines, except the lines of the package, the channel and the bundle.
fn deprecation_lines(entries: &str) -> Vec<String> {
    let document = format!("---\nschema: olm.deprecations\npackage: a\nentries:\n{entries}");
    catalog_lines(&catalog(&(with_properties("") + &document))).split_off(3)
}

#[rstest]
#[case::a_package_a_channel_and_a_bundle_at_once(
    "- {reference: {schema: olm.package}, message: use b}\n\
     - {reference: {schema: olm.channel, name: s}, message: use t}\n\
     - {reference: {schema: olm.bundle, name: a.v1}, message: broken}\n",
    &["deprecated: use b", "channel s deprecated: use t", "bundle a.v1 deprecated: broken"]
)]
#[case::an_unknown_channel(
    "- {reference: {schema: olm.channel, name: t}, message: m}\n",
    &["! f:22: package a: channel t is deprecated, but does not exist in the package"]
)]
#[case::an_unknown_bundle(
    "- {reference: {schema: olm.bundle, name: a.v9}, message: m}\n",
    &["! f:22: package a: bundle a.v9 is deprecated, but does not exist in the package"]
)]
#[case::a_package_by_name(
    "- {reference: {schema: olm.package, name: a}, message: m}\n",
    &["! f:22: package a: `name`: a reference to the package has no name; omit it"]
)]
#[case::an_unknown_schema(
    "- {reference: {schema: olm.icon, name: a}, message: m}\n",
    &["! f:22: package a: `schema`: \"olm.icon\" cannot be deprecated; only olm.package, \
     olm.channel and olm.bundle can"]
)]
#[case::the_same_twice(
    "- {reference: {schema: olm.package}, message: m}\n- {reference: {schema: olm.package}, \
         message: other}\n",
    &["deprecated: m", "! f:23: package a: a second deprecation of the same package; the first \
     one is used"]
)]
#[case::an_empty_message(
    "- {reference: {schema: olm.package}, message: ''}\n",
    &["! f:22: package a: a deprecation has no `message`"]
)]
#[case::nothing_referred_to(
    "- {message: m}\n",
    &["! f:22: package a: a deprecation has no `reference`"]
)]
#[case::a_channel_without_name(
    "- {reference: {schema: olm.channel}, message: m}\n",
    &["! f:22: package a: a reference has no `name`"]
)]
fn deprecations_have_the_expected_objects(#[case] entries: &str, #[case] expected: &[&str]) {
    assert_same!(deprecation_lines(entries), expected);
}

#[rstest]
#[case::a_second_document(
    "---\nschema: olm.deprecations\npackage: a\nentries: []\n---\nschema: olm.deprecations\n\
     package: a\nentries:\n- {reference: {schema: olm.package}, message: m}\n",
    "! f:22: package a: olm.deprecations of package a appears twice in the catalog; the first one \
     is used"
)]
#[case::no_package(
    "---\nschema: olm.deprecations\nentries: []\n",
    "! f:19: olm.deprecations has no `package`"
)]
#[case::an_unknown_package(
    "---\nschema: olm.deprecations\npackage: b\nentries: []\n",
    "! f:18: package b: package b has no olm.package document, so it is not offered"
)]
fn invalid_deprecations_document_is_omitted(#[case] document: &str, #[case] fault: &str) {
    let lines = catalog_lines(&catalog(&(with_properties("") + document)));
    assert_same!(lines[3..], [fault.to_owned()]);
}
