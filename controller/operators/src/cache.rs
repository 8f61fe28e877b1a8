//! The cache of the Operator controller: Operators, their InstallPlans, the operators that OLM has
//! installed, and the conditions that operators report about themselves.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use portolan_api::operator::Operator;
use portolan_api::plan::InstallPlan;
use portolan_core_olm::{ClusterExtension, ClusterServiceVersion, OperatorCondition, Subscription};
use portolan_core_operator::{Basis, Conditions, Fleet, Ledger, Present, Subscribed, Survey};
use portolan_runtime::{Cache, Cached, PendingWrite, Warning};
use portolan_world::{Area, Ended, Followed, Key, Kind, Notifier, State, Turn, World};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

use crate::Catalogs;
use crate::members::Members;
use crate::policies::PolicyInformers;
use crate::present::{extension, not_upgradeable, present, subscribed};
use crate::surveys::Surveys;
use crate::updater::UpdaterWatch;

/// The minimum time between two requests for the routes of all Operators. Changes in this time are
/// combined. If a decision needs the routes earlier, it requests them itself.
const PACE: Duration = Duration::from_millis(200);

/// The cache of the Operator controller.
pub struct OperatorCache<C> {
    operators: Followed<Operator>,
    plans: Followed<InstallPlan>,
    csvs: Followed<ClusterServiceVersion>,
    subscriptions: Followed<Subscription>,
    extensions: Followed<ClusterExtension>,
    conditions: Followed<OperatorCondition>,
    policies: PolicyInformers,
    /// Observes if an updater exists. None if this process writes nothing, because it then never
    /// removes the condition of an updater.
    updater: Option<UpdaterWatch>,
    notifier: Notifier,
    catalogs: Arc<C>,
    /// True if a catalog has changed since the last refresh.
    has_other_catalogs: bool,
    /// True if an updater has appeared or disappeared since the last refresh.
    has_other_updater: bool,
    members: Members,
    ledger: Ledger,
    surveys: Arc<Surveys<C>>,
    /// The running request for the routes of all Operators. None if no request is running.
    asked: Option<JoinHandle<Survey>>,
    /// The Fleet in the last request for routes, and the time of this request.
    asked_of: Option<(Arc<Fleet>, Instant)>,
    /// The response to this request, until the next refresh applies it.
    answer: Option<Survey>,
}

/// An Operator, with the Fleet of all Operators.
#[derive(Debug)]
pub struct OperatorSnapshot<C> {
    pub(crate) operator: Arc<Operator>,
    pub(crate) fleet: Arc<Fleet>,
    pub(crate) surveys: Arc<Surveys<C>>,
}

impl<C: Catalogs> OperatorCache<C> {
    /// Creates a cache of the objects in a world. `home` is the namespace of the InstallPlans of
    /// Operators that name no ServiceAccount. The client is used to observe if an updater exists.
    ///
    /// # Panics
    /// Panics if it is called outside of a tokio runtime.
    pub fn new(world: &impl World, client: Client, home: &str, catalogs: Arc<C>) -> Self {
        Self {
            updater: Some(UpdaterWatch::new(client, home)),
            ..Self::read_only(world, home, catalogs)
        }
    }

    /// Creates a cache for a process that writes nothing.
    ///
    /// # Panics
    /// Panics if it is called outside of a tokio runtime.
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
            surveys: Arc::new(Surveys::new(catalogs.clone())),
            catalogs,
            has_other_catalogs: false,
            has_other_updater: false,
            members: Members::new(home),
            ledger: Ledger::default(),
            asked: None,
            asked_of: None,
            answer: None,
        }
    }

    /// Returns the reason why the Operators cannot be read. Returns None if they can be read.
    pub(crate) fn unseen(&self) -> Option<String> {
        self.operators.unknown()
    }

    pub(crate) fn all(&self) -> BTreeSet<Key> {
        self.operators.all().map(|(key, _)| key.clone()).collect()
    }

    /// Returns the current Fleet. The objects of OLM are converted again only if they have changed.
    fn fleet(&self, is_other_olm: bool) -> Fleet {
        let before = self.ledger.fleet();
        let (present, subscriptions) = if is_other_olm {
            (self.present(), self.subscribed())
        } else {
            (before.present.clone(), before.subscriptions.clone())
        };
        Fleet {
            members: self.members.all().clone(),
            present,
            subscriptions,
            conditions: self.conditions(),
            policies: self.policies.current(&self.operators),
            is_updater_gone: self.updater.as_ref().is_some_and(UpdaterWatch::is_gone),
            ..Fleet::default()
        }
    }

    fn present(&self) -> Vec<Present> {
        let csvs = self.csvs.all().map(|(key, csv)| present(key, csv));
        let extensions = self.extensions.all();
        let extensions = extensions.map(|(_, it)| extension(it));
        csvs.chain(extensions).collect()
    }

    fn subscribed(&self) -> Vec<Subscribed> {
        let subscriptions = self.subscriptions.all();
        let subscriptions = subscriptions.map(|(key, it)| subscribed(key, it));
        subscriptions.collect()
    }

    /// Requests the routes of all Operators if the Fleet has changed since the last request and the
    /// minimum time has passed. All Operators are requested together, because their routes depend
    /// on each other.
    fn survey(&mut self) {
        let fleet = self.ledger.fleet();
        let is_asked = self.asked_of.as_ref();
        let is_asked = is_asked.is_some_and(|(of, _)| Arc::ptr_eq(of, fleet));
        let is_due = self.due().is_none_or(|due| due <= Instant::now());
        if self.asked.is_some() || is_asked || !is_due || !self.ledger.has_readers() {
            return;
        }
        self.asked_of = Some((fleet.clone(), Instant::now()));
        let surveys = self.surveys.clone();
        // The request runs in a separate task. Other callers may wait for the same response, and
        // must not depend on this caller.
        self.asked = Some(tokio::spawn(async move { surveys.newest().await }));
    }

    /// Returns the earliest time at which the routes may be requested again. Returns None if they
    /// were never requested.
    fn due(&self) -> Option<Instant> {
        let (_, at) = self.asked_of.as_ref()?;
        Some(*at + PACE)
    }

    /// Returns the earliest time at which the routes may be requested again, if this time is in the
    /// future.
    fn next(&self) -> Option<Instant> {
        self.due().filter(|due| *due > Instant::now())
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
    type Snapshot = OperatorSnapshot<C>;
    /// The facts on which a decision was based. None if there was no decision.
    type Report = Option<Basis>;

    async fn changed(&mut self) -> Result<(), Ended> {
        loop {
            self.survey();
            let next = self.next();
            tokio::select! {
                changed = self.notifier.notified() => return changed,
                () = self.catalogs.changed() => {
                    self.has_other_catalogs = true;
                    return Ok(());
                }
                () = changed(&mut self.updater) => {
                    self.has_other_updater = true;
                    return Ok(());
                }
                survey = answered(&mut self.asked) => {
                    self.asked = None;
                    self.answer = survey;
                    return Ok(());
                }
                () = at(next) => {}
            }
        }
    }

    async fn refresh(&mut self) -> BTreeSet<Key> {
        let operators = self.operators.look();
        let plans = self.plans.look();
        let olm = [
            self.csvs.look(),
            self.subscriptions.look(),
            self.extensions.look(),
        ];
        let conditions = self.conditions.look();
        let has_other_policies = self.policies.look();
        let mut touched: BTreeSet<Key> = operators.keys.iter().cloned().collect();
        let has_other_updater = std::mem::take(&mut self.has_other_updater);
        let is_other_olm = !olm.iter().all(Turn::is_nothing);
        let is_other = has_other_policies || has_other_updater || is_other_olm;
        if is_other
            || ![&operators, &plans, &conditions]
                .iter()
                .all(|it| it.is_nothing())
        {
            self.members
                .look((&self.operators, &operators), (&self.plans, &plans));
            let fleet = self.fleet(is_other_olm);
            touched.extend(keys(self.ledger.see(fleet)));
            self.surveys.see(self.ledger.fleet());
        }
        if let Some(survey) = self.answer.take() {
            touched.extend(keys(self.ledger.learn(&survey)));
        }
        if std::mem::take(&mut self.has_other_catalogs) {
            touched.append(&mut self.all());
        }
        touched
    }

    /// Returns true if all kinds have been listed. Kinds of OLM that the cluster does not serve
    /// count as listed.
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

    fn snapshot(&mut self, key: &Key) -> Option<OperatorSnapshot<C>> {
        Some(OperatorSnapshot {
            operator: self.operators.shared(key)?.clone(),
            fleet: self.ledger.fleet().clone(),
            surveys: self.surveys.clone(),
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

    fn reconciled(&mut self, key: &Key, basis: Option<Basis>) -> BTreeSet<Key> {
        let is_other = basis.is_some_and(|basis| self.ledger.decided(&key.name, &basis));
        is_other.then(|| key.clone()).into_iter().collect()
    }

    fn warn(&self, operator: &Key, warning: Warning<'_>) {
        let operator = &operator.name;
        match warning {
            Warning::Failed(error) => {
                tracing::warn!(%operator, error, "reconciling an Operator failed; retrying");
            }
            Warning::Unseen(PendingWrite { kind, name, .. }) => {
                tracing::warn!(%operator, kind, name, "the written object is not observed yet");
            }
        }
    }
}

impl<C> fmt::Debug for OperatorCache<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OperatorCache")
            .field("ledger", &self.ledger)
            .finish_non_exhaustive()
    }
}

fn keys(names: BTreeSet<String>) -> impl Iterator<Item = Key> {
    names.into_iter().map(|name| Key::new("", &name))
}

/// Waits for the routes of all Operators. Waits forever if no request is running.
async fn answered(asked: &mut Option<JoinHandle<Survey>>) -> Option<Survey> {
    match asked {
        Some(asked) => asked.await.ok(),
        None => std::future::pending().await,
    }
}

/// Waits until this time. Waits forever without a time.
async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}

/// Waits until an updater appears or disappears. Waits forever if this is not observed.
async fn changed(updater: &mut Option<UpdaterWatch>) {
    match updater {
        Some(updater) => updater.changed().await,
        None => std::future::pending().await,
    }
}

pub(crate) fn cached<K: Kind>(objects: &Followed<K>, write: &PendingWrite) -> Option<Cached> {
    Some(Cached::of(objects.shared(&write.key())?.meta()))
}
