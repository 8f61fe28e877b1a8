//! Tests with objects of users that forbid or delay an update, although the operator needs the
//! update before the cluster upgrade.

use insta::assert_snapshot;
use rstest::rstest;

use super::cluster::{Cluster, crane};

const LINE: &str = "--kubernetes 1.35 --from 1.34 --at 2026-11-30T12:00:00Z";

/// Returns a cluster whose operator must be updated twice, because the catalog of the target
/// release starts at version 1.2.0.
fn cluster(objects: &str) -> Cluster {
    Cluster::of(objects, "crane: 1.0.0 -> 1.1.0 -> 1.2.0", "crane: 1.2.0")
}

/// Returns an OperatorPolicy that manages the Subscription.
fn policy(upgrades: &str, versions: &str) -> String {
    format!(
        "apiVersion: policy.open-cluster-management.io/v1beta1\nkind: OperatorPolicy\n\
         metadata: {{name: crane, namespace: policies}}\n\
         spec:\n  remediationAction: enforce\n  complianceType: musthave\n  \
         upgradeApproval: {upgrades}\n  subscription: {{name: crane, namespace: docks, channel: \
         stable, source: shop, sourceNamespace: olm}}\n  versions: {versions}\n"
    )
}

/// Returns a Policy and its PolicyBinding. The time window of the Policy is never open while the
/// tests run.
fn weekends(subject: &str) -> String {
    format!(
        "apiVersion: operators.operatorframework.io/v1alpha1\nkind: Policy\n\
         metadata: {{name: weekends}}\n\
         spec:\n  schedule:\n  - timeZone: UTC\n    start: 0 0 * * 6\n    end: 59 23 * * 0\n---\n\
         apiVersion: operators.operatorframework.io/v1alpha1\nkind: PolicyBinding\n\
         metadata: {{name: quiet}}\n\
         spec:\n  subjects:\n  - {subject}\n  policyRef:\n  - name: weekends\n"
    )
}

#[test]
fn names_subscription_with_manual_approval() {
    assert_snapshot!(cluster(&crane("Manual", "1.0.0")).readiness(LINE));
}

#[test]
fn names_policy_that_excludes_the_required_version() {
    let policy = policy("Automatic", "['crane@>=1.0.0 <1.2.0']");
    let cluster = cluster(&crane("Manual", "1.0.0")).with(&policy);
    assert_snapshot!(cluster.readiness(LINE));
}

#[test]
fn names_policy_that_approves_no_upgrades() {
    let cluster = cluster(&crane("Manual", "1.0.0")).with(&policy("None", "[]"));
    assert_snapshot!(cluster.readiness(LINE));
}

#[test]
fn names_policy_with_closed_time_window() {
    let operator = "apiVersion: operators.operatorframework.io/v1alpha1\nkind: Operator\n\
                    metadata: {name: crane}\n\
                    spec: {packageName: crane, channels: [stable], version: '>=1.0.0'}\n\
                    status: {bundle: {name: crane.v1.0.0, catalog: olm/shop}, versions: {installed: 1.0.0}}\n";
    let cluster = cluster(operator).with(&weekends("{kind: Operator, name: crane}"));
    assert_snapshot!(cluster.readiness(LINE));
}

#[rstest]
#[case::operator_without_version("", "Automatic", "NoUpdates")]
#[case::operator_with_manual_approval("'>=1.0.0'", "Manual", "NeedsApproval")]
fn names_operator_without_automatic_updates(
    #[case] version: &str,
    #[case] approval: &str,
    #[case] code: &str,
) {
    let operator = format!(
        "apiVersion: operators.operatorframework.io/v1alpha1\nkind: Operator\n\
         metadata: {{name: crane}}\n\
         spec: {{packageName: crane, channels: [stable], version: {version}, approval: {approval}}}\n\
         status: {{bundle: {{name: crane.v1.0.0, catalog: olm/shop}}, versions: {{installed: 1.0.0}}}}\n"
    );
    let answer = cluster(&operator).operator(LINE);
    let reason = &answer["reasons"][1];
    assert_eq!(
        (&answer["verdict"], &reason["code"]),
        (&"update-first".into(), &code.into())
    );
    assert_eq!(reason["object"], "Operator crane");
}

#[test]
fn ignores_policy_if_no_update_is_required() {
    let shop = "crane: 1.0.0 -> 1.1.0";
    let cluster = Cluster::of(&crane("Manual", "1.0.0"), shop, shop).with(&policy("None", "[]"));
    let answer = cluster.operator(LINE);
    assert_eq!(
        (&answer["verdict"], &answer["reasons"]),
        (&"ready".into(), &().into())
    );
}
