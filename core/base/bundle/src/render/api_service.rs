//! Renders APIServices: aggregated APIs that Deployments of the bundle serve. OLM v1 does not
//! support them, so the objects and their names follow OLM v0.

use std::collections::BTreeSet;

use serde_json::json;

use super::{Manifest, Oddities, Options, Plan, RenderRefusal, webhook};
use crate::bundle::Bundle;
use crate::csv::ApiServiceDescription;

const RBAC: &str = "rbac.authorization.k8s.io";

/// Adds the reasons why the APIServices of a bundle cannot be rendered.
pub(super) fn refused(bundle: &Bundle, options: &Options, refusals: &mut Vec<RenderRefusal>) {
    let names: BTreeSet<_> = bundle
        .csv
        .deployments()
        .iter()
        .map(|deployment| &*deployment.value.name)
        .collect();
    for owned in owned(bundle) {
        let name = name(owned);
        let sentence = if options.oddities == Oddities::Keep {
            format!(
                "the bundle owns the APIService {name}, but OLM v1 does not install \
             APIServices"
            )
        } else if !names.contains(&*owned.deployment_name) {
            format!(
                "the APIService {name} is served by the deployment {:?}, which the bundle does not have",
                owned.deployment_name
            )
        } else {
            continue;
        };
        refusals.push(RenderRefusal::Unsupported(sentence));
    }
}

/// Adds the APIServices. Each Deployment that serves an APIService gets permissions to authenticate
/// users.
pub(super) fn objects(plan: &Plan<'_>, manifests: &mut Vec<Manifest>) {
    let csv = &plan.bundle.csv;
    for (at, deployment) in csv.deployments().iter().enumerate() {
        let name = &*deployment.value.name;
        if plan.api_services.contains_key(name) {
            let account = &csv.deployment_spec(at)["template"]["spec"]["serviceAccountName"];
            rights(plan, name, account.as_str().unwrap_or("default"), manifests);
        }
    }
    let mut made = BTreeSet::new();
    for owned in owned(plan.bundle) {
        let name = name(owned);
        // The bundle has an entry for each kind, but several kinds can belong to one group version.
        // Each group version needs only one APIService.
        if !made.insert(name.clone()) {
            continue;
        }
        let mut metadata = json!({"name": name});
        if let Some((key, value)) = plan.injection(&owned.deployment_name) {
            metadata["annotations"] = json!({key: value});
        }
        manifests.push(plan.made(json!({
            "apiVersion": "apiregistration.k8s.io/v1",
            "kind": "APIService",
            "metadata": metadata,
            "spec": {
                "group": owned.group,
                "version": owned.version,
                "groupPriorityMinimum": 2000,
                "versionPriority": 15,
                "service": {
                    "namespace": plan.namespace(),
                    "name": plan.service(&owned.deployment_name),
                    "port": port(owned),
                },
            },
        })));
    }
}

/// Returns the port of an APIService. Returns the default port if it is not set.
pub(super) fn port(owned: &ApiServiceDescription) -> i32 {
    match owned.container_port {
        0 => webhook::DEFAULT_PORT,
        port => port,
    }
}

pub(super) fn owned(bundle: &Bundle) -> impl Iterator<Item = &ApiServiceDescription> {
    let all = bundle.csv.spec.api_services.owned.iter();
    all.map(|owned| &owned.value)
}

fn name(owned: &ApiServiceDescription) -> String {
    format!("{}.{}", owned.version, owned.group)
}

/// Adds the permissions of a Deployment that serves an aggregated API. The Deployment authenticates
/// requests of the API server. It also asks the API server which permissions a user has.
fn rights(plan: &Plan<'_>, deployment: &str, account: &str, manifests: &mut Vec<Manifest>) {
    let service = plan.service(deployment);
    let account = json!({
        "kind": "ServiceAccount", "name": account, "namespace": plan.namespace(),
    });
    for (kind, name, namespace, role) in [
        (
            "ClusterRoleBinding",
            format!("{service}-system:auth-delegator"),
            None,
            ("ClusterRole", "system:auth-delegator"),
        ),
        (
            "RoleBinding",
            format!("{service}-auth-reader"),
            Some("kube-system"),
            ("Role", "extension-apiserver-authentication-reader"),
        ),
    ] {
        let mut metadata = json!({"name": name});
        if let Some(namespace) = namespace {
            metadata["namespace"] = namespace.into();
        }
        manifests.push(plan.made(json!({
            "apiVersion": format!("{RBAC}/v1"),
            "kind": kind,
            "metadata": metadata,
            "subjects": [account],
            "roleRef": {"apiGroup": RBAC, "kind": role.0, "name": role.1},
        })));
    }
}
