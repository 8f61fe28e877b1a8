//! Tests suggestions of the bundle that a user probably meant.

use portolan_core_names::BundleName;
use rstest::rstest;

use crate::Installed;
use crate::tests::graph;

#[rstest]
#[case::without_the_v("a.1.1.0", Some("a.v1.1.0"))]
#[case::version_instead_of_a_name("1.1.0", Some("a.v1.1.0"))]
#[case::version_with_a_v("v1.1.0", Some("a.v1.1.0"))]
#[case::misspelled_prefix("aa.v1.1.0", Some("a.v1.1.0"))]
#[case::nearest_of_two_equal_versions("a.v2.0.0-rc1", Some("a.v2.0.0-rc.1"))]
#[case::nearest_of_two_equal_versions_again("a.v2.0.0-beta1", Some("a.v2.0.0-beta.1"))]
#[case::another_version("a.v1.1.1", None)]
#[case::longer_number("1.1.00", None)]
#[case::incomplete_version("1.0", None)]
#[case::no_version("a", None)]
#[case::existing_bundle("a.v1.1.0", None)]
#[case::name_that_only_an_entry_contains("a.v0.9.0", None)]
fn suggests_bundle_with_a_similar_name(#[case] asked: &str, #[case] expected: Option<&str>) {
    let graph = graph("a: 1.0.0 replaces 0.9.0; 1.0.0 -> 1.1.0 -> 2.0.0-beta.1 -> 2.0.0-rc.1");
    let asked = BundleName::parse(asked).expect("the name must parse");
    assert_eq!(graph.nearest(&asked).map(BundleName::as_str), expected);
}

#[test]
fn unknown_name_is_reported_with_a_similar_one() {
    let graph = graph("a: 1.0.0 -> 1.1.0");
    let installed = Installed {
        name: BundleName::parse("1.0.0").expect("the name must parse"),
        version: None,
    };
    let answer = graph.list_upgrades(&installed, None);
    let reasons = answer.expect("there is an answer").reasons;
    let sentence = "package a has no bundle 1.0.0 (did you mean a.v1.0.0?), so its version is \
     unknown and skip ranges were not applied; set installed_version to apply them";
    assert_eq!(reasons[0].to_string(), sentence);
}
