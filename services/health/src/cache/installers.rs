//! The objects that install operators without OLM v0, and the verdicts on their operators.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_api::installs::{INSTALL, Install};
use portolan_api::inventory::{InstalledOperator, Inventory, InventoryObjects, Manager};
use portolan_api::operator::{self, OPERATOR};
use portolan_api::plan::{self, InstallPlan};
use portolan_core_health::{Installer, Item, Operator, judge_installed};
use portolan_core_olm::ClusterExtension;
use portolan_world::{Area, Changes, Followed, Informer, Key, Kind, Notifier, World};

use super::staleness::sight_of_one;
use crate::snapshot::Unseen;

/// The watched kinds that install operators without OLM v0.
///
/// Cluster-scoped objects are stored under an empty namespace. A service for one namespace watches
/// only the InstallPlans of that namespace.
#[derive(Debug)]
pub(super) struct Installers {
    cluster_scoped: Option<ClusterScoped>,
    plans: Followed<InstallPlan>,
    judged: BTreeMap<Arc<str>, Vec<Operator>>,
}

/// The cluster-scoped kinds.
#[derive(Debug)]
struct ClusterScoped {
    operators: Followed<operator::Operator>,
    extensions: Followed<ClusterExtension>,
    installs: Followed<Install>,
}

/// The operators of an inventory, by the manager, the namespace and the name of their object.
type Entries<'i> = BTreeMap<(Manager, &'i str, &'i str), Vec<&'i InstalledOperator>>;

// === impl Installers ===

impl Installers {
    pub(super) fn of(world: &impl World, namespace: Option<&str>, notifier: &Notifier) -> Self {
        let area = namespace.map(Area::namespace).unwrap_or_default();
        Self {
            cluster_scoped: namespace.is_none().then(|| ClusterScoped {
                operators: Followed::of(world.objects(), notifier),
                extensions: Followed::of(world.objects(), notifier),
                installs: Followed::of(world.objects(), notifier),
            }),
            plans: Followed::of(world.objects_in(area), notifier),
            judged: BTreeMap::new(),
        }
    }

    pub(super) fn all(&mut self) -> Vec<&mut dyn Informer> {
        let mut all: Vec<&mut dyn Informer> = vec![&mut self.plans];
        if let Some(ClusterScoped {
            operators,
            extensions,
            installs,
        }) = &mut self.cluster_scoped
        {
            all.extend([operators as &mut dyn Informer, extensions, installs]);
        }
        all
    }

    /// Judges the affected operators after changes. Returns the namespaces whose verdicts have
    /// changed.
    pub(super) fn judge(&mut self, changes: &Changes) -> BTreeSet<Arc<str>> {
        if !changes.bear_on_all() && !are_among(changes) {
            return BTreeSet::new();
        }
        let now = self.verdicts();
        let before = std::mem::replace(&mut self.judged, now);
        let names = before.keys().chain(self.judged.keys());
        let is_other = |name: &&Arc<str>| before.get(*name) != self.judged.get(*name);
        names.filter(is_other).cloned().collect()
    }

    /// Returns the operators whose object is in this namespace.
    pub(super) fn within(&self, namespace: &str) -> &[Operator] {
        self.judged.get(namespace).map_or(&[], Vec::as_slice)
    }

    pub(super) fn namespaces(&self) -> BTreeSet<Arc<str>> {
        self.judged.keys().cloned().collect()
    }

    /// Adds the reasons why objects of these kinds may be unknown.
    pub(super) fn add_unseen(&self, unseen: &mut Unseen) {
        // OLM has a kind with the same name, so the message contains the API group of this kind.
        let plans = self.plans.unknown();
        unseen.plans = plans.map(|why| format!("{}: {why}", plan::GROUP));
        if let Some(ClusterScoped {
            operators,
            extensions,
            installs,
        }) = &self.cluster_scoped
        {
            let unknown = [
                operators.unknown(),
                extensions.unknown(),
                installs.unknown(),
            ];
            unseen.cluster_scoped = unknown.into_iter().flatten().collect();
        }
    }

    fn verdicts(&self) -> BTreeMap<Arc<str>, Vec<Operator>> {
        let inventory = self.inventory();
        let mut entries = Entries::new();
        for entry in inventory.operators() {
            let object = &entry.object;
            let key = (entry.manager, object.namespace(), object.name.as_str());
            entries.entry(key).or_default().push(entry);
        }
        let mut verdicts = BTreeMap::new();
        gather(&self.plans, &entries, &mut verdicts);
        if let Some(ClusterScoped {
            operators,
            extensions,
            installs,
        }) = &self.cluster_scoped
        {
            gather(operators, &entries, &mut verdicts);
            gather(extensions, &entries, &mut verdicts);
            gather(installs, &entries, &mut verdicts);
        }
        verdicts
    }

    fn inventory(&self) -> Inventory {
        let plans = self.plans.all().map(|(_, plan)| plan);
        let mut objects = InventoryObjects::default();
        match &self.cluster_scoped {
            Some(ClusterScoped {
                operators,
                extensions,
                installs,
            }) => {
                objects.operators = operators.all().map(|(_, it)| it).collect();
                objects.extensions = extensions.all().map(|(_, it)| it).collect();
                objects.installs = installs.all().map(|(_, it)| it).collect();
                objects.plans = plans.collect();
            }
            // Cluster-scoped owners of InstallPlans are not watched here, so the labels of
            // InstallPlans decide which InstallPlans have an owner.
            None => objects.plans = plans.filter(|plan| !is_owned(plan)).collect(),
        }
        Inventory::of(&objects)
    }
}

/// Returns true if an object of at least one of the kinds has changed.
fn are_among(changes: &Changes) -> bool {
    !changes.of::<operator::Operator>().is_empty()
        || !changes.of::<ClusterExtension>().is_empty()
        || !changes.of::<Install>().is_empty()
        || !changes.of::<InstallPlan>().is_empty()
}

/// Returns true if the labels of an InstallPlan name an Operator or an Install as its owner.
fn is_owned(plan: &InstallPlan) -> bool {
    [OPERATOR, INSTALL]
        .iter()
        .any(|label| label.of(&plan.metadata).is_some())
}

/// Judges the objects of a kind that have operators in the inventory.
fn gather<K: Kind + Installer>(
    followed: &Followed<K>,
    entries: &Entries<'_>,
    verdicts: &mut BTreeMap<Arc<str>, Vec<Operator>>,
) {
    for (key, _) in followed.all() {
        let Key { namespace, name } = key;
        let Some(entries) = entries.get(&(K::MANAGER, &**namespace, &**name)) else {
            continue;
        };
        let Some(object) = followed.shared(key) else {
            continue;
        };
        let sight = sight_of_one(followed, key);
        let operator = judge_installed(&Item::from(object.clone()), entries, &sight);
        verdicts
            .entry(namespace.clone())
            .or_default()
            .push(operator);
    }
}
