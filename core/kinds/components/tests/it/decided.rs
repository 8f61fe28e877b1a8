//! Tests of the decision about an Operator, and of its status.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_components::{
    Answer, CatalogFacts, Finalizer, PermittedUpdate, Subscription, brought, decide,
};
use portolan_core_names::{Gvk, ObjectRef};
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::kit::{
    BEGIN, NAMESPACE, component, components, condition, csv, observation, status, stored,
    subscription,
};

fn some(words: [&str; 2]) -> Option<[String; 2]> {
    Some(words.map(str::to_owned))
}

/// The example from the requirements, reduced to the status of observed components.
#[test]
fn writes_the_required_status() {
    let mut components = components();
    components[1] = component("ClusterServiceVersion", "plumbus.v2.0.0", &csv("Succeeded"));
    let role = component("ClusterRoleBinding", "rb-9oacj", &json!({}));
    components.push(role);
    let mut seen = observation(components);
    let update = PermittedUpdate {
        channel: "beta".to_owned(),
        bundle: "plumbus.v2.1.0".to_owned(),
        version: "2.1.0".to_owned(),
    };
    seen.answer = Some(Answer::Known(CatalogFacts {
        updates: [update].into(),
        brings: None,
    }));
    let said = |about: &str, status: &str, reason: &str, message: &str| {
        json!({
            "type": about, "status": status, "reason": reason, "message": message,
            "observedGeneration": 1, "lastTransitionTime": BEGIN,
        })
    };
    let plain = |kind: &str, version: &str, name: &str| {
        json!({
            "kind": kind, "apiVersion": version, "name": name, "uid": format!("{kind}-{name}"),
            "resourceVersion": "1",
        })
    };
    let inside = |kind: &str, version: &str, name: &str| {
        let mut shown = plain(kind, version, name);
        shown["namespace"] = json!(NAMESPACE);
        shown
    };
    let alpha = "operators.coreos.com/v1alpha1";
    let mut installed = inside("ClusterServiceVersion", alpha, "plumbus.v2.0.0");
    installed["conditions"] = json!([{
        "type": "Succeeded", "status": "True", "reason": "AllPreconditionsMet",
        "message": "deployment rolling out", "lastTransitionTime": BEGIN,
    }]);
    let crd = ("apiextensions.k8s.io/v1", "plumbai.how.theydoit.com");
    let expected = json!({
        "metadata": {
            "displayName": "Plumbus",
            "description": "Everyone has a plumbus in their home.",
            "version": "2.0.0-alpha",
            "apis": {
                "provides": [
                    {
                        "group": "how.theydoit.com", "version": "v2alpha1", "kind": "Plumbus",
                        "plural": "plumbai", "singular": "plumbus",
                    },
                    {
                        "group": "schleem.theydoit.com", "version": "v1", "kind": "Schleem",
                        "plural": "schleems",
                    },
                ],
                "requires": [{
                    "group": "manufacturing.how.theydoit.com", "version": "v1", "kind": "Grumbo",
                    "plural": "grumbos",
                }],
            },
        },
        "updates": {"available": [{
            "name": "my-ns/community", "package": "plumbus", "channel": "beta",
            "bundle": "plumbus.v2.1.0", "version": "2.1.0",
        }]},
        "conditions": [
            said(
                "UpdateAvailable", "True", "UpdateFoundInAnotherChannel",
                "an update for plumbus.v2.0.0 is in channel beta, but not in the channel of the \
                 Operator",
            ),
            said(
                "ComponentsDiverge", "Unknown", "CatalogWithoutManifests",
                "catalog my-ns/community has no manifests of plumbus.v2.0.0, so the components \
                 cannot be compared; the image of the bundle is not read",
            ),
        ],
        "observedGeneration": 1,
        "components": {
            "matchLabels": {"operators.coreos.com/plumbus": ""},
            "refs": [
                plain("APIService", "apiregistration.k8s.io/v1", "v1.schleem.theydoit.com"),
                plain("ClusterRoleBinding", "rbac.authorization.k8s.io/v1", "rb-9oacj"),
                installed,
                plain("CustomResourceDefinition", crd.0, crd.1),
                inside("Deployment", "apps/v1", "plumbus"),
                inside("Subscription", alpha, "plumbus"),
            ],
        },
    });
    assert_eq!(status(&seen), expected);
}

#[test]
fn second_decision_writes_nothing() {
    let mut seen = observation(components());
    let first = stored(decide(&seen));
    seen.operator.stored = first;
    seen.operator.has_finalizer = true;
    seen.now = "2020-01-01T00:00:00Z".parse().expect("a time");
    let again = decide(&seen);
    assert_eq!(
        (again.stored, again.finalizer, again.question),
        (None, None, None)
    );
}

/// During a rollout, a Deployment is written many times. Often, none of its listed fields changes.
#[test]
fn component_keeps_its_version_while_shown_fields_are_equal() {
    let mut seen = observation(components());
    seen.operator.stored = stored(decide(&seen));
    seen.components[3].resource_version = "9".to_owned();
    assert_eq!(decide(&seen).stored, None);

    let broken = json!({"status": {"conditions": [
        {"type": "Available", "status": "False", "lastUpdateTime": "now", "message": ""},
    ]}});
    seen.components[3] = component("Deployment", "plumbus", &broken);
    seen.components[3].resource_version = "10".to_owned();
    let refs = status(&seen)["components"]["refs"].clone();
    let deployment = json!({
        "kind": "Deployment", "apiVersion": "apps/v1", "namespace": NAMESPACE, "name": "plumbus",
        "uid": "Deployment-plumbus", "resourceVersion": "10",
        "conditions": [{"type": "Available", "status": "False"}],
    });
    assert!(
        refs.as_array().expect("refs").contains(&deployment),
        "{refs}"
    );
}

#[test]
fn recreated_component_shows_its_new_version() {
    let mut seen = observation(components());
    seen.operator.stored = stored(decide(&seen));
    seen.components[3].uid = "another".to_owned();
    seen.components[3].resource_version = "9".to_owned();
    let refs = status(&seen)["components"]["refs"].clone();
    let versions: Vec<_> = refs
        .as_array()
        .expect("refs")
        .iter()
        .map(|it| &it["resourceVersion"])
        .collect();
    assert_eq!(versions, ["1", "1", "1", "9", "1"]);
}

/// During an upgrade, the old ClusterServiceVersion is in the phase Replacing. If both have
/// succeeded, the status shows the newer one.
#[test]
fn reports_newest_succeeded_csv() {
    let version = |version: &str, phase: &str, created: &str| {
        let mut content = csv(phase);
        content["spec"]["version"] = json!(version);
        let name = format!("plumbus.v{version}");
        let mut csv = component("ClusterServiceVersion", &name, &content);
        csv.created = created.to_owned();
        csv
    };
    let components = vec![
        version("1.0.0", "Succeeded", "2019-01-01T00:00:00Z"),
        version("3.0.0", "Installing", "2021-01-01T00:00:00Z"),
        version("2.0.0", "Succeeded", "2020-01-01T00:00:00Z"),
        component("Subscription", "plumbus", &subscription()),
    ];
    assert_eq!(
        status(&observation(components))["metadata"]["version"],
        "2.0.0"
    );
}

#[test]
fn queries_catalog_after_installation() {
    let mut seen = observation(components());
    seen.answer = None;
    let question = decide(&seen).question.expect("a question");
    assert_eq!(
        (&*question.catalog, &*question.channel),
        ("my-ns/community", "stable")
    );
    assert_eq!(
        (&*question.bundle, &*question.version),
        ("plumbus.v2.0.0", "2.0.0-alpha")
    );

    seen.components[1] = component(
        "ClusterServiceVersion",
        "plumbus.v2.0.0",
        &csv("Installing"),
    );
    let shown = status(&seen);
    assert_eq!(
        condition(&shown, "UpdateAvailable"),
        some(["Unknown", "NothingInstalled"])
    );
    assert_eq!(shown["metadata"], Value::Null);
}

#[test]
fn spec_names_the_catalog_without_a_subscription() {
    let mut seen = observation(components());
    seen.answer = None;
    seen.components.remove(0);
    assert_eq!(decide(&seen).question, None);
    assert_eq!(
        condition(&status(&seen), "UpdateAvailable"),
        some(["Unknown", "NoCatalog"])
    );

    let spec = json!({"updates": {"type": "CatalogSource", "catalogSource": {
        "package": "plumbus", "channel": "beta", "ref": {"name": "other", "namespace": "olm"},
    }}});
    seen.operator.stored.spec = spec.as_object().cloned();
    let question = decide(&seen).question.expect("a question");
    assert_eq!(
        (&*question.catalog, &*question.channel),
        ("olm/other", "beta")
    );
}

#[test]
fn prefers_update_in_the_current_channel() {
    let mut seen = observation(components());
    let update = |channel: &str| PermittedUpdate {
        channel: channel.to_owned(),
        bundle: "plumbus.v2.1.0".to_owned(),
        version: "2.1.0".to_owned(),
    };
    let answer = |updates: &[&str]| {
        let updates = updates.iter().map(|it| update(it)).collect();
        Some(Answer::Known(CatalogFacts {
            updates,
            brings: None,
        }))
    };
    let cases: [(&[&str], [&str; 2]); 3] = [
        (&["beta", "stable"], ["True", "UpdateFoundInChannel"]),
        (&["beta"], ["True", "UpdateFoundInAnotherChannel"]),
        (&[], ["False", "NoUpdateFound"]),
    ];
    for (updates, expected) in cases {
        seen.answer = answer(updates);
        assert_eq!(condition(&status(&seen), "UpdateAvailable"), some(expected));
    }
    seen.answer = Some(Answer::Unknown("nobody is there".to_owned()));
    assert_eq!(
        condition(&status(&seen), "UpdateAvailable"),
        some(["Unknown", "ResolverUnavailable"])
    );
}

/// Returns the manifests of the bundle in a catalog.
fn bundle() -> Vec<Value> {
    let mut csv = csv("");
    csv["kind"] = json!("ClusterServiceVersion");
    csv["metadata"] = json!({"name": "plumbus.v2.0.0"});
    vec![
        csv,
        json!({"kind": "CustomResourceDefinition", "metadata": {"name": "plumbai.how.theydoit.com"}}),
        json!({"kind": "ClusterRole", "metadata": {"name": "somebody"}}),
        json!({"kind": "PrometheusRule", "metadata": {"name": "nobody"}}),
    ]
}

fn with_bundle(components: Vec<portolan_core_components::Component>) -> Value {
    let mut seen = observation(components);
    seen.answer = Some(Answer::Known(CatalogFacts {
        updates: BTreeSet::new(),
        brings: brought(&bundle(), NAMESPACE),
    }));
    status(&seen)
}

#[test]
fn compares_components_with_objects_of_the_bundle() {
    let shown = with_bundle(components());
    assert_eq!(
        condition(&shown, "ComponentsDiverge"),
        some(["False", "ComponentsAsInstalled"])
    );

    let mut fewer = components();
    fewer.remove(3);
    let shown = with_bundle(fewer);
    let expected = some(["True", "ComponentsDivergeFromInstall"]);
    assert_eq!(condition(&shown, "ComponentsDiverge"), expected);
    let message =
        "plumbus.v2.0.0: Deployment my-ns/plumbus is in the bundle but is not a component";
    assert_eq!(shown["conditions"][1]["message"], message);

    let mut more = components();
    more.push(component("Deployment", "stranger", &json!({})));
    let shown = with_bundle(more);
    let message =
        "plumbus.v2.0.0: Deployment my-ns/stranger is a component but is not in the bundle";
    assert_eq!(shown["conditions"][1]["message"], message);
}

#[test]
fn metadata_only_bundle_has_unknown_objects() {
    let stub = json!({
        "kind": "ClusterServiceVersion", "metadata": {"name": "a"},
        "spec": {"install": {"strategy": "deployment"}},
    });
    assert_eq!(brought(&[stub], NAMESPACE), None);
}

#[test]
fn reports_unobserved_kinds_and_ignores_them_in_comparison() {
    let mut seen = observation(components());
    let secret = ObjectRef::new(Gvk::new("v1", "Secret"), NAMESPACE, "key");
    seen.unseen = BTreeMap::from([("Secret".to_owned(), "secrets is forbidden".to_owned())]);
    let brings = brought(&bundle(), NAMESPACE).map(|mut it| {
        it.insert(secret);
        it
    });
    seen.answer = Some(Answer::Known(CatalogFacts {
        updates: BTreeSet::new(),
        brings,
    }));
    let shown = status(&seen);
    assert_eq!(
        condition(&shown, "ComponentsDiverge"),
        some(["False", "ComponentsAsInstalled"])
    );
    assert_eq!(
        condition(&shown, "ComponentsNotListed"),
        some(["True", "KindsForbidden"])
    );
}

#[test]
fn matching_subscription_is_suggested_and_not_adopted() {
    let mut seen = observation(Vec::new());
    let spec = json!({"updates": {"catalogSource": {
        "package": "plumbus", "channel": "stable", "ref": {"name": "community", "namespace": NAMESPACE},
    }}});
    seen.operator.stored.spec = spec.as_object().cloned();
    let id = |name| {
        ObjectRef::new(
            Gvk::new("operators.coreos.com/v1alpha1", "Subscription"),
            NAMESPACE,
            name,
        )
    };
    let fits = Subscription::of(&subscription());
    let other = Subscription {
        channel: "beta".to_owned(),
        ..fits.clone()
    };
    seen.subscriptions = BTreeMap::from([(id("a"), other), (id("plumbus"), fits)]);
    let decision = decide(&seen);
    assert_eq!(decision.projected, BTreeSet::new());
    let shown = json!(stored(decision).status);
    let expected = some(["True", "SubscriptionMatches"]);
    assert_eq!(condition(&shown, "SubscriptionUnassociated"), expected);
    let message = shown["conditions"][2]["message"]
        .as_str()
        .expect("a message");
    let command = "kubectl -n my-ns label subscriptions.operators.coreos.com plumbus operators.coreos.com/plumbus=";
    assert!(message.ends_with(command), "{message}");

    seen.components = vec![component("Subscription", "plumbus", &subscription())];
    assert_eq!(condition(&status(&seen), "SubscriptionUnassociated"), None);
}

#[test]
fn labels_are_removed_before_the_operator() {
    let mut seen = observation(components());
    assert_eq!(decide(&seen).finalizer, Some(Finalizer::Add));
    seen.operator.has_finalizer = true;
    seen.operator.is_deleting = true;
    let going = decide(&seen);
    assert_eq!(going.finalizer, None);
    // OLM copies labels from components of these kinds to all others.
    let mut kinds = Vec::new();
    let mut left = seen.clone();
    while !left.components.is_empty() {
        let gone = decide(&left).taken_off;
        left.components.retain(|it| !gone.contains(&it.id));
        let gone: BTreeSet<_> = gone.into_iter().map(|it| it.kind.kind).collect();
        kinds.push(Vec::from_iter(gone));
    }
    let rest = vec!["APIService", "CustomResourceDefinition", "Deployment"];
    assert_eq!(
        kinds,
        [vec!["Subscription"], vec!["ClusterServiceVersion"], rest]
    );
    let shown = json!(stored(going).status);
    assert_eq!(
        condition(&shown, "Deleting"),
        some(["True", "RemovingLabels"])
    );

    let id = seen.components[4].id.clone();
    seen.remaining = BTreeMap::from([(id, "escalate is forbidden".to_owned())]);
    let shown = status(&seen);
    assert_eq!(
        condition(&shown, "Deleting"),
        some(["True", "LabelsRemain"])
    );

    seen.components.clear();
    let gone = decide(&seen);
    assert_eq!(
        (gone.finalizer, gone.stored),
        (Some(Finalizer::Remove), None)
    );
}

/// OLM restores its own labels, so a deletion that removes them first would never end.
#[test]
fn operator_of_olm_is_deleted_immediately() {
    let mut seen = observation(components());
    seen.operator.name = "plumbus.my-ns".to_owned();
    assert_eq!(decide(&seen).finalizer, None);
    seen.operator.has_finalizer = true;
    seen.operator.is_deleting = true;
    let gone = decide(&seen);
    assert_eq!(
        (gone.finalizer, gone.taken_off.len()),
        (Some(Finalizer::Remove), 0)
    );
}

#[test]
fn counts_components_omitted_for_size() {
    let many = (0..3000).map(|at| component("ConfigMap", &format!("config-{at:05}"), &json!({})));
    let stored = stored(decide(&observation(many.collect())));
    assert!(stored.to_text().len() <= portolan_core_components::LARGEST);
    let shown = &stored.status.expect("a status")["components"];
    let shown_refs = shown["refs"].as_array().expect("refs").len();
    assert!(shown_refs > 1000, "{shown_refs}");
    assert_eq!(shown["omitted"], 3000 - shown_refs);
}
