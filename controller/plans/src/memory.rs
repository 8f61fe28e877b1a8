//! The data about a plan that this process keeps between two reconciliations. Decides which facts
//! must be read again.

mod plan;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use portolan_api::plan::{ConditionType, InstallPlan, Intent, Phase, Status};
use portolan_core_install::{
    Answers, Contents, Members, ObjectRead, ObjectRef, Observation, Plan, Reviews, Roles,
    Succession, Trial,
};
use portolan_core_olm::messages::is_of_other_server;
use portolan_runtime::Patience;
use tokio::time::Instant;

use crate::cache::{PlanSnapshot, Version};
use crate::pending_status::PendingStatus;
use crate::rest::Rest;
pub(crate) use plan::identity;
use plan::{is_at_rest, is_stray, unwatched, version_of};

/// The time after which a plan whose members are not watched is checked again.
const RESYNC: Duration = Duration::from_secs(300);
/// The first pause before a waiting plan is checked again. Each following pause is twice as long.
const FIRST: Duration = Duration::from_millis(250);
/// The maximum pause before a waiting plan is checked again.
const LONGEST: Duration = Duration::from_secs(60);
/// The time after which a plan continues without the objects whose webhook or API server does not
/// respond.
const UNANSWERED: Duration = Duration::from_secs(30);
/// The pause after which the cache is expected to contain a write of this process.
const UNSEEN: Duration = Duration::from_millis(100);
/// The maximum time to wait until the cache contains a write of this process.
const LATE: Duration = Duration::from_secs(10);

/// The time after which listed Pods are read again.
const PODS_KEPT: jiff::SignedDuration = jiff::SignedDuration::from_secs(10);

/// The data about a plan that this process keeps between two reconciliations.
#[derive(Debug)]
pub(crate) struct Memory {
    /// The uid of the plan. If another plan has the same name, it has another uid, and the data is
    /// dropped.
    pub(crate) uid: String,
    pub(crate) observed: Observation,
    /// Changes of the status that have not been written yet.
    pub(crate) pending_status: Option<PendingStatus>,
    /// The members that have changed since they were read.
    changed: BTreeMap<ObjectRef, Version>,
    /// Limits the rate of checks.
    rest: Rest,
    /// The number of consecutive checks of a waiting plan without a change.
    idle: u32,
    /// The number of consecutive checks whose reads have failed.
    pub(crate) failed_looks: u32,
    /// The time since which another server, such as a webhook, has not responded to requests for a
    /// member. None if all servers respond.
    unanswered_since: Option<Instant>,
    /// The timeout of requests for this plan. It grows if requests for its objects time out.
    pub(crate) patience: Patience,
    /// The resource version of the plan after the last write of this process, with the time of the
    /// write. The cache may still contain an older version, which is ignored.
    pub(crate) written: Option<(u64, Instant)>,
    /// The generation of the plan when it was read last, and if it was being deleted then.
    seen: Option<(i64, bool)>,
    /// The time at which the cached Pods were listed.
    pods_since: Option<Timestamp>,
}

// === impl Memory ===

impl Memory {
    /// Creates the data about a plan that has not been checked yet.
    pub(crate) fn of(plan: &InstallPlan) -> Self {
        Self {
            uid: plan.metadata.uid.clone().unwrap_or_default(),
            observed: Observation {
                plan: Plan::default(),
                intent: Intent::parse(plan),
                status: Status::default(),
                contents: Contents::default(),
                members: None,
                account: None,
                discovery: None,
                is_discovery_fresh: false,
                answers: Answers::new(),
                reviews: Reviews::default(),
                roles: Roles::default(),
                objects: BTreeMap::new(),
                trials: BTreeMap::new(),
                attempts: BTreeMap::new(),
                drifts: BTreeMap::new(),
                unwatched: None,
                of_kinds: BTreeMap::new(),
                in_namespaces: BTreeMap::new(),
                selected: BTreeMap::new(),
                pods: BTreeMap::new(),
                living: Arc::default(),
                olm_definitions: None,
                succession: Succession::default(),
                is_retired: false,
                verified: None,
                now: Timestamp::UNIX_EPOCH,
            },
            pending_status: None,
            changed: BTreeMap::new(),
            rest: Rest::default(),
            idle: 0,
            failed_looks: 0,
            unanswered_since: None,
            patience: Patience::default(),
            written: None,
            seen: None,
            pods_since: None,
        }
    }

    /// Applies the facts that are known without requests. Returns None if the plan must be checked
    /// now. Otherwise, returns the time of the next check.
    pub(crate) fn take_over(&mut self, seen: &PlanSnapshot, now: Timestamp) -> Option<Instant> {
        self.changed.extend(seen.changed.clone());
        let plan = &*seen.plan;
        let generation = plan.metadata.generation.unwrap_or_default();
        let version = (generation, plan.metadata.deletion_timestamp.is_some());
        let is_old = version_of(plan).zip(self.written);
        let is_old = is_old.is_some_and(|(shown, (written, at))| {
            // After some time, an older version is accepted. The database of the API server may
            // have been restored from a backup, and its versions then continue from an older
            // version.
            shown < written && at.elapsed() < LATE
        });
        if is_old {
            return Some(Instant::now() + UNSEEN);
        }
        let is_another = self.seen != Some(version);
        let status = plan.status.clone().unwrap_or_default();
        // A decision depends on the relations to other plans, so a change of them requires a new
        // decision.
        let is_related = self.observed.succession != *seen.succession;
        if !is_another && !is_related && self.pending_status.is_none() && is_at_rest(&status) {
            let later = self.rest.later(Instant::now());
            if later.is_some() {
                return later;
            }
        }
        if is_another {
            self.observed.intent = Intent::parse(plan);
            self.observed.members = None;
            self.idle = 0;
        }
        self.seen = Some(version);
        self.rest.look(Instant::now());
        let observed = &mut self.observed;
        observed.plan = identity(plan, &seen.succession);
        observed.succession = (*seen.succession).clone();
        // If another client has written the status in the meantime, the pending status is obsolete.
        self.pending_status
            .take_if(|pending_status| !pending_status.is_about(&status));
        if self.pending_status.is_none() {
            observed.status = status;
        }
        observed.living = seen.living.clone();
        observed.unwatched = seen.unwatched.clone();
        observed.now = now;
        observed.is_discovery_fresh = false;
        let listed = &mut self.pods_since;
        if listed.is_none_or(|since| now.duration_since(since) >= PODS_KEPT) {
            observed.pods.clear();
            *listed = Some(now);
        }
        self.expire(seen.is_watched);
        None
    }

    /// Does not count the last check, because it has sent no request or has written an object.
    pub(crate) fn counts_no_look(&mut self) {
        self.rest.give_back();
    }

    /// Drops the facts that may have changed.
    fn expire(&mut self, is_watched: bool) {
        self.expire_foreign();
        let changed = std::mem::take(&mut self.changed);
        let observed = &mut self.observed;
        observed.objects.retain(|identity, object_read| {
            let now = changed.get(identity);
            let is_same = now.is_none_or(|now| *now == object_read.version());
            is_watched && is_same && !is_stray(object_read)
        });
        observed.review_if_due();
        let is_yes = |condition| observed.status.is_true(condition);
        if is_yes(ConditionType::Permitted) && !is_at_rest(&observed.status) {
            observed.account = None;
        }
        if !is_yes(ConditionType::Valid) {
            observed.discovery = None;
            observed.contents = Contents::default();
            observed.members = None;
            let is_refused = |trial: &Trial| matches!(trial, Trial::Refused(_));
            observed.trials.retain(|_, (_, trial)| !is_refused(trial));
        }
        // A watch selects objects by the label of the plan. Objects of other owners lack this
        // label.
        let unwatched = unwatched(&observed.status);
        observed.objects.retain(|identity, object_read| {
            let is_told = unwatched
                .as_ref()
                .is_none_or(|told| told.contains(&identity.to_string()));
            let is_seen = matches!(object_read, ObjectRead::Absent | ObjectRead::Present(_));
            !is_told && is_seen
        });
    }

    /// Drops the facts that must be read again before each decision that may delete objects. These
    /// are the objects of other owners, and the served kinds.
    pub(crate) fn expire_before_deletion(&mut self) {
        let observed = &mut self.observed;
        let succession = &observed.succession;
        let is_deleting = observed.plan.terminating_since.is_some()
            || !succession.predecessors.is_empty()
            || succession.leaving.is_some();
        if is_deleting {
            observed.discovery = None;
        }
        observed.of_kinds.clear();
        observed.in_namespaces.clear();
        observed.selected.clear();
        observed.olm_definitions = None;
    }

    /// Drops the objects of other plans, because no watch covers these objects.
    fn expire_foreign(&mut self) {
        let Succession {
            predecessors,
            leaving,
            ..
        } = &self.observed.succession;
        if predecessors.is_empty() && leaving.is_none() {
            return;
        }
        let members = self.members().unwrap_or_default();
        let own: BTreeSet<_> = members.iter().map(|member| &member.identity).collect();
        let objects = &mut self.observed.objects;
        objects.retain(|identity, _| own.contains(identity));
    }

    /// Returns true if objects of earlier plans may still have to be deleted.
    fn has_leftovers(&self) -> bool {
        let Observation {
            status, succession, ..
        } = &self.observed;
        let mut before = succession.predecessors.iter();
        before.any(|peer| !status.taken_over.contains(&peer.uid))
    }

    /// Returns the time of the next check, unless a change causes a check before. Returns None if
    /// no check is needed.
    pub(crate) fn again(&mut self, is_watched: bool, is_news: bool) -> Option<Instant> {
        let pause = match self.observed.status.phase {
            Some(Phase::Ready | Phase::Suspended | Phase::Superseded | Phase::Failed)
                if !self.has_leftovers() =>
            {
                let mut objects = self.observed.objects.values();
                if is_watched && !objects.any(is_stray) {
                    return None;
                }
                RESYNC
            }
            Some(Phase::Terminating) => return None,
            _ if is_news => {
                self.idle = 0;
                FIRST
            }
            _ => {
                self.idle = self.idle.saturating_add(1);
                let times = 1_u32.checked_shl(self.idle).unwrap_or(u32::MAX);
                FIRST.saturating_mul(times).min(LONGEST)
            }
        };
        Some(Instant::now() + pause)
    }

    /// Records the outcome of reading facts. `why` is the reason if reading has failed.
    pub(crate) fn record_reads(&mut self, why: Option<&str>) {
        let unanswered = self.unanswered();
        let is_of_others = unanswered.is_some() || why.is_some_and(is_of_other_server);
        let since = is_of_others.then(|| self.unanswered_since.unwrap_or_else(Instant::now));
        self.unanswered_since = since;
        self.failed_looks = match why {
            Some(_) => self.failed_looks.saturating_add(1),
            None => 0,
        };
    }

    /// Returns true if another server has not responded for so long that the plan continues without
    /// the objects of this server. A plan can only start if all of its objects could be read.
    pub(crate) fn continues_unseen(&self) -> bool {
        let is_long = |since: Instant| since.elapsed() >= UNANSWERED;
        self.unanswered_since.is_some_and(is_long) && self.observed.status.has_begun()
    }

    /// Returns a member that cannot be read because another server does not respond, with the
    /// reason. Returns None if there is no such member.
    pub(crate) fn unanswered(&self) -> Option<String> {
        self.unanswered_since?;
        let mut objects = self.observed.objects.iter();
        objects.find_map(|(identity, object_read)| match object_read {
            ObjectRead::Unanswered(sentence) => Some(format!("{identity}: {sentence}")),
            ObjectRead::Absent | ObjectRead::Present(_) | ObjectRead::Unreadable(_) => None,
        })
    }

    /// Returns the members of a valid plan. Returns None for an invalid plan.
    pub(crate) fn members(&self) -> Option<Arc<Members>> {
        let Observation {
            intent,
            plan,
            contents,
            members,
            ..
        } = &self.observed;
        members.clone().or_else(|| {
            let intent = intent.as_ref().ok()?;
            let read = Members::read(intent, &plan.identity, contents);
            read.ok().map(Arc::new)
        })
    }

    /// Parses the members and keeps them until [`let_members_go`](Self::let_members_go).
    pub(crate) fn read_members(&mut self) -> Option<Arc<Members>> {
        self.observed.members = self.members();
        self.observed.members.clone()
    }

    /// Drops the parsed members after a reconciliation, so that the manifests of the plan are in
    /// memory only once.
    pub(crate) fn let_members_go(&mut self) {
        if self.pending_status.is_none() {
            self.observed.members = None;
        }
    }
}
