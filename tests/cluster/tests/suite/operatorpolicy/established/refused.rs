//! Rows with invalid policies, and with policies that contradict each other.

use serde_json::json;

use super::row::{INVALID, MISSING, REFUSED, Row, STUCK};
use crate::approval::policy::{Policy, policy};

const INVALID_POLICY: &str = "an invalid policy";
const ANY: &str = "`versions: [\"*\"]`";

pub(super) const PACKAGES: &str = "ketch: 1.0.0; smack: 1.0.0; dinghy: 1.0.0; carvel: 1.0.0; \
                                   coble: 1.0.0; cutter: 1.0.0; barque: 1.0.0;";

pub(super) fn rows() -> Vec<Row> {
    let no_namespace = invalid(
        policy("ketch"),
        "ketch",
        "neither the policy nor the package sets the namespace",
    );
    vec![
        invalid(
            policy("pram"),
            "pram",
            "no catalog has the package, so its channel and catalog are unknown",
        ),
        invalid(
            policy("smack").asks("source", "elsewhere".into()),
            "smack",
            "the catalog that is named is not the one that has the package",
        ),
        no_namespace.suggested(),
        overlapping("dinghy"),
        overlapping("dinghy-again"),
        invalid(
            policy("carvel").asks("installPlanApproval", "Automatic".into()),
            "carvel",
            "installPlanApproval is for upgradeApproval to say",
        ),
        invalid(
            policy("coble").asks("chanel", "stable".into()),
            "coble",
            "OLM has no such field",
        ),
        other_namespace(),
        any_version(),
    ]
}

fn invalid(policy: Policy, namespace: &'static str, rule: &'static str) -> Row {
    Row::of(policy, namespace, rule, INVALID).expects(INVALID_POLICY, REFUSED)
}

/// Returns two policies for the same Subscription.
fn overlapping(name: &'static str) -> Row {
    let labels = json!({
        "policy.open-cluster-management.io/cluster-name": "one",
        "policy.open-cluster-management.io/cluster-namespace": "one",
    });
    let rule = "two enforced policies on one Subscription stop each other";
    invalid(policy("dinghy").called(name), "dinghy", rule).labeled(labels)
}

/// Returns a policy whose OperatorGroup is in another namespace. The Subscription waits for an
/// OperatorGroup in its own namespace.
fn other_namespace() -> Row {
    let group = json!({"name": "own", "namespace": "elsewhere"});
    let policy = policy("cutter").with("operatorGroup", group);
    let rule = "the group is written for another namespace than the Subscription";
    Row::of(policy, "cutter", rule, STUCK)
        .without(&["related OperatorGroup"])
        .but(&[
            "ValidPolicySpec False InvalidPolicySpec",
            "OperatorGroupCompliant Unknown InvalidPolicySpec",
        ])
        .but(MISSING)
        .expects(INVALID_POLICY, REFUSED)
}

/// Returns a policy with an asterisk as a version. The established controller treats it as the name
/// of a bundle, which does not exist.
fn any_version() -> Row {
    let group = json!({"name": "own", "targetNamespaces": ["barque"]});
    let policy = policy("barque").allows(&["*"]).with("operatorGroup", group);
    let rule = "an asterisk is the name of no bundle, so nothing is approved";
    Row::of(policy, "barque", rule, STUCK)
        .but(&[
            "SubscriptionCompliant True SubscriptionMatches",
            "InstallPlanCompliant True InstallPlanRequiresApproval",
            "related Subscription: Compliant",
        ])
        .there(&[
            "OperatorGroup own for barque",
            "Subscription barque stable Manual",
            "InstallPlan barque.v1.0.0 waits",
        ])
        .expects(ANY, REFUSED)
        .differs(
            ANY,
            &[
                ("there OperatorGroup own for barque", ""),
                ("there Subscription barque stable Manual", ""),
                ("there InstallPlan barque.v1.0.0 waits", ""),
            ],
        )
}
