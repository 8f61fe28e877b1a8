//! The cache of the controller of Installs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_api::installs::Install;
use portolan_api::plan::InstallPlan;
use portolan_core_grants::{Group, PlanSeen};
use portolan_core_olm::OperatorGroup;
use portolan_runtime::{Cache, Cached, PendingWrite, Warning};
use portolan_world::{Area, Ended, Followed, Key, Kind, Notifier, World};

/// The cache of the controller of Installs.
#[derive(Debug)]
pub struct GrantCache {
    installs: Followed<Install>,
    plans: Followed<InstallPlan>,
    groups: Followed<OperatorGroup>,
    notifier: Notifier,
    /// The uid of the Install to which each plan belonged last.
    owners: BTreeMap<Key, String>,
    seen_groups: Arc<Vec<Group>>,
}

/// An Install with its InstallPlans.
#[derive(Debug, Clone)]
pub struct GrantSnapshot {
    pub(crate) install: Arc<Install>,
    pub(crate) plans: Vec<PlanSeen>,
    pub(crate) groups: Arc<Vec<Group>>,
}

impl GrantCache {
    /// Creates a cache of the objects in a world.
    ///
    /// # Panics
    /// Panics if it is called outside of a tokio runtime.
    pub fn new(world: &impl World) -> Self {
        let notifier = Notifier::default();
        Self {
            installs: Followed::of(world.objects_in(Area::everywhere()), &notifier),
            plans: Followed::of(world.objects_in(Area::everywhere()), &notifier),
            groups: Followed::of(world.objects_in(Area::everywhere()), &notifier),
            notifier,
            owners: BTreeMap::new(),
            seen_groups: Arc::default(),
        }
    }

    /// Applies changes of InstallPlans. Returns the uids of the Installs to which the changed
    /// InstallPlans belong.
    fn take_over_plans(&mut self) -> BTreeSet<String> {
        let mut touched = BTreeSet::new();
        for key in &self.plans.look().keys {
            let plan = self.plans.shared(key);
            let owner = plan.and_then(|plan| Some(PlanSeen::read(plan)?.0.to_owned()));
            touched.extend(owner.clone());
            let before = match owner {
                Some(owner) => self.owners.insert(key.clone(), owner),
                None => self.owners.remove(key),
            };
            touched.extend(before);
        }
        touched
    }

    /// Applies changes of OperatorGroups. Returns true if an OperatorGroup has changed.
    fn take_over_groups(&mut self) -> bool {
        if self.groups.look().is_nothing() {
            return false;
        }
        let groups = self.groups.all().map(|(key, group)| Group {
            namespace: key.namespace.to_string(),
            service_account: group.spec.service_account_name.clone(),
            is_inherited: group.is_inherited(),
        });
        let groups: Vec<_> = groups.collect();
        let is_other = *self.seen_groups != groups;
        self.seen_groups = Arc::new(groups);
        is_other
    }
}

impl Cache for GrantCache {
    type Snapshot = GrantSnapshot;
    type Report = ();

    async fn changed(&mut self) -> Result<(), Ended> {
        self.notifier.notified().await
    }

    async fn refresh(&mut self) -> BTreeSet<Key> {
        let mut touched: BTreeSet<Key> = self.installs.look().keys.iter().cloned().collect();
        let owners = self.take_over_plans();
        let has_other_groups = self.take_over_groups();
        let installs = self.installs.all().filter(|(_, install)| {
            let uid = install.metadata.uid.as_ref();
            has_other_groups || uid.is_some_and(|uid| owners.contains(uid))
        });
        touched.extend(installs.map(|(key, _)| key.clone()));
        touched
    }

    /// Returns true if all kinds have been listed. In a cluster without OLM, OperatorGroups are not
    /// served and count as listed.
    fn is_synced(&self) -> bool {
        self.installs.is_heard() && self.plans.is_heard() && self.groups.is_heard()
    }

    fn snapshot(&mut self, key: &Key) -> Option<GrantSnapshot> {
        let install = self.installs.shared(key)?.clone();
        let uid = install.metadata.uid.clone()?;
        let own = self.owners.iter().filter(|(_, owner)| **owner == uid);
        let plans = own.filter_map(|(key, _)| Some(PlanSeen::read(self.plans.shared(key)?)?.1));
        Some(GrantSnapshot {
            plans: plans.collect(),
            groups: self.seen_groups.clone(),
            install,
        })
    }

    fn cached(&self, write: &PendingWrite) -> Option<Cached> {
        match write.kind.as_str() {
            "Install" => cached(&self.installs, write),
            "InstallPlan" => cached(&self.plans, write),
            _ => None,
        }
    }

    fn reconciled(&mut self, _: &Key, (): ()) -> BTreeSet<Key> {
        BTreeSet::new()
    }

    fn warn(&self, install: &Key, warning: Warning<'_>) {
        let install = &install.name;
        match warning {
            Warning::Failed(error) => {
                tracing::warn!(%install, error, "reconciling an Install failed; retrying");
            }
            Warning::Unseen(PendingWrite { kind, name, .. }) => {
                tracing::warn!(%install, kind, name, "the written object is not observed yet");
            }
        }
    }
}

fn cached<K: Kind>(objects: &Followed<K>, write: &PendingWrite) -> Option<Cached> {
    Some(Cached::of(objects.shared(&write.key())?.meta()))
}
