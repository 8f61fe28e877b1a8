//! Tests of parsed policies in the design form. The cases include the examples of the design.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};
use portolan_api::{
    Approval, Effect, Effects, Form, Intent, OperatorGroup, Remediation, Removal, Remove, Severity,
    Subscription, Targets,
};
use rstest::rstest;
use serde_json::Map;
use similar_asserts::assert_eq;

use crate::policies::{effects, explicit, intent, manifest, subscription};

/// Returns the parsed policy on which the examples are based.
fn kafka(namespace: &str, approval: Approval, consents: &[&str]) -> Intent {
    let intent = intent(Form::Design, "strimzi-kafka-operator", consents);
    Intent {
        remediation: Remediation::Enforce,
        severity: Some(Severity::Medium),
        subscription: Subscription {
            namespace: Some(namespace.to_owned()),
            channel: Some("stable".parse().expect("a channel")),
            source: Some("community-operators".to_owned()),
            source_namespace: Some("openshift-marketplace".to_owned()),
            approval: Some(approval),
            ..intent.subscription
        },
        ..intent
    }
}

/// Returns the parsed policy in the namespace for all namespaces, with a starting bundle.
fn pinned_kafka(consents: &[&str]) -> Intent {
    let intent = kafka("openshift-operators", Approval::Manual, consents);
    let starting = "strimzi-cluster-operator.v0.35.0";
    Intent {
        subscription: Subscription {
            starting_csv: Some(starting.parse().expect("a bundle")),
            ..intent.subscription
        },
        ..intent
    }
}

fn group(name: Option<&str>, targets: Targets) -> OperatorGroup {
    OperatorGroup {
        name: name.map(str::to_owned),
        namespace: None,
        targets,
        idle_selector: None,
        service_account: None,
        static_provided_apis: None,
        upgrade_strategy: None,
    }
}

/// Returns the default removal behavior as if the policy sets it explicitly.
fn explicit_removal() -> Removal {
    Removal {
        operator_groups: explicit(Remove::DeleteIfUnused),
        subscriptions: explicit(Remove::Delete),
        cluster_service_versions: explicit(Remove::Delete),
        install_plans: explicit(Remove::Keep),
        custom_resource_definitions: explicit(Remove::Keep),
        api_service_definitions: explicit(Remove::Keep),
    }
}

fn syntax() -> Intent {
    let intent = intent(Form::Design, "quay", &["quay.v0.1.1", "quay.v0.2.0"]);
    let targets = Targets::Namespaces(vec!["team-a".to_owned(), "team-b".to_owned()]);
    Intent {
        remediation: Remediation::Enforce,
        severity: Some(Severity::Medium),
        subscription: Subscription {
            namespace: Some("registry".to_owned()),
            channel: Some("stable".parse().expect("a channel")),
            source: Some("own-catalog".to_owned()),
            source_namespace: Some("catalogs".to_owned()),
            starting_csv: Some("quay.v0.1.0".parse().expect("a bundle")),
            config: Some(Map::new()),
            approval: Some(Approval::Automatic),
            ..subscription("quay")
        },
        operator_group: Some(OperatorGroup {
            namespace: Some("registry".to_owned()),
            service_account: Some("quay-installer".to_owned()),
            ..group(Some("quay-group"), targets)
        }),
        removal: explicit_removal(),
        ..intent
    }
}

fn story_3() -> Intent {
    Intent {
        effects: Effects {
            upgrades_available: Effect::NonCompliant,
            ..effects()
        },
        ..pinned_kafka(&["strimzi-cluster-operator.v0.35.0"])
    }
}

fn story_4() -> Intent {
    Intent {
        remediation: Remediation::Inform,
        effects: Effects {
            catalog_source_unhealthy: Effect::NonCompliant,
            ..effects()
        },
        ..kafka("openshift-operators", Approval::Automatic, &["*"])
    }
}

fn story_5() -> Intent {
    let targets = Targets::Namespaces(vec!["strimzi-app-one".to_owned()]);
    Intent {
        operator_group: Some(OperatorGroup {
            namespace: Some("strimzi-app-one".to_owned()),
            ..group(Some("og-strimzi"), targets)
        }),
        ..kafka("strimzi-app-one", Approval::Automatic, &["*"])
    }
}

fn story_6() -> Intent {
    Intent {
        removal: explicit_removal(),
        ..kafka("strimzi-app-one", Approval::Automatic, &["*"])
    }
}

fn by_labels() -> Intent {
    let labels = [("example.com/tier".to_owned(), "production".to_owned())];
    let selector = LabelSelector {
        match_labels: Some(labels.into()),
        match_expressions: None,
    };
    Intent {
        operator_group: Some(group(None, Targets::Selector(selector))),
        ..intent(Form::Design, "quay", &["quay@>=3.6.0 <4.0.0"])
    }
}

fn intent_with_expressions() -> Intent {
    let tier = LabelSelectorRequirement {
        key: "example.com/tier".to_owned(),
        operator: "NotIn".to_owned(),
        values: Some(vec!["test".to_owned(), "scratch".to_owned()]),
    };
    let owner = LabelSelectorRequirement {
        key: "example.com/owner".to_owned(),
        operator: "Exists".to_owned(),
        values: None,
    };
    let selector = LabelSelector {
        match_labels: None,
        match_expressions: Some(vec![tier, owner]),
    };
    Intent {
        operator_group: Some(group(Some("quay-group"), Targets::Selector(selector))),
        ..intent(Form::Design, "quay", &["quay.v3.6.0", "*"])
    }
}

fn intent_that_removes_everything() -> Intent {
    Intent {
        remediation: Remediation::Enforce,
        removal: Removal {
            operator_groups: explicit(Remove::Delete),
            subscriptions: explicit(Remove::Delete),
            cluster_service_versions: explicit(Remove::Delete),
            install_plans: explicit(Remove::Delete),
            custom_resource_definitions: explicit(Remove::Delete),
            api_service_definitions: explicit(Remove::Delete),
        },
        ..intent(Form::Design, "quay", &["*"])
    }
}

#[rstest]
#[case::the_example_with_every_field("syntax", syntax())]
#[case::one_version(
    "story-1",
    pinned_kafka(&["strimzi-cluster-operator.v0.35.0"])
)]
#[case::another_is_allowed(
    "story-2",
    pinned_kafka(&["strimzi-cluster-operator.v0.35.0", "strimzi-cluster-operator.v0.35.1"])
)]
#[case::an_upgrade_alarms("story-3", story_3())]
#[case::health_is_watched("story-4", story_4())]
#[case::one_target_namespace("story-5", story_5())]
#[case::removal_of_the_operator("story-6", story_6())]
#[case::namespaces_by_their_labels("selector", by_labels())]
#[case::namespaces_by_expressions("top-selector", intent_with_expressions())]
#[case::everything_is_removed("everything-goes", intent_that_removes_everything())]
fn design_form_has_the_expected_intent(#[case] name: &str, #[case] expected: Intent) {
    let policy = manifest(&format!("design/{name}"));
    assert_eq!(Intent::parse(&policy), Ok(expected));
}

#[rstest]
#[case::one_bundle_in_versions("story-1", true)]
#[case::anything("story-4", false)]
#[case::a_range("selector", true)]
#[case::anything_beside_a_bundle("top-selector", false)]
fn policy_restricts_bundles_as_expected(#[case] name: &str, #[case] expected: bool) {
    let intent = Intent::parse(&manifest(&format!("design/{name}"))).expect("a valid policy");
    assert_eq!(intent.restricts(), expected);
}
