//! Writes the discovery documents of API groups and resources.

use serde_json::{Value, json};

use crate::{GROUP, KIND, RESOURCE, VERSION};

/// The verbs of the resource. Clients check these verbs. Controllers such as the garbage collector
/// ignore resources that support only these verbs.
const VERBS: [&str; 3] = ["get", "list", "watch"];

pub(super) fn version(release: &str) -> Value {
    let mut parts = release.split('.');
    json!({
        "major": parts.next(), "minor": parts.next(), "gitVersion": format!("v{release}"),
    })
}

pub(super) fn groups() -> Value {
    json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": [named_group()]})
}

pub(super) fn group() -> Value {
    let mut group = named_group();
    group["kind"] = "APIGroup".into();
    group["apiVersion"] = "v1".into();
    group
}

fn named_group() -> Value {
    let version = json!({"groupVersion": format!("{GROUP}/{VERSION}"), "version": VERSION});
    json!({"name": GROUP, "versions": [version], "preferredVersion": version})
}

pub(super) fn resources() -> Value {
    let resource = json!({
        "name": RESOURCE, "singularName": RESOURCE, "namespaced": true, "kind": KIND,
        "verbs": VERBS,
    });
    json!({
        "kind": "APIResourceList", "apiVersion": "v1",
        "groupVersion": format!("{GROUP}/{VERSION}"), "resources": [resource],
    })
}

pub(super) fn aggregated() -> Value {
    let resource = json!({
        "resource": RESOURCE,
        "responseKind": {"group": GROUP, "version": VERSION, "kind": KIND},
        "scope": "Namespaced", "singularResource": RESOURCE, "verbs": VERBS,
    });
    let version = json!({"version": VERSION, "resources": [resource], "freshness": "Current"});
    let group = json!({
        "metadata": {"name": GROUP, "creationTimestamp": null}, "versions": [version],
    });
    json!({
        "kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {}, "items": [group],
    })
}
