//! Requests details of bundles that catalogs return only on request.

use std::collections::BTreeSet;
use std::time::Duration;

use futures::stream::{self, StreamExt as _};
use portolan_core_diagnosis::{Asked, UnqueriedBundle};
use portolan_resolver::Snapshot;
use tokio::time::timeout;

/// The maximum number of concurrent requests for bundles.
const AT_ONCE: usize = 8;
/// The maximum time to wait for each bundle. A caller waits until all requests have ended.
const PATIENCE: Duration = Duration::from_secs(3);

/// Requests details of bundles. If a catalog does not respond, the result lacks the details of its
/// bundles.
pub(crate) async fn ask(catalogs: &Snapshot, untold: BTreeSet<UnqueriedBundle>) -> Asked {
    let asked = untold.into_iter().map(|bundle| async {
        let least = timeout(PATIENCE, least(catalogs, &bundle)).await;
        let late = || Err(format!("no data was received for {} s", PATIENCE.as_secs()));
        (bundle, least.unwrap_or_else(|_| late()))
    });
    stream::iter(asked)
        .buffer_unordered(AT_ONCE)
        .collect()
        .await
}

/// Returns the minimum Kubernetes version that a bundle requires.
async fn least(catalogs: &Snapshot, untold: &UnqueriedBundle) -> Result<Option<String>, String> {
    let UnqueriedBundle {
        catalog,
        package,
        bundle,
    } = untold;
    let offer = catalogs.offers.get(catalog);
    let Some(content) = offer.and_then(|offer| offer.content()) else {
        return Err("it no longer exists".to_owned());
    };
    let whole = content.whole(package, bundle).await;
    let whole = whole.map_err(|why| why.message)?;
    let least = whole.and_then(|whole| whole.display.min_kube_version.clone());
    Ok(least.as_deref().map(str::to_owned))
}
