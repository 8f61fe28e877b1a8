//! Tests API servers that stop or freeze, and connections that break.

use portolan_core_olm::{CatalogSource, ClusterCatalog};
use portolan_rig::{ADMIN, Component, Failure, Kind, PATIENCE, Seen};
use portolan_world::{State, Trouble, View, World as _};
use serde_json::json;

use super::{
    cluster_catalog, cluster_catalogs, define_cluster_catalogs, observe, patch, patient, until,
};
use crate::objects::make;
use crate::{detour, own_cluster, world};

const WATCHES: &str = "GET /apis/operators.coreos.com?watch=";

#[tokio::test]
async fn keeps_last_objects_while_api_server_is_unavailable() -> Result<(), Failure> {
    let Some(cluster) = own_cluster().await? else {
        return Ok(());
    };
    let client = cluster.client()?;
    define_cluster_catalogs(&client).await?;
    let _written = cluster_catalogs(&client);
    make(&client, &cluster_catalog("shop", 1)).await?;
    let observed = observe(&patient(&cluster, ADMIN)?);
    let mut catalogs = observed.objects::<ClusterCatalog>();
    let before = until(&mut catalogs, |view| is_fresh(view, 1)).await;

    cluster.kill(Component::ApiServer)?;
    let gone = until(&mut catalogs, |view| {
        matches!(trouble(view), Some(Trouble::Unreachable(_)))
    })
    .await;
    assert_eq!(gone.objects, before.objects);

    cluster.revive(Component::ApiServer).await?;
    // Creates a new client, because the connections of the old client may be broken.
    let written = cluster_catalogs(&cluster.client()?);
    patch(&written, "shop", json!({"spec": {"priority": 2}})).await?;
    let back = until(&mut catalogs, |view| is_fresh(view, 2)).await;

    cluster.freeze(Component::ApiServer)?;
    let frozen = until(&mut catalogs, |view| {
        matches!(trouble(view), Some(Trouble::Silent(_)))
    })
    .await;
    assert_eq!(frozen.objects, back.objects);

    cluster.thaw(Component::ApiServer)?;
    let written = cluster_catalogs(&cluster.client()?);
    patch(&written, "shop", json!({"spec": {"priority": 3}})).await?;
    until(&mut catalogs, |view| is_fresh(view, 3)).await;
    Ok(())
}

fn is_fresh(view: &View<ClusterCatalog>, priority: i32) -> bool {
    let shop = view.object("", "shop");
    view.state == State::Synced && shop.is_some_and(|shop| shop.spec.priority == priority)
}

/// Returns the reason why the objects are stale. Returns `None` if they are not stale.
fn trouble(view: &View<ClusterCatalog>) -> Option<&Trouble> {
    match &view.state {
        State::Stale { trouble, .. } => Some(trouble),
        _ => None,
    }
}

#[tokio::test]
async fn interrupted_watch_resumes_without_a_new_list() -> Result<(), Failure> {
    let Some(world) = world("torn").await? else {
        return Ok(());
    };
    let proxy = detour::proxy(world.cluster()).await?;
    let client = detour::client(&proxy, std::time::Duration::from_secs(30))?;
    let observed = observe(&client);
    let mut sources = observed.objects::<CatalogSource>();
    until(&mut sources, |view| view.state == State::Synced).await;
    let written = Kind::CatalogSource.within(world.client(), world.namespace());
    let is_there =
        |view: &View<CatalogSource>, name: &str| view.object(world.namespace(), name).is_some();
    for (round, name) in ["first", "second"].into_iter().enumerate() {
        let spec = json!({"spec": {"sourceType": "grpc", "address": "127.0.0.1:1"}});
        let source = Kind::CatalogSource.object(name, spec)?;
        written.create(&Default::default(), &source).await?;
        until(&mut sources, |view| is_there(view, name)).await;
        if round == 0 {
            assert_eq!(proxy.cut(WATCHES), 1, "{:?}", proxy.requests());
        }
    }
    assert_eq!(proxy.count("GET /apis/operators.coreos.com?limit="), 1);

    drop(sources);
    portolan_rig::until("the watch to end with its reader", PATIENCE, async || {
        Ok(match proxy.cut(WATCHES) {
            0 => Seen::Yes(()),
            running => Seen::NotYet(format!("{running} running")),
        })
    })
    .await
}
