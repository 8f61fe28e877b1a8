//! Tests of unmet requirements.

use portolan_core_catalog::{Catalog, Reading, unmet};
use portolan_core_names::CatalogName;
use portolan_kit::assert_same;
use rstest::rstest;

use crate::lines::with_properties;

/// Returns the unmet requirements of these catalogs, each with its code and its bundles.
fn unmet_lines(catalogs: &[(&str, &str)]) -> Vec<String> {
    let catalogs: Vec<_> = catalogs
        .iter()
        .map(|(name, text)| {
            let name = CatalogName::parse(name).expect("the name must parse");
            (name, Catalog::of([Reading::of("f", text.as_bytes())]))
        })
        .collect();
    let unmet = unmet(catalogs.iter().map(|(name, catalog)| (name, catalog)));
    let lines = unmet.iter().map(|unmet| {
        let bundles: Vec<_> = unmet.bundles.iter().map(ToString::to_string).collect();
        let (catalog, code) = (&unmet.catalog, unmet.code());
        format!("{catalog} {code}: {unmet} [{}]", bundles.join(" "))
    });
    lines.collect()
}

fn shop(text: &str) -> String {
    portolan_kit::catalog(text).to_yaml()
}

#[rstest]
#[case::a_package_of_the_same_catalog("a: 1.0.0 requires b >=1.0.0\nb: 1.0.0", &[])]
#[case::a_missing_package(
    "a: 1.0.0 requires b >=1.0.0; 1.10.0 requires b >=2.0.0; 1.9.0 requires b >=2.0.0",
    &[
        "one UnmetPackage: package a requires package b, which does not exist: a.v1.10.0 and 2 \
         more \
         [a.v1.10.0 a.v1.9.0 a.v1.0.0]",
    ]
)]
#[case::a_missing_version(
    "a: 1.0.0 requires b >=1.0.0; 1.1.0 requires b >=2.0.0\nb: 1.0.0",
    &["one UnmetVersion: package a requires package b \">=2.0.0\", and no version of it is in this range: a.v1.1.0 [a.v1.1.0]"]
)]
#[case::an_invalid_range(
    "a: 1.0.0 requires b v1.0.0\nb: 1.0.0",
    &["one UnmetVersion: package a requires package b \"v1.0.0\", and no version of it is in this range: a.v1.0.0 [a.v1.0.0]"]
)]
#[case::a_range_that_olm_refuses(
    "a: 1.0.0 requires b =1.0.0-next\nb: 1.0.0-next",
    &["one UnmetVersion: package a requires package b \"=1.0.0-next\", and no version of it is in this range: a.v1.0.0 [a.v1.0.0]"]
)]
#[case::a_range_that_olm_reads_otherwise("a: 1.0.0 requires b >=1.0.0-rc.xy\nb: 1.0.0", &[])]
#[case::an_api_without_a_provider(
    "a: 1.0.0 requires g.test/v1/Gone",
    &["one UnmetApi: package a requires API g.test/v1/Gone, which no bundle provides: a.v1.0.0 \
       [a.v1.0.0]"]
)]
#[case::an_api_that_it_owns("a: 1.0.0 provides g.test/v1/K; 1.0.0 requires g.test/v1/K", &[])]
#[case::an_api_of_another_version(
    "a: 1.0.0 requires g.test/v1/K\nb: 1.0.0 provides g.test/v2/K",
    &["one UnmetApi: package a requires API g.test/v1/K, which no bundle provides: a.v1.0.0 \
       [a.v1.0.0]"]
)]
fn unsatisfiable_requirement_of_a_bundle_is_returned(
    #[case] text: &str,
    #[case] expected: &[&str],
) {
    assert_same!(unmet_lines(&[("one", &shop(text))]), expected);
}

#[test]
fn requirement_may_be_met_by_another_catalog() {
    let one = shop("a: 1.0.0 requires b >=1.0.0; 1.0.0 requires g.test/v1/K");
    let two = shop("b: 1.0.0 provides g.test/v1/K; 1.0.0 requires c >=1.0.0");
    assert_same!(
        unmet_lines(&[("one", &one), ("two", &two)]),
        [
            "two UnmetPackage: package b requires package c, which does not exist: b.v1.0.0 \
         [b.v1.0.0]"
        ]
    );
}

#[rstest]
#[case::any_of_missing_packages(
    "any: {constraints: [{package: {packageName: gone, versionRange: '>1.0.0'}}, \
     {gvk: {group: g.test, version: v1, kind: Gone}}]}",
    Some("any of (package gone \">1.0.0\", API g.test/v1/Gone)")
)]
#[case::any_of_partly_present_packages(
    "any: {constraints: [{package: {packageName: gone, versionRange: '>1.0.0'}}, \
     {package: {packageName: a, versionRange: 1.0.0}}]}",
    None
)]
#[case::all_of_partly_present_packages(
    "all: {constraints: [{package: {packageName: gone, versionRange: '>1.0.0'}}, \
     {package: {packageName: a, versionRange: 1.0.0}}]}",
    Some("all of (package gone \">1.0.0\", package a \"1.0.0\")")
)]
#[case::all_in_two_bundles(
    "all: {constraints: [{package: {packageName: a, versionRange: 1.0.0}}, \
     {gvk: {group: g.test, version: v1, kind: OfB}}]}",
    Some("all of (package a \"1.0.0\", API g.test/v1/OfB)")
)]
#[case::all_requirements_satisfied_by_one_bundle(
    "all: {constraints: [{package: {packageName: b, versionRange: 1.0.0}}, \
     {gvk: {group: g.test, version: v1, kind: OfB}}]}",
    None
)]
#[case::a_missing_version(
    "package: {packageName: a, versionRange: '>1.0.0'}",
    Some("package a \">1.0.0\"")
)]
#[case::an_api_with_a_message(
    "failureMessage: install it\n    gvk: {group: '', version: v1, kind: Gone}",
    Some("what its author puts as \"install it\"")
)]
#[case::a_rule_that_holds_for_some(
    "cel: {rule: 'properties.exists(p, p.type == \"olm.gvk\" && p.value.kind == \"OfB\")'}",
    None
)]
#[case::a_rule_that_no_bundle_meets("cel: {rule: 'false'}", Some("the rule \"false\""))]
#[case::a_negation_that_holds(
    "not: {constraints: [{package: {packageName: gone, versionRange: '>1.0.0'}}]}",
    None
)]
#[case::negation_of_every_candidate(
    "not: {constraints: [{cel: {rule: 'true'}}]}",
    Some("none of (the rule \"true\")")
)]
#[case::any_of_nothing("any: {constraints: []}", Some("any of nothing"))]
#[case::all_of_nothing("all: {constraints: []}", None)]
fn unsatisfiable_constraint_of_a_bundle_is_returned(
    #[case] constraint: &str,
    #[case] expected: Option<&str>,
) {
    let expected = expected.map(|what| {
        format!(
            "one UnmetConstraint: package a requires {what}, which no bundle satisfies: a.v1 [a.v1]"
        )
    });
    let expected: Vec<_> = expected.into_iter().collect();
    assert_same!(
        unmet_lines(&[("one", &with_constraint(constraint))]),
        expected
    );
}

#[test]
fn invalid_constraint_is_never_met() {
    let text = with_constraint(
        "package: {packageName: b, versionRange: '>=1.0.0'}\n    cel: {rule: 'true'}",
    );
    assert_same!(
        unmet_lines(&[("one", &text)]),
        [
            "one UnmetConstraint: package a requires a constraint that cannot be read (it has \
             both `cel` and `package`; only one is allowed), which no bundle satisfies: a.v1 [a.v1]"
        ]
    );
}

/// Returns package a whose bundle has a constraint, and package b that provides an API.
fn with_constraint(constraint: &str) -> String {
    let property = format!("- type: olm.constraint\n  value:\n    {constraint}\n");
    with_properties(&property) + "---\n" + &shop("b: 1.0.0 provides g.test/v1/OfB")
}
