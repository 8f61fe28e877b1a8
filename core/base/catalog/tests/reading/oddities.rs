//! Tests of unusual content. Each case occurs in a real catalog.

use portolan_core_catalog::{Catalog, Reading};
use portolan_kit::assert_same;
use rstest::rstest;

use crate::lines::{
    PACKAGE, bundle, catalog, catalog_lines, channel, with_entries, with_properties,
};

#[rstest]
#[case::a_rebuild_numbered_as_a_prerelease("slurm-operator.v1.0.1-1", "1.0.1-1")]
#[case::a_prerelease_that_is_a_hash("hive-operator.v1.2.4400-8c54fc9", "1.2.4400-8c54fc9")]
#[case::a_hash_of_digits("hive-operator.v2.5.3514-4052426", "2.5.3514-4052426")]
#[case::a_hash_that_starts_with_zero("hive-operator.v1.2.3179-0756b70e6", "1.2.3179-0756b70e6")]
#[case::a_date_in_a_prerelease("sail.v1.31.0-nightly-2026-08-19", "1.31.0-nightly-2026-08-19")]
#[case::a_prerelease_without_dot("rsct-operator.v0.0.1-alpha4", "0.0.1-alpha4")]
#[case::a_bundle_prefix_of_its_own("quay-operator.v3.6.10", "3.6.10")]
#[case::a_name_of_another_version("sosivio-operator.v1.4.1-78", "1.4.1-79")]
#[case::a_name_of_no_version("sosivio-operator.v1.4.1.1-80", "1.4.1-80")]
#[case::very_large_numbers("ndmspc-operator.v0.20250209.0", "0.20250209.0")]
#[case::a_prerelease_called_final("debezium-operator.v2.5.3-final", "2.5.3-final")]
#[case::a_version_in_a_prerelease("apicurio.v0.0.3-v1.2.3.final", "0.0.3-v1.2.3.final")]
#[case::prerelease_of_letters("etcdoperator.v0.9.2-clusterwide", "0.9.2-clusterwide")]
#[case::a_prerelease_that_is_a_patch("universal-crossplane.v1.2.1-up.3", "1.2.1-up.3")]
#[case::a_milestone("camel-k-operator.v1.0.0-m1", "1.0.0-m1")]
#[case::a_name_without_v("awss3operator.1.0.1", "1.0.1")]
#[case::a_name_with_a_plus("p.v2.0.0+1", "2.0.0+1")]
fn bundle_version_does_not_come_from_its_name(#[case] name: &str, #[case] version: &str) {
    let text =
        PACKAGE.to_owned() + &channel(&format!("- name: {name}\n")) + &bundle(name, version, "");
    assert_same!(
        catalog_lines(&catalog(&text)),
        [
            "package a -> s".to_owned(),
            format!("channel s: {name}"),
            format!("bundle {name} {version}")
        ]
    );
}

#[rstest]
#[case::skips_of_missing_bundles(
    "- {name: a.v3, skips: [z.v1.1.2, a.v1, a.v2]}\n- name: a.v1\n- name: a.v2\n",
    "channel s: a.v1 a.v2 a.v3 (skips a.v1, skips a.v2, skips z.v1.1.2)"
)]
#[case::a_wildcard_in_a_skip_range(
    "- {name: a.v1, skipRange: '>=2.1.x <2.2.1'}\n- name: a.v2\n- name: a.v3\n",
    "channel s: a.v1 (covers >=2.1.x <2.2.1) a.v2 a.v3"
)]
#[case::a_skip_range_that_ends_in_a_prerelease(
    "- {name: a.v1, skipRange: '>=1.0.0 <1.31.0-nightly-2026-08-22'}\n- name: a.v2\n- name: a.v3\n",
    "channel s: a.v1 (covers >=1.0.0 <1.31.0-nightly-2026-08-22) a.v2 a.v3"
)]
#[case::a_skip_range_that_covers_its_own_version(
    "- {name: a.v1, skipRange: '>=0.0.0 <99.0.0'}\n- name: a.v2\n- name: a.v3\n",
    "channel s: a.v1 (covers >=0.0.0 <99.0.0) a.v2 a.v3"
)]
#[case::a_skip_range_without_end(
    "- {name: a.v1, skipRange: '>2.5.3-final'}\n- name: a.v2\n- name: a.v3\n",
    "channel s: a.v1 (covers >2.5.3-final) a.v2 a.v3"
)]
#[case::versions_that_go_down_along_a_chain(
    "- {name: a.v1, replaces: a.v3}\n- {name: a.v2, replaces: a.v1}\n- name: a.v3\n",
    "channel s: a.v1 (replaces a.v3) a.v2 (replaces a.v1) a.v3"
)]
#[case::a_fork(
    "- name: a.v1\n- {name: a.v2, replaces: a.v1}\n- {name: a.v3, replaces: a.v1, skips: [a.v2]}\n",
    "channel s: a.v1 a.v2 (replaces a.v1) a.v3 (replaces a.v1, skips a.v2)"
)]
#[case::several_heads_and_stranded_entries_are_no_fault_of_reading(
    "- name: a.v1\n- name: a.v2\n- {name: a.v3, replaces: a.v3}\n",
    "channel s: a.v1 a.v2 a.v3 (replaces a.v3)"
)]
#[case::names_of_an_older_package(
    "- {name: a.v1, replaces: stackgres.v1.14.1}\n- name: a.v2\n- name: a.v3\n",
    "channel s: a.v1 (replaces stackgres.v1.14.1) a.v2 a.v3"
)]
fn unusual_channel_is_read_unchanged(#[case] entries: &str, #[case] expected: &str) {
    let lines = catalog_lines(&catalog(&with_entries(entries)));
    let rest = [
        "bundle a.v1 1.0.0",
        "bundle a.v2 2.0.0",
        "bundle a.v3 3.0.0",
    ];
    assert_same!(lines, [&["package a -> s", expected], &rest[..]].concat());
}

#[rstest]
#[case::a_description_inside_an_api(
    "- type: olm.gvk\n  value: {group: g, version: v1, kind: K, description: what it is}\n",
    " provides g/v1/K"
)]
#[case::an_api_that_it_owns_and_requires(
    "- {type: olm.gvk, value: {group: g, version: v1, kind: K}}\n\
     - {type: olm.gvk.required, value: {group: g, version: v1, kind: K}}\n",
    " provides g/v1/K requires g/v1/K"
)]
#[case::a_package_and_its_api_required_both(
    "- {type: olm.package.required, value: {packageName: b, versionRange: '>2.0.0'}}\n\
     - {type: olm.gvk.required, value: {group: g, version: v1, kind: K}}\n",
    " requires g/v1/K requires b \">2.0.0\""
)]
#[case::a_range_with_two_bounds(
    "- {type: olm.package.required, value: {packageName: b, versionRange: '>=0.0.27 <=0.1.3'}}\n",
    " requires b \">=0.0.27 <=0.1.3\""
)]
#[case::no_api_at_all("", "")]
#[case::an_annotation_that_is_null(
    "- type: olm.csv.metadata\n  value:\n    annotations: {support: null}\n    displayName: A\n",
    ""
)]
#[case::properties_that_are_an_empty_list_of_the_package("", "")]
fn unusual_bundle_is_read_unchanged(#[case] properties: &str, #[case] expected: &str) {
    let text = with_properties(properties).replacen("name: a\n", "name: a\nproperties: []\n", 1);
    let bundle = format!("bundle a.v1 1.0.0{expected}");
    assert_same!(
        catalog_lines(&catalog(&text)),
        ["package a -> s", "channel s: a.v1", &bundle]
    );
}

#[test]
fn channel_names_keep_upper_case_letters() {
    let text = with_properties("").replace(": s\n", ": Fast\n");
    assert_same!(
        catalog_lines(&catalog(&text))[..2],
        ["package a -> Fast", "channel Fast: a.v1"]
    );
}

#[test]
fn two_packages_may_provide_the_same_api() {
    let api = "- {type: olm.gvk, value: {group: g, version: v1, kind: K}}\n";
    let one = with_properties(api);
    let two = one
        .replace(" a\n", " b\n")
        .replace("a.v1", "b.v1")
        .replace("packageName: a", "packageName: b");
    let catalog = Catalog::of([
        Reading::of("1", one.as_bytes()),
        Reading::of("2", two.as_bytes()),
    ]);
    let provided =
        |package: &str, bundle: &str| catalog.packages[package].bundles[bundle].provides.clone();
    assert_same!(catalog.faults, []);
    assert_same!(provided("a", "a.v1"), provided("b", "b.v1"));
}
