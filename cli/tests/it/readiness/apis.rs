//! Tests with APIs that the target release of Kubernetes removes, and with bundles that the target
//! release no longer contains.

use insta::assert_snapshot;

use super::cluster::{Cluster, crane};

/// Kubernetes 1.25 removes the APIs PodDisruptionBudget and PodSecurityPolicy of policy/v1beta1.
const LINE: &str = "--kubernetes 1.25 --from 1.24";

const OLD: &str =
    "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: cranes}\n";
const NEW: &str = "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: cranes}\n";
const PODS: &str = "{apiGroups: [''], resources: [pods], verbs: [get]}";
const SECURITY: &str = "{apiGroups: [policy], resources: [podsecuritypolicies], verbs: [use]}";

fn cluster(shop: &str) -> Cluster {
    Cluster::of(&crane("Automatic", "1.0.0"), shop, shop)
}

#[test]
fn object_with_a_removed_api_blocks_the_upgrade() {
    let cluster = cluster("crane: 1.0.0").with_bundle("1.0.0", PODS, OLD);
    assert_snapshot!(cluster.readiness(LINE));
}

#[test]
fn requires_update_to_bundle_without_removed_api() {
    let cluster = cluster("crane: 1.0.0 -> 1.1.0")
        .with_bundle("1.0.0", PODS, OLD)
        .with_bundle("1.1.0", PODS, NEW);
    assert_snapshot!(cluster.readiness(LINE));
}

#[test]
fn permission_for_removed_api_is_listed_as_a_note() {
    let cluster = cluster("crane: 1.0.0").with_bundle("1.0.0", SECURITY, NEW);
    assert_snapshot!(cluster.readiness(LINE));
}

#[test]
fn operator_with_unreadable_bundle_is_not_ready() {
    assert_snapshot!(cluster("crane: 1.0.0").readiness(LINE));
}

/// The releases from 1.33 to 1.35 remove no API, so the command reads no bundle.
#[test]
fn bundles_are_read_only_if_an_api_is_removed() {
    let cluster = cluster("crane: 1.0.0").with_bundle("1.0.0", PODS, "no YAML: [");
    let operator = cluster.operator("--kubernetes 1.35 --from 1.33");
    assert_eq!(operator["verdict"], "ready");
    assert_eq!(cluster.operator(LINE)["verdict"], "not-checked");
}

#[test]
fn reports_installed_bundle_missing_from_target_catalog() {
    let now = "crane: 1.0.0 -> 1.1.0";
    let then = "crane: 1.1.0 covers >=1.0.0 <1.1.0";
    let cluster = Cluster::of(&crane("Automatic", "1.0.0"), now, then);
    assert_snapshot!(cluster.readiness("--kubernetes 1.35 --from 1.34"));
}
