//! The manifests of one installable bundle.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::catalog::{Api, Bundle, Requirement};

const INSTALL_MODES: [&str; 4] = [
    "OwnNamespace",
    "SingleNamespace",
    "MultiNamespace",
    "AllNamespaces",
];

/// Returns the ClusterServiceVersion, and then one CustomResourceDefinition for each kind.
pub(super) fn all(package: &str, bundle: &Bundle, replaces: Option<&str>) -> Vec<Value> {
    let mut kinds: BTreeMap<(&str, &str), Vec<&Api>> = BTreeMap::new();
    for api in &bundle.provides {
        kinds.entry((&api.group, &api.kind)).or_default().push(api);
    }
    let definitions = kinds.values().map(|apis| definition(apis));
    [csv(package, bundle, replaces)]
        .into_iter()
        .chain(definitions)
        .collect()
}

pub(crate) fn install_modes(supported: &[&str]) -> Value {
    let mode = |mode| json!({"type": mode, "supported": supported.contains(&mode)});
    INSTALL_MODES.map(mode).into_iter().collect()
}

fn csv(package: &str, bundle: &Bundle, replaces: Option<&str>) -> Value {
    let required = bundle
        .requires
        .iter()
        .filter_map(|requirement| match requirement {
            Requirement::Api(api) => Some(api),
            Requirement::Package { .. } => None,
        });
    let mut csv = json!({
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": {"name": bundle.name, "namespace": "placeholder"},
        "spec": {
            "displayName": package,
            "version": bundle.version,
            "installModes": install_modes(&["OwnNamespace", "SingleNamespace", "AllNamespaces"]),
            "customresourcedefinitions": {
                "owned": bundle.provides.iter().map(description).collect::<Value>(),
                "required": required.map(description).collect::<Value>(),
            },
            "install": {
                "strategy": "deployment",
                "spec": {
                    "permissions": [permission(package)],
                    "deployments": [deployment(package, &bundle.name)],
                },
            },
        },
    });
    if let Some(replaces) = replaces {
        csv["spec"]["replaces"] = json!(replaces);
    }
    csv
}

fn description(api: &Api) -> Value {
    json!({
        "name": format!("{}.{}", plural(api), api.group),
        "version": api.version,
        "kind": api.kind,
        "displayName": api.kind,
        "description": format!("A {} for tests", api.kind),
    })
}

fn permission(package: &str) -> Value {
    json!({
        "serviceAccountName": package,
        "rules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}],
    })
}

/// Returns the Deployment, which is the same in all versions, as in real operators. Only the label
/// `app` of the Pods contains the version. The selector does not contain this label, because a
/// selector is immutable.
fn deployment(package: &str, bundle: &str) -> Value {
    json!({
        "name": package,
        "label": {"app": bundle},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": {"operator": package}},
            "template": {
                "metadata": {"labels": {"operator": package, "app": bundle}, "annotations": {}},
                "spec": {
                    "serviceAccountName": package,
                    "containers": [{"name": "operator", "image": "registry.example/operator:v1"}],
                },
            },
        },
    })
}

/// Returns a CRD with all versions of one kind. The last version is the storage version.
fn definition(apis: &[&Api]) -> Value {
    let api = apis[apis.len() - 1];
    let version = |served: &&Api| {
        json!({
            "name": served.version,
            "served": true,
            "storage": served.version == api.version,
            "schema": {"openAPIV3Schema": {
                "type": "object",
                "x-kubernetes-preserve-unknown-fields": true,
            }},
        })
    };
    let singular = api.kind.to_lowercase();
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{}.{}", plural(api), api.group)},
        "spec": {
            "group": api.group,
            "scope": "Namespaced",
            "names": {
                "kind": api.kind,
                "listKind": format!("{}List", api.kind),
                "plural": plural(api),
                "singular": singular,
            },
            "versions": apis.iter().map(version).collect::<Value>(),
        },
    })
}

fn plural(api: &Api) -> String {
    format!("{}s", api.kind.to_lowercase())
}
