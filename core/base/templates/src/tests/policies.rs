//! Tests of policies with resolved templates.

use portolan_api::{Intent, OperatorPolicy};
use rstest::rstest;
use serde_json::{Value as Json, json};

use super::cluster::Cluster;
use crate::objects::{Answer, Lookup, Objects};
use crate::policy::{PolicyOutcome, refused_policy, resolve_policy};

fn cluster() -> Cluster {
    Cluster(vec![
        json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"namespace": "harbor", "name": "allowed"},
            "data": {"ferry": "ferry.v1.2.0", "channel": "stable", "braces": "{{ x }}"},
        }),
        json!({
            "apiVersion": "v1", "kind": "Secret",
            "metadata": {"namespace": "harbor", "name": "key"},
            "data": {"password": "aHVudGVyMg=="},
        }),
    ])
}

fn policy(pointer: &str, value: Json) -> OperatorPolicy {
    let mut policy = json!({
        "apiVersion": "policy.open-cluster-management.io/v1beta1",
        "kind": "OperatorPolicy",
        "metadata": {"name": "ferry", "namespace": "harbor", "annotations": {}},
        "spec": {
            "remediationAction": "enforce",
            "severity": "low",
            "complianceType": "musthave",
            "upgradeApproval": "Automatic",
            "subscription": {"name": "ferry", "namespace": "harbor", "config": {}},
            "versions": ["ferry.v1.0.0"],
        },
    });
    let (parent, field) = pointer.rsplit_once('/').expect("a pointer");
    policy.pointer_mut(parent).expect("a place")[field] = value;
    serde_json::from_value(policy).expect("a policy")
}

fn outcome(policy: &OperatorPolicy) -> PolicyOutcome {
    resolve_policy(policy, &cluster(), 0).outcome
}

fn resolved(policy: &OperatorPolicy) -> OperatorPolicy {
    match outcome(policy) {
        PolicyOutcome::Resolved(resolved) => *resolved,
        other @ (PolicyOutcome::Plain | PolicyOutcome::Refused(_) | PolicyOutcome::Unread(_)) => {
            panic!("{other:?}")
        }
    }
}

fn refused(policy: &OperatorPolicy) -> Vec<String> {
    match outcome(policy) {
        PolicyOutcome::Refused(refused) => refused.iter().map(ToString::to_string).collect(),
        other @ (PolicyOutcome::Plain | PolicyOutcome::Resolved(_) | PolicyOutcome::Unread(_)) => {
            panic!("{other:?}")
        }
    }
}

#[test]
fn resolved_policy_is_parsed_like_a_policy_without_templates() {
    let version = r#"{{ fromConfigMap "harbor" "allowed" "ferry" }}"#;
    let policy = policy("/spec/versions", json!([version, "ferry.v1.0.0"]));
    Intent::parse(&policy).expect_err("a template is no version");
    let resolved = resolved(&policy);
    let expected = json!(["ferry.v1.2.0", "ferry.v1.0.0"]);
    assert_eq!(resolved.spec.as_json()["versions"], expected);
    Intent::parse(&resolved).expect("a policy");
}

#[test]
fn braces_in_a_resolved_value_are_not_a_template() {
    let value = r#"{{ fromConfigMap "harbor" "allowed" "braces" }}"#;
    let policy = policy(
        "/spec/subscription/config",
        json!({"env": [{"name": "A", "value": value}]}),
    );
    let resolved = resolved(&policy);
    let env = &resolved.spec.as_json()["subscription"]["config"]["env"][0];
    assert_eq!(env["value"], "{{ x }}");
    Intent::parse(&resolved).expect("a policy");
}

#[test]
fn config_with_a_secret_is_hidden_in_the_displayable_policy() {
    let value = r#"{{ fromSecret "harbor" "key" "password" | base64dec }}"#;
    let policy = policy(
        "/spec/subscription/config",
        json!({"env": [{"name": "A", "value": value}]}),
    );
    let resolved = resolved(&policy);
    let value = |spec: &Json| spec["subscription"]["config"]["env"][0]["value"].clone();
    assert_eq!(value(resolved.spec.as_json()), "hunter2");
    assert_eq!(
        value(&resolved.spec.rendered().expect("templates").shown),
        "<Secret harbor/key password>"
    );
}

#[rstest]
#[case::the_channel("/spec/subscription/channel", json!("{{ SECRET }}"), "spec.subscription.channel")]
#[case::a_version("/spec/versions", json!(["ferry.v1.0.0", "ferry.v{{ SECRET }}"]), "spec.versions[1]")]
#[case::by_a_branch(
    "/spec/subscription/channel",
    json!("{{ if eq SECRET \"hunter2\" }}a{{ else }}b{{ end }}"),
    "spec.subscription.channel"
)]
#[case::an_annotation(
    "/spec/subscription/config",
    json!({"annotations": {"a": "{{ SECRET }}"}}),
    "spec.subscription.config.annotations.a"
)]
#[case::the_name_of_a_variable(
    "/spec/subscription/config",
    json!({"env": [{"name": "{{ SECRET }}", "value": "b"}]}),
    "spec.subscription.config.env[0].name"
)]
#[case::variable_that_may_be_absent(
    "/spec/subscription/config",
    json!({"env": "{{ if SECRET }}[]{{ end }}"}),
    "spec.subscription.config.env"
)]
fn rejects_secret_outside_of_config_values(
    #[case] pointer: &str,
    #[case] value: Json,
    #[case] field: &str,
) {
    let secret = r#"(fromSecret \"harbor\" \"key\" \"password\" | base64dec)"#;
    let value = value.to_string().replace("SECRET", secret);
    let value = serde_json::from_str(&value).expect("a value");
    let sentences = format!(
        "{field} depends on a Secret, but is shown in the status; take it from a ConfigMap, or \
         use it as the value of a variable in spec.subscription.config.env"
    );
    assert_eq!(refused(&policy(pointer, value)), [sentences]);
}

#[test]
fn reports_template_errors_of_each_field() {
    let mut wrong = policy("/spec/versions", json!(["{{ nope }}"]));
    let mut spec = wrong.spec.as_json().clone();
    spec["subscription"]["channel"] = json!(r#"{{ fromConfigMap "harbor" "gone" "x" }}"#);
    spec["operatorGroup"] = json!({"name": "{{hub .Name hub}}"});
    wrong.spec = spec.into();
    let sentences = [
        r#"spec.subscription cannot be resolved: template: tmpl:1:13: executing "tmpl" at <fromConfigMap "harbor" "gone" "x">: error calling fromConfigMap: failed getting the ConfigMap gone from harbor: configmaps "gone" not found"#,
        "spec.operatorGroup has a hub template, {{hub … hub}}, which only the hub cluster can \
         resolve",
        r#"spec.versions cannot be resolved: template: tmpl:1: function "nope" not defined"#,
    ];
    assert_eq!(refused(&wrong), sentences);
}

#[test]
fn parser_reports_template_errors_and_other_errors() {
    let mut wrong = policy("/spec/versions", json!(["{{ nope }}"]));
    let mut spec = wrong.spec.as_json().clone();
    spec["severity"] = json!("dire");
    wrong.spec = spec.into();
    let PolicyOutcome::Refused(refused) = outcome(&wrong) else {
        panic!("the policy must be rejected");
    };
    let refused = Intent::parse(&refused_policy(&wrong, refused)).expect_err("no policy");
    let sentences = [
        r#"spec.severity is "dire"; write low, Low, medium, Medium, high, High, critical or Critical"#,
        r#"spec.versions cannot be resolved: template: tmpl:1: function "nope" not defined"#,
    ];
    assert_eq!(refused.sentences(), sentences);
}

#[rstest]
#[case::without_any("/spec/versions", json!(["ferry.v1.2.0"]))]
#[case::elsewhere("/metadata/labels", json!({"a": "{{ b }}"}))]
fn policy_without_templates_is_unchanged(#[case] pointer: &str, #[case] value: Json) {
    assert_eq!(outcome(&policy(pointer, value)), PolicyOutcome::Plain);
}

#[test]
fn policy_with_disabled_templates_is_unchanged() {
    let disabled = json!({"policy.open-cluster-management.io/disable-templates": "true"});
    let mut policy = policy("/spec/versions", json!(["{{ nope }}"]));
    policy.metadata.annotations = serde_json::from_value(disabled).expect("annotations");
    assert_eq!(outcome(&policy), PolicyOutcome::Plain);
}

/// A cluster whose objects have not been read yet.
struct Unread;

impl Objects for Unread {
    fn answer(&self, _: &Lookup) -> Answer {
        Answer::Unread
    }
}

#[test]
fn lookups_of_all_fields_are_collected() {
    let mut policy = policy(
        "/spec/versions",
        json!([r#"{{ fromConfigMap "harbor" "a" "k" }}"#]),
    );
    let mut spec = policy.spec.as_json().clone();
    spec["subscription"]["channel"] = json!(r#"{{ fromConfigMap "harbor" "b" "k" }}"#);
    policy.spec = spec.into();
    let resolution = resolve_policy(&policy, &Unread, 0);
    let names: Vec<_> = resolution
        .lookups
        .iter()
        .map(|lookup| lookup.name.as_str())
        .collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(resolution.outcome, PolicyOutcome::Unread(Vec::new()));
}
