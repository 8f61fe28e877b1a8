//! Tests that the responses of ListCatalogs and WatchCatalogs contain the CatalogSources of a real
//! API server.

use kube::api::{DeleteParams, DynamicObject, PostParams};
use portolan_kit::catalog;
use portolan_proto::basis::v1::{ObjectRef, Observed};
use portolan_proto::resolver::v1::catalog::State;
use portolan_proto::resolver::v1::{Catalog, ListUpgradesRequest};
use portolan_rig::{Failure, Kind, PATIENCE, Seen, World, until};
use serde_json::json;

use super::registry::Opm;
use super::serving::{Serving, Watcher, cluster};
use super::world::patch;
use crate::world;

/// Returns the source, the priority and the state of a catalog, without its digest.
fn placed(catalog: &Catalog) -> (Option<Observed>, i32, State) {
    let mut source = catalog.source.clone();
    if let Some(source) = &mut source {
        source.digest.clear();
    }
    (source, catalog.priority, catalog.state())
}

/// Returns the expected values of [`placed`] for an object.
fn expected(object: &DynamicObject, priority: i32, state: State) -> (Option<Observed>, i32, State) {
    let metadata = object.metadata.clone();
    let source = Observed {
        object: Some(ObjectRef {
            kind: "CatalogSource".to_owned(),
            namespace: metadata.namespace.unwrap_or_default(),
            name: metadata.name.unwrap_or_default(),
        }),
        uid: metadata.uid.unwrap_or_default(),
        resource_version: metadata.resource_version.unwrap_or_default(),
        digest: String::new(),
    };
    (Some(source), priority, state)
}

async fn follow(world: &World) -> Result<(Serving, Watcher), Failure> {
    let user = format!("lister-of-{}", world.namespace());
    let serving = Serving::under([cluster(world.cluster(), &user)?]).await;
    let watcher = serving.watch().await;
    Ok((serving, watcher))
}

#[tokio::test]
async fn catalog_source_without_an_address_fails_until_it_has_one() -> Result<(), Failure> {
    let Some(world) = world("addressless").await? else {
        return Ok(());
    };
    let (serving, mut watcher) = follow(&world).await?;
    let sources = Kind::CatalogSource.within(world.client(), world.namespace());
    let name = format!("{}/dock", world.namespace());
    let spec = json!({"spec": {"sourceType": "grpc", "priority": -3}});
    let source = Kind::CatalogSource.object("dock", spec)?;
    sources.create(&PostParams::default(), &source).await?;
    let failed = watcher.until_state(&name, State::Failed).await;
    let reasons: Vec<_> = failed
        .reasons
        .iter()
        .map(|reason| (reason.code.as_str(), reason.message.as_str()))
        .collect();
    let why = "spec.address is empty, and OLM has made no registry service for it yet";
    assert_eq!(reasons, [("NoAddress", why)]);
    assert_eq!((failed.priority, &*failed.digest), (-3, ""));

    let folder = catalog("oar: 1.0.0").temp();
    let mut opm = Opm::serve(&folder)?;
    opm.connect().await?;
    let address = opm.address().to_string();
    patch(&sources, "dock", json!({"spec": {"address": address}})).await?;
    watcher.until_state(&name, State::Serving).await;

    // OLM also writes to the object, possibly before the resolver serves the catalog. ListCatalogs
    // returns the last write. A client of the watch receives this write only with the next change
    // of the catalog.
    portolan_rig::until_field(
        &sources,
        "dock",
        "/status/connectionState/lastObservedState",
        "READY",
    )
    .await?;
    let object = sources.get("dock").await?;
    let wanted = expected(&object, -3, State::Serving);
    until("the last write to be returned", PATIENCE, async || {
        let listed = serving.listed(&name).await;
        Ok(match listed.as_ref().map(placed) {
            Some(listed) if listed == wanted => Seen::Yes(()),
            listed => Seen::NotYet(format!("{listed:?}")),
        })
    })
    .await?;

    sources.delete("dock", &DeleteParams::default()).await?;
    watcher.until_gone(&name).await;
    assert_eq!(serving.listed(&name).await, None);
    Ok(())
}

/// The name of the package is unique to this test. The cluster also has catalogs of other tests.
#[tokio::test]
async fn changed_priority_changes_the_answering_catalog() -> Result<(), Failure> {
    let Some(world) = world("ranks").await? else {
        return Ok(());
    };
    let (serving, mut watcher) = follow(&world).await?;
    let sources = Kind::CatalogSource.within(world.client(), world.namespace());
    let mut opms = Vec::new();
    for (name, text, priority) in [
        ("port", "rankedrudder: 1.0.0 -> 1.1.0", 1),
        ("starboard", "rankedrudder: 1.0.0 -> 1.2.0", 2),
    ] {
        let folder = catalog(text).temp();
        let mut opm = Opm::serve(&folder)?;
        opm.connect().await?;
        let address = opm.address().to_string();
        let spec = json!({"sourceType": "grpc", "address": address, "priority": priority});
        let source = Kind::CatalogSource.object(name, json!({"spec": spec}))?;
        sources.create(&PostParams::default(), &source).await?;
        opms.push(opm);
        let name = format!("{}/{name}", world.namespace());
        watcher.until_state(&name, State::Serving).await;
    }
    let answering = async || {
        let question = ListUpgradesRequest {
            package: "rankedrudder".to_owned(),
            installed: "rankedrudder.v1.0.0".to_owned(),
            ..Default::default()
        };
        let answer = serving.client().list_upgrades(question).await;
        let answer = answer.expect("no answer").into_inner();
        (answer.catalogs[0].name.clone(), answer.recommended)
    };
    let port = format!("{}/port", world.namespace());
    let starboard = format!("{}/starboard", world.namespace());
    let newer = (starboard, "rankedrudder.v1.2.0".to_owned());
    assert_eq!(answering().await, newer);

    patch(&sources, "port", json!({"spec": {"priority": 3}})).await?;
    watcher.until(&port, |catalog| catalog.priority == 3).await;
    let older = (port, "rankedrudder.v1.1.0".to_owned());
    assert_eq!(answering().await, older);
    Ok(())
}
