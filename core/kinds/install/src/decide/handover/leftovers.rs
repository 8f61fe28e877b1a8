//! Deletes the objects that only earlier plans contain, after this plan is ready.

use std::collections::BTreeSet;

use jiff::Timestamp;
use portolan_api::plan::{ConditionType, Intent, MemberStatus, Order, Reason};

use super::accounts::Accounts;
use super::members;
use crate::decide::Halt;
use crate::decide::case::PlanContext;
use crate::decide::decision::{Event, Step};
use crate::decide::deletion::{Goal, event, next_read, was_blocked};
use crate::decide::found::{self, FoundUids};
use crate::decide::made::MadeUids;
use crate::decide::observation::Observation;
use crate::decide::relations::Relations;
use crate::decide::report::UndatedCondition;
use crate::decide::stages::Progress;
use crate::manifest::{Member, Members};
use crate::succession::Peer;

/// An earlier plan, with its objects that this plan does not contain.
pub(in crate::decide) struct Old<'o> {
    peer: &'o Peer,
    /// The members of the earlier plan, or the reason why they are unknown.
    members: Result<Members, String>,
    /// The members that must be deleted if the earlier plan created them.
    going: BTreeSet<usize>,
}

impl Old<'_> {
    pub(in crate::decide) fn leftovers(&self) -> impl Iterator<Item = &Member> {
        let members = self.members.iter();
        members.flat_map(|members| self.going.iter().map(|place| &members[*place]))
    }
}

/// Returns the earlier plans from which this plan has not taken over all objects.
pub(in crate::decide) fn old<'o>(
    observed: &Observation,
    relations: &Relations<'o>,
    own: &Members,
) -> Result<Vec<Old<'o>>, Halt> {
    let own: BTreeSet<_> = own.iter().map(|member| &member.identity).collect();
    let mut all = Vec::new();
    for &peer in &relations.open {
        let members = members(observed, peer)?;
        let going = members
            .iter()
            .flat_map(|members| members.iter().enumerate());
        let found = found::written(&peer.status);
        let going = going.filter(|(place, member)| {
            let is_lacking = member.is_deleted_when_lacking() && !own.contains(&member.identity);
            is_lacking && !found::is_unmade(&found, *place)
        });
        all.push(Old {
            peer,
            going: going.map(|(place, _)| place).collect(),
            members,
        });
    }
    Ok(all)
}

/// The state of the deletion of leftovers. Leftovers are objects that only earlier plans contain.
#[derive(Default)]
pub(in crate::decide) struct Leftovers {
    pub(in crate::decide) steps: Vec<Step>,
    pub(in crate::decide) order: Option<Order>,
    pub(super) replaced: Option<UndatedCondition>,
    pub(in crate::decide) remaining: Vec<MemberStatus>,
    /// The uids of the plans whose leftovers are gone.
    pub(super) done: Vec<String>,
    is_held: bool,
}

/// Returns the steps that delete the leftovers of the earlier plans, one plan after the other.
pub(in crate::decide) fn leftovers(
    case: &PlanContext<'_>,
    old: Vec<Old<'_>>,
) -> Result<Leftovers, Halt> {
    let is_left = |peer: &&Peer| old.iter().any(|old| old.peer.uid == peer.uid);
    let done = case.relations.predecessors.iter();
    let done = done.filter(|peer| !is_left(peer));
    let mut leftovers = Leftovers {
        done: done.map(|peer| peer.uid.clone()).collect(),
        ..Leftovers::default()
    };
    if old.is_empty() {
        return Ok(leftovers);
    }
    let accounts = Accounts::of(case.observed, case.relations)?;
    for old in old {
        let (name, of) = (&old.peer.name, &*old.peer.intent);
        let (Ok(members), Ok(of)) = (&old.members, of) else {
            let why = old.members.err().unwrap_or_default();
            let sentence = format!("the objects that {name} created are unknown: {why}");
            leftovers.replaced = Some(UndatedCondition::not_yet(Reason::DeletionBlocked, sentence));
            leftovers.is_held = true;
            break;
        };
        let removal = goal(case, &old, (members, of), &accounts).removal(Timestamp::UNIX_EPOCH)?;
        if removal.is_over() {
            leftovers.done.push(old.peer.uid.clone());
            continue;
        }
        leftovers.is_held = removal.is_held();
        let reason = if leftovers.is_held {
            Reason::DeletionBlocked
        } else {
            Reason::RemovingLeftovers
        };
        let sentence = format!("objects that only {name} has: {}", removal.message());
        leftovers.replaced = Some(UndatedCondition::not_yet(reason, sentence));
        leftovers.steps = removal.steps;
        leftovers.order = removal.order;
        leftovers.remaining = removal.remaining;
        break;
    }
    Ok(leftovers)
}

/// Returns the existing leftovers of all earlier plans. Some of them will be deleted. For others,
/// the deletion is blocked.
pub(in crate::decide) fn forecast(
    case: &PlanContext<'_>,
    old: &[Old<'_>],
) -> Result<Vec<MemberStatus>, Halt> {
    let accounts = Accounts::of(case.observed, case.relations)?;
    let mut statuses = Vec::new();
    for old in old {
        if let (Ok(members), Ok(of)) = (&old.members, &*old.peer.intent) {
            statuses.extend(goal(case, old, (members, of), &accounts).forecast()?);
        }
    }
    Ok(statuses)
}

fn goal<'g>(
    case: &'g PlanContext<'_>,
    old: &Old<'_>,
    (members, of): (&'g Members, &'g Intent),
    accounts: &Accounts,
) -> Goal<'g> {
    // A newer plan may have recorded that the earlier plan did not create an object.
    let (mut found, mut made) = (FoundUids::new(), MadeUids::default());
    for place in &old.going {
        let account = accounts.get(&members[*place].identity);
        if let Some(uid) = account.and_then(|account| account.found.clone()) {
            found.insert(*place, uid);
        } else if let Some(digest) = account.and_then(|account| account.made) {
            made.put(*place, digest);
        }
    }
    Goal {
        observed: case.observed,
        discovery: case.discovery,
        intent: case.intent,
        of,
        members,
        going: old.going.clone(),
        found,
        made,
        way_out: "delete these objects".to_owned(),
    }
}

impl Leftovers {
    /// Adds the steps and messages about leftovers to the progress of the plan. Returns an Event if
    /// the deletion is newly blocked.
    pub(in crate::decide) fn join(
        &self,
        observed: &Observation,
        progress: &mut Progress,
    ) -> Option<Event> {
        // The plan first repairs its own members. If the API server rejects the repairs, the
        // deletion of leftovers does not wait for them.
        let drifted = observed.status.condition(ConditionType::Drifted);
        let is_refused =
            drifted.is_some_and(|drifted| drifted.reason == Reason::WriteRejected.as_str());
        if progress.steps.is_empty() || is_refused && !self.steps.is_empty() {
            progress.steps.clone_from(&self.steps);
            progress.order = self.order.unwrap_or(Order::InOrder);
        }
        progress
            .report
            .members
            .extend(self.remaining.iter().cloned());
        let replaced = self.replaced.as_ref()?;
        if self.steps.is_empty() {
            let until = progress.until.into_iter().chain(next_read(observed));
            progress.until = until.min();
        }
        let is_new = self.is_held && !was_blocked(&observed.status, ConditionType::Replaced);
        is_new.then(|| event(Reason::DeletionBlocked, &replaced.message, &self.remaining))
    }
}
