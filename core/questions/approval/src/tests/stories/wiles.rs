//! Scenarios with plans that appear to be allowed, but are not.

use crate::tests::kit::*;

stories! {
    plan_with_an_unrequested_bundle_must_be_deleted: world("
        sub bell: bell.v1 > bell.v2
        has bell.v1
        plan a 3: bell.v2 over bell.v1; drum.v1
        policy p/bell: bell allows * with updates
    ") => r#"
        No a [waits]
        - Yes bell.v2 = bell 2.0.0 by Lookup over bell.v1 sub bell
        + p/bell *
        - No drum.v1 = drum 1.0.0 by Lookup
        ! No NoSubscription ClusterServiceVersion demo/drum.v1: No Subscription in demo
        | requests drum, and no bundle requires drum.v1. Delete InstallPlan demo/a; OLM then
        | creates an InstallPlan without drum.v1
        policies ["p/bell"]
    "#;

    policy_that_forbids_a_bundle_does_not_request_it: world("
        sub bell: bell.v1 > bell.v2
        has bell.v1
        plan a 3: bell.v2 over bell.v1; drum.v1
        policy p/bell: bell allows * with updates
        policy p/drum: drum forbids
    ") => r#"
        No a [waits]
        - Yes bell.v2 = bell 2.0.0 by Lookup over bell.v1 sub bell
        + p/bell *
        - No drum.v1 = drum 1.0.0 by Lookup
        ! No NoSubscription ClusterServiceVersion demo/drum.v1: No Subscription in demo
        | requests drum, and no bundle requires drum.v1. Delete InstallPlan demo/a; OLM then
        | creates an InstallPlan without drum.v1
        policies ["p/bell", "p/drum"]
    "#;

    need_met_by_an_installed_bundle_allows_no_second_one: world("
        sub ferry: ferry.v1 > ferry.v1
        sub raft: raft.v1 > raft.v1
        sub tug: - > tug.v2
        has ferry.v1 needs api:Boat
        has raft.v1 provides api:Boat
        plan a 3: tug.v2 provides api:Boat
        policy p/ferry: ferry allows * with updates dependencies
    ") => r#"
        No a [waits]
        - No tug.v2 = tug 2.0.0 by Lookup sub tug
        ! No NoPolicy ClusterServiceVersion demo/tug.v2: No policy names tug in demo, and
        | nothing needs tug.v2
        ~ new spec.subscription.name "tug": Create an OperatorPolicy with
        | spec.subscription.name tug and spec.subscription.namespace demo that allows tug.v2
        policies []
    "#;

    successor_of_the_needed_bundle_is_needed: world("
        sub ferry: ferry.v1 > ferry.v1
        sub tug: tug.v1 > tug.v2
        has ferry.v1 needs api:Boat
        has tug.v1 provides api:Boat
        plan a 3: tug.v2 over tug.v1 provides api:Boat
        policy p/ferry: ferry allows * with updates dependencies
    ") => r#"
        Yes a [waits]
        - Yes tug.v2 = tug 2.0.0 by Lookup over tug.v1 sub tug
        + p/ferry * > ferry.v1
        policies ["p/ferry"]
    "#;

    bundle_from_another_catalog_is_denied: world("
        sub etcd: etcd.v1 > etcd.v2
        has etcd.v1
        plan a 2: etcd.v2 over etcd.v1
        policy p/etcd: etcd allows * with updates from:olm/shop
    ").plan(|plan| plan.bundles[0].catalog = "evil/shop".to_owned()) => r#"
        No a [waits]
        - No etcd.v2 = etcd 2.0.0 by Lookup over etcd.v1 from evil/shop sub etcd
        ! No OtherCatalog OperatorPolicy p/etcd: Policy p/etcd allows only bundles from catalog
        | olm/shop, but etcd.v2 is from evil/shop
        ~ p/etcd spec.subscription.source "evil/shop": Set the catalog of the Subscription to
        | olm/shop again, or set evil/shop in spec.subscription.source and
        | spec.subscription.sourceNamespace of policy p/etcd
        policies ["p/etcd"]
    "#;

    replaced_bundle_has_no_needs: world("
        sub ferry: ferry.v1 > ferry.v2
        sub tug: - > tug.v1
        has ferry.v1 needs tug@<2.0.0
        plan a 2: ferry.v2 over ferry.v1; tug.v1
        policy p/ferry: ferry allows * with updates dependencies
    ") => r#"
        No a [waits]
        - Yes ferry.v2 = ferry 2.0.0 by Lookup over ferry.v1 sub ferry
        + p/ferry *
        - No tug.v1 = tug 1.0.0 by Lookup sub tug
        ! No NoPolicy ClusterServiceVersion demo/tug.v1: No policy names tug in demo, and
        | nothing needs tug.v1
        ~ new spec.subscription.name "tug": Create an OperatorPolicy with
        | spec.subscription.name tug and spec.subscription.namespace demo that allows tug.v1
        policies ["p/ferry"]
    "#;

    unidentified_newer_plan_may_contain_another_bundle: world("
        sub etcd: etcd.v1 > etcd.v2
        has etcd.v1
        plan a 4: etcd.v2 over etcd.v1
        plan b 5: etcd.v3 unidentified
        policy p/etcd: etcd allows * with updates
    ") => r#"
        No b [waits]
        - No etcd.v3 = ? ?
        ! No UnknownPackage ClusterServiceVersion demo/etcd.v3: The package of etcd.v3 is
        | unknown
        policies []
        NotYet a [waits]
        ! NotYet NotWritten InstallPlan demo/b: The newer InstallPlan b has no content yet
        - Yes etcd.v2 = etcd 2.0.0 by Lookup over etcd.v1 sub etcd
        + p/etcd *
        policies ["p/etcd"]
    "#;

    replaced_bundle_without_identity_counts_as_installed: world("
        sub etcd: - > etcd.v2
        has etcd.v1
        plan a 2: etcd.v2 over etcd.v1
        policy p/etcd: etcd allows *
    ").namespace(|all| all.installed[0].identity = None) => r#"
        No a [waits]
        - No etcd.v2 = etcd 2.0.0 by Lookup over etcd.v1 sub etcd
        ! No UpdatesNotAllowed OperatorPolicy p/etcd: Policy p/etcd allows no upgrades, but
        | etcd.v2 would replace etcd.v1
        ~ p/etcd spec.upgradeApproval "Automatic": Set spec.upgradeApproval of policy p/etcd to
        | Automatic
        policies ["p/etcd"]
    "#;

    bundle_without_details_in_the_plan_is_not_written: world("
        sub etcd: - > etcd.v1
        sub vault: - > vault.v1
        plan a 1: etcd.v1
        policy p/etcd: etcd allows *
        policy p/vault: vault allows *
    ").plan(|plan| plan.csvs.push("vault.v1".to_owned())) => r#"
        NotYet a [waits]
        ! NotYet NotWritten InstallPlan demo/a: InstallPlan a installs vault.v1, but has no
        | steps for this bundle
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        - Yes vault.v1 = vault ? by Subscription sub vault
        + p/vault *
        policies ["p/etcd", "p/vault"]
    "#;

    /// `status.installedCSV` may name a ClusterServiceVersion that is only a copy from another
    /// namespace.
    installed_csv_of_a_subscription_may_be_missing: world("
        sub etcd: etcd.v1 > etcd.v1
        plan a 1: etcd.v1
        policy p/etcd: etcd allows * with updates
    ") => r#"
        Yes a [waits]
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        policies ["p/etcd"]
    "#;
}
