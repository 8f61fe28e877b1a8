//! Compares the CRDs on the path of an Operator before it is requested.

use std::collections::BTreeSet;

use portolan_core_operator::{
    CrdAsk, CrdComparison, CrdFacts, OnCluster, UpgradePath, compare_crds, definitions,
};
use portolan_world::{AnyWorld, ObjectId};
use serde_json::Value;

use crate::live;

/// The source of the manifests of bundles.
pub trait BundleManifests {
    /// Returns the manifests of a bundle.
    ///
    /// # Errors
    /// The manifests are unknown, for this reason.
    fn manifests(
        &mut self,
        bundle: &str,
    ) -> impl Future<Output = Result<Vec<Value>, String>> + Send;
}

/// Returns the unsafe changes of CRDs on a path that its Operator does not accept. Each bundle is read once. Without a
/// world the CRDs of the installed bundle count as those of the cluster.
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
        match compare_crds(path, &known) {
            Ok(comparison) => return comparison,
            Err(CrdAsk::Bundle(bundle)) => {
                let manifests = source.manifests(&bundle).await;
                known
                    .bundles
                    .insert(bundle, manifests.and_then(definitions));
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
    let kind = live::definitions();
    let ids = names.into_iter().map(|name| ObjectId {
        api_version: kind.api_version.clone(),
        kind: kind.kind.clone(),
        namespace: None,
        name,
    });
    let mut found = Vec::new();
    match world {
        // A dump may lack CRDs that its reader could not list.
        AnyWorld::Files(_) => {
            let written = world.written(ids.collect()).await;
            return OnCluster::Part(written.into_values().collect());
        }
        AnyWorld::Cluster(_) => {
            for id in ids {
                match world.object(id).await {
                    Ok(definition) => found.extend(definition),
                    Err(trouble) => return OnCluster::Unreadable(trouble.to_string()),
                }
            }
        }
    }
    OnCluster::All(found)
}
