//! The objects of a world, one function for each kind.

use serde_json::{Value, json};

use crate::catalog::catalog;

/// The time of all events.
pub(super) const TIME: &str = "2026-01-01T00:00:00Z";
pub(super) const OPERATORS: &str = "operators.coreos.com";

pub(super) fn namespace(name: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": name, "labels": {"kubernetes.io/metadata.name": name}},
    })
}

pub(super) fn catalog_source(name: &str, namespace: &str, address: &str) -> Value {
    json!({
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "CatalogSource",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"sourceType": "grpc", "address": address, "displayName": name},
        "status": {"connectionState": {
            "address": address,
            "lastConnect": TIME,
            "lastObservedState": "READY",
        }},
    })
}

pub(super) fn operator_group(namespace: &str, target: Option<&str>) -> Value {
    let spec = target.map_or(json!({}), |target| json!({"targetNamespaces": [target]}));
    json!({
        "apiVersion": "operators.coreos.com/v1",
        "kind": "OperatorGroup",
        "metadata": {"name": namespace, "namespace": namespace},
        "spec": spec,
        "status": {"namespaces": [target.unwrap_or_default()], "lastUpdated": TIME},
    })
}

pub(super) fn subscription(namespace: &str, package: &str, spec: Value) -> Value {
    json!({
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "Subscription",
        "metadata": {
            "name": package,
            "namespace": namespace,
            "labels": {operator_label(package, namespace): ""},
        },
        "spec": spec,
    })
}

pub(super) fn installed(csv: &str) -> Value {
    json!({
        "state": "AtLatestKnown",
        "currentCSV": csv,
        "installedCSV": csv,
        "lastUpdated": TIME,
    })
}

pub(super) fn pending(namespace: &str, installed: &str, next: &str, plan: &str) -> Value {
    let mut status = json!({
        "state": "UpgradePending",
        "currentCSV": next,
        "installPlanGeneration": 1,
        "installPlanRef": {
            "apiVersion": "operators.coreos.com/v1alpha1",
            "kind": "InstallPlan",
            "namespace": namespace,
            "name": plan,
        },
        "lastUpdated": TIME,
    });
    if !installed.is_empty() {
        status["installedCSV"] = json!(installed);
    }
    status
}

#[track_caller]
pub(super) fn csv(namespace: &str, name: &str, phase: &str) -> Value {
    let mut csv = manifest(name);
    let (package, _) = split(name);
    csv["metadata"] = json!({
        "name": name,
        "namespace": namespace,
        "labels": {operator_label(package, namespace): "", "olm.managed": "true"},
        "annotations": {
            "olm.operatorGroup": namespace,
            "olm.operatorNamespace": namespace,
            "olm.targetNamespaces": namespace,
        },
    });
    csv["status"] = json!({
        "phase": phase,
        "reason": reason(phase),
        "message": format!("{name} is {phase}"),
        "lastTransitionTime": TIME,
        "lastUpdateTime": TIME,
    });
    csv
}

/// Returns the ClusterServiceVersion manifest of a bundle, as a catalog contains it.
#[track_caller]
fn manifest(name: &str) -> Value {
    let (package, version) = split(name);
    let shop = catalog(&format!("{package}: {version}")).installable();
    shop.package(package).bundle(version).objects[0].clone()
}

#[track_caller]
pub(super) fn split(name: &str) -> (&str, &str) {
    name.split_once(".v")
        .unwrap_or_else(|| panic!("{name:?} must be <package>.v<version>"))
}

#[track_caller]
fn reason(phase: &str) -> &'static str {
    match phase {
        "Pending" => "RequirementsNotMet",
        "InstallReady" => "AllRequirementsMet",
        "Installing" => "InstallWaiting",
        "Succeeded" => "InstallSucceeded",
        "Failed" => "ComponentUnhealthy",
        "Replacing" => "BeingReplaced",
        "Deleting" => "Replaced",
        "Unknown" => "Unknown",
        other => panic!("{other:?} must be a phase of a ClusterServiceVersion"),
    }
}

pub(super) fn plan(
    namespace: &str,
    name: &str,
    csvs: &[&str],
    source: &(String, String),
    generation: usize,
) -> Value {
    let (source, source_namespace) = source;
    let step = |csv: &&str| {
        json!({
            "resolving": csv,
            "status": "Unknown",
            "resource": {
                "group": OPERATORS,
                "version": "v1alpha1",
                "kind": "ClusterServiceVersion",
                "name": csv,
                "manifest": manifest(csv).to_string(),
                "sourceName": source,
                "sourceNamespace": source_namespace,
            },
        })
    };
    json!({
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "InstallPlan",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "approval": "Manual",
            "approved": false,
            "clusterServiceVersionNames": csvs,
            "generation": generation,
        },
        "status": {
            "phase": "RequiresApproval",
            "catalogSources": [source],
            "plan": csvs.iter().map(step).collect::<Value>(),
        },
    })
}

pub(super) fn complete(plan: &mut Value) {
    plan["spec"]["approved"] = json!(true);
    plan["status"]["phase"] = json!("Complete");
    plan["status"]["startTime"] = json!(TIME);
    plan["status"]["conditions"] = json!([{
        "type": "Installed",
        "status": "True",
        "lastTransitionTime": TIME,
        "lastUpdateTime": TIME,
    }]);
    for step in plan["status"]["plan"].as_array_mut().into_iter().flatten() {
        step["status"] = json!("Created");
    }
}

pub(super) fn deployment(
    namespace: &str,
    name: &str,
    owner: Option<&str>,
    available: u32,
    replicas: u32,
) -> Value {
    let owned = |owner| {
        json!({
            "olm.managed": "true",
            "olm.owner": owner,
            "olm.owner.kind": "ClusterServiceVersion",
            "olm.owner.namespace": namespace,
        })
    };
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "generation": 1,
            "labels": owner.map_or(json!({}), owned),
        },
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"operator": name}},
            "template": {
                "metadata": {"labels": {"operator": name}},
                "spec": {"containers": [
                    {"name": "operator", "image": "registry.example/operator:v1"},
                ]},
            },
        },
        "status": deployment_status(available, replicas),
    })
}

fn deployment_status(available: u32, replicas: u32) -> Value {
    let (status, reason) = if available >= replicas {
        ("True", "MinimumReplicasAvailable")
    } else {
        ("False", "MinimumReplicasUnavailable")
    };
    json!({
        "observedGeneration": 1,
        "replicas": replicas,
        "updatedReplicas": replicas,
        "readyReplicas": available,
        "availableReplicas": available,
        "unavailableReplicas": replicas.saturating_sub(available),
        "conditions": [{
            "type": "Available",
            "status": status,
            "reason": reason,
            "message": format!("{available} of {replicas} replicas are available"),
            "lastTransitionTime": TIME,
            "lastUpdateTime": TIME,
        }],
    })
}

/// Returns the label with which OLM marks the objects of an operator.
fn operator_label(package: &str, namespace: &str) -> String {
    let key: String = format!("{package}.{namespace}").chars().take(63).collect();
    format!("{OPERATORS}/{}", key.trim_end_matches(['.', '-', '_']))
}
