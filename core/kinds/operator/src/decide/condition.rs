//! The OperatorCondition with which an operator reports whether it can be upgraded.
//!
//! OLM creates one for each operator and passes its name in an environment variable. Operators that
//! know OLM update it. If the cluster has the CRD, a plan does the same, so that these operators
//! work unchanged.

use std::collections::BTreeSet;

use serde_json::{Value, json};

const VARIABLE: &str = "OPERATOR_CONDITION_NAME";

/// Returns the namespace and name of the object for a bundle, or None if the bundle runs nothing.
pub(super) fn of_bundle(manifests: &[Value], bundle: &str) -> Option<String> {
    let namespace = namespace(manifests)?;
    Some(format!("{namespace}/{bundle}"))
}

/// Returns the namespace that the operator runs in.
pub(super) fn namespace(manifests: &[Value]) -> Option<&str> {
    let deployment = manifests.iter().find(|it| is_deployment(it));
    deployment.and_then(|it| it["metadata"]["namespace"].as_str())
}

/// Returns the manifests with the object, the permission to update it, and its name in the variable
/// of the operator.
pub(super) fn with(mut manifests: Vec<Value>, condition: &str) -> Vec<Value> {
    let Some((namespace, name)) = condition.split_once('/') else {
        return manifests;
    };
    let mut accounts = BTreeSet::new();
    for deployment in manifests.iter_mut().filter(|it| is_deployment(it)) {
        let pod = &mut deployment["spec"]["template"]["spec"];
        accounts.insert(account(pod));
        for container in pod["containers"].as_array_mut().into_iter().flatten() {
            set_variable(container, name);
        }
    }
    manifests.extend(objects(namespace, name, &accounts));
    manifests
}

/// Returns the manifests with the object and the permission to update it, for an operator that
/// already knows the name.
pub(super) fn beside(mut manifests: Vec<Value>, condition: &str) -> Vec<Value> {
    if let Some((namespace, name)) = condition.split_once('/') {
        let deployments = manifests.iter().filter(|it| is_deployment(it));
        let accounts = deployments.map(|it| account(&it["spec"]["template"]["spec"]));
        let accounts = accounts.collect();
        manifests.extend(objects(namespace, name, &accounts));
    }
    manifests
}

fn account(pod: &Value) -> String {
    let account = pod["serviceAccountName"].as_str().unwrap_or("default");
    account.to_owned()
}

/// Adds the variable with the name to a container, unless its author has set it.
fn set_variable(container: &mut Value, name: &str) {
    let variable = json!({"name": VARIABLE, "value": name});
    match container["env"].as_array_mut() {
        Some(known) if known.iter().any(|it| it["name"] == VARIABLE) => {}
        Some(known) => known.push(variable),
        None => container["env"] = json!([variable]),
    }
}

/// Returns the object with a Role and a RoleBinding. Their names differ from the object's, because
/// OLM creates a Role and a RoleBinding with the name of the object.
fn objects(namespace: &str, name: &str, accounts: &BTreeSet<String>) -> [Value; 3] {
    let role = format!("{name}-writes-its-condition");
    let subjects = accounts
        .iter()
        .map(|account| json!({"kind": "ServiceAccount", "name": account, "namespace": namespace}));
    let subjects: Vec<_> = subjects.collect();
    let group = "rbac.authorization.k8s.io";
    [
        json!({
            "apiVersion": "operators.coreos.com/v2",
            "kind": "OperatorCondition",
            "metadata": {"name": name, "namespace": namespace},
        }),
        json!({
            "apiVersion": format!("{group}/v1"),
            "kind": "Role",
            "metadata": {"name": role, "namespace": namespace},
            "rules": [{
                "apiGroups": ["operators.coreos.com"],
                "resources": ["operatorconditions", "operatorconditions/status"],
                "resourceNames": [name],
                "verbs": ["get", "update", "patch"],
            }],
        }),
        json!({
            "apiVersion": format!("{group}/v1"),
            "kind": "RoleBinding",
            "metadata": {"name": role, "namespace": namespace},
            "roleRef": {"apiGroup": group, "kind": "Role", "name": role},
            "subjects": subjects,
        }),
    ]
}

fn is_deployment(manifest: &Value) -> bool {
    manifest["kind"] == "Deployment"
}
