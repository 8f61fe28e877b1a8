//! The OperatorCondition, an object in which an operator reports whether it can be upgraded.
//!
//! OLM creates one OperatorCondition for each operator, and passes the name of this object to the
//! operator in an environment variable. Operators that were written for OLM update this object. If
//! the cluster has the CRD, a plan also creates the object, so that these operators work unchanged.

use std::collections::BTreeSet;

use serde_json::{Value, json};

const VARIABLE: &str = "OPERATOR_CONDITION_NAME";

/// Returns the namespace and name of the OperatorCondition for a bundle. Returns None if the bundle
/// contains no Deployment.
pub(super) fn of_bundle(manifests: &[Value], bundle: &str) -> Option<String> {
    let namespace = namespace(manifests)?;
    Some(format!("{namespace}/{bundle}"))
}

/// Returns the namespace of the operator's Deployment. Returns None if the bundle contains no
/// Deployment.
pub(super) fn namespace(manifests: &[Value]) -> Option<&str> {
    let deployment = manifests.iter().find(|it| is_deployment(it));
    deployment.and_then(|it| it["metadata"]["namespace"].as_str())
}

/// Returns the manifests with three additions: the OperatorCondition, the permission to update it,
/// and an environment variable with its name in the operator's containers.
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

/// Returns the manifests of an adopted operator with the OperatorCondition and the permission to
/// update it. OLM has already set the environment variable in the operator's containers.
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

/// Adds the environment variable with the name of the OperatorCondition to a container, unless the
/// container already has this variable.
fn set_variable(container: &mut Value, name: &str) {
    let variable = json!({"name": VARIABLE, "value": name});
    match container["env"].as_array_mut() {
        Some(known) if known.iter().any(|it| it["name"] == VARIABLE) => {}
        Some(known) => known.push(variable),
        None => container["env"] = json!([variable]),
    }
}

/// Returns the OperatorCondition with a Role and a RoleBinding. The Role and the RoleBinding have
/// another name than the OperatorCondition, because OLM creates a Role and a RoleBinding with that
/// name.
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
