//! Scenarios about the sources that identify the package of a bundle, and about sources that do not
//! identify it.

use crate::Source;
use crate::tests::kit::*;

stories! {
    lookup_identifies_the_package: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1 from market/community
        policy p/etcd: etcd allows *
    ") => r#"
        Yes a [waits]
        - Yes etcd.v1 = etcd 1.0.0 by Lookup from market/community sub etcd
        + p/etcd *
        policies ["p/etcd"]
    "#;

    step_of_the_csv_identifies_the_package: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1 by step
        policy p/etcd: etcd allows *
    ") => r#"
        Yes a [waits]
        - Yes etcd.v1 = etcd 1.0.0 by Step sub etcd
        + p/etcd *
        policies ["p/etcd"]
    "#;

    subscription_identifies_the_package_without_a_version: world("
        sub mine of etcd: - > etcd.v1
        sub yours of vault: - > vault.v1
        plan a 1: etcd.v1 unidentified; vault.v1 unidentified
        policy p/etcd: etcd allows etcd.v1
        policy p/vault: vault allows vault@>=1.0.0
    ") => r#"
        No a [waits]
        - Yes etcd.v1 = etcd ? by Subscription sub mine
        + p/etcd etcd.v1
        - No vault.v1 = vault ? by Subscription sub yours
        ! No NotAllowed OperatorPolicy p/vault: Policy p/vault allows only vault@>=1.0.0, but
        | vault.v1 is of an unknown version
        ~ p/vault spec.versions "vault.v1": Add vault.v1 to spec.versions of policy p/vault
        policies ["p/etcd", "p/vault"]
    "#;

    name_does_not_identify_the_package: world("
        sub etcd: - > -
        plan a 1: etcd.v1 unidentified
        policy p/etcd: etcd allows *
    ") => "
        No a [waits]
        - No etcd.v1 = ? ?
        ! No UnknownPackage ClusterServiceVersion demo/etcd.v1: The package of etcd.v1 is
        | unknown
        policies []
    ";

    two_subscriptions_do_not_identify_the_package: world("
        sub mine of etcd: - > etcd.v1
        sub yours of etcd: - > etcd.v1
        plan a 1: etcd.v1 unidentified
        policy p/etcd: etcd allows *
    ") => "
        No a [waits]
        - No etcd.v1 = ? ? sub mine
        ! No UnknownPackage ClusterServiceVersion demo/etcd.v1: The package of etcd.v1 is
        | unknown: 2 Subscriptions name this bundle, but only one Subscription may name a bundle
        policies []
    ";

    subscription_without_package_does_not_identify_it: world("
        sub Not_a_package: - > etcd.v1
        plan a 1: etcd.v1 unidentified
        policy p/etcd: etcd allows *
    ") => "
        No a [waits]
        - No etcd.v1 = ? ? sub Not_a_package
        ! No UnknownPackage ClusterServiceVersion demo/etcd.v1: The package of etcd.v1 is
        | unknown
        policies []
    ";

    /// Behavior 68: bundle properties that are invalid JSON are reported.
    unreadable_properties_are_reported: world("
        sub other of etcd: - > -
        plan a 1: etcd.v1
        policy p/etcd: etcd allows *
    ").bundle("etcd.v1", |bundle| {
        bundle.identity = Some(Err("expected value at line 1 column 2.".to_owned()));
    }) => "
        No a [waits]
        - No etcd.v1 = ? ?
        ! No UnknownPackage ClusterServiceVersion demo/etcd.v1: The properties of etcd.v1 in
        | its bundle image cannot be read: expected value at line 1 column 2
        policies []
    ";

    unreadable_properties_are_a_remark_with_other_sources: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1
        policy p/etcd: etcd allows *
    ").also("etcd.v1", |bundle| {
        bundle.source = Source::Step;
        bundle.identity = Some(Err("there is no olm.package".to_owned()));
    }) => r#"
        Yes a [waits]
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        policies ["p/etcd"]
        remark Yes UnknownPackage ClusterServiceVersion demo/etcd.v1: The properties of etcd.v1
        | in its ClusterServiceVersion cannot be read: there is no olm.package
    "#;

    sources_that_name_two_packages_contradict_each_other: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1
        policy p/etcd: etcd allows *
    ").also("etcd.v1", |bundle| {
        bundle.source = Source::Step;
        identity_of(bundle).package = package("vault");
    }) => "
        No a [waits]
        - No etcd.v1 = ? ? sub etcd
        ! No UnknownPackage ClusterServiceVersion demo/etcd.v1: etcd.v1 belongs to several
        | packages: etcd and vault
        policies []
    ";

    subscription_of_another_package_contradicts_the_lookup: world("
        sub vault: - > etcd.v1
        plan a 1: etcd.v1
        policy p/etcd: etcd allows *
        policy p/vault: vault allows *
    ") => "
        No a [waits]
        - No etcd.v1 = ? ? sub vault
        ! No UnknownPackage ClusterServiceVersion demo/etcd.v1: etcd.v1 belongs to several
        | packages: etcd and vault
        policies []
    ";

    sources_that_name_two_versions_contradict_each_other: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1
        policy p/etcd: etcd allows etcd@>=1.0.0
    ").also("etcd.v1", |bundle| {
        bundle.source = Source::Step;
        identity_of(bundle).version = identity("etcd.v9").version;
    }) => "
        No a [waits]
        - No etcd.v1 = ? ? sub etcd
        ! No UnknownPackage ClusterServiceVersion demo/etcd.v1: etcd.v1 has several versions
        policies []
    ";

    equal_lookups_of_one_bundle_agree: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1
        policy p/etcd: etcd allows *
    ").also("etcd.v1", |_| {}) => r#"
        Yes a [waits]
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        policies ["p/etcd"]
    "#;

    different_lookups_of_one_bundle_contradict_each_other: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1; vault.v1
        policy p/etcd: etcd allows * with dependencies
    ").also("etcd.v1", |bundle| identity_of(bundle).needs = vec![need("vault@>=1.0.0")]) => r#"
        No a [waits]
        - No etcd.v1 = ? ? sub etcd
        ! No UnknownPackage ClusterServiceVersion demo/etcd.v1: etcd.v1 has two descriptions
        | with different contents
        - No vault.v1 = vault 1.0.0 by Lookup
        ! No NoSubscription ClusterServiceVersion demo/vault.v1: No Subscription in demo
        | requests vault, and no bundle requires vault.v1. Delete InstallPlan demo/a; OLM then
        | creates an InstallPlan without vault.v1
        policies []
    "#;

    csv_with_the_name_of_another_bundle_is_a_bundle: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1
        policy p/etcd: etcd allows *
    ").plan(|plan| {
        plan.steps.push(step("etcd.v1", "ClusterServiceVersion", "miner.v1"));
    }) => r#"
        No a [waits]
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        - No miner.v1 = ? ?
        ! No UnknownPackage ClusterServiceVersion demo/miner.v1: The package of miner.v1 is
        | unknown
        policies ["p/etcd"]
    "#;

    step_of_an_otherwise_unnamed_bundle_is_a_bundle: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1
        policy p/etcd: etcd allows *
    ").plan(|plan| plan.steps.push(step("miner.v1", "ClusterRole", "root"))) => r#"
        No a [waits]
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        - No miner.v1 = ? ?
        ! No UnknownPackage ClusterServiceVersion demo/miner.v1: The package of miner.v1 is
        | unknown
        policies ["p/etcd"]
    "#;
}
