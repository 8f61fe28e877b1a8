use rstest::rstest;
use serde_json::{Value, json};

use super::*;
use crate::tests::kit::{Stage, csv as operator, design, established, merged, stage, subscription};
use crate::{Answer, Channel};

fn elsewhere(other: Value) -> Value {
    let moved = json!({"metadata": {"namespace": "operators"}});
    merged(
        operator(
            "etcd.v3.0.0",
            merged(moved, json!({"spec": {"version": "3.0.0"}})),
        ),
        other,
    )
}

fn served(policy: Value, other: Value) -> Stage {
    stage(policy).with(|stage| stage.elsewhere.push(elsewhere(other)))
}

fn messages(stage: &Stage) -> Vec<String> {
    let part = stage.case(judge).expect("an operator in another namespace");
    let words = part.conditions.iter().map(|condition| {
        format!(
            "{} {:?} {:?}: {}",
            condition.type_, condition.status, condition.reason, condition.message
        )
    });
    words.collect()
}

/// The namespace is empty. It does not even contain a copied ClusterServiceVersion.
///
/// Behaviors 51, 56.
#[test]
fn operator_in_another_namespace_replaces_installation() {
    insta::assert_snapshot!(messages(&served(established(json!({})), json!({}))).join("\n"));
}

/// Behavior 52.
#[test]
fn reports_other_version_of_operator_in_another_namespace() {
    let policy = established(json!({"versions": ["etcd.v2.0.0"]}));
    insta::assert_snapshot!(messages(&served(policy, json!({}))).join("\n"));
}

/// Behavior 51.
#[test]
fn reports_phase_of_failed_operator_in_another_namespace() {
    let failed = json!({"status": {"phase": "Failed"}});
    let all = messages(&served(established(json!({})), failed));
    let type_ = all
        .iter()
        .find(|one| one.starts_with("ClusterServiceVersion"));
    assert_eq!(
        type_.map(String::as_str),
        Some(
            "ClusterServiceVersionCompliant False Olm(\"Copied\"): \
             ClusterServiceVersion operators/etcd.v3.0.0, which serves all namespaces, is Failed"
        )
    );
}

/// Behavior 55.
#[test]
fn reports_deprecation_and_channel_of_operator_in_other_namespace() {
    let effects = json!({
        "deprecationsPresent": "NonCompliant",
        "minorChannelUpgradeAvailable": "NonCompliant",
    });
    let subscription_spec = json!({"channel": "stable-3.0"});
    let policy =
        established(json!({"complianceConfig": effects, "subscription": subscription_spec}));
    let stage = served(policy, json!({})).with(|stage| {
        if let Answer::Found(offer) = &mut stage.answers.offer {
            offer.deprecation = Some("Use raft.".to_owned());
            offer.channels = ["stable-3.0", "stable-3.1"]
                .map(|name| Channel {
                    name: name.to_owned(),
                    deprecation: None,
                })
                .to_vec();
        }
    });
    let advice = [
        ConditionType::NoDeprecations,
        ConditionType::MinorChannelUpgradeAvailable,
    ];
    let mut reported = stage.decide().report.conditions;
    reported.retain(|condition| advice.contains(&condition.type_));
    let expected = [
        Condition::bad(
            ConditionType::NoDeprecations,
            Reason::PackageDeprecated,
            "Package etcd is deprecated: Use raft",
        ),
        Condition::bad(
            ConditionType::MinorChannelUpgradeAvailable,
            Reason::UpgradeAvailable,
            "Channel stable-3.1 of package etcd has a later minor version",
        ),
    ];
    assert_eq!(reported, expected);
}

/// Behavior 51.
#[rstest]
#[case::established(established(json!({})), "Olm(\"Copied\")")]
#[case::design(design(json!({})), "Ours(ExistingInstallation)")]
fn reason_for_operator_elsewhere_depends_on_the_form(#[case] policy: Value, #[case] reason: &str) {
    let part = served(policy, json!({}))
        .case(judge)
        .expect("an operator in another namespace");
    let mut reported = part.conditions.iter();
    let csv = reported
        .find(|each| each.type_ == CSV_TYPE)
        .expect("a condition of the ClusterServiceVersion");
    let (_, related) = part
        .related
        .iter()
        .find(|(type_, _)| *type_ == CSV_TYPE)
        .expect("the related objects of the type");
    let listed = related[0].reason.as_deref().unwrap_or_default();
    assert_eq!(format!("{:?}", csv.reason), reason);
    assert!(reason.contains(listed), "{listed} is listed");
}

/// Behaviors 51, 54. Defect D14.
#[rstest]
#[case::names(json!({"name": "g", "targetNamespaces": ["databases"]}))]
#[case::labels(json!({"name": "g", "selector": {"matchLabels": {"a": "b"}}}))]
fn group_with_target_namespaces_ignores_operator_elsewhere(#[case] group: Value) {
    let stage = served(established(json!({"operatorGroup": group})), json!({}));
    assert_eq!(stage.case(judge), None);
}

/// Behavior 54.
#[test]
fn operator_is_installed_if_no_other_namespace_has_it() {
    let stage = stage(established(json!({})));
    assert_eq!(stage.case(judge), None);
}

/// Behavior 53.
#[rstest]
#[case::created_by_the_policy(established(json!({})), "policy-uid", true)]
#[case::created_by_another_client(established(json!({})), "other-uid", false)]
#[case::inform_mode(established(json!({"remediationAction": "inform"})), "policy-uid", false)]
#[case::design_form(design(json!({})), "policy-uid", true)]
fn subscription_created_by_the_policy_is_deleted(
    #[case] policy: Value,
    #[case] creator: &str,
    #[case] goes: bool,
) {
    let marks = json!({"metadata": {"annotations": {
        portolan_api::MANAGED: "local-cluster.etcd-policy",
        portolan_api::CREATED_BY: creator,
    }}});
    let stage = served(policy, json!({})).object(subscription(marks));
    let part = stage.case(judge).expect("an operator in another namespace");
    let actions: Vec<_> = part.steps.into_iter().map(|step| step.action).collect();
    let delete = Action::Delete {
        object: Target {
            api_version: SUBSCRIPTION.0,
            kind: SUBSCRIPTION.1,
            namespace: Some("databases".to_owned()),
            name: "etcd".to_owned(),
            uid: "etcd-uid".to_owned(),
            resource_version: "1".to_owned(),
        },
        is_orphaning: false,
    };
    let wanted: Vec<_> = goes.then_some(delete).into_iter().collect();
    assert_eq!(actions, wanted);
}
