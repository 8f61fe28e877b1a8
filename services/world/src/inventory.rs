//! The inventory of the operators in a world.

#[cfg(test)]
mod tests;

use std::borrow::Borrow as _;
use std::collections::BTreeMap;
use std::sync::Arc;

use portolan_api::inventory::{Gap, Inventory, InventoryObjects};
use portolan_api::{OperatorPolicy, installs, operator, plan};
use portolan_core_names::{GroupKind, Key};
use portolan_core_olm::{ClusterExtension, ClusterServiceVersion, Subscription};

use crate::{Area, FaultPlace, Kind, Objects, View, World};

/// Reads the operators of all installers. Adds a gap for each kind that cannot be read.
///
/// With a namespace, Subscriptions, ClusterServiceVersions and InstallPlans are read only in this
/// namespace. OperatorPolicies and objects of cluster-scoped kinds are always read completely.
pub async fn read_inventory<W: World>(world: &W, namespace: &str) -> Inventory {
    let area = Area::namespace(namespace);
    // All kinds are requested before the first response is awaited.
    let csvs = world.objects_in::<ClusterServiceVersion>(area.clone());
    let subscriptions = world.objects_in::<Subscription>(area.clone());
    let plans = world.objects_in::<plan::InstallPlan>(area);
    let policies = world.objects::<OperatorPolicy>();
    let operators = world.objects::<operator::Operator>();
    let extensions = world.objects::<ClusterExtension>();
    let installs = world.objects::<installs::Install>();
    let mut gaps = Vec::new();
    let csvs = known(csvs, &mut gaps).await;
    let subscriptions = known(subscriptions, &mut gaps).await;
    let plans = known(plans, &mut gaps).await;
    let policies = known(policies, &mut gaps).await;
    let operators = known(operators, &mut gaps).await;
    let extensions = known(extensions, &mut gaps).await;
    let installs = known(installs, &mut gaps).await;
    let inventory = Inventory::of(&InventoryObjects {
        csvs: all(&csvs),
        subscriptions: all(&subscriptions),
        policies: all(&policies),
        operators: all(&operators),
        plans: all(&plans),
        extensions: all(&extensions),
        installs: all(&installs),
    });
    gaps.into_iter().fold(inventory, Inventory::with_gap)
}

type All<K> = Arc<BTreeMap<Key, Arc<K>>>;

fn all<K>(objects: &All<K>) -> Vec<&K> {
    objects.values().map(|object| object.borrow()).collect()
}

/// Waits for the first response about a kind. Adds a gap if objects may be missing.
async fn known<K: Kind>(mut objects: Objects<K>, gaps: &mut Vec<Gap>) -> All<K> {
    let view: View<K> = match objects.known().await {
        Ok(view) => view,
        Err(ended) => {
            gaps.push(gap::<K>(ended.to_string()));
            return All::default();
        }
    };
    if let Some((trouble, _)) = view.state.trouble() {
        gaps.push(gap::<K>(trouble.to_string()));
    }
    gaps.extend(view.faults.iter().map(|fault| match &fault.place {
        FaultPlace::File { object: None, .. } => Gap {
            kind: None,
            reason: fault.to_string(),
        },
        FaultPlace::File { .. } | FaultPlace::Object(_) => gap::<K>(fault.to_string()),
    }));
    view.objects
}

fn gap<K: Kind>(reason: String) -> Gap {
    Gap {
        kind: Some(GroupKind::new(&K::group(&()), &K::kind(&()))),
        reason,
    }
}
