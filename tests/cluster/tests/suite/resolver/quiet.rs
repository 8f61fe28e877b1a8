//! Tests that an idle resolver sends no requests.

use std::time::Duration;

use kube::api::{ListParams, WatchParams};
use portolan_kit::{Proxy, catalog};
use portolan_rig::{Audit, Failure, Kind, PATIENCE, Seen, until};
use serde_json::json;

use super::registry::Opm;
use super::serving::{Serving, cluster};
use super::world::define_catalog_sources;
use crate::own_cluster;

const WHILE: Duration = Duration::from_secs(6);

/// This test has its own cluster. On a shared cluster, the resolvers of other tests would also read
/// the catalog.
#[tokio::test]
async fn idle_resolver_sends_no_requests() -> Result<(), Failure> {
    let Some(own) = own_cluster().await? else {
        return Ok(());
    };
    let client = own.client()?;
    define_catalog_sources(&client).await?;
    let folder = catalog("oar: 1.0.0 -> 1.1.0").temp();
    let mut opm = Opm::serve(&folder)?;
    opm.connect().await?;
    let proxy = Proxy::before(opm.address()).await;
    let url = proxy.url();
    let address = url.trim_start_matches("http://");
    let spec = json!({"spec": {"sourceType": "grpc", "address": address}});
    let source = Kind::CatalogSource.object("dock", spec)?;
    let sources = Kind::CatalogSource.within(&client, "default");
    sources.create(&Default::default(), &source).await?;
    // The API server requests a retry while it loads a new kind. So the test waits until the kind
    // is served.
    until("sources to be listed and watched", PATIENCE, async || {
        sources.list(&ListParams::default()).await?;
        drop(sources.watch(&WatchParams::default(), "0").await?);
        Ok(Seen::Yes(()))
    })
    .await?;

    let serving = Serving::under([cluster(&own, "idler")?]).await;
    serving.serves("default/dock").await;
    let asked = || Ok::<Audit, Failure>(own.audit()?.by("idler"));
    // The resolver lists and watches one existing kind and one missing kind.
    until("two lists and two watches", PATIENCE, async || {
        let asked = asked()?;
        let verbs = ["list", "watch"].map(|verb| asked.clone().verb(verb).len());
        Ok(match verbs {
            [2, 2] => Seen::Yes(()),
            _ => Seen::NotYet(format!("{asked:?}")),
        })
    })
    .await?;
    let read = ["ListBundles", "GetPackage"].map(|call| format!("/api.Registry/{call}"));
    let reads = || read.each_ref().map(|path| proxy.count(path.as_str()));
    assert_eq!(reads(), [1, 1], "{:?}", proxy.requests());

    tokio::time::sleep(WHILE).await;
    let all = asked()?;
    assert_eq!(all.len(), 4, "{all:?}");
    assert_eq!(proxy.requests().len(), 2, "{:?}", proxy.requests());
    Ok(())
}
