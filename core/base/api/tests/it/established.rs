//! Tests of parsed policies in the established form.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};
use portolan_api::{
    Effect, Effects, Form, Intent, OperatorGroup, Presence, Remediation, Removal, Remove, Severity,
    Subscription, Targets, UpgradeStrategy,
};
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::policies::{
    established, explicit, implied, intent, manifest, policy, subscription, with,
};

fn etcd(consents: &[&str]) -> Intent {
    intent(Form::Established, "etcd", consents)
}

fn enforced(consents: &[&str]) -> Intent {
    Intent {
        remediation: Remediation::Enforce,
        ..etcd(consents)
    }
}

fn databases(targets: Targets) -> OperatorGroup {
    OperatorGroup {
        name: Some("databases".to_owned()),
        namespace: None,
        targets,
        idle_selector: None,
        service_account: None,
        static_provided_apis: None,
        upgrade_strategy: None,
    }
}

fn every_field() -> Intent {
    let targets = Targets::Namespaces(vec!["team-a".to_owned(), "team-b".to_owned()]);
    let config = json!({"nodeSelector": {"disk": "fast"}});
    Intent {
        severity: Some(Severity::High),
        approves_updates: false,
        subscription: Subscription {
            namespace: Some("databases".to_owned()),
            channel: Some("singlenamespace-alpha".parse().expect("a channel")),
            source: Some("community-operators".to_owned()),
            source_namespace: Some("olm".to_owned()),
            starting_csv: Some("etcdoperator.v0.9.2".parse().expect("a bundle")),
            config: config.as_object().cloned(),
            ..subscription("etcd")
        },
        operator_group: Some(OperatorGroup {
            namespace: Some("databases".to_owned()),
            service_account: Some("installer".to_owned()),
            static_provided_apis: Some(true),
            upgrade_strategy: Some(UpgradeStrategy::FailForward),
            ..databases(targets)
        }),
        removal: Removal {
            operator_groups: explicit(Remove::Keep),
            subscriptions: explicit(Remove::Keep),
            cluster_service_versions: explicit(Remove::Keep),
            install_plans: implied(Remove::Keep),
            custom_resource_definitions: explicit(Remove::Delete),
            api_service_definitions: implied(Remove::Keep),
        },
        effects: Effects {
            catalog_source_unhealthy: Effect::NonCompliant,
            deployments_unavailable: Effect::Condition,
            upgrades_available: Effect::NonCompliant,
            upgrades_progressing: Effect::NonCompliant,
            deprecations_present: Effect::NonCompliant,
            minor_channel_upgrade_available: Effect::NonCompliant,
        },
        ..enforced(&["etcdoperator.v0.9.2", "etcdoperator.v0.9.4"])
    }
}

fn intent_with_established_defaults() -> Intent {
    let intent = etcd(&["*"]);
    Intent {
        severity: Some(Severity::Low),
        approves_updates: false,
        operator_group: Some(databases(Targets::All)),
        removal: Removal {
            operator_groups: explicit(Remove::DeleteIfUnused),
            subscriptions: explicit(Remove::Delete),
            cluster_service_versions: explicit(Remove::Delete),
            custom_resource_definitions: explicit(Remove::Keep),
            ..intent.removal
        },
        ..intent
    }
}

fn starting(intent: Intent) -> Intent {
    Intent {
        subscription: Subscription {
            starting_csv: Some("etcdoperator.v0.9.0".parse().expect("a bundle")),
            ..intent.subscription
        },
        ..intent
    }
}

fn gone() -> Intent {
    let intent = enforced(&["*"]);
    Intent {
        presence: Presence::MustNotHave,
        subscription: Subscription {
            namespace: Some("databases".to_owned()),
            ..intent.subscription
        },
        removal: Removal {
            operator_groups: explicit(Remove::DeleteIfUnused),
            custom_resource_definitions: explicit(Remove::Delete),
            ..intent.removal
        },
        ..intent
    }
}

fn by_selector() -> Intent {
    let labels = [("example.com/tier".to_owned(), "production".to_owned())];
    let owner = LabelSelectorRequirement {
        key: "example.com/owner".to_owned(),
        operator: "In".to_owned(),
        values: Some(vec!["dba".to_owned()]),
    };
    let selector = LabelSelector {
        match_labels: Some(labels.into()),
        match_expressions: Some(vec![owner]),
    };
    Intent {
        operator_group: Some(databases(Targets::Selector(selector))),
        ..etcd(&["*"])
    }
}

fn team_a() -> Intent {
    let targets = Targets::Namespaces(vec!["team-a".to_owned()]);
    let labels = [("example.com/tier".to_owned(), "production".to_owned())];
    let idle_selector = LabelSelector {
        match_labels: Some(labels.into()),
        match_expressions: None,
    };
    Intent {
        operator_group: Some(OperatorGroup {
            idle_selector: Some(idle_selector),
            ..databases(targets)
        }),
        ..etcd(&["*"])
    }
}

fn all_namespaces() -> Intent {
    Intent {
        operator_group: Some(OperatorGroup {
            static_provided_apis: Some(false),
            upgrade_strategy: Some(UpgradeStrategy::Default),
            ..databases(Targets::All)
        }),
        ..etcd(&["*"])
    }
}

/// Behavior 21.
#[rstest]
#[case::no_more_than_it_must("minimal", etcd(&["*"]))]
#[case::every_field("every-field", every_field())]
#[case::defaults_of_the_established_crd(
    "as-defaulted-by-others",
    intent_with_established_defaults()
)]
#[case::commas_split_and_blanks_are_dropped(
    "commas",
    enforced(&["etcdoperator.v0.9.2", "etcdoperator.v0.9.4", "etcdoperator.v1.0.0"])
)]
#[case::a_range("range", enforced(&["etcd@>=0.9.2 <1.0.0"]))]
#[case::starting_bundle_is_allowed_exactly(
    "starting",
    starting(enforced(&["etcdoperator.v0.9.4", "etcdoperator.v0.9.0"]))
)]
#[case::a_starting_bundle_restricts_nothing("starting-with-any", starting(enforced(&["*"])))]
#[case::must_not_have_operator("gone", gone())]
#[case::namespaces_by_their_labels("selector", by_selector())]
#[case::beside_names_a_selector_means_nothing("names-beside-a-selector", team_a())]
#[case::an_empty_name_is_all_namespaces("all-namespaces", all_namespaces())]
#[case::nulls_and_empty_texts_are_ignored("nothing-said", etcd(&["*"]))]
fn established_form_has_the_expected_intent(#[case] name: &str, #[case] expected: Intent) {
    let policy = manifest(&format!("established/{name}"));
    assert_eq!(Intent::parse(&policy), Ok(expected));
}

#[rstest]
#[case::low("severity", json!("low"))]
#[case::low_as_a_title("severity", json!("Low"))]
#[case::medium("severity", json!("medium"))]
#[case::medium_as_a_title("severity", json!("Medium"))]
#[case::high("severity", json!("high"))]
#[case::high_as_a_title("severity", json!("High"))]
#[case::critical("severity", json!("critical"))]
#[case::critical_as_a_title("severity", json!("Critical"))]
#[case::inform("remediationAction", json!("inform"))]
#[case::inform_as_a_title("remediationAction", json!("Inform"))]
#[case::enforce("remediationAction", json!("enforce"))]
#[case::enforce_as_a_title("remediationAction", json!("Enforce"))]
#[case::must_have("complianceType", json!("musthave"))]
#[case::must_not_have("complianceType", json!("mustnothave"))]
#[case::no_upgrades("upgradeApproval", json!("None"))]
#[case::all_upgrades("upgradeApproval", json!("Automatic"))]
fn accepts_enum_value_of_the_schema(#[case] field: &str, #[case] word: Value) {
    let policy = policy(with(established(), &format!("/spec/{field}"), word.clone()));
    let expected = policy_with(field, word.as_str().expect("a text"));
    assert_eq!(Intent::parse(&policy), Ok(expected));
}

/// Returns the parsed policy with this word in one field. All other fields have the smallest
/// content.
fn policy_with(field: &str, word: &str) -> Intent {
    let intent = enforced(&["*"]);
    let mut intent = Intent {
        subscription: Subscription {
            namespace: Some("databases".to_owned()),
            ..intent.subscription
        },
        ..intent
    };
    match (field, word.to_lowercase().as_str()) {
        ("severity", "low") => intent.severity = Some(Severity::Low),
        ("severity", "medium") => intent.severity = Some(Severity::Medium),
        ("severity", "high") => intent.severity = Some(Severity::High),
        ("severity", "critical") => intent.severity = Some(Severity::Critical),
        ("remediationAction", "inform") => intent.remediation = Remediation::Inform,
        ("remediationAction", "enforce") => intent.remediation = Remediation::Enforce,
        ("complianceType", "musthave") => intent.presence = Presence::MustHave,
        ("complianceType", "mustnothave") => intent.presence = Presence::MustNotHave,
        ("upgradeApproval", "none") => intent.approves_updates = false,
        ("upgradeApproval", "automatic") => intent.approves_updates = true,
        (field, word) => panic!("{field} has no {word}"),
    }
    intent
}

#[test]
fn without_remediation_action_policy_is_inform() {
    let policy = policy(with(established(), "/spec/remediationAction", Value::Null));
    let intent = Intent::parse(&policy).expect("a valid policy");
    assert_eq!(intent.remediation, Remediation::Inform);
    assert!(!intent.is_enforced());
}
