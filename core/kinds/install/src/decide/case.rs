//! A valid plan, with the observed objects of its members.

mod force;

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::plan::{
    Intent, MemberOwner, MemberState, OnDeletion, OnDrift, OnImmutable, Reason, Record,
};
use portolan_core_names::text::cite;
use portolan_core_olm::State;
use serde_json::Value;

use super::Halt;
use super::collision;
use super::decision::{Ask, Step};
use super::dependency::Dependencies;
use super::found::{self, FoundUids};
use super::made::MadeUids;
use super::observation::{ObjectRead, Observation, Trial};
use super::relations::Relations;
use super::storage::Switch;
use super::verified::VerifiedMembers;
use crate::discovery::Discovery;
use crate::manifest::{JobOwner, Members};
use crate::object::{held_by, is_terminating, text};
use crate::readiness::{Expectation, Readiness, readiness, readiness_by, ready};
pub(super) use force::owned;

pub(super) struct PlanContext<'o> {
    pub(super) observed: &'o Observation,
    pub(super) relations: &'o Relations<'o>,
    pub(super) intent: &'o Intent,
    pub(super) members: &'o Members,
    pub(super) discovery: &'o Discovery,
    pub(super) dependencies: Dependencies,
    /// The members that existed before the plan, as recorded in its status.
    pub(super) found: FoundUids,
    /// For each missing member, the lineage in which it is created. A lineage is a chain of plans
    /// that replace each other. Members that are created in the plan's own lineage are omitted.
    pub(super) homes: BTreeMap<usize, String>,
    /// True if all members were applied once. From then on, the controller only checks and repairs
    /// them.
    pub(super) is_applied: bool,
    /// True if the ServiceAccount no longer has all required permissions.
    pub(super) is_barred: bool,
    /// The members of applied stages that the previous decision checked and that need no step.
    pub(super) verified: Option<&'o VerifiedMembers>,
    /// The CRDs that still store objects in their old version, because the plan has not switched
    /// the storage version yet.
    pub(super) switches: Vec<Switch>,
}

/// The state of a member, compared with its object.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ObjectView {
    /// The object does not exist and must be created.
    Absent,
    /// The manifest must be applied to the object with this uid. `force` is the resource version at
    /// which the apply may take fields from other owners.
    Stale { uid: String, force: Option<String> },
    /// The object must be deleted and recreated, because an immutable field must change. Contains
    /// the uid of the object.
    Immutable(String),
    /// The plan can adopt the object as soon as the status records the object as found.
    Adoptable,
    /// The object matches the manifest. Contains its readiness.
    Settled(Readiness),
    /// The manifest cannot be applied now.
    Blocked(Blocked),
}

/// The reason why a member cannot be applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Blocked {
    pub(super) state: MemberState,
    pub(super) reason: Reason,
    pub(super) sentence: String,
    /// The owner of the existing object, if another owner claims it.
    pub(super) owner: Option<MemberOwner>,
}

impl Blocked {
    fn new(state: MemberState, reason: Reason, sentence: String) -> Self {
        Self {
            state,
            reason,
            sentence,
            owner: None,
        }
    }
}

impl ObjectView {
    /// Returns true if the member exists and is ready.
    pub(super) fn is_ready(&self) -> bool {
        match self {
            Self::Settled(readiness) => readiness.state == State::Yes,
            Self::Absent
            | Self::Stale { .. }
            | Self::Immutable(_)
            | Self::Adoptable
            | Self::Blocked(_) => false,
        }
    }

    /// Returns true if the API server gets no answer for the object, because another program serves
    /// its kind.
    pub(super) fn is_unanswered(&self) -> bool {
        match self {
            Self::Blocked(blocked) => blocked.reason == Reason::NotObserved,
            Self::Absent
            | Self::Stale { .. }
            | Self::Immutable(_)
            | Self::Adoptable
            | Self::Settled(_) => false,
        }
    }
}

/// Returns the message about an object for which the API server gets no answer from another
/// program.
pub(super) fn unanswered(sentence: &str) -> String {
    format!("cannot be checked, and is retried: {}", cite(sentence))
}

impl PlanContext<'_> {
    /// Returns the plan as the owner of its Jobs, with their ServiceAccount.
    pub(super) fn job_owner(&self) -> JobOwner<'_> {
        self.observed.job_owner(self.intent)
    }

    /// Returns the record for the status: the members that the plan found and the members that it
    /// created. If the previous record already contains the packed references, they are reused.
    pub(super) fn record(&self, found: &FoundUids, made: &MadeUids) -> Record {
        let before = self.observed.status.record.as_ref();
        let referenced = before.map(|record| record.referenced.clone());
        let referenced = referenced.filter(|packed| !packed.is_empty());
        Record {
            digest: before.map_or_else(|| self.members.digest(), |record| record.digest.clone()),
            found: found::print(found),
            made: made.print(),
            referenced: referenced.unwrap_or_else(|| self.members.references(self.intent)),
        }
    }

    /// Returns the observed object of a member. Returns None if the object must be read first. If
    /// the kind is not served, returns `Absent`.
    pub(super) fn object_read(&self, place: usize) -> Option<&ObjectRead> {
        let member = &self.members[place];
        if self
            .discovery
            .serves(&member.identity.kind, &member.version)
        {
            self.observed.objects.get(&member.identity)
        } else {
            Some(&ObjectRead::Absent)
        }
    }

    /// Returns the existing object of a member. Returns None if it does not exist or cannot be
    /// read.
    pub(super) fn object(&self, place: usize) -> Option<&Value> {
        match self.object_read(place) {
            Some(ObjectRead::Present(object)) => Some(object),
            Some(ObjectRead::Absent | ObjectRead::Unreadable(_) | ObjectRead::Unanswered(_))
            | None => None,
        }
    }

    /// Returns the uid of a member's object. Empty if there is no object.
    pub(super) fn uid(&self, place: usize) -> &str {
        let object = self.object(place);
        object.map_or("", |object| text(object, "/metadata/uid"))
    }

    /// Returns the resource version of a member's object. Empty if there is no object.
    fn version(&self, place: usize) -> &str {
        let object = self.object(place);
        object.map_or("", |object| text(object, "/metadata/resourceVersion"))
    }

    /// Returns a request for each of these members whose object was not read yet.
    pub(super) fn unseen(&self, places: impl Iterator<Item = usize>) -> BTreeSet<Ask> {
        let unseen = places.filter(|place| self.object_read(*place).is_none());
        let asks = unseen.map(|place| Ask::Object(self.members[place].identity.clone()));
        asks.collect()
    }

    /// Returns the observed state of a member.
    ///
    /// # Errors
    ///
    /// Returns `Halt::Ask` with the object to look up first.
    pub(super) fn view(&self, place: usize) -> Result<ObjectView, Halt> {
        let member = &self.members[place];
        Ok(match self.object_read(place) {
            None => return Err(Ask::Object(member.identity.clone()).into()),
            Some(ObjectRead::Absent) => ObjectView::Absent,
            Some(ObjectRead::Unreadable(sentence)) => ObjectView::Blocked(Blocked::new(
                MemberState::Refused,
                Reason::WriteRejected,
                format!("cannot be read: {}", cite(sentence)),
            )),
            // This is no fault of the plan, and the other program may answer later.
            Some(ObjectRead::Unanswered(sentence)) => ObjectView::Blocked(Blocked::new(
                if self.is_applied {
                    MemberState::NotReady
                } else {
                    MemberState::NotApplied
                },
                Reason::NotObserved,
                unanswered(sentence),
            )),
            Some(ObjectRead::Present(object)) if self.is_verified(place, object) => {
                ObjectView::Settled(ready())
            }
            Some(ObjectRead::Present(object)) => self.present(place, object)?,
        })
    }

    /// Returns true if the previous decision checked the member and its object has not changed
    /// since. Returns false for a CRD whose storage version the plan switches, because its manifest
    /// changes.
    pub(super) fn is_verified(&self, place: usize, object: &Value) -> bool {
        let is_known = |verified: &VerifiedMembers| verified.has(place, object);
        let switches = self.switches.iter().any(|switch| switch.place == place);
        !switches && self.verified.is_some_and(is_known)
    }

    fn present(&self, place: usize, object: &Value) -> Result<ObjectView, Halt> {
        let member = &self.members[place];
        // While the plan is not applied yet, an object that is being deleted does not count. The
        // next stage must not depend on it.
        let is_kept = self.is_applied || !is_terminating(object);
        if is_kept && self.observed.plan.has_manifest(member, object) {
            return Ok(ObjectView::Settled(self.readiness(place, object)));
        }
        let is_ours = self.is_ours(object);
        let uid = text(object, "/metadata/uid");
        let is_found = self.found.get(&place).is_some_and(|found| found == uid);
        if !is_ours && !is_found {
            return self.collided(object);
        }
        if self.is_applied && (is_ours || !self.recreates(place)) {
            return Ok(ObjectView::Settled(self.readiness(place, object)));
        }
        if !is_kept {
            let held = held_by(object, ", ");
            return Ok(ObjectView::Blocked(Blocked::new(
                MemberState::NotApplied,
                Reason::Applying,
                format!("is being deleted{held}; the plan creates it again after the deletion"),
            )));
        }
        // Another owner may have claimed the object after the plan recorded it.
        match self.refusal(object)? {
            Some(blocked) if !is_ours => Ok(ObjectView::Blocked(blocked)),
            Some(_) | None if !is_found && self.is_immutable(place)? => {
                Ok(ObjectView::Immutable(uid.to_owned()))
            }
            Some(_) | None => self.stale(place, object),
        }
    }

    /// Returns true if the object of a member already matches its manifest. In this case, neither a
    /// write nor a dry run is needed.
    pub(super) fn is_unchanged(&self, place: usize) -> bool {
        let member = &self.members[place];
        let object = self.object(place);
        object.is_some_and(|it| !is_terminating(it) && self.observed.plan.has_manifest(member, it))
    }

    /// Returns true if the object belongs to a lineage of the plan, according to its label or the
    /// owners of its fields.
    pub(super) fn is_ours(&self, object: &Value) -> bool {
        self.observed.plan.lineage_of(object).is_some()
    }

    /// Returns true if the plan recreates a member that other clients have deleted.
    pub(super) fn recreates(&self, place: usize) -> bool {
        let said = self.members[place].lifecycle.on_deletion;
        said.unwrap_or(self.intent.on_deletion) == OnDeletion::Recreate
    }

    /// Returns the `onDrift` policy of a member. If the member has no such policy, returns the
    /// policy of the plan.
    pub(super) fn on_drift(&self, place: usize) -> OnDrift {
        let said = self.members[place].lifecycle.on_drift;
        said.unwrap_or(self.intent.on_drift)
    }

    /// Returns true if applying the manifest would change immutable fields, and the plan may delete
    /// and recreate the object.
    fn is_immutable(&self, place: usize) -> Result<bool, Halt> {
        let member = &self.members[place];
        if member.lifecycle.on_immutable == OnImmutable::Fail {
            return Ok(false);
        }
        // Uses only a dry run on the current state of the object, because its result depends on
        // this state.
        let now = self.object_read(place).and_then(ObjectRead::shape);
        let trial = self.observed.trials.get(&member.identity);
        let trial = trial.filter(|(seen, _)| *seen == now);
        let (_, trial) = trial.ok_or_else(|| Ask::Trial(member.identity.clone()))?;
        Ok(*trial == Trial::Immutable)
    }

    fn collided(&self, object: &Value) -> Result<ObjectView, Halt> {
        let refusal = self.refusal(object)?;
        Ok(refusal.map_or(ObjectView::Adoptable, ObjectView::Blocked))
    }

    /// Returns the reason why the plan may not adopt an object that another client created. Returns
    /// None if the plan may adopt it.
    fn refusal(&self, object: &Value) -> Result<Option<Blocked>, Halt> {
        let refusal = collision::refusal(object, self.intent.collisions, self.observed)?;
        Ok(refusal.map(|refusal| Blocked {
            owner: refusal.owner,
            ..Blocked::new(
                MemberState::Refused,
                Reason::ObjectNotOwned,
                refusal.sentence,
            )
        }))
    }

    pub(super) fn readiness(&self, place: usize, object: &Value) -> Readiness {
        let member = &self.members[place];
        let mut rules = self.intent.stages[member.place.stage].ready.iter();
        if let Some(rule) = rules.find(|rule| member.identity.kind.is(&rule.group, &rule.kind)) {
            return readiness_by(rule, object);
        }
        let expectation = Expectation {
            wants_status: self.dependencies.wants_status(place),
        };
        readiness(object, expectation)
    }

    /// Returns the lineage in which a missing member is created.
    fn home(&self, place: usize) -> &str {
        let own = &self.observed.plan.lineage;
        self.homes.get(&place).unwrap_or(own)
    }

    /// Returns the step that this state of the member requires. Returns None if no step is needed
    /// or possible.
    pub(super) fn step(&self, place: usize, view: &ObjectView) -> Option<Step> {
        match view {
            ObjectView::Immutable(uid) => Some(Step::Delete {
                object: self.members[place].identity.clone(),
                uid: uid.clone(),
            }),
            ObjectView::Absent => Some(Step::Create {
                member: place,
                lineage: self.home(place).to_owned(),
            }),
            ObjectView::Stale { uid, .. } if self.keeps_webhook(place) => Some(Step::Replace {
                member: place,
                uid: uid.clone(),
                version: self.version(place).to_owned(),
            }),
            ObjectView::Stale { uid, force } => Some(Step::Apply {
                member: place,
                uid: uid.clone(),
                force: force.clone(),
            }),
            ObjectView::Adoptable | ObjectView::Settled(_) | ObjectView::Blocked(_) => None,
        }
    }
}
