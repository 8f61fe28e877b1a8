//! The OperatorCondition with which an operator reports whether it can be upgraded.
//!
//! OLM creates one for each operator and passes its name in an environment variable. Operators that
//! know OLM update it. If the cluster has the CRD, a plan does the same, so that these operators
//! work unchanged.

use std::collections::BTreeSet;

use serde_json::{Value, json};

const VARIABLE: &str = "OPERATOR_CONDITION_NAME";

/// The namespace and the name of the object that belongs to a bundle; None if it runs nothing.
pub(super) fn of_bundle(manifests: &[Value], bundle: &str) -> Option<String> {
    let namespace = namespace(manifests)?;
    Some(format!("{namespace}/{bundle}"))
}

/// The namespace that the operator runs in.
pub(super) fn namespace(manifests: &[Value]) -> Option<&str> {
    let deployment = manifests.iter().find(|it| is_deployment(it));
    deployment.and_then(|it| it["metadata"]["namespace"].as_str())
}

/// The manifests with the object, the right to write it, and its name where the operator looks for it.
pub(super) fn with(mut manifests: Vec<Value>, condition: &str) -> Vec<Value> {
    let Some((namespace, name)) = condition.split_once('/') else {
        return manifests;
    };
    let mut accounts = BTreeSet::new();
    for deployment in manifests.iter_mut().filter(|it| is_deployment(it)) {
        let pod = &mut deployment["spec"]["template"]["spec"];
        accounts.insert(account(pod));
        for container in pod["containers"].as_array_mut().into_iter().flatten() {
            tell(container, name);
        }
    }
    manifests.extend(objects(namespace, name, &accounts));
    manifests
}

/// The manifests with the object and the right to write it, where the operator knows the name already.
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
fn tell(container: &mut Value, name: &str) {
    let variable = json!({"name": VARIABLE, "value": name});
    match container["env"].as_array_mut() {
        Some(known) if known.iter().any(|it| it["name"] == VARIABLE) => {}
        Some(known) => known.push(variable),
        None => container["env"] = json!([variable]),
    }
}

/// OLM, where it runs, makes a Role and a RoleBinding that are called like the object: these are called
/// otherwise.
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
