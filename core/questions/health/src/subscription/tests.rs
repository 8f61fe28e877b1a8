use crate::tests::kit::*;
use crate::*;

stories! { World;
    subscription_has_no_status: fresh() => r#"
        NotYet Subscription demo/ferry
        NotYet SubscriptionNotObserved Subscription demo/ferry: OLM has not said anything of Subscription demo/ferry. If that lasts, look whether OLM runs.
    "#;
    resolved_subscription_has_no_operator_yet: fresh().subscription(|subscription| subscription.status.current_csv = "ferry.v1".to_owned()) => r#"
        NotYet Subscription demo/ferry
        NotYet NotInstalled Subscription demo/ferry: Subscription demo/ferry has no operator yet.
    "#;
    bundle_is_being_unpacked_before_the_installation: fresh().condition("BundleUnpacking", "UnpackingInProgress", "") => r#"
        NotYet Subscription demo/ferry
        NotYet NotInstalled Subscription demo/ferry: Subscription demo/ferry has no operator yet.
        - NotYet BundleUnpacking Subscription demo/ferry: OLM unpacks a bundle for Subscription demo/ferry or a neighbor: UnpackingInProgress
    "#;
    resolution_fails_before_the_installation: fresh().condition("ResolutionFailed", "ConstraintsNotSatisfiable", "no operators found in package fery") => r#"
        No Subscription demo/ferry
        No NotInstalled Subscription demo/ferry: Subscription demo/ferry has no operator, and something keeps OLM from installing one.
        - No ResolutionFailed Subscription demo/ferry: OLM finds no set of bundles that fits Subscription demo/ferry and its neighbors: no operators found in package fery
    "#;
    bundle_unpacking_fails_before_the_installation: fresh().condition("BundleUnpackFailed", "DeadlineExceeded", "Job was active longer than specified deadline") => r#"
        No Subscription demo/ferry
        No NotInstalled Subscription demo/ferry: Subscription demo/ferry has no operator, and something keeps OLM from installing one.
        - No BundleUnpackFailed Subscription demo/ferry: OLM cannot unpack a bundle for Subscription demo/ferry or a neighbor: Job was active longer than specified deadline
    "#;
    catalog_of_a_neighbor_fails_before_the_installation: fresh().condition("CatalogSourcesUnhealthy", "UnhealthyCatalogSourceFound", "targeted catalogsource olm/quays missing") => r#"
        NotYet Subscription demo/ferry
        NotYet NotInstalled Subscription demo/ferry: Subscription demo/ferry has no operator yet.
        - NotYet CatalogSourcesUnhealthy Subscription demo/ferry: OLM finds something wrong with a catalog that Subscription demo/ferry can see: targeted catalogsource olm/quays missing
    "#;
    catalog_is_missing_before_the_installation: fresh().namespace(|all| all.catalogs.objects.clear()) => r#"
        No Subscription demo/ferry
        NotYet SubscriptionNotObserved Subscription demo/ferry: OLM has not said anything of Subscription demo/ferry. If that lasts, look whether OLM runs.
        - No CatalogMissing CatalogSource olm/ports: CatalogSource olm/ports does not exist, so nothing is installed or updated from it.
    "#;
    catalog_is_unreachable_before_the_installation: fresh().catalog(|source| source.status.connection = connection("TRANSIENT_FAILURE")) => r#"
        NotYet Subscription demo/ferry
        NotYet SubscriptionNotObserved Subscription demo/ferry: OLM has not said anything of Subscription demo/ferry. If that lasts, look whether OLM runs.
        - NotYet CatalogNotReady CatalogSource olm/ports: CatalogSource olm/ports has no connection to OLM. [TRANSIENT_FAILURE]
    "#;
    neighbors_do_not_affect_an_installed_operator: world()
        .condition("ResolutionFailed", "ConstraintsNotSatisfiable", "no operators found in package fery")
        .condition("BundleUnpackFailed", "DeadlineExceeded", "")
        .condition("BundleUnpacking", "UnpackingInProgress", "")
        .condition("CatalogSourcesUnhealthy", "UnhealthyCatalogSourceFound", "") => r#"
        Yes Subscription demo/ferry
        Yes BundleUnpackFailed Subscription demo/ferry: OLM cannot unpack a bundle for Subscription demo/ferry or a neighbor: DeadlineExceeded
        Yes BundleUnpacking Subscription demo/ferry: OLM unpacks a bundle for Subscription demo/ferry or a neighbor: UnpackingInProgress
        Yes CatalogSourcesUnhealthy Subscription demo/ferry: OLM finds something wrong with a catalog that Subscription demo/ferry can see: UnhealthyCatalogSourceFound
        Yes ResolutionFailed Subscription demo/ferry: OLM finds no set of bundles that fits Subscription demo/ferry and its neighbors: no operators found in package fery
    "#;
    installed_operator_stays_healthy_without_its_catalog: world().namespace(|all| all.catalogs.objects.clear()) => r#"
        Yes Subscription demo/ferry
        Yes CatalogMissing CatalogSource olm/ports: CatalogSource olm/ports does not exist, so nothing is installed or updated from it.
    "#;
    catalog_of_an_installed_operator_is_being_deleted: world().catalog(|source| source.metadata.deletion_timestamp = deleted()) => r#"
        Yes Subscription demo/ferry
        Yes CatalogNotReady CatalogSource olm/ports: CatalogSource olm/ports is being deleted. [READY]
    "#;
    false_condition_is_ignored: world().subscription(|subscription| {
        subscription.status.conditions = vec![condition("ResolutionFailed", "False", "", "")];
    }) => r#"
        Yes Subscription demo/ferry
    "#;
    unknown_condition_is_shown: world().condition("SeaSick", "Waves", "high waves") => r#"
        Yes Subscription demo/ferry
        Yes SubscriptionCondition Subscription demo/ferry: OLM says SeaSick of Subscription demo/ferry: high waves
    "#;
    subscription_is_being_deleted: world().subscription(|subscription| subscription.metadata.deletion_timestamp = deleted()) => r#"
        NotYet Subscription demo/ferry
        NotYet SubscriptionDeleting Subscription demo/ferry: Subscription demo/ferry is being deleted. Its operator stays, and nothing updates it.
    "#;
    csv_of_the_subscription_was_deleted: world().namespace(|all| all.csvs.objects.clear()) => r#"
        No Subscription demo/ferry
        No NotInstalled Subscription demo/ferry: Subscription demo/ferry has no operator: ClusterServiceVersion demo/ferry.v1 was deleted, and OLM takes it for installed. Delete the Subscription and create it anew, and OLM installs it again.
    "#;
    csv_of_the_subscription_is_only_a_copy: world().namespace(|all| {
        all.csvs.objects.clear();
        all.copied.objects.push("ferry.v1".to_owned());
    }) => r#"
        No Subscription demo/ferry
        No OnlyCopied Subscription demo/ferry: Subscription demo/ferry has no operator: ferry.v1 is the copy of one in another namespace, and OLM takes it for installed. If that one serves this namespace, the Subscription is not needed.
    "#;
    copied_csv_of_another_operator_changes_nothing: world().namespace(|all| all.copied.objects.push("tug.v1".to_owned())) => r#"
        Yes Subscription demo/ferry
    "#;
    at_latest_known_is_not_health: world().phase(CsvPhase::Failed, "ComponentUnhealthy", "installing: deployment ferry not ready") => r#"
        No Subscription demo/ferry
        No CsvFailed ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 has failed (ComponentUnhealthy): installing: deployment ferry not ready
    "#;
}
