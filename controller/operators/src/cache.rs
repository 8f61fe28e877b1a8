//! What the controller sees: Operators, their plans, what OLM has installed, and what operators say.

use std::collections::BTreeSet;
use std::sync::Arc;

use kube::Client;
use portolan_api::operator::Operator;
use portolan_api::plan::InstallPlan;
use portolan_core_olm::{ClusterExtension, ClusterServiceVersion, OperatorCondition, Subscription};
use portolan_core_operator::{Conditions, Fleet};
use portolan_runtime::{Cache, Cached, PendingWrite, Warning};
use portolan_world::{Area, Ended, Followed, Key, Kind, Notifier, State, Turn, World};

use crate::Catalogs;
use crate::policies::PolicyInformers;
use crate::present::{extension, not_upgradeable, present, subscribed};
use crate::updater::UpdaterWatch;

/// All that the controller of Operators sees.
#[derive(Debug)]
pub struct OperatorCache<C> {
    operators: Followed<Operator>,
    plans: Followed<InstallPlan>,
    csvs: Followed<ClusterServiceVersion>,
    subscriptions: Followed<Subscription>,
    extensions: Followed<ClusterExtension>,
    conditions: Followed<OperatorCondition>,
    policies: PolicyInformers,
    /// None where nothing is written, so that nothing of an updater has to be taken away.
    updater: Option<UpdaterWatch>,
    notifier: Notifier,
    home: String,
    catalogs: Arc<C>,
    /// Whether a catalog has changed since the last look.
    has_other_catalogs: bool,
    /// Whether an updater has come or gone since the last look.
    has_other_updater: bool,
    fleet: Arc<Fleet>,
}

/// An Operator among all of them.
#[derive(Debug, Clone)]
pub struct OperatorSnapshot {
    pub(crate) operator: Arc<Operator>,
    pub(crate) fleet: Arc<Fleet>,
}

impl<C: Catalogs> OperatorCache<C> {
    /// What a world shows, where the plans of Operators that name no ServiceAccount lie in this
    /// namespace. The client sees whether there is an updater.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn new(world: &impl World, client: Client, home: &str, catalogs: Arc<C>) -> Self {
        Self {
            updater: Some(UpdaterWatch::new(client, home)),
            ..Self::read_only(world, home, catalogs)
        }
    }

    /// The same for who writes nothing.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub(crate) fn read_only(world: &impl World, home: &str, catalogs: Arc<C>) -> Self {
        let notifier = Notifier::default();
        Self {
            operators: Followed::of(world.objects_in(Area::everywhere()), &notifier),
            plans: Followed::of(world.objects_in(Area::everywhere()), &notifier),
            csvs: Followed::of(world.objects_in(Area::everywhere()), &notifier),
            subscriptions: Followed::of(world.objects_in(Area::everywhere()), &notifier),
            extensions: Followed::of(world.objects_in(Area::everywhere()), &notifier),
            conditions: Followed::of(world.objects_in(Area::everywhere()), &notifier),
            policies: PolicyInformers::new(world, &notifier),
            updater: None,
            notifier,
            home: home.to_owned(),
            catalogs,
            has_other_catalogs: false,
            has_other_updater: false,
            fleet: Arc::default(),
        }
    }

    /// Why it is not known which Operators there are, if so.
    pub(crate) fn unseen(&self) -> Option<String> {
        self.operators.unknown()
    }

    pub(crate) fn all(&self) -> BTreeSet<Key> {
        self.operators.all().map(|(key, _)| key.clone()).collect()
    }

    fn fleet(&self) -> Fleet {
        let operators = self.operators.all().map(|(_, operator)| operator);
        let plans = self.plans.all().map(|(_, plan)| plan);
        let csvs = self.csvs.all().map(|(key, csv)| present(key, csv));
        let extensions = self.extensions.all();
        let extensions = extensions.map(|(key, it)| extension(key, it));
        let subscriptions = self.subscriptions.all();
        let subscriptions = subscriptions.map(|(key, it)| subscribed(key, it));
        Fleet {
            subscriptions: subscriptions.collect(),
            present: csvs.chain(extensions).collect(),
            conditions: self.conditions(),
            policies: self.policies.seen(&self.operators),
            is_updater_gone: self.updater.as_ref().is_some_and(UpdaterWatch::is_gone),
            ..Fleet::of(operators, plans, &self.home)
        }
    }
}

impl<C: Catalogs> OperatorCache<C> {
    fn conditions(&self) -> Conditions {
        let all = self.conditions.all();
        let refusals =
            all.filter_map(|(key, it)| Some((key.to_string(), not_upgradeable(key, it)?)));
        Conditions {
            are_served: matches!(self.conditions.state(), State::Synced | State::Stale { .. }),
            not_upgradeable: refusals.collect(),
        }
    }
}

impl<C: Catalogs> Cache for OperatorCache<C> {
    type Snapshot = OperatorSnapshot;
    type Report = ();

    async fn changed(&mut self) -> Result<(), Ended> {
        tokio::select! {
            changed = self.notifier.notified() => changed,
            () = self.catalogs.changed() => {
                self.has_other_catalogs = true;
                Ok(())
            }
            () = changed(&mut self.updater) => {
                self.has_other_updater = true;
                Ok(())
            }
        }
    }

    async fn refresh(&mut self) -> BTreeSet<Key> {
        let operators = self.operators.look();
        let turns = [
            self.plans.look(),
            self.csvs.look(),
            self.subscriptions.look(),
            self.extensions.look(),
            self.conditions.look(),
        ];
        let has_other_policies = self.policies.look();
        let mut touched: BTreeSet<Key> = operators.keys.iter().cloned().collect();
        let has_other_updater = std::mem::take(&mut self.has_other_updater);
        let is_other = has_other_policies || has_other_updater || !operators.is_nothing();
        if is_other || !turns.iter().all(Turn::is_nothing) {
            let fleet = self.fleet();
            if fleet != *self.fleet {
                // What becomes of one bears on where the others may go.
                touched.append(&mut self.all());
                self.fleet = Arc::new(fleet);
            }
        }
        if std::mem::take(&mut self.has_other_catalogs) {
            touched.append(&mut self.all());
        }
        touched
    }

    /// A cluster without OLM has none of its kinds, which is heard, too.
    fn is_synced(&self) -> bool {
        let is_heard = [
            self.operators.is_heard(),
            self.plans.is_heard(),
            self.csvs.is_heard(),
            self.subscriptions.is_heard(),
            self.extensions.is_heard(),
            self.conditions.is_heard(),
            self.policies.is_heard(),
        ];
        !is_heard.contains(&false)
    }

    fn snapshot(&mut self, key: &Key) -> Option<OperatorSnapshot> {
        Some(OperatorSnapshot {
            operator: self.operators.shared(key)?.clone(),
            fleet: self.fleet.clone(),
        })
    }

    fn cached(&self, write: &PendingWrite) -> Option<Cached> {
        match write.kind.as_str() {
            "Operator" => cached(&self.operators, write),
            "InstallPlan" => cached(&self.plans, write),
            "ClusterServiceVersion" => cached(&self.csvs, write),
            "Subscription" => cached(&self.subscriptions, write),
            _ => None,
        }
    }

    fn reconciled(&mut self, _: &Key, (): ()) -> BTreeSet<Key> {
        BTreeSet::new()
    }

    fn warn(&self, operator: &Key, warning: Warning<'_>) {
        let operator = &operator.name;
        match warning {
            Warning::Failed(error) => {
                tracing::warn!(%operator, error, "an Operator is to be tried again");
            }
            Warning::Unseen(PendingWrite { kind, name, .. }) => {
                tracing::warn!(%operator, kind, name, "what was written is not seen");
            }
        }
    }
}

/// Waits until an updater comes or goes; for ever where nobody watches for one.
async fn changed(updater: &mut Option<UpdaterWatch>) {
    match updater {
        Some(updater) => updater.changed().await,
        None => std::future::pending().await,
    }
}

pub(crate) fn cached<K: Kind>(objects: &Followed<K>, write: &PendingWrite) -> Option<Cached> {
    Some(Cached::of(objects.shared(&write.key())?.meta()))
}
