//! Tests of facts that OpenShift reports: the conditions of ClusterOperators, and requests for
//! removed APIs.

use insta::assert_snapshot;
use rstest::rstest;

use super::cluster::{Cluster, crane, describe_as_dump, openshift};

/// OpenShift 4.12 contains Kubernetes 1.25, which removes PodSecurityPolicy.
const LINE: &str = "--openshift 4.12";

fn cluster(limit: &str) -> Cluster {
    let objects = format!(
        "{}---\n{}",
        openshift("4.11.3"),
        crane("Automatic", "1.0.0")
    );
    let annotated = objects.replace(
        "metadata: {name: crane.v1.0.0, namespace: docks}",
        &format!("metadata: {{name: crane.v1.0.0, namespace: docks, annotations: {{operatorframework.io/properties: '{limit}'}}}}"),
    );
    let pods = "{apiGroups: [''], resources: [pods], verbs: [get]}";
    let object = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cranes}\n";
    Cluster::of(&annotated, "crane: 1.0.0", "crane: 1.0.0").with_bundle("1.0.0", pods, object)
}

const UNLIMITED: &str = r#"{"properties":[]}"#;
const LIMITED: &str = r#"{"properties":[{"type":"olm.maxOpenShiftVersion","value":"4.11"}]}"#;

fn condition(status: &str, reason: &str, message: &str) -> String {
    format!(
        "apiVersion: config.openshift.io/v1\nkind: ClusterOperator\n\
         metadata: {{name: operator-lifecycle-manager}}\n\
         status:\n  conditions:\n  - {{type: Upgradeable, status: '{status}', reason: {reason}, \
         message: \"{message}\"}}\n"
    )
}

const BLOCKING: &str = "ClusterServiceVersions blocking cluster upgrade:\\n- maximum supported OCP version for \
                        docks/crane.v1.0.0 is 4.11";

#[rstest]
#[case::agrees_that_nothing_blocks(
    UNLIMITED, ["True", "AsExpected", ""],
    "The condition Upgradeable agrees: no limit blocks the upgrade to OpenShift 4.12."
)]
#[case::agrees_that_an_operator_blocks(
    LIMITED, ["False", "IncompatibleOperatorsInstalled", BLOCKING],
    "The condition Upgradeable agrees: the upgrade to OpenShift 4.12 is blocked by docks/crane.v1.0.0."
)]
#[case::has_not_noticed_the_operator(
    LIMITED, ["True", "AsExpected", ""],
    "The condition Upgradeable differs: it does not name docks/crane.v1.0.0 yet, whose limit blocks the upgrade."
)]
#[case::is_outdated(
    UNLIMITED, ["False", "IncompatibleOperatorsInstalled", BLOCKING],
    "The condition Upgradeable differs: it names docks/crane.v1.0.0, whose limit permits the upgrade now."
)]
#[case::names_a_missing_operator(
    UNLIMITED,
    ["False", "IncompatibleOperatorsInstalled", "- maximum supported OCP version for docks/gone.v1 is 4.11"],
    "The condition Upgradeable differs: it names docks/gone.v1, which is not in this report."
)]
#[case::has_another_reason(
    UNLIMITED, ["False", "ErrorCheckingOperatorCompatibility", "no answer"],
    "The condition Upgradeable is False for another reason: ErrorCheckingOperatorCompatibility: no answer"
)]
fn compares_upgradeable_condition_with_target_release(
    #[case] limit: &str,
    #[case] condition_text: [&str; 3],
    #[case] expected: &str,
) {
    let [status, reason, message] = condition_text;
    let cluster = cluster(limit).with(&condition(status, reason, message));
    let printed = cluster.readiness(LINE);
    let line = format!("ClusterOperator operator-lifecycle-manager: {expected}");
    assert!(printed.contains(&line), "{printed}");
}

#[test]
fn lists_unreadable_facts_as_not_checked() {
    assert_snapshot!(cluster(UNLIMITED).readiness(LINE));
}

#[test]
fn lists_requests_for_removed_apis() {
    let requests = "apiVersion: apiserver.openshift.io/v1\nkind: APIRequestCount\n\
                    metadata: {name: podsecuritypolicies.v1beta1.policy}\n\
                    status:\n  removedInRelease: '1.25'\n  last24h:\n  - byNode:\n    - byUser:\n      \
                    - {username: 'system:serviceaccount:docks:cranes', requestCount: 12}\n      \
                    - {username: 'system:serviceaccount:docks:other', requestCount: 3}\n      \
                    - {username: 'system:serviceaccount:piers:cranes', requestCount: 4}\n";
    let condition = condition("True", "AsExpected", "");
    let cluster = cluster(UNLIMITED).with(requests).with(&condition);
    assert_snapshot!(cluster.readiness(LINE));
}

/// A dump contains a list of the kinds of OpenShift. If the list is empty, there were no requests.
#[test]
fn dump_without_api_requests_counts_as_no_requests() {
    let condition = condition("True", "AsExpected", "");
    let cluster = cluster(UNLIMITED).with(&condition);
    let unknown = "requests of operators for removed APIs";
    assert!(cluster.readiness(LINE).contains(unknown));
    describe_as_dump(&cluster.world);
    let printed = cluster.readiness(LINE);
    assert!(!printed.contains(unknown), "{printed}");
    assert!(
        printed.contains("ClusterOperator operator-lifecycle-manager: "),
        "{printed}"
    );
}
