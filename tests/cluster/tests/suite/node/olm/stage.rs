//! Prepares clusters for tests with OLM on a node.

use kube::api::{DynamicObject, Patch, PatchParams};
use portolan_rig::{Failure, Kind, Parts, World};
use serde_json::{Value, json};

use crate::node::stage::cluster_with;
use crate::objects::make;

/// The namespace of OLM.
pub(super) const OLM: &str = "olm";

/// Returns a namespace on a separate cluster with OLM as Pods. Returns `None` if these tests are
/// skipped.
pub(super) async fn olm_world(test: &str) -> Result<Option<World>, Failure> {
    let parts = Parts {
        olm_pods: true,
        ..Parts::default()
    };
    let Some(cluster) = cluster_with(parts).await? else {
        return Ok(None);
    };
    World::on(cluster, test).await.map(Some)
}

/// Creates a CatalogSource. OLM serves its image in a Pod.
pub(super) async fn serve(
    world: &World,
    [namespace, name]: [&str; 2],
    image: &str,
) -> Result<(), Failure> {
    make(
        world.client(),
        &json!({
            "apiVersion": "operators.coreos.com/v1alpha1", "kind": "CatalogSource",
            "metadata": {"name": name, "namespace": namespace},
            "spec": {
                "sourceType": "grpc", "image": image,
                "grpcPodConfig": {
                    "securityContextConfig": "restricted",
                    "extractContent": {"catalogDir": "/configs"},
                },
            },
        }),
    )
    .await
}

/// Creates a Subscription to a channel of the test operator, for all namespaces and with automatic
/// upgrades.
pub(super) async fn subscribe(
    world: &World,
    namespace: &str,
    [catalog_namespace, catalog]: [&str; 2],
    channel: &str,
) -> Result<(), Failure> {
    let metadata = json!({"name": "ferry", "namespace": namespace});
    make(
        world.client(),
        &json!({
            "apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup",
            "metadata": metadata, "spec": {},
        }),
    )
    .await?;
    make(
        world.client(),
        &json!({
            "apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription",
            "metadata": metadata,
            "spec": {
                "name": "ferry", "channel": channel,
                "source": catalog, "sourceNamespace": catalog_namespace,
            },
        }),
    )
    .await
}

/// Changes an object as its owner does.
pub(super) async fn change(
    world: &World,
    (kind, namespace, name): (Kind, &str, &str),
    change: Value,
) -> Result<DynamicObject, Failure> {
    let objects = kind.within(world.client(), namespace);
    let params = PatchParams::default();
    let changed = objects.patch(name, &params, &Patch::Merge(change)).await;
    Ok(changed?)
}
