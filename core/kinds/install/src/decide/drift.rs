//! Finds and repairs members that other clients have changed or deleted after they were applied.
//!
//! ```text
//! lost fields: suspicion --- forced dry run: verdict ---> reported, or applied again  (onDrift)
//! fields added by others -------------------------------> removed                     (Seal)
//! missing ----------------------------------------------> reported, or recreated      (onDeletion)
//! ```
//!
//! If other clients keep changing a member after repairs, the member is contested. See
//! [`super::repairs`].

mod changes;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use portolan_api::plan::{ConditionType, MemberState, MemberStatus, Reason, Repairs};
use portolan_core_names::text::{counted, listed_up_to};

use super::case::{ObjectView, PlanContext};
use super::decision::Step;
use super::observation::ObjectRead;
use super::repairs::{self, Leave};
use super::report::UndatedCondition;
use super::tally::Drifting;
use super::verified::VerifiedMembers;
use super::{Halt, observed_member};
pub(super) use changes::{Difference, changed};
use changes::{gone, taken};

/// The maximum number of fields or owners in the message about one member.
const MOST: usize = 5;
/// The field managers of Kubernetes components. A plan cannot know the values that they write.
const KUBERNETES: [&str; 4] = [
    "clusterrole-aggregation-controller",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
];

/// The result of the check for drift.
pub(super) struct Drifts {
    pub(super) said: UndatedCondition,
    pub(super) drifting: Drifting,
    /// The members to report because of drift. Members that the status already reports as not ready
    /// are omitted.
    pub(super) members: Vec<MemberStatus>,
    /// The steps that repair the members.
    pub(super) steps: Vec<Step>,
    /// The time at which a delayed repair becomes possible. None if no repair is delayed.
    pub(super) until: Option<Timestamp>,
    pub(super) verified: VerifiedMembers,
}

/// Collects the messages and steps for members that differ from their manifests.
struct Judge<'c, 'o> {
    case: &'c PlanContext<'o>,
    /// The states of the checked members.
    views: &'c [ObjectView],
    repairs: BTreeMap<String, Repairs>,
    is_contested: bool,
    told: Vec<(usize, MemberState, String)>,
    steps: Vec<Step>,
    until: Option<Timestamp>,
    verified: VerifiedMembers,
}

/// Checks the members of the applied stages. These are the first stages of the plan. Before all
/// members were applied, a missing member is not drift, because the plan creates it again together
/// with its stage.
///
/// # Errors
///
/// Returns `Halt::Ask` with the facts to look up first.
pub(super) fn drifts(
    case: &PlanContext<'_>,
    views: &[ObjectView],
    is_resting: bool,
) -> Result<Drifts, Halt> {
    let (mut differences, mut asks) = (Vec::new(), BTreeSet::new());
    let mut verified = VerifiedMembers::begin(&case.observed.plan);
    let is_whole = views.len() == case.members.len();
    for (place, view) in views.iter().enumerate() {
        let is_verified = case
            .object(place)
            .is_some_and(|object| case.is_verified(place, object));
        let difference = match view {
            ObjectView::Settled(_) if is_verified => None,
            ObjectView::Settled(_) => changed(case, place, &mut asks),
            ObjectView::Absent if is_whole => Some(gone(case, views, place)?),
            ObjectView::Stale { .. } if case.is_applied => Some(gone(case, views, place)?),
            ObjectView::Adoptable | ObjectView::Blocked(_) => taken(case, place, view)?,
            ObjectView::Absent | ObjectView::Stale { .. } | ObjectView::Immutable(_) => None,
        };
        if difference.is_none()
            && view.is_ready()
            && let Some(object) = case.object(place)
            && (is_verified || case.is_ours(object))
        {
            verified.add(place, object);
        }
        differences.extend(difference.map(|difference| (place, difference)));
    }
    if !asks.is_empty() {
        return Err(Halt::Ask(asks));
    }
    let may_write = !case.is_barred && !is_resting;
    let mut judge = Judge {
        case,
        views,
        repairs: repairs::current(case.observed),
        is_contested: false,
        told: Vec::new(),
        steps: Vec::new(),
        until: None,
        verified,
    };
    for (place, mut difference) in differences {
        let is_due = may_write && (case.is_applied || !difference.is_gone);
        difference.step = difference.step.filter(|_| is_due);
        judge.one(place, difference);
    }
    Ok(judge.end())
}

impl Judge<'_, '_> {
    fn one(&mut self, place: usize, difference: Difference) {
        let Difference {
            mut sentence,
            step,
            is_gone,
        } = difference;
        let mut state = if is_gone {
            MemberState::Missing
        } else {
            MemberState::Drifted
        };
        if let Some(step) = step {
            match repairs::leave(&mut self.repairs, place, self.case.observed.now) {
                Leave::Given => self.steps.push(step),
                Leave::Later(until) => self.park_until(until),
                Leave::Contested {
                    since,
                    until,
                    times,
                } => {
                    self.is_contested = true;
                    self.park_until(until);
                    state = MemberState::Contested;
                    sentence = format!(
                        "{sentence}; the object was repaired {times} times since {since}, and is \
                         not repaired again until {until}, or until the value of the annotation {} \
                         changes",
                        portolan_api::plan::RETRY
                    );
                }
            }
        }
        self.told.push((place, state, sentence));
    }

    fn park_until(&mut self, until: Timestamp) {
        let until = self.until.into_iter().chain([until]).min();
        self.until = until;
    }

    fn end(self) -> Drifts {
        let Self { case, told, .. } = &self;
        let said = self.condition();
        let members = told.iter().filter_map(|(place, state, sentence)| {
            // The status already reports a missing member as not ready.
            let is_told = *state != MemberState::Missing;
            is_told.then(|| observed_member(case, *place, *state, sentence))
        });
        Drifts {
            said,
            drifting: self.drifting(),
            members: members.collect(),
            until: self.until,
            verified: self.verified,
            steps: self.steps,
        }
    }

    fn drifting(&self) -> Drifting {
        let is_contested = |(_, state, _): &&(_, _, _)| *state == MemberState::Contested;
        let contested = self.told.iter().filter(is_contested).count();
        let [drifted, contested] =
            [self.told.len(), contested].map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        Drifting { drifted, contested }
    }

    fn condition(&self) -> UndatedCondition {
        let first = self.told.iter().min_by_key(|(place, state, _)| {
            let is_contested = *state == MemberState::Contested;
            (!is_contested, *place)
        });
        let Some((place, _, sentence)) = first else {
            return undrifted(self.case, self.views);
        };
        let objects = counted(self.told.len() as i64, "object");
        let object = &self.case.members[*place].identity;
        let sentence = format!("{objects}: {object} {sentence}");
        let reason = if self.is_contested {
            Reason::DriftContested
        } else {
            Reason::MembersDrifted
        };
        UndatedCondition::yes(reason, sentence)
    }
}

/// Returns the `Drifted` condition if no member differs.
fn undrifted(case: &PlanContext<'_>, views: &[ObjectView]) -> UndatedCondition {
    if let Some(said) = unreadable(case) {
        return said;
    }
    let before = case.observed.status.condition(ConditionType::Drifted);
    let before = before.filter(|said| said.reason == Reason::NotWatched.as_str());
    match (&case.observed.unwatched, before) {
        // Keeps the earlier condition until the controller knows again which kinds it may watch.
        (None, Some(before)) => {
            UndatedCondition::not_yet(Reason::NotWatched, before.message.clone())
        }
        (Some(kinds), _) if !kinds.is_empty() => {
            let kinds = listed_up_to(MOST, kinds);
            let sentence = format!(
                "the ServiceAccount cannot list and watch {kinds}: the controller detects changes \
                 of these objects only every few minutes"
            );
            UndatedCondition::not_yet(Reason::NotWatched, sentence)
        }
        (Some(_) | None, _) if views.iter().any(ObjectView::is_unanswered) => {
            let sentence = "not all objects have been checked for changes yet";
            UndatedCondition::not_yet(Reason::NotObserved, sentence)
        }
        (Some(_) | None, _) => {
            let objects = counted(views.len() as i64, "object");
            let sentence = format!("no other client changed any of {objects}");
            UndatedCondition::no(Reason::NotDrifted, sentence)
        }
    }
}

/// Returns the condition about members that cannot be read. Returns None if all members can be
/// read.
fn unreadable(case: &PlanContext<'_>) -> Option<UndatedCondition> {
    let is_unreadable =
        |place: &usize| matches!(case.object_read(*place), Some(ObjectRead::Unreadable(_)));
    let unreadable: Vec<_> = (0..case.members.len()).filter(is_unreadable).collect();
    let first = &case.members[*unreadable.first()?].identity;
    let objects = counted(unreadable.len() as i64, "object");
    let sentence =
        format!("{objects} cannot be read, so changes by other clients are not detected: {first}");
    Some(UndatedCondition::not_yet(Reason::NotObserved, sentence))
}
