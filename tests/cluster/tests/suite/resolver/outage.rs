//! Tests catalog sources that stop and start again, while clients send requests and watch the
//! catalogs.

use std::time::Duration;

use portolan_kit::catalog;
use portolan_kit::catalogd::{Catalogd, Trouble, json_lines};
use portolan_proto::resolver::v1::Catalog;
use portolan_proto::resolver::v1::catalog::State;
use portolan_rig::{Component, Failure};
use serde_json::json;

use super::load::{Load, Version};
use super::registry::Opm;
use super::serving::{Serving, cluster, given};
use super::world::{cluster_catalog, cluster_catalogs, define_cluster_catalogs, patch};
use crate::objects::make;
use crate::{begin, own_cluster, world};

/// The maximum time until clients notice a change. It is much longer than the usual time, because
/// the machine may be busy.
const SOON: Duration = Duration::from_secs(5);

const BEFORE: &str = "keel: 1.0.0 -> 1.1.0";
const AFTER: &str = "keel: 1.0.0 -> 1.1.0 -> 1.2.0; 1.2.0 skips 1.0.0";

/// The states of a catalog before and after an outage. Clients receive fresh responses, then stale
/// responses, and then fresh responses with new content.
struct Outage {
    before: Catalog,
    after: Catalog,
}

impl Outage {
    fn versions(&self) -> [Version; 3] {
        let version = |catalog: &Catalog, is_stale, recommended: &str| Version {
            digest: catalog.digest.clone(),
            is_stale,
            recommended: recommended.to_owned(),
        };
        assert_ne!(self.before.digest, self.after.digest);
        [
            version(&self.before, false, "keel.v1.1.0"),
            version(&self.before, true, "keel.v1.1.0"),
            version(&self.after, false, "keel.v1.2.0"),
        ]
    }
}

fn is_stale(version: &Version) -> bool {
    version.is_stale
}

fn is_new(version: &Version) -> bool {
    !version.is_stale && version.recommended == "keel.v1.2.0"
}

/// Prints how long a change took. Asserts that this is less than `SOON`.
fn note(what: &str, took: Duration) {
    println!("{what}: {} ms", took.as_millis());
    assert!(took < SOON, "{what} took {took:?}");
}

#[tokio::test]
async fn catalog_source_survives_replacement_of_its_opm() -> Result<(), Failure> {
    let Some(world) = world("killed").await? else {
        return Ok(());
    };
    let (before, after) = (catalog(BEFORE).temp(), catalog(AFTER).temp());
    let mut served = world.catalog("dock", &before).await?;
    let user = format!("follower-of-{}", world.namespace());
    let serving = Serving::under([cluster(world.cluster(), &user)?]).await;
    let name = format!("{}/dock", world.namespace());
    let before = serving.serves(&name).await;
    let mut watchers = [serving.watch().await, serving.watch().await];
    let load = Load::over(&serving, &name, "keel", "keel.v1.0.0");
    load.answered(100).await;

    served.stop()?;
    note("from the kill to stale", load.until(is_stale).await);
    load.answered(100).await;

    served.serve(&after).await?;
    note("from ready elsewhere to fresh", load.until(is_new).await);
    load.answered(100).await;

    let mut last = Vec::new();
    for watcher in &mut watchers {
        let is_new = |catalog: &Catalog| {
            catalog.state() == State::Serving && catalog.digest != before.digest
        };
        last.push(watcher.until(&name, is_new).await);
    }
    last.push(serving.serves(&name).await);
    let outage = Outage {
        before,
        after: serving.listed(&name).await.expect("the catalog is missing"),
    };
    assert_eq!(load.versions(), outage.versions());
    for last in last {
        assert_eq!(last.digest, outage.after.digest);
    }
    Ok(())
}

#[tokio::test]
async fn catalog_survives_kill_and_restart_of_opm() -> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let (folder, newer) = (catalog(BEFORE).temp(), catalog(AFTER).temp());
    let mut opm = Opm::serve(&folder)?;
    opm.connect().await?;
    let port = opm.port();
    let serving = Serving::under([given("dock", format_args!("grpc://127.0.0.1:{port}"))]).await;
    let before = serving.serves("dock").await;
    let mut watcher = serving.watch().await;
    let load = Load::over(&serving, "dock", "keel", "keel.v1.0.0");
    load.answered(100).await;

    drop(opm);
    note("from the kill to stale", load.until(is_stale).await);
    let stale = watcher.until_state("dock", State::Stale).await;
    assert_eq!(stale.digest, before.digest);
    assert_eq!(stale.reasons[0].code, "ReadRegistry");
    load.answered(100).await;

    let mut opm = Opm::serve_on(port, &newer)?;
    opm.connect().await?;
    note("from listening to fresh", load.until(is_new).await);
    let after = watcher.until_state("dock", State::Serving).await;
    assert_eq!(load.versions(), Outage { before, after }.versions());
    Ok(())
}

/// Tests two independent outages: of the API server that stores a ClusterCatalog, and of the
/// catalogd that serves its content.
#[tokio::test]
async fn catalog_survives_broken_catalogd_and_api_server_restart() -> Result<(), Failure> {
    let Some(own) = own_cluster().await? else {
        return Ok(());
    };
    define_cluster_catalogs(&own.client()?).await?;
    let content = |text| json_lines(&catalog(text).temp());
    let catalogd = Catalogd::of("dock", content(BEFORE)).await;
    let mut manifest = cluster_catalog("dock", 1);
    manifest["status"]["urls"]["base"] = catalogd.url().into();
    make(&own.client()?, &manifest).await?;
    let serving = Serving::under([cluster(&own, "follower")?]).await;
    let before = serving.serves("dock").await;
    let mut watcher = serving.watch().await;
    let load = Load::over(&serving, "dock", "keel", "keel.v1.0.0");
    load.answered(100).await;

    own.kill(Component::ApiServer)?;
    load.answered(1000).await;
    own.revive(Component::ApiServer).await?;
    load.answered(1000).await;
    // Creates a new client, because the connections of the old client may be broken.
    let written = cluster_catalogs(&own.client()?);
    patch(&written, "dock", json!({"spec": {"priority": 2}})).await?;
    let ranked = watcher.until("dock", |catalog| catalog.priority == 2).await;
    assert_eq!(
        (ranked.state(), &ranked.since),
        (State::Serving, &before.since)
    );

    // The resolver requests the new content immediately, but catalogd responds with an error.
    catalogd.make(Trouble::Status(500));
    let edition = |of: &str| json!({"status": {"resolvedSource": {"image": {"ref": of}}}});
    patch(&written, "dock", edition("dock@sha256:2")).await?;
    note("from the next edition to stale", load.until(is_stale).await);
    let stale = watcher.until_state("dock", State::Stale).await;
    assert_eq!(stale.reasons[0].code, "ReadCatalogd");
    load.answered(100).await;

    catalogd.replace(content(AFTER));
    catalogd.behave();
    note("from behaving to fresh", load.until(is_new).await);
    let after = watcher.until_state("dock", State::Serving).await;
    assert_eq!(load.versions(), Outage { before, after }.versions());
    Ok(())
}
