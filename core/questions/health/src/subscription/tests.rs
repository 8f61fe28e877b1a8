use portolan_core_olm::Condition;
use serde_json::json;

use crate::tests::kit::*;
use crate::*;

stories! { World;
    subscription_has_no_status: fresh() => r#"
        NotYet Subscription demo/ferry
        NotYet SubscriptionNotObserved Subscription demo/ferry: OLM has not reported a status for Subscription demo/ferry. If the status stays empty, check that OLM runs.
    "#;
    resolved_subscription_has_no_operator_yet: fresh().subscription(|subscription| subscription.status.current_csv = "ferry.v1".to_owned()) => r#"
        NotYet Subscription demo/ferry
        NotYet NotInstalled Subscription demo/ferry: Subscription demo/ferry has no installed operator yet.
    "#;
    bundle_is_being_unpacked_before_the_installation: fresh().condition("BundleUnpacking", "UnpackingInProgress", "") => r#"
        NotYet Subscription demo/ferry
        NotYet NotInstalled Subscription demo/ferry: Subscription demo/ferry has no installed operator yet.
        - NotYet BundleUnpacking Subscription demo/ferry: OLM unpacks a bundle for Subscription demo/ferry or another Subscription of the namespace: UnpackingInProgress
    "#;
    bundle_is_unpacked_after_a_failed_resolution: fresh().subscription(|subscription| {
        subscription.status.conditions = vec![
            since("ResolutionFailed", "2026-11-22T09:00:00Z"),
            since("BundleUnpacking", "2026-11-22T09:00:05Z"),
        ];
    }) => r#"
        NotYet Subscription demo/ferry
        NotYet NotInstalled Subscription demo/ferry: Subscription demo/ferry has no installed operator yet.
        - NotYet BundleUnpacking Subscription demo/ferry: OLM unpacks a bundle for Subscription demo/ferry or another Subscription of the namespace: Why
    "#;
    resolution_fails_after_a_bundle_was_unpacked: fresh().subscription(|subscription| {
        subscription.status.conditions = vec![
            since("ResolutionFailed", "2026-11-22T09:00:05Z"),
            since("BundleUnpacking", "2026-11-22T09:00:00Z"),
        ];
    }) => r#"
        No Subscription demo/ferry
        No NotInstalled Subscription demo/ferry: Subscription demo/ferry has no installed operator, because another problem blocks OLM.
        - NotYet BundleUnpacking Subscription demo/ferry: OLM unpacks a bundle for Subscription demo/ferry or another Subscription of the namespace: Why
        - No ResolutionFailed Subscription demo/ferry: OLM finds no set of bundles that satisfies Subscription demo/ferry and the other Subscriptions of the namespace: Why
    "#;
    resolution_fails_before_the_installation: fresh().condition("ResolutionFailed", "ConstraintsNotSatisfiable", "no operators found in package fery") => r#"
        No Subscription demo/ferry
        No NotInstalled Subscription demo/ferry: Subscription demo/ferry has no installed operator, because another problem blocks OLM.
        - No ResolutionFailed Subscription demo/ferry: OLM finds no set of bundles that satisfies Subscription demo/ferry and the other Subscriptions of the namespace: no operators found in package fery
    "#;
    bundle_unpacking_fails_before_the_installation: fresh().condition("BundleUnpackFailed", "DeadlineExceeded", "Job was active longer than specified deadline") => r#"
        No Subscription demo/ferry
        No NotInstalled Subscription demo/ferry: Subscription demo/ferry has no installed operator, because another problem blocks OLM.
        - No BundleUnpackFailed Subscription demo/ferry: OLM cannot unpack a bundle for Subscription demo/ferry or another Subscription of the namespace: Job was active longer than specified deadline
    "#;
    catalog_of_a_neighbor_fails_before_the_installation: fresh().condition("CatalogSourcesUnhealthy", "UnhealthyCatalogSourceFound", "targeted catalogsource olm/quays missing") => r#"
        NotYet Subscription demo/ferry
        NotYet NotInstalled Subscription demo/ferry: Subscription demo/ferry has no installed operator yet.
        - NotYet CatalogSourcesUnhealthy Subscription demo/ferry: OLM reports a problem with a catalog that is visible to Subscription demo/ferry: targeted catalogsource olm/quays missing
    "#;
    catalog_is_missing_before_the_installation: fresh().namespace(|all| all.catalogs.objects.clear()) => r#"
        No Subscription demo/ferry
        NotYet SubscriptionNotObserved Subscription demo/ferry: OLM has not reported a status for Subscription demo/ferry. If the status stays empty, check that OLM runs.
        - No CatalogMissing CatalogSource olm/ports: CatalogSource olm/ports does not exist, so nothing is installed or updated from it.
    "#;
    catalog_is_unreachable_before_the_installation: fresh().catalog(|source| source.status.connection = connection("TRANSIENT_FAILURE")) => r#"
        NotYet Subscription demo/ferry
        NotYet SubscriptionNotObserved Subscription demo/ferry: OLM has not reported a status for Subscription demo/ferry. If the status stays empty, check that OLM runs.
        - NotYet CatalogNotReady CatalogSource olm/ports: CatalogSource olm/ports has no connection to OLM. [TRANSIENT_FAILURE]
    "#;
    other_subscriptions_do_not_affect_an_installed_operator: world()
        .condition("ResolutionFailed", "ConstraintsNotSatisfiable", "no operators found in package fery")
        .condition("BundleUnpackFailed", "DeadlineExceeded", "")
        .condition("BundleUnpacking", "UnpackingInProgress", "")
        .condition("CatalogSourcesUnhealthy", "UnhealthyCatalogSourceFound", "") => r#"
        Yes Subscription demo/ferry
        Yes BundleUnpackFailed Subscription demo/ferry: OLM cannot unpack a bundle for Subscription demo/ferry or another Subscription of the namespace: DeadlineExceeded
        Yes BundleUnpacking Subscription demo/ferry: OLM unpacks a bundle for Subscription demo/ferry or another Subscription of the namespace: UnpackingInProgress
        Yes CatalogSourcesUnhealthy Subscription demo/ferry: OLM reports a problem with a catalog that is visible to Subscription demo/ferry: UnhealthyCatalogSourceFound
        Yes ResolutionFailed Subscription demo/ferry: OLM finds no set of bundles that satisfies Subscription demo/ferry and the other Subscriptions of the namespace: no operators found in package fery
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
        Yes SubscriptionCondition Subscription demo/ferry: OLM reports SeaSick for Subscription demo/ferry: high waves
    "#;
    subscription_is_being_deleted: world().subscription(|subscription| subscription.metadata.deletion_timestamp = deleted()) => r#"
        NotYet Subscription demo/ferry
        NotYet SubscriptionDeleting Subscription demo/ferry: Subscription demo/ferry is being deleted. The installed operator is kept, but gets no updates.
    "#;
    csv_of_the_subscription_was_deleted: world().namespace(|all| all.csvs.objects.clear()) => r#"
        No Subscription demo/ferry
        No NotInstalled Subscription demo/ferry: Subscription demo/ferry has no installed operator: ClusterServiceVersion demo/ferry.v1 was deleted, but OLM still treats this ClusterServiceVersion as installed. Delete the Subscription and create it again. OLM then installs the operator again.
    "#;
    csv_of_the_subscription_is_only_a_copy: world().namespace(|all| {
        all.csvs.objects.clear();
        all.copied.objects.push("ferry.v1".to_owned());
    }) => r#"
        No Subscription demo/ferry
        No OnlyCopied Subscription demo/ferry: Subscription demo/ferry has no operator of its own: ferry.v1 is a copy of a ClusterServiceVersion in another namespace, but OLM treats the copy as installed. If the operator in the other namespace watches this namespace, you do not need the Subscription.
    "#;
    copied_csv_of_another_operator_changes_nothing: world().namespace(|all| all.copied.objects.push("tug.v1".to_owned())) => r#"
        Yes Subscription demo/ferry
    "#;
    at_latest_known_state_does_not_mean_healthy: world().phase(CsvPhase::Failed, "ComponentUnhealthy", "installing: deployment ferry not ready") => r#"
        No Subscription demo/ferry
        No CsvFailed ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 has failed (ComponentUnhealthy): installing: deployment ferry not ready
    "#;
}

/// Returns a condition that has been true since this time.
fn since(kind: &str, time: &str) -> Condition {
    Condition {
        last_transition_time: Some(serde_json::from_value(json!(time)).expect("a time")),
        ..condition(kind, "True", "Why", "")
    }
}
