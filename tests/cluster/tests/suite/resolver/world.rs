//! Tests that objects of a real API server are observed, also when requests fail.

mod faults;
mod kinds;
mod quiet;

use std::time::Duration;

use kube::api::{DeleteParams, DynamicObject, Patch, PatchParams, PostParams};
use kube::{Api, Client};
use portolan_core_olm::CatalogSource;
use portolan_rig::{Cluster, Failure, Kind, PATIENCE};
use portolan_world::{self as observed, Objects, Pace, View, World as _};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::objects::{api, make};
use crate::world;

/// Short intervals, so that the tests notice a frozen API server soon.
const PACE: Pace = Pace {
    answer: Duration::from_secs(2),
    silence: Duration::from_secs(2),
    missing: Duration::from_secs(1),
    forbidden: Duration::ZERO,
};

#[tokio::test]
async fn changes_of_catalog_source_are_observed() -> Result<(), Failure> {
    let Some(world) = world("observed").await? else {
        return Ok(());
    };
    let observed = observe(world.client());
    let mut sources = observed.objects::<CatalogSource>();
    let written = Kind::CatalogSource.within(world.client(), world.namespace());
    let address = |view: &View<CatalogSource>| {
        let source = view.object(world.namespace(), "shop")?;
        Some(source.spec.address.clone())
    };

    let spec = json!({"spec": {"sourceType": "grpc", "address": "127.0.0.1:1"}});
    let shop = Kind::CatalogSource.object("shop", spec)?;
    written.create(&PostParams::default(), &shop).await?;
    until(&mut sources, |view| {
        address(view).as_deref() == Some("127.0.0.1:1")
    })
    .await;

    let change = json!({"spec": {"address": "127.0.0.1:2"}});
    patch(&written, "shop", change).await?;
    until(&mut sources, |view| {
        address(view).as_deref() == Some("127.0.0.1:2")
    })
    .await;

    written.delete("shop", &DeleteParams::default()).await?;
    until(&mut sources, |view| address(view).is_none()).await;
    Ok(())
}

/// Returns the world of a client. It reports errors after a short time.
fn observe(client: &Client) -> observed::Cluster {
    observed::Cluster::of(client.clone(), PACE)
}

/// Returns a client without timeouts. The world itself decides how long to wait.
fn patient(cluster: &Cluster, user: &str) -> Result<Client, Failure> {
    let mut config = cluster.config(user)?;
    config.read_timeout = None;
    config.write_timeout = None;
    Ok(Client::try_from(config)?)
}

async fn until<K: observed::Kind>(
    objects: &mut Objects<K>,
    is_wanted: impl Fn(&View<K>) -> bool,
) -> View<K> {
    match timeout(PATIENCE, objects.until(is_wanted)).await {
        Ok(seen) => seen.expect("the world must not end"),
        Err(_) => panic!("the condition does not hold: {:?}", objects.now()),
    }
}

pub(super) async fn patch(
    objects: &Api<DynamicObject>,
    name: &str,
    change: Value,
) -> Result<(), Failure> {
    let params = PatchParams::default();
    objects.patch(name, &params, &Patch::Merge(change)).await?;
    Ok(())
}

pub(super) fn cluster_catalogs(client: &Client) -> Api<DynamicObject> {
    api(
        client,
        ["olm.operatorframework.io/v1", "ClusterCatalog", ""],
    )
}

pub(super) fn cluster_catalog(name: &str, priority: impl Into<Value>) -> Value {
    json!({
        "apiVersion": "olm.operatorframework.io/v1",
        "kind": "ClusterCatalog",
        "metadata": {"name": name},
        "spec": {"priority": priority.into()},
    })
}

/// Installs a CRD for ClusterCatalogs, without a schema.
pub(super) async fn define_cluster_catalogs(client: &Client) -> Result<(), Failure> {
    define(client, CRD, "ClusterCatalog", "Cluster", "v1").await
}

/// Installs a CRD for CatalogSources, without a schema and without OLM.
pub(super) async fn define_catalog_sources(client: &Client) -> Result<(), Failure> {
    let name = "catalogsources.operators.coreos.com";
    define(client, name, "CatalogSource", "Namespaced", "v1alpha1").await
}

/// Installs a CRD. Its name consists of the plural and the group.
pub(crate) async fn define(
    client: &Client,
    name: &str,
    kind: &str,
    scope: &str,
    version: &str,
) -> Result<(), Failure> {
    let (plural, group) = name.split_once('.').unwrap_or_default();
    let anything = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": name},
        "spec": {
            "group": group,
            "names": {"kind": kind, "plural": plural, "singular": kind.to_lowercase()},
            "scope": scope,
            "versions": [{
                "name": version,
                "served": true,
                "storage": true,
                "schema": {"openAPIV3Schema": anything},
            }],
        },
    });
    make(client, &crd).await?;
    let crds = Kind::CustomResourceDefinition.everywhere(client);
    portolan_rig::until_object(&crds, name, "established", |crd| {
        let conditions = crd.data["status"]["conditions"].as_array();
        conditions
            .into_iter()
            .flatten()
            .any(|condition| condition["type"] == "Established" && condition["status"] == "True")
    })
    .await
    .map(drop)
}

const CRD: &str = "clustercatalogs.olm.operatorframework.io";
