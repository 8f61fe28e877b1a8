use portolan_core_olm::read_value;
use rstest::rstest;
use serde_json::{Value, json};

use super::*;
use crate::Certainty;

fn condition(type_: &str, reason: &str, message: &str) -> Value {
    json!({
        "type": type_, "status": "False", "reason": reason, "message": message,
        "lastTransitionTime": "2026-05-06T07:08:00Z",
    })
}

/// Returns the policy `reefs/tide`, which sets channel `spring-2`. Its condition about the
/// Subscription has this reason and message.
fn policy(action: &str, reason: &str, message: &str) -> OperatorPolicy {
    let related = |kind: &str, name: &str, compliant: &str| {
        let metadata = json!({"namespace": "shore", "name": name});
        let object = json!({"apiVersion": "operators.coreos.com/v1alpha1", "kind": kind, "metadata": metadata});
        json!({"object": object, "compliant": compliant, "reason": "a"})
    };
    let conditions = [
        condition("Compliant", reason, message),
        condition("SubscriptionCompliant", reason, message),
    ];
    let policy = json!({
        "apiVersion": "policy.open-cluster-management.io/v1beta1", "kind": "OperatorPolicy",
        "metadata": {"name": "tide", "namespace": "reefs", "annotations": {"a8r.io/owner": "moon team"}},
        "spec": {
            "remediationAction": action,
            "subscription": {"name": "tide", "channel": "spring-2", "source": "{{ source }}"},
        },
        "status": {
            "compliant": "NonCompliant", "conditions": conditions,
            "relatedObjects": [
                related("Subscription", "tide", "NonCompliant"),
                related("ClusterServiceVersion", "tide.v1.9.0", "Compliant"),
            ],
        },
    });
    serde_json::from_value(policy).expect("a policy")
}

/// Returns the Subscription `shore/tide` with channel `neap-1` and these annotations.
fn subscription(annotations: &Value) -> Arc<Subscription> {
    let object = json!({
        "metadata": {"name": "tide", "namespace": "shore", "annotations": annotations},
        "spec": {"name": "tide", "channel": "neap-1", "source": "charts"},
    });
    Arc::new(read_value(object).expect("a Subscription").0)
}

const REVERTS: &str = "Subscription shore/tide does not match the policy";

fn contested(subscriptions: &[Arc<Subscription>]) -> Diagnosis {
    let policy = policy("enforce", "Contested", REVERTS);
    among(&policy, &Workloads::default(), subscriptions)
}

#[test]
fn contested_field_names_both_writers_and_both_decisions() {
    let annotations = json!({
        "argocd.argoproj.io/tracking-id": "coast:operators.coreos.com/Subscription:shore/tide",
        "a8r.io/owner": "sand team",
    });
    let diagnosis = contested(&[subscription(&annotations)]);
    let cause = diagnosis.cause.expect("a cause");
    assert_eq!(
        (diagnosis.state, cause.code),
        (State::Stuck, Code::DriftContested)
    );
    let headline = "tide.v1.9.0 keeps running. Argo CD Application coast has reverted the changes of OperatorPolicy reefs/tide since 2026-05-06 07:08 UTC. Subscription shore/tide stays at spec.channel \"neap-1\" instead of \"spring-2\".";
    assert_eq!(diagnosis.headline, headline);
    assert_eq!(
        (cause.at_fault, cause.also_at_fault),
        (
            Object::new("Application.argoproj.io", "", "coast"),
            vec![Object::new("OperatorPolicy", "reefs", "tide")]
        )
    );
    let message = "OperatorPolicy reefs/tide and Argo CD Application coast write different values to Subscription \
                   shore/tide. The policy sets spec.channel to \"spring-2\", and Argo CD Application coast sets \
                   it back to \"neap-1\". The controller of the policy therefore waits, and repeats its change only \
                   every 10 minutes.";
    assert_eq!(cause.message, message);
    let quote = &cause.quotes[0];
    assert_eq!(
        (&*quote.source, &*quote.text),
        ("the controller of the policy", REVERTS)
    );
    let who = "the owner of Argo CD Application coast (a8r.io/owner: sand team), with the owner of OperatorPolicy \
               reefs/tide (a8r.io/owner: moon team)";
    assert_eq!(cause.responsible.who, who);
    let titles: Vec<_> = cause.remedy.decide.iter().map(|it| &*it.title).collect();
    let expected = [
        "If the value of the policy is right: in the Git source of Argo CD Application coast, set spec.channel to \
         \"spring-2\" in Subscription shore/tide.",
        "If the value of Argo CD Application coast is right: set spec.subscription.channel to \"neap-1\" in OperatorPolicy \
         reefs/tide.",
    ];
    assert_eq!(titles, expected);
    let patch = "kubectl patch operatorpolicies.policy.open-cluster-management.io/tide -n reefs --type merge -p \
                 '{\"spec\":{\"subscription\":{\"channel\":\"neap-1\"}}}'";
    let commands: Vec<_> = cause.remedy.changes().flat_map(|it| it.texts()).collect();
    assert_eq!(commands, [patch]);
    let looks: Vec<_> = cause
        .remedy
        .look
        .iter()
        .map(|it| it.action.text())
        .collect();
    let look = "kubectl get subscriptions.operators.coreos.com/tide -n shore -o yaml --show-managed-fields";
    assert_eq!(looks, [look]);
    let check = "kubectl wait operatorpolicies.policy.open-cluster-management.io/tide -n reefs \
                 '--for=jsonpath={.status.compliant}=Compliant' --timeout=10m";
    assert_eq!(cause.remedy.later[0].texts().collect::<Vec<_>>(), [check]);
}

#[test]
fn helm_release_that_reverts_a_field_is_named() {
    let annotations = json!({
        "meta.helm.sh/release-name": "sand", "meta.helm.sh/release-namespace": "dunes",
    });
    let cause = contested(&[subscription(&annotations)])
        .cause
        .expect("a cause");
    assert_eq!(cause.at_fault, Object::new("Subscription", "shore", "tide"));
    let message = "OperatorPolicy reefs/tide and Helm release dunes/sand write different values to Subscription shore/tide.";
    assert!(cause.message.starts_with(message), "{}", cause.message);
}

#[test]
fn contested_policy_without_its_subscription_quotes_the_controller() {
    let cause = contested(&[]).cause.expect("a cause");
    assert_eq!(cause.code, Code::DriftContested);
    let message = format!("Another client reverts the changes of the policy. {REVERTS}.");
    assert_eq!(cause.message, message);
    assert_eq!(
        cause.at_fault,
        Object::new("OperatorPolicy", "reefs", "tide")
    );
}

#[rstest]
#[case::enforce("enforce", false)]
#[case::inform("Inform", true)]
fn action_mentions_inform_only_if_the_policy_informs(#[case] action: &str, #[case] expected: bool) {
    let policy = policy(action, "SubscriptionMismatch", "it differs");
    let cause = among(&policy, &Workloads::default(), &[])
        .cause
        .expect("a cause");
    let action = &cause.responsible.action;
    assert!(
        action.starts_with("Run `portolan diagnose sub/tide -n shore`"),
        "{action}"
    );
    assert_eq!(action.contains("inform"), expected, "{action}");
    assert_eq!(cause.confidence.certainty, Certainty::Likely);
}

#[test]
fn webhook_that_refuses_a_change_of_the_policy_is_at_fault() {
    let message = "failed calling webhook \"a.test\": failed to call webhook: Post \"https://a.hooks.svc/\": EOF";
    let policy = policy("enforce", "SubscriptionMismatch", message);
    let cause = among(&policy, &Workloads::default(), &[])
        .cause
        .expect("a cause");
    assert_eq!(cause.at_fault, Object::new("webhook", "", "a.test"));
    let innocent = "OperatorPolicy reefs/tide needs no change: the controller retries by itself.";
    assert!(cause.responsible.action.contains(innocent));
}
