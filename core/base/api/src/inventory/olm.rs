//! Finds the operators of OLM v0.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_names::{GroupKind, Key, ObjectRef};
use portolan_core_olm::{ClusterServiceVersion, GROUP, Subscription};

use super::own::Adoptions;
use super::{InstalledOperator, InventoryObjects, Manager, NextBundle};
use crate::{Claim, Presence};

/// The ClusterServiceVersions by their keys, without copies.
type Csvs<'o> = BTreeMap<Key, &'o ClusterServiceVersion>;

/// The enforced OperatorPolicies, by the namespace and package of the Subscription that they
/// manage.
type Policies = BTreeMap<(String, String), BTreeSet<Key>>;

/// Returns one operator for each Subscription. Also returns one operator for each
/// ClusterServiceVersion without a Subscription, unless a newer ClusterServiceVersion replaces it.
/// Omits operators that OLM no longer manages.
pub(super) fn operators(
    objects: &InventoryObjects<'_>,
    adoptions: &Adoptions,
) -> Vec<InstalledOperator> {
    let originals = objects.csvs.iter().filter(|csv| !csv.is_copied());
    let csvs: Csvs<'_> = originals.map(|csv| (key(&csv.metadata), *csv)).collect();
    let policies = policies(objects);
    let has_left = |it: &InstalledOperator| {
        adoptions
            .left
            .contains(&Key::new(&it.namespace, &it.bundle))
    };
    let subscribed = objects.subscriptions.iter().map(|subscription| {
        let operator = of_subscription(subscription, &csvs);
        let managed = (operator.namespace.clone(), operator.package.clone());
        InstalledOperator {
            policies: policies.get(&managed).cloned().unwrap_or_default(),
            ..operator
        }
    });
    let newer: BTreeMap<Key, &Key> = csvs.iter().filter_map(replaced).collect();
    let claimed = claimed(objects, &csvs);
    let others = csvs.iter().filter(|(key, _)| {
        !claimed.contains(key) && !is_replaced(key, &newer) && !adoptions.left.contains(key)
    });
    let others = others.map(|(_, csv)| InstalledOperator::of_csv(csv));
    subscribed
        .filter(|it| !has_left(it))
        .chain(others)
        .collect()
}

impl InstalledOperator {
    /// Returns the operator of a ClusterServiceVersion without a Subscription.
    pub fn of_csv(csv: &ClusterServiceVersion) -> Self {
        let key = key(&csv.metadata);
        Self {
            package: csv.package().unwrap_or_default(),
            bundle: key.name.to_string(),
            version: csv.spec.version.clone(),
            is_installed: true,
            ..Self::new(Manager::Olm, reference("ClusterServiceVersion", &key))
        }
    }
}

/// Returns the operator of a Subscription, even if OLM has not installed anything for it yet.
fn of_subscription(subscription: &Subscription, csvs: &Csvs<'_>) -> InstalledOperator {
    let own = key(&subscription.metadata);
    let status = &subscription.status;
    let csv = |name: &str| csvs.get(&Key::new(&own.namespace, name));
    let installed = &status.installed_csv;
    let mut operator = match csv(installed) {
        Some(csv) => InstalledOperator::of_csv(csv),
        None => InstalledOperator {
            bundle: installed.clone(),
            is_installed: !installed.is_empty(),
            ..InstalledOperator::new(Manager::Olm, reference("Subscription", &own))
        },
    };
    let spec = &subscription.spec;
    operator.package.clone_from(&spec.package);
    operator.channels = Some(spec.channel.clone())
        .filter(|channel| !channel.is_empty())
        .into_iter()
        .collect();
    operator.catalog = match (&*spec.source_namespace, &*spec.source) {
        (_, "") => String::new(),
        (namespace, source) => Key::new(namespace, source).to_string(),
    };
    operator.next = subscription.on_the_way().map(|bundle| NextBundle {
        bundle: bundle.to_owned(),
        version: csv(bundle).map_or_else(String::new, |csv| csv.spec.version.clone()),
    });
    operator.subscription = Some(own);
    operator
}

/// Returns the ClusterServiceVersions that Subscriptions name as installed or as being installed.
fn claimed(objects: &InventoryObjects<'_>, csvs: &Csvs<'_>) -> BTreeSet<Key> {
    let named = objects.subscriptions.iter().flat_map(|subscription| {
        let namespace = subscription.metadata.namespace.as_deref();
        let status = &subscription.status;
        let names = [&status.installed_csv, &status.current_csv];
        names.map(|name| Key::new(namespace.unwrap_or_default(), name))
    });
    named.filter(|key| csvs.contains_key(key)).collect()
}

/// Returns the key of the ClusterServiceVersion that `csv` replaces, and the key of `csv`.
fn replaced<'c>((key, csv): (&'c Key, &&ClusterServiceVersion)) -> Option<(Key, &'c Key)> {
    let older = csv.spec.replaces.as_str();
    (!older.is_empty()).then(|| (Key::new(&key.namespace, older), key))
}

/// Returns true if a newer ClusterServiceVersion replaces this ClusterServiceVersion. Returns false
/// if ClusterServiceVersions replace each other in a circle, which only an attacker creates.
fn is_replaced(key: &Key, newer: &BTreeMap<Key, &Key>) -> bool {
    let mut newest = key;
    for _ in 0..=newer.len() {
        match newer.get(newest) {
            Some(next) => newest = next,
            None => return newest != key,
        }
    }
    false
}

fn policies(objects: &InventoryObjects<'_>) -> Policies {
    let mut policies = Policies::new();
    for claim in objects.policies.iter().copied().filter_map(Claim::of) {
        let is_managing = claim.says.as_ref().is_ok_and(|valid| {
            valid.is_enforced && valid.presence == Presence::MustHave && !claim.is_leaving
        });
        if let Some(namespace) = claim.namespace.filter(|_| is_managing) {
            let managed = (namespace, claim.package.to_string());
            let policy = Key::new(&claim.id.namespace, &claim.id.name);
            policies.entry(managed).or_default().insert(policy);
        }
    }
    policies
}

fn key(metadata: &kube_core::ObjectMeta) -> Key {
    let [namespace, name] = [&metadata.namespace, &metadata.name].map(Option::as_deref);
    Key::new(namespace.unwrap_or_default(), name.unwrap_or_default())
}

fn reference(kind: &str, key: &Key) -> ObjectRef {
    ObjectRef::new(GroupKind::new(GROUP, kind), &*key.namespace, &key.name)
}
