//! Compares the CRDs of all bundles on the upgrade path of an Operator, before a user requests the
//! upgrade.

use std::collections::BTreeSet;

use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use portolan_core_names::ObjectRef;
use portolan_core_olm::CustomResourceDefinition;
use portolan_core_operator::{
    CrdAsk, CrdComparison, CrdFacts, OnCluster, UpgradePath, compare_crds, definitions,
};
use portolan_world::{AnyWorld, State, World as _};
use serde_json::Value;

use crate::live;

/// The maximum number of CRDs that are read from a world for one comparison.
const MOST_CRDS: usize = 500;
/// The maximum number of CRDs that are read at the same time.
const AT_ONCE: usize = 8;

/// The source of the manifests of bundles.
pub trait BundleManifests {
    /// Returns the manifests of a bundle. Returns the reason if the manifests are unknown.
    fn manifests(
        &mut self,
        bundle: &str,
    ) -> impl Future<Output = Result<Vec<Value>, String>> + Send;
}

/// Returns the unsafe CRD changes on an upgrade path that the Operator does not accept. Each bundle
/// is read once. Without a world, compares with the CRDs of the installed bundle instead of the
/// CRDs in the cluster.
///
/// The comparison runs on a blocking thread, because comparing large CRDs takes some time.
pub async fn compared_crds(
    path: &UpgradePath,
    world: Option<&AnyWorld>,
    source: &mut (impl BundleManifests + Send),
) -> CrdComparison {
    let mut known = CrdFacts {
        on_cluster: world.is_none().then_some(OnCluster::NotRead),
        ..CrdFacts::default()
    };
    loop {
        let path = path.clone();
        let comparing = tokio::task::spawn_blocking(move || {
            let compared = compare_crds(&path, &known);
            (compared, known)
        });
        let Ok((compared, facts)) = comparing.await else {
            return CrdComparison::not_compared("the comparison failed");
        };
        known = facts;
        match compared {
            Ok(comparison) => return comparison,
            Err(CrdAsk::Bundle(bundle)) => {
                let manifests = source.manifests(&bundle).await;
                known
                    .bundles
                    .insert(bundle, manifests.and_then(definitions));
            }
            Err(CrdAsk::OnCluster(names)) if names.len() > MOST_CRDS => {
                let count = names.len();
                return CrdComparison::not_compared(format!(
                    "the bundles have {count} CRDs, and at most {MOST_CRDS} are compared"
                ));
            }
            Err(CrdAsk::OnCluster(names)) => {
                known.on_cluster = match world {
                    None => Some(OnCluster::NotRead),
                    Some(world) => Some(on_cluster(world, names).await),
                };
            }
        }
    }
}

async fn on_cluster(world: &AnyWorld, names: BTreeSet<String>) -> OnCluster {
    let ids = names.into_iter().map(|name| ObjectRef {
        name,
        ..live::definitions()
    });
    match world {
        AnyWorld::Files(_) => {
            let written = world.written(ids.collect()).await;
            let found = written.into_values().collect();
            if has_all(world).await {
                OnCluster::All(found)
            } else {
                OnCluster::Part(found)
            }
        }
        AnyWorld::Cluster(_) => {
            let reading: Vec<_> = ids.map(|id| world.object(id)).collect();
            let reading = stream::iter(reading).buffered(AT_ONCE);
            match reading.try_collect::<Vec<_>>().await {
                Ok(found) => OnCluster::All(found.into_iter().flatten().collect()),
                Err(trouble) => OnCluster::Unreadable(trouble.to_string()),
            }
        }
    }
}

/// Returns true if the files contain all CRDs of their cluster. This is the case for a dump if the
/// user who created it could list CRDs.
async fn has_all(world: &AnyWorld) -> bool {
    if world.is_partial() {
        return false;
    }
    let mut all = world.objects::<CustomResourceDefinition>();
    let view = all.known().await;
    view.is_ok_and(|view| view.state == State::Synced && view.faults.is_empty())
}
