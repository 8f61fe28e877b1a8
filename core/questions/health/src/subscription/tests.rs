use crate::tests::kit::*;
use crate::*;

stories! { World;
    one_that_olm_has_not_looked_at: fresh() => r#"
        NotYet Subscription demo/ferry
        NotYet SubscriptionUnseen Subscription demo/ferry: OLM has not said anything of Subscription demo/ferry. If that lasts, look whether OLM runs.
    "#;
    one_that_is_resolved_has_no_operator_yet: fresh().subscription(|subscription| subscription.status.current_csv = "ferry.v1".to_owned()) => r#"
        NotYet Subscription demo/ferry
        NotYet NotInstalled Subscription demo/ferry: Subscription demo/ferry has no operator yet.
    "#;
    one_without_an_operator_whose_bundle_is_unpacked: fresh().condition("BundleUnpacking", "UnpackingInProgress", "") => r#"
        NotYet Subscription demo/ferry
        NotYet NotInstalled Subscription demo/ferry: Subscription demo/ferry has no operator yet.
        - NotYet BundleUnpacking Subscription demo/ferry: OLM unpacks a bundle for Subscription demo/ferry or a neighbor: UnpackingInProgress
    "#;
    one_without_an_operator_that_does_not_resolve: fresh().condition("ResolutionFailed", "ConstraintsNotSatisfiable", "no operators found in package fery") => r#"
        No Subscription demo/ferry
        No NotInstalled Subscription demo/ferry: Subscription demo/ferry has no operator, and something keeps OLM from installing one.
        - No ResolutionFailed Subscription demo/ferry: OLM finds no set of bundles that fits Subscription demo/ferry and its neighbors: no operators found in package fery
    "#;
    one_without_an_operator_whose_bundle_does_not_unpack: fresh().condition("BundleUnpackFailed", "DeadlineExceeded", "Job was active longer than specified deadline") => r#"
        No Subscription demo/ferry
        No NotInstalled Subscription demo/ferry: Subscription demo/ferry has no operator, and something keeps OLM from installing one.
        - No BundleUnpackFailed Subscription demo/ferry: OLM cannot unpack a bundle for Subscription demo/ferry or a neighbor: Job was active longer than specified deadline
    "#;
    one_without_an_operator_and_a_neighbor_with_a_bad_catalog: fresh().condition("CatalogSourcesUnhealthy", "UnhealthyCatalogSourceFound", "targeted catalogsource olm/quays missing") => r#"
        NotYet Subscription demo/ferry
        NotYet NotInstalled Subscription demo/ferry: Subscription demo/ferry has no operator yet.
        - NotYet CatalogSourcesUnhealthy Subscription demo/ferry: OLM finds something wrong with a catalog that Subscription demo/ferry can see: targeted catalogsource olm/quays missing
    "#;
    one_without_an_operator_and_without_its_catalog: fresh().namespace(|all| all.catalogs.objects.clear()) => r#"
        No Subscription demo/ferry
        NotYet SubscriptionUnseen Subscription demo/ferry: OLM has not said anything of Subscription demo/ferry. If that lasts, look whether OLM runs.
        - No CatalogMissing CatalogSource olm/ports: CatalogSource olm/ports is not there, so nothing is installed or updated from it.
    "#;
    one_without_an_operator_whose_catalog_is_lost: fresh().catalog(|source| source.status.connection = connection("TRANSIENT_FAILURE")) => r#"
        NotYet Subscription demo/ferry
        NotYet SubscriptionUnseen Subscription demo/ferry: OLM has not said anything of Subscription demo/ferry. If that lasts, look whether OLM runs.
        - NotYet CatalogTrouble CatalogSource olm/ports: CatalogSource olm/ports has no connection to OLM. [TRANSIENT_FAILURE]
    "#;
    one_with_an_operator_does_not_suffer_from_its_neighbors: world()
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
    one_with_an_operator_outlives_its_catalog: world().namespace(|all| all.catalogs.objects.clear()) => r#"
        Yes Subscription demo/ferry
        Yes CatalogMissing CatalogSource olm/ports: CatalogSource olm/ports is not there, so nothing is installed or updated from it.
    "#;
    one_with_an_operator_whose_catalog_is_being_deleted: world().catalog(|source| source.metadata.deletion_timestamp = deleted()) => r#"
        Yes Subscription demo/ferry
        Yes CatalogTrouble CatalogSource olm/ports: CatalogSource olm/ports is being deleted. [READY]
    "#;
    a_condition_that_is_false_says_nothing: world().subscription(|subscription| {
        subscription.status.conditions = vec![condition("ResolutionFailed", "False", "", "")];
    }) => r#"
        Yes Subscription demo/ferry
    "#;
    a_condition_that_is_not_known_is_shown: world().condition("SeaSick", "Waves", "high waves") => r#"
        Yes Subscription demo/ferry
        Yes SubscriptionCondition Subscription demo/ferry: OLM says SeaSick of Subscription demo/ferry: high waves
    "#;
    one_that_is_being_deleted: world().subscription(|subscription| subscription.metadata.deletion_timestamp = deleted()) => r#"
        NotYet Subscription demo/ferry
        NotYet SubscriptionDeleting Subscription demo/ferry: Subscription demo/ferry is being deleted. Its operator stays, and nothing updates it.
    "#;
    one_whose_operator_was_deleted: world().namespace(|all| all.csvs.objects.clear()) => r#"
        No Subscription demo/ferry
        No NotInstalled Subscription demo/ferry: Subscription demo/ferry has no operator: ClusterServiceVersion demo/ferry.v1 was deleted, and OLM takes it for installed. Delete the Subscription and create it anew, and OLM installs it again.
    "#;
    one_whose_operator_is_only_a_copy: world().namespace(|all| {
        all.csvs.objects.clear();
        all.copied.objects.push("ferry.v1".to_owned());
    }) => r#"
        No Subscription demo/ferry
        No OnlyCopied Subscription demo/ferry: Subscription demo/ferry has no operator: ferry.v1 is the copy of one in another namespace, and OLM takes it for installed. If that one serves this namespace, the Subscription is not needed.
    "#;
    a_copy_of_something_else_changes_nothing: world().namespace(|all| all.copied.objects.push("tug.v1".to_owned())) => r#"
        Yes Subscription demo/ferry
    "#;
    at_latest_known_is_not_health: world().phase(CsvPhase::Failed, "ComponentUnhealthy", "installing: deployment ferry not ready") => r#"
        No Subscription demo/ferry
        No CsvFailed ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 has failed (ComponentUnhealthy): installing: deployment ferry not ready
    "#;
}
