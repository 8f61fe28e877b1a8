//! Builds Operators with components for tests.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use portolan_core_components::{
    Answer, CatalogFacts, Component, Decision, KINDS, Knowledge, Observation, Operator, Reading,
    Stored, decide,
};
use portolan_core_names::{Gvk, ObjectRef};
use serde_json::{Value, json};

pub(crate) const NAMESPACE: &str = "my-ns";
pub(crate) const BEGIN: &str = "2019-09-16T22:26:29Z";

/// Returns a component of a known kind with this content. Its resourceVersion is the first.
pub(crate) fn component(kind: &str, name: &str, content: &Value) -> Component {
    let kind = KINDS.iter().find(|it| it.kind == kind).expect("a kind");
    let is_everywhere = ["CustomResourceDefinition", "APIService"].contains(&kind.kind);
    let is_cluster_wide = is_everywhere || kind.kind.starts_with("Cluster");
    let is_csv = kind.kind == "ClusterServiceVersion";
    let namespace = if is_cluster_wide && !is_csv {
        ""
    } else {
        NAMESPACE
    };
    Component {
        id: ObjectRef::new(Gvk::new(kind.api_version, kind.kind), namespace, name),
        uid: format!("{}-{name}", kind.kind),
        resource_version: "1".to_owned(),
        created: "2019-09-16T22:00:00Z".to_owned(),
        is_planned: false,
        reading: Reading::of(kind.kind, content),
    }
}

/// Returns the ClusterServiceVersion of the example operator in this phase.
pub(crate) fn csv(phase: &str) -> Value {
    json!({
        "spec": {
            "displayName": "Plumbus",
            "description": "Everyone has a plumbus in their home.",
            "version": "2.0.0-alpha",
            "customresourcedefinitions": {
                "owned": [{
                    "name": "plumbai.how.theydoit.com", "version": "v2alpha1", "kind": "Plumbus",
                }],
                "required": [{
                    "name": "grumbos.manufacturing.how.theydoit.com", "version": "v1",
                    "kind": "Grumbo",
                }],
            },
            "apiservicedefinitions": {"owned": [{
                "group": "schleem.theydoit.com", "version": "v1", "kind": "Schleem",
                "name": "schleems",
            }]},
            "install": {"spec": {"deployments": [{"name": "plumbus"}]}},
        },
        "status": {
            "phase": phase, "reason": "AllPreconditionsMet",
            "message": "deployment rolling out", "lastTransitionTime": BEGIN,
        },
    })
}

pub(crate) fn subscription() -> Value {
    json!({
        "spec": {
            "name": "plumbus", "channel": "stable", "source": "community",
            "sourceNamespace": NAMESPACE,
        },
        "status": {
            "installPlanRef": {"name": "install-1"}, "installedCSV": "plumbus.v2.0.0",
            "currentCSV": "plumbus.v2.0.0",
        },
    })
}

/// Returns all components after an installation.
pub(crate) fn components() -> Vec<Component> {
    let singular = json!({"spec": {"names": {"singular": "plumbus"}}});
    vec![
        component("Subscription", "plumbus", &subscription()),
        component("ClusterServiceVersion", "plumbus.v2.0.0", &csv("Succeeded")),
        component(
            "CustomResourceDefinition",
            "plumbai.how.theydoit.com",
            &singular,
        ),
        component("Deployment", "plumbus", &json!({})),
        component("APIService", "v1.schleem.theydoit.com", &json!({})),
    ]
}

/// Returns an Operator that a user has created, with these components.
pub(crate) fn observation(components: Vec<Component>) -> Observation {
    Observation {
        operator: Operator {
            name: "plumbus".to_owned(),
            generation: 1,
            ..Operator::default()
        },
        components,
        unseen: BTreeMap::new(),
        subscriptions: BTreeMap::new(),
        remaining: BTreeMap::new(),
        are_installs_made: true,
        answer: Some(Answer::Known(CatalogFacts {
            updates: BTreeSet::new(),
            brings: None,
        })),
        fleet: Arc::default(),
        knowledge: Knowledge::new(),
        now: BEGIN.parse::<Timestamp>().expect("a time"),
    }
}

/// Returns the stored data of a decision. Asserts that the decision asks nothing and changes the
/// object.
pub(crate) fn stored(decision: Decision) -> Stored {
    assert_eq!(decision.question, None);
    decision.stored.expect("something new")
}

pub(crate) fn status(observation: &Observation) -> Value {
    let stored = stored(decide(observation));
    json!(stored.status)
}

/// Returns the status and the reason of a condition.
pub(crate) fn condition(status: &Value, about: &str) -> Option<[String; 2]> {
    let conditions = status["conditions"].as_array()?;
    let found = conditions.iter().find(|it| it["type"] == about)?;
    Some(["status", "reason"].map(|field| found[field].as_str().unwrap_or_default().to_owned()))
}
