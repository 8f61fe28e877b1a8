//! What a newcomer does first, on a real control plane with OLM.

pub(crate) mod console;
mod dump;
mod explain;
mod forwarded;
mod go_client;
mod installed;
pub(crate) mod manifests;
mod plugin;
mod up;

use std::path::Path;
use std::process::Command;

use kube::api::{ApiResource, DynamicObject};
use kube::core::GroupVersionKind;
use kube::{Api, Client};
use portolan_rig::Failure;
use serde_json::{Value, json};

use crate::operatorpolicy::fleet::kubeconfig_flag;
use crate::program::portolan;
use crate::resolver::world::create;

/// Lets somebody do what the rules say, everywhere.
pub(crate) async fn may(client: &Client, user: &str, rules: Value) -> Result<(), Failure> {
    let group = "rbac.authorization.k8s.io";
    let kind = |kind| {
        let kind = GroupVersionKind::gvk(group, "v1", kind);
        Api::<DynamicObject>::all_with(client.clone(), &ApiResource::from_gvk(&kind))
    };
    let role = json!({"metadata": {"name": user}, "rules": rules});
    create(&kind("ClusterRole"), role).await?;
    let bound = json!({
        "metadata": {"name": user},
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": user},
        "subjects": [{"apiGroup": group, "kind": "User", "name": user}],
    });
    create(&kind("ClusterRoleBinding"), bound).await
}

/// `portolan up` on a cluster, on ports that nobody else has.
async fn up(kubeconfig: &Path, words: &[&str]) -> Result<Command, Failure> {
    let mut command = Command::new(portolan().await?);
    command
        .arg("up")
        .arg(kubeconfig_flag(kubeconfig))
        .args(["--listen=127.0.0.1:0", "--probes-listen=127.0.0.1:0"])
        .args(words);
    Ok(command)
}

/// Who holds a Lease; empty if nobody does.
async fn holder(client: &Client, namespace: &str, name: &str) -> Result<String, Failure> {
    let kind = GroupVersionKind::gvk("coordination.k8s.io", "v1", "Lease");
    let kind = ApiResource::from_gvk(&kind);
    let leases = Api::<DynamicObject>::namespaced_with(client.clone(), namespace, &kind);
    let lease = leases.get(name).await?;
    let holder = lease.data["spec"]["holderIdentity"].as_str();
    Ok(holder.unwrap_or_default().to_owned())
}

/// The objects that kustomize or Helm renders.
fn documents(rendered: &str) -> Vec<Value> {
    let documents = rendered.trim_start_matches("---\n").split("\n---\n");
    let read = documents.map(serde_saphyr::from_str);
    read.map(|object| object.expect("it is YAML")).collect()
}

fn text(value: &Value) -> String {
    value.as_str().expect("text").to_owned()
}
