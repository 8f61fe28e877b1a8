//! The handover between plans: a plan takes over from others, and gives their place back.
//!
//! ```text
//! new plan: valid, permitted -> waits -------> applies -> Ready -> deletes leftovers -> deleted
//!                                 |      ^                              |                  |
//! old plan:                       +-> keeps its objects, rests ... may be deleted          |
//!                                                                                          v
//!                                                                                       applies
//! ```

mod accounts;
mod homes;
mod leftovers;

use std::collections::BTreeSet;

use portolan_api::plan::{
    ConditionType, MOST_LINEAGES, Phase, Reason, Record, StageStatus, Status,
};
use portolan_core_names::ObjectRef;
use portolan_core_names::text::listed;
use serde_json::Value;

use super::case::{Case, is_written_by};
use super::made::{MadeUids, digest};
use super::observation::{Ask, Decision, Observation, Sight};
use super::origins::Origins;
use super::removal::{Hold, is_kept};
use super::report::{Report, Scope, UndatedCondition};
use super::{Halt, collision, found, removal, valid};
use crate::manifest::Members;
use crate::object::text;
use crate::succession::Peer;

pub(super) use accounts::{Account, Accounts};
pub(super) use homes::homes;
pub(super) use leftovers::{Leftovers, Old, forecast, leftovers, old};

/// Returns true if the status says that another plan has taken over.
pub(super) fn was_resting(status: &Status) -> bool {
    status
        .condition(ConditionType::Replaced)
        .is_some_and(|said| said.status == "True")
}

/// Decides about a plan that another plan takes over from. It stays until the other plan knows
/// which objects it made, and writes nothing.
pub(super) fn rest(observed: &Observation, successor: &Peer) -> Decision {
    let mut decision = Decision::waiting(observed);
    let before = &observed.status;
    let record = match rested_record(observed) {
        Err(Halt::Ask(asks)) => {
            decision.asks = asks;
            return decision;
        }
        // The objects of the plan are no longer known.
        Err(Halt::Say(_)) | Ok(None) => before.record.clone(),
        Ok(record) => record,
    };
    let is_wanted = before.has_begun() && !is_kept(observed) && !is_over(observed);
    if let Some(step) = observed.plan.finalizer(is_wanted) {
        decision.steps = vec![step];
        if is_wanted {
            // Other plans depend on the finalizer once the status says that this plan rests.
            return decision;
        }
    }
    let sentence = format!("{} takes its place", successor.name);
    let mut report = Report::before(
        Phase::Resting,
        valid::unlooked_rest(),
        valid::unlooked_rest(),
    );
    report.applied = UndatedCondition::not_yet(Reason::Resting, sentence.clone());
    report.ready = UndatedCondition::not_yet(Reason::Resting, sentence);
    let mut status = report.render(observed, &Scope::Resting, replaced(observed, None));
    status.record = record;
    status.stage = before.stage.clone().map(|stage| StageStatus {
        since: None,
        ..stage
    });
    say(observed, &mut status, None);
    decision.status = status;
    decision
}

/// Returns the record of a plan that comes to rest, where members that it has not created count as
/// found. None if it rests already, or if nothing can be observed.
pub(super) fn rested_record(observed: &Observation) -> Result<Option<Record>, Halt> {
    let before = &observed.status;
    let (Some(record), Ok(intent)) = (&before.record, &observed.intent) else {
        return Ok(None);
    };
    let mut made = MadeUids::of(before);
    let mut places: BTreeSet<_> = made.pending().collect();
    let is_half_way = super::was_applied(before).is_none();
    if !is_half_way && places.is_empty()
        || was_resting(before)
        || valid::account_said(observed, intent)?.is_some()
    {
        return Ok(None);
    }
    let members = valid::members(observed, intent)?;
    if is_half_way {
        places.extend(found::unsettled(before, &members));
    }
    let mut found = found::written(before);
    let mut unmade = Vec::new();
    for (place, uid) in seen(observed, &members, places)? {
        match uid {
            Some(uid) if found.contains_key(&place) || uid.is_empty() => {}
            Some(uid) => made.put(place, digest(&uid)),
            None => unmade.push(place),
        }
    }
    found::leave_unmade(&mut found, unmade.into_iter());
    Ok(Some(Record {
        found: found::print(&found),
        made: made.print(),
        ..record.clone()
    }))
}

/// Observes members. Each result has the uid of the object: empty if the object cannot be read,
/// None if the lineage has no such object.
fn seen(
    observed: &Observation,
    members: &Members,
    places: BTreeSet<usize>,
) -> Result<Vec<(usize, Option<String>)>, Halt> {
    let discovery = observed.discovery.as_ref();
    let discovery = discovery.ok_or_else(|| Halt::ask(Ask::Discovery))?;
    let (mut seen, mut asks) = (Vec::new(), BTreeSet::new());
    for place in places.into_iter().filter(|place| *place < members.len()) {
        let member = &members[place];
        let is_served = discovery.serves(&member.identity.kind, &member.version);
        match observed.objects.get(&member.identity).filter(|_| is_served) {
            None if is_served => drop(asks.insert(Ask::Object(member.identity.clone()))),
            None | Some(Sight::Absent) => seen.push((place, None)),
            Some(Sight::Present(object)) => {
                let is_ours = observed.plan.lineage_of(object).is_some();
                let uid = text(object, "/metadata/uid").to_owned();
                seen.push((place, is_ours.then_some(uid)));
            }
            // The object may belong to another owner, so an unanswered one does not count as made.
            Some(Sight::Unanswered(_)) => seen.push((place, None)),
            Some(Sight::Unreadable(_)) => seen.push((place, Some(String::new()))),
        }
    }
    if asks.is_empty() {
        Ok(seen)
    } else {
        Err(Halt::Ask(asks))
    }
}

/// Records the objects that the plan giving back its place made. This plan cannot be carried out,
/// so it observes no members itself.
pub(super) fn learn(observed: &Observation, status: &mut Status) {
    let Ok(intent) = &observed.intent else {
        return;
    };
    let Ok(left) = Accounts::of_leaving(observed) else {
        return;
    };
    let (Some(record), Ok(members)) = (
        &mut status.record,
        valid::members_to_delete(observed, intent),
    ) else {
        return;
    };
    let mut origins = Origins {
        found: found::written(&observed.status),
        made: MadeUids::of(&observed.status),
        is_learning: false,
    };
    origins.take_back(&members, &left);
    record.found = found::print(&origins.found);
    record.made = origins.made.print();
}

/// Returns true if another plan has taken over and needs nothing from this one any more.
pub(super) fn is_over(observed: &Observation) -> bool {
    let successor = observed.succession.successor.as_ref();
    successor.is_some_and(|successor| successor.status.taken_over.contains(&observed.plan.uid))
}

/// Returns the message that a terminating plan waits for its successor, which may need the objects
/// that it made; None if it does not wait.
pub(super) fn waits_for_successor(observed: &Observation) -> Option<String> {
    let succession = &observed.succession;
    if let Some(Peer { name, .. }) = &succession.successor {
        return Some(format!(
            "{name} takes its place: it goes once {name} is ready, and has deleted what only this plan made"
        ));
    }
    let name = succession.undecided.as_ref()?;
    Some(format!(
        "{name} replaces it, and is not valid and permitted yet; delete one of them, or wait"
    ))
}

/// Returns the message that a terminating plan waits for its predecessor; None if it does not wait.
/// A predecessor that gets objects back must be applied, and needs its finalizer if objects are
/// deleted with it.
///
/// # Errors
///
/// Returns `Halt::Ask` with the objects to read first.
pub(super) fn waits_for_predecessor(observed: &Observation) -> Result<Option<String>, Halt> {
    // The first of them resumes as soon as this plan reports its deletion. Earlier ones keep
    // resting.
    if let Some(first) = heirs(observed).next()
        && heirs(observed).all(Peer::is_resting)
    {
        let sentence = format!("it goes once {} no longer rests", first.name);
        return Ok(Some(sentence));
    }
    for heir in heirs(observed) {
        let name = &heir.name;
        if heir.is_working() && !heir.is_applied() {
            return Ok(Some(format!(
                "it goes once {name} has applied again what it has; to go on without {name}, delete it as well"
            )));
        }
        if !heir.has_finalizer && has_something_to_delete(observed, heir)? {
            let sentence = format!("it goes once {name} has its finalizer again");
            return Ok(Some(sentence));
        }
    }
    Ok(None)
}

/// Returns true if objects are deleted with a plan. Such a plan adds its finalizer as soon as no
/// other plan has taken over from it, even if it cannot be carried out.
fn has_something_to_delete(observed: &Observation, heir: &Peer) -> Result<bool, Halt> {
    let Ok(intent) = &*heir.intent else {
        return Ok(false);
    };
    let members = members(observed, heir)?;
    let mut going = members
        .iter()
        .flat_map(|members| removal::going(intent, members));
    Ok(!heir.is_abandoned && going.next().is_some())
}

/// Returns the predecessors that get objects back from a terminating plan. A predecessor that never
/// began and cannot begin now has no objects.
fn heirs(observed: &Observation) -> impl Iterator<Item = &Peer> {
    let predecessors = &observed.succession.predecessors;
    let stays =
        move |peer: &&Peer| !peer.is_terminating && (peer.has_begun() || may_begin(observed, peer));
    predecessors.iter().filter(stays).filter(move |peer| {
        let mut others = predecessors.iter().filter(stays);
        // The objects of such a plan belong to another plan, or are gone.
        !others.any(|other| other.status.taken_over.contains(&peer.uid))
    })
}

/// Returns true if a plan that has not begun may begin once its successor gives its place back. A
/// plan is not judged while it rests, so an unknown state counts as possible. A plan of another
/// lineage that collides with objects of others does not begin. Waiting for it would take as long
/// as these objects exist.
fn may_begin(observed: &Observation, peer: &Peer) -> bool {
    let is_unknown = matches!(peer.status.phase, None | Some(Phase::Resting));
    let is_merged = peer.status.lineage.as_ref() != Some(&observed.plan.lineage);
    is_unknown || peer.is_working() && !(is_merged && peer.collides())
}

/// Returns the objects that a terminating plan leaves to its predecessors, or why they are unknown.
pub(super) fn given_back(
    observed: &Observation,
) -> Result<Result<BTreeSet<ObjectRef>, Hold>, Halt> {
    if let Some(Peer { name, .. }) = heirs(observed).find(|heir| !heir.has_begun()) {
        // That plan asks this one who made the existing objects.
        let sentence = format!("it goes once {name} has begun in its place, or cannot begin");
        return Ok(Err(Hold::Waits(sentence)));
    }
    let mut given = BTreeSet::new();
    for heir in heirs(observed) {
        match members(observed, heir)? {
            Ok(members) => given.extend(members.iter().map(|member| member.identity.clone())),
            Err(why) => {
                let sentence = format!("nobody knows what {} takes back: {why}", heir.name);
                return Ok(Err(Hold::Blocked(sentence)));
            }
        }
    }
    Ok(Ok(given))
}

/// Returns the members of another plan, or the reason why they are unknown.
fn members(observed: &Observation, peer: &Peer) -> Result<Result<Members, String>, Halt> {
    let intent = match &*peer.intent {
        Ok(intent) => intent,
        Err(refusals) => return Ok(Err(refusals.to_string())),
    };
    let asks = valid::contents(observed, intent);
    if !asks.is_empty() {
        return Err(Halt::Ask(asks));
    }
    let identity = ObjectRef {
        name: peer.name.clone(),
        ..observed.plan.identity.clone()
    };
    let read = Members::read(intent, &identity, &observed.contents);
    let record = peer.status.record.as_ref();
    let digest = record.map(|record| &record.digest);
    let read = match read {
        Ok(members) if digest.is_some_and(|digest| *digest != members.digest()) => {
            Err("its manifests are not those with which it began".to_owned())
        }
        Ok(members) => Ok(members),
        Err(faults) => Err(faults.first().map(ToString::to_string).unwrap_or_default()),
    };
    Ok(read.or_else(|why| {
        let recalled = record.and_then(|record| Members::recalled(intent, record));
        recalled.ok_or(why)
    }))
}

/// Returns why a plan cannot take over from the plans that it replaces, regardless of its members.
pub(super) fn refusal(observed: &Observation) -> Option<UndatedCondition> {
    let has_begun = observed.status.has_begun();
    if has_begun {
        return rivalry(observed);
    }
    let count = observed.plan.merged.len();
    let sentence = format!(
        "the plans that it replaces belong to {count} lineages, and a plan merges at most {MOST_LINEAGES}; merge some \
         of them first"
    );
    (count > MOST_LINEAGES).then(|| UndatedCondition::no(Reason::LineagesDiffer, sentence))
}

/// Returns why a valid plan cannot begin: another plan has already taken over. A plan that is
/// invalid reports that instead, and leaves the place to the other plan.
pub(super) fn rivalry(observed: &Observation) -> Option<UndatedCondition> {
    let rival = observed.succession.rival.as_ref()?;
    let sentence = format!(
        "{rival} replaces already what this plan would replace; delete one of them, or write a plan \
         that replaces {rival}"
    );
    Some(UndatedCondition::no(Reason::AlreadyReplaced, sentence))
}

/// Returns the first predecessor that still writes.
pub(super) fn restless(observed: &Observation) -> Option<&Peer> {
    let mut predecessors = observed.succession.predecessors.iter();
    predecessors.find(|peer| !peer.is_resting())
}

/// Returns the lineages of deleted plans whose objects a plan adopts if it replaces one of those
/// plans. There are several if that plan had merged others.
pub(super) fn orphaned(case: &Case<'_>) -> BTreeSet<String> {
    let Observation {
        succession,
        status,
        living,
        ..
    } = case.observed;
    if status.lineage.is_some()
        || succession.missing.is_empty()
        || !succession.predecessors.is_empty()
    {
        return BTreeSet::new();
    }
    let objects = (0..case.members.len()).filter_map(|place| case.object(place));
    let lineages = objects.filter_map(|object| lineage_of(object));
    let gone = lineages.filter(|lineage| living.is_gone(lineage));
    let gone: BTreeSet<_> = gone.map(str::to_owned).collect();
    if gone.len() > MOST_LINEAGES {
        BTreeSet::new()
    } else {
        gone
    }
}

/// Returns the lineage that wrote an object, if the object shows it.
fn lineage_of(object: &Value) -> Option<&str> {
    let lineage = collision::lineage(object)?;
    let is_there = !text(object, "/metadata/uid").is_empty();
    (is_there && is_written_by(lineage, object)).then_some(lineage)
}

/// Adds the relation of the plan to its predecessors and its successor to a status.
pub(super) fn say(observed: &Observation, status: &mut Status, leftovers: Option<&Leftovers>) {
    let (before, succession) = (&observed.status, &observed.succession);
    let is_alone = succession.predecessors.is_empty() && succession.successor.is_none();
    let is_refused = refusal(observed).or_else(|| rivalry(observed)).is_some();
    let is_related = !is_alone && !is_refused;
    if status.has_begun() || is_related {
        let lineage = before.lineage.clone();
        status.lineage = lineage.or_else(|| Some(observed.plan.lineage.clone()));
        let known = status.merged_lineages.iter().chain(&observed.plan.merged);
        let known = known.filter(|one| Some(*one) != status.lineage.as_ref());
        let merged: BTreeSet<_> = known.cloned().collect();
        status.merged_lineages = merged.into_iter().collect();
    }
    if is_related {
        let uids = succession.predecessors.iter().map(|peer| &peer.uid);
        let uids: BTreeSet<_> = uids.collect();
        status.predecessors = uids.into_iter().cloned().collect();
    }
    let done = leftovers
        .into_iter()
        .flat_map(|leftovers| leftovers.done.iter());
    let taken: BTreeSet<_> = before.taken_over.iter().chain(done).collect();
    let is_there = |uid: &&&String| {
        succession
            .predecessors
            .iter()
            .any(|peer| peer.uid == ***uid)
    };
    status.taken_over = taken
        .iter()
        .filter(is_there)
        .map(|uid| (*uid).clone())
        .collect();
}

/// Returns the `Replaced` condition; None if no other plan is related to this one.
pub(super) fn replaced(
    observed: &Observation,
    leftovers: Option<&Leftovers>,
) -> Option<UndatedCondition> {
    let (before, succession) = (&observed.status, &observed.succession);
    let said = match &succession.successor {
        Some(Peer { name, .. }) if is_over(observed) => {
            UndatedCondition::yes(Reason::HandedOver, format!("{name} has taken its place"))
        }
        Some(Peer { name, .. }) => {
            UndatedCondition::yes(Reason::HandingOver, format!("{name} takes its place"))
        }
        None => {
            let said = leftovers.and_then(|leftovers| leftovers.said.clone());
            said.unwrap_or_else(|| {
                UndatedCondition::not_yet(Reason::NotReplaced, "no plan takes its place")
            })
        }
    };
    let has_had = before.condition(ConditionType::Replaced).is_some();
    let is_alone = succession.predecessors.is_empty() && succession.successor.is_none();
    if is_alone && !has_had && succession.circle.is_empty() {
        return None;
    }
    let mut said = said;
    if !succession.circle.is_empty() {
        let names = listed(&succession.circle);
        said.message.push_str(&format!(
            "; it names {names}, newer and replacing it, which does not count"
        ));
    }
    Some(said)
}
