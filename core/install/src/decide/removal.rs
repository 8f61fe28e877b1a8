//! What goes when a plan is deleted, in which order, and what keeps it from going.
//!
//! ```text
//! members that go -- looked at --> remaining: there, and made by the plan -- sequence --> Delete ...
//!                                   |  none: the finalizer goes
//!                                   +- held: account, permissions, what is lost with it, finalizers
//!                                      of others: said, and given up only after abandonAfterSeconds
//! ```

mod held;
mod look;
mod sequence;

use jiff::{SignedDuration, Timestamp};
use portolan_api::plan::{
    ABANDON, ConditionType, Disposition, Intent, MemberState, MemberStatus, Order, Phase, Reason,
    Status,
};
use portolan_core_names::text::{counted, cut, listed_up_to};
use portolan_core_olm::State;

use super::observation::{Decision, Event, Observation, Step};
use super::report::{MOST_MEMBERS, Said, condition};
use super::{Halt, member_status, valid};
use crate::manifest::{Member, Members};
use crate::permissions::Needs;
use look::{Remains, Standing};
use sequence::Sequence;

/// How long a deletion is waited for before somebody is said to hold it up, and how long until
/// something that nobody watches is looked at again.
const PATIENCE: SignedDuration = SignedDuration::from_secs(30);
/// The longest message of an Event.
const LONGEST_EVENT: usize = 1_000;
/// The most objects that one Event names.
const MOST_TOLD: usize = 20;

/// The members that go with a plan, by their places.
fn going<'m>(intent: &'m Intent, members: &'m Members) -> impl Iterator<Item = usize> + 'm {
    let members = members.iter().enumerate();
    let going = members.filter(|(_, member)| member.goes_with(intent.on_plan_deletion));
    going.map(|(place, _)| place)
}

/// Whether the plan keeps all that it made, whatever it says of its deletion.
fn is_kept(observed: &Observation) -> bool {
    observed.plan.is_abandoned || observed.is_retired
}

/// What is to be done about the finalizer of a plan that nobody deletes. It is there before
/// the first member is written, and as long as something would go with the plan.
pub(super) fn finalizer(
    observed: &Observation,
    intent: &Intent,
    members: &Members,
) -> Option<Step> {
    // Without a record nothing is written, and nobody knows what was.
    observed.status.record.as_ref()?;
    let is_wanted = !is_kept(observed) && going(intent, members).next().is_some();
    match (is_wanted, observed.plan.has_finalizer) {
        (true, false) => Some(Step::AddFinalizer),
        (false, true) => Some(Step::RemoveFinalizer),
        (true, true) | (false, false) => None,
    }
}

/// What is done about a plan that is being deleted.
pub(super) fn decide(observed: &Observation, since: Timestamp) -> Decision {
    let mut decision = Decision::waiting(observed);
    decision.status.phase = Some(Phase::Terminating);
    if !observed.plan.has_finalizer {
        // Whoever holds it now, what the plan made is not what for.
        return decision;
    }
    if is_kept(observed) || observed.status.record.is_none() {
        decision.steps = vec![Step::RemoveFinalizer];
        return decision;
    }
    match removal(observed, since) {
        Err(Halt::Ask(asks)) => {
            decision.status.clone_from(&observed.status);
            decision.asks = asks;
        }
        Err(Halt::Say(report)) => conclude(observed, since, unread(report.valid), &mut decision),
        Ok(removal) => conclude(observed, since, removal, &mut decision),
    }
    decision
}

/// A deletion as far as it has come.
#[derive(Default)]
struct Removal {
    steps: Vec<Step>,
    order: Option<Order>,
    /// What is still there, in the order in which it goes.
    remaining: Vec<MemberStatus>,
    /// Why nothing goes at all.
    hold: Option<String>,
    /// Since when it is held up by others; None if it is not.
    held_since: Option<Timestamp>,
    valid: Option<Said>,
    permitted: Option<Said>,
}

impl Removal {
    fn held(sentence: String, remaining: Vec<MemberStatus>) -> Self {
        Self {
            hold: Some(sentence),
            remaining,
            ..Self::default()
        }
    }

    fn is_over(&self) -> bool {
        self.remaining.is_empty() && self.hold.is_none()
    }
}

/// A plan of which nobody knows any more what it made.
fn unread(valid: Said) -> Removal {
    let sentence = format!("nobody knows what the plan made: {}", valid.message);
    Removal {
        valid: Some(valid),
        ..Removal::held(sentence, Vec::new())
    }
}

fn removal(observed: &Observation, since: Timestamp) -> Result<Removal, Halt> {
    let intent = match &observed.intent {
        Ok(intent) => intent,
        Err(refusals) => return Ok(unread(Said::no(Reason::SpecInvalid, refusals.to_string()))),
    };
    if !may_go(intent) {
        return Ok(Removal::default());
    }
    let members = valid::members(observed, intent)?;
    if going(intent, &members).next().is_none() {
        return Ok(Removal::default());
    }
    if let Some(said) = valid::account_said(observed, intent)? {
        return Ok(Removal {
            remaining: unlooked(observed, intent, &members),
            hold: Some(said.message.clone()),
            permitted: Some(said),
            ..Removal::default()
        });
    }
    let discovery = observed.discovery.as_ref();
    let discovery = discovery.ok_or_else(|| Halt::ask(super::Ask::Discovery))?;
    let remains = look::remains(observed, &members, discovery, intent)?;
    let there = |place: &usize| matches!(remains.at.get(place), Some(Standing::There(_)));
    let there: Vec<_> = remains.at.keys().filter(|place| there(place)).collect();
    let there = there.into_iter().map(|place| &members[*place]);
    let needs = Needs::default().and_delete(there, discovery);
    if let Some(said) = valid::lacking(observed, intent, &needs)? {
        return Ok(Removal {
            remaining: remaining(intent, &members, &remains, &Sequence::default()),
            hold: Some(said.message.clone()),
            permitted: Some(said),
            ..Removal::default()
        });
    }
    let sequence = sequence::sequence(observed, intent, &members, discovery, &remains)?;
    let mut removal = Removal {
        remaining: remaining(intent, &members, &remains, &sequence),
        ..Removal::default()
    };
    if intent.is_suspended && !removal.remaining.is_empty() {
        removal.hold = Some("it is suspended; set spec.suspend to false".to_owned());
        return Ok(removal);
    }
    removal.held_since = held::since(observed.now, since, &remains, &sequence);
    removal.steps = sequence.steps;
    removal.order = sequence.order;
    Ok(removal)
}

/// Whether any resource may go with the plan, whatever its kind.
fn may_go(intent: &Intent) -> bool {
    let mut resources = intent.stages.iter().flat_map(|stage| &stage.resources);
    resources.any(|resource| {
        let said = resource.lifecycle.on_plan_deletion;
        said.unwrap_or(intent.on_plan_deletion) == Disposition::Delete
    })
}

/// What may still be there where nobody can look: what was there when somebody could.
fn unlooked(observed: &Observation, intent: &Intent, members: &Members) -> Vec<MemberStatus> {
    if is_terminating(&observed.status) {
        return observed.status.members.clone();
    }
    let going = going(intent, members).take(MOST_MEMBERS);
    let say = |member: &Member| {
        let sentence = "is to be deleted, if it is there";
        member_status(intent, member, MemberState::Remaining, sentence)
    };
    going.map(|place| say(&members[place])).collect()
}

fn is_terminating(status: &Status) -> bool {
    status.phase == Some(Phase::Terminating)
}

/// What is still there, in the words of a status.
fn remaining(
    intent: &Intent,
    members: &Members,
    remains: &Remains<'_>,
    sequence: &Sequence,
) -> Vec<MemberStatus> {
    let places = remains.at.iter().rev();
    let told = places.map(|(place, standing)| {
        let (state, sentence) = held::told(standing, sequence.held.get(place));
        member_status(intent, &members[*place], state, &sentence)
    });
    told.collect()
}

fn conclude(observed: &Observation, since: Timestamp, removal: Removal, decision: &mut Decision) {
    if removal.is_over() {
        decision.steps = vec![Step::RemoveFinalizer];
        return;
    }
    let held_since = removal.hold.as_ref().map(|_| since).or(removal.held_since);
    // One that the API server refused before is tried again, and does not go for that.
    let was_refused = is_terminating(&observed.status)
        && observed
            .status
            .members
            .iter()
            .any(|member| member.state == MemberState::Refused);
    let is_held = removal.steps.is_empty() && held_since.is_some();
    let deadline = deadline(observed, held_since.unwrap_or(since));
    let is_over = deadline.is_some_and(|deadline| deadline <= observed.now);
    let message = message(&removal);
    if is_over && (is_held || was_refused) {
        decision.steps = vec![Step::RemoveFinalizer];
        let message = told(&message, &removal.remaining);
        let message = format!("the plan goes, and what it made stays: {message}");
        decision.event = Some(event(Reason::Abandoned, &message));
        return;
    }
    let reason = if is_held {
        Reason::DeletionBlocked
    } else {
        Reason::Deleting
    };
    if is_held && !was_blocked(&observed.status) {
        decision.event = Some(event(reason, &told(&message, &removal.remaining)));
    }
    if removal.steps.is_empty() {
        let soon = observed.now.checked_add(PATIENCE).ok();
        decision.until = soon
            .into_iter()
            .chain(deadline)
            .filter(|at| *at > observed.now)
            .min();
    }
    let ready = Said::of(
        if is_held { State::No } else { State::NotYet },
        reason,
        message,
    );
    decision.status = status(observed, ready, &removal);
    decision.steps = removal.steps;
    decision.order = removal.order.unwrap_or(Order::InOrder);
}

/// When a deletion that is held up since then is given up.
fn deadline(observed: &Observation, since: Timestamp) -> Option<Timestamp> {
    let intent = observed.intent.as_ref().ok()?;
    let after = SignedDuration::from_secs(intent.abandon_after_seconds?.into());
    since.checked_add(after).ok()
}

fn was_blocked(status: &Status) -> bool {
    let ready = super::find(status, ConditionType::Ready);
    is_terminating(status)
        && ready.is_some_and(|ready| ready.reason == Reason::DeletionBlocked.as_str())
}

fn message(removal: &Removal) -> String {
    let remaining = &removal.remaining;
    if let Some(hold) = &removal.hold {
        return format!(
            "{hold}. Until then nothing goes; to keep what the plan made, annotate it with \
             {ABANDON}=true"
        );
    }
    let objects = counted(remaining.len() as i64, "object");
    let worst = remaining.iter().min_by_key(|member| member.state);
    let worst = worst.map(|worst| format!(": {} {}", worst.object, worst.message));
    format!("{objects} still there{}", worst.unwrap_or_default())
}

/// A message with the objects that it is about.
fn told(message: &str, remaining: &[MemberStatus]) -> String {
    let objects = remaining.iter().map(|member| member.object.as_str());
    match listed_up_to(MOST_TOLD, objects).as_str() {
        "" => message.to_owned(),
        objects => format!("{message}. There are still {objects}"),
    }
}

fn event(reason: Reason, message: &str) -> Event {
    Event {
        is_warning: true,
        reason,
        message: cut(message, LONGEST_EVENT),
    }
}

/// The status of a plan that is being deleted: what was said of it before, but for what is so no more.
fn status(observed: &Observation, ready: Said, removal: &Removal) -> Status {
    let before = &observed.status;
    let generation = observed.plan.generation;
    let mut status = Status {
        observed_generation: Some(generation),
        phase: Some(Phase::Terminating),
        stage: None,
        counts: None,
        members: removal
            .remaining
            .iter()
            .take(MOST_MEMBERS)
            .cloned()
            .collect(),
        ..before.clone()
    };
    let said = [
        (ConditionType::Valid, removal.valid.clone()),
        (
            ConditionType::Permitted,
            removal.permitted.clone().or_else(|| Some(valid::held())),
        ),
        (ConditionType::Ready, Some(ready)),
    ];
    for (type_, said) in said {
        let Some(said) = said else { continue };
        let new = condition(type_, said, before, generation, observed.now);
        let old = status
            .conditions
            .iter_mut()
            .find(|old| old.type_ == new.type_);
        match old {
            Some(old) => *old = new,
            None => status.conditions.push(new),
        }
    }
    status
}
