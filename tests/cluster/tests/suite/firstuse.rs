//! What a newcomer does first, on a real control plane with OLM.

mod dump;
mod explain;
mod forwarded;
mod go_client;
mod installed;
mod manifests;
mod plugin;
mod up;

use kube::api::{ApiResource, DynamicObject};
use kube::core::GroupVersionKind;
use kube::{Api, Client};
use portolan_rig::Failure;
use serde_json::{Value, json};

use crate::resolver::world::create;

/// Lets somebody do what the rules say, everywhere.
async fn may(client: &Client, user: &str, rules: Value) -> Result<(), Failure> {
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
