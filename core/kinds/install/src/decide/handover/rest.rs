//! A plan that another plan has replaced. It rests: it writes no objects. It is kept until the
//! other plan has read which objects it created.

use std::collections::BTreeSet;

use portolan_api::plan::{ConditionType, Phase, Reason, Record, StageStatus};

use super::report;
use crate::decide::account::unusable_account;
use crate::decide::decision::{Ask, Decision};
use crate::decide::deletion::is_kept;
use crate::decide::made::{MadeUids, digest};
use crate::decide::observation::{ObjectRead, Observation};
use crate::decide::relations::Relations;
use crate::decide::report::{Report, Scope, UndatedCondition};
use crate::decide::{Halt, discovery, found, valid, was_applied};
use crate::manifest::Members;
use crate::object::text;
use crate::succession::Peer;

pub(in crate::decide) fn decide(
    observed: &Observation,
    relations: &Relations<'_>,
    successor: &Peer,
) -> Decision {
    let mut decision = Decision::waiting(observed);
    let before = &observed.status;
    let record = match rested_record(observed) {
        Err(Halt::Ask(asks)) => {
            decision.asks = asks;
            return decision;
        }
        // The objects of the plan are unknown now, so the status keeps the earlier record.
        Err(Halt::Say(_)) | Ok(None) => before.record.clone(),
        Ok(record) => record,
    };
    let is_wanted = before.has_begun() && !is_kept(observed) && !relations.is_over;
    if let Some(step) = observed.plan.finalizer(is_wanted) {
        decision.steps = vec![step];
        if is_wanted {
            // The status must not report yet that this plan rests. Other plans then rely on the
            // finalizer.
            return decision;
        }
    }
    let sentence = format!("{} replaces this plan", successor.name);
    let mut report = Report::before(
        Phase::Superseded,
        valid::unchecked_while_resting(),
        valid::unchecked_while_resting(),
    );
    report.applied = UndatedCondition::not_yet(Reason::Superseded, sentence.clone());
    report.ready = UndatedCondition::not_yet(Reason::Superseded, sentence);
    let replaced = report::replaced(observed, relations, None);
    let mut status = report.render(observed, &Scope::Superseded, replaced);
    status.record = record;
    status.stage = before.stage.clone().map(|stage| StageStatus {
        since: None,
        ..stage
    });
    report::add(observed, relations, &mut status, None);
    decision.status = status;
    decision
}

/// Returns the new record of a plan that another plan replaces now. Members that the plan has not
/// created are recorded as found. Returns None if the plan already rests, or if its members cannot
/// be observed.
pub(in crate::decide) fn rested_record(observed: &Observation) -> Result<Option<Record>, Halt> {
    let before = &observed.status;
    let (Some(record), Ok(intent)) = (&before.record, &observed.intent) else {
        return Ok(None);
    };
    let mut made = MadeUids::of(before);
    let mut places: BTreeSet<_> = made.pending().collect();
    let is_half_way = was_applied(before).is_none();
    if !is_half_way && places.is_empty()
        || before.is_true(ConditionType::Replaced)
        || unusable_account(observed, intent)?.is_some()
    {
        return Ok(None);
    }
    let members = valid::members(observed, intent)?;
    if is_half_way {
        places.extend(found::unsettled(before, &members));
    }
    let mut found = found::written(before);
    let mut unmade = Vec::new();
    for (place, uid) in observe(observed, &members, places)? {
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

/// Returns the uid of each member's object. The uid is empty if the object cannot be read. It is
/// None if no object of the plan's lineages exists.
fn observe(
    observed: &Observation,
    members: &Members,
    places: BTreeSet<usize>,
) -> Result<Vec<(usize, Option<String>)>, Halt> {
    let discovery = discovery(observed)?;
    let (mut seen, mut asks) = (Vec::new(), BTreeSet::new());
    for place in places.into_iter().filter(|place| *place < members.len()) {
        let member = &members[place];
        let is_served = discovery.serves(&member.identity.kind, &member.version);
        match observed.objects.get(&member.identity).filter(|_| is_served) {
            None if is_served => drop(asks.insert(Ask::Object(member.identity.clone()))),
            None | Some(ObjectRead::Absent) => seen.push((place, None)),
            Some(ObjectRead::Present(object)) => {
                let is_ours = observed.plan.lineage_of(object).is_some();
                let uid = text(object, "/metadata/uid").to_owned();
                seen.push((place, is_ours.then_some(uid)));
            }
            // Another program serves this object and does not answer. The object does not count as
            // created by the plan, because it may belong to another owner.
            Some(ObjectRead::Unanswered(_)) => seen.push((place, None)),
            Some(ObjectRead::Unreadable(_)) => seen.push((place, Some(String::new()))),
        }
    }
    if asks.is_empty() {
        Ok(seen)
    } else {
        Err(Halt::Ask(asks))
    }
}
