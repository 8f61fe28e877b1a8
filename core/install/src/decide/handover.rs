//! How a plan takes the place of others, and gives it back.
//!
//! ```text
//! the new one: valid, permitted -> waits --------------> applies -> Ready -> deletes what only the old
//!                                    |      ^                                one made -> is deleted
//! the old one:                       +-> keeps itself, rests ..................... may go |
//!                                                                                         +-> applies
//! ```

mod leftovers;

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use portolan_api::plan::{ConditionType, Phase, Reason, StageStatus, Status};
use portolan_core_names::text::listed;
use serde_json::Value;

use super::case::{Case, is_written_by};
use super::observation::{Decision, Observation};
use super::removal::{Hold, is_kept};
use super::report::{Report, Said, condition, set};
use super::{Halt, collision, found, valid};
use crate::manifest::Members;
use crate::object::{Identity, text};
use crate::succession::Peer;

pub(super) use leftovers::{Leftovers, Old, leftovers, old};

/// Whether the plan said that another one has its place.
pub(super) fn was_resting(status: &Status) -> bool {
    status
        .condition(ConditionType::Replaced)
        .is_some_and(|said| said.status == "True")
}

/// What is done about a plan whose place another one takes: it stays until that one knows what it
/// made, and writes nothing.
pub(super) fn rest(observed: &Observation, successor: &Peer) -> Decision {
    let mut decision = Decision::waiting(observed);
    let before = &observed.status;
    let is_wanted = before.record.is_some() && !is_kept(observed) && !is_over(observed);
    if let Some(step) = observed.plan.finalizer(is_wanted) {
        decision.steps = vec![step];
        if is_wanted {
            // Others count on it once it is said that the plan rests.
            return decision;
        }
    }
    let sentence = format!("{} takes its place", successor.name);
    let mut report = Report::before(
        Phase::Resting,
        valid::unlooked_rest(),
        valid::unlooked_rest(),
    );
    report.applied = Said::not_yet(Reason::Resting, sentence.clone());
    report.ready = Said::not_yet(Reason::Resting, sentence);
    let mut status = report.render(before, observed.plan.generation, observed.now);
    for type_ in [ConditionType::Valid, ConditionType::Permitted] {
        set(&mut status, before.condition(type_).cloned());
    }
    if let Some(applied) = super::was_applied(before) {
        set(&mut status, Some(applied.clone()));
    }
    status.record.clone_from(&before.record);
    status.stage = before.stage.clone().map(|stage| StageStatus {
        since: None,
        ..stage
    });
    say(observed, &mut status, None);
    decision.status = status;
    decision
}

/// Whether another plan has the place of this one, and needs nothing of it any more.
pub(super) fn is_over(observed: &Observation) -> bool {
    let successor = observed.succession.successor.as_ref();
    successor.is_some_and(|successor| successor.status.taken_over.contains(&observed.plan.uid))
}

/// For which plan one that is being deleted waits, as that may need what it made.
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

/// The plan that takes back what it had, before what only this one made is deleted.
pub(super) fn waits_for_predecessor(observed: &Observation) -> Option<String> {
    let heir = heirs(observed).next()?;
    let is_back = heir.is_applied() || !heir.is_working() || !heir.has_begun();
    let name = &heir.name;
    (!is_back).then(|| format!("it goes once {name} has applied again what it has"))
}

/// The predecessors to which a plan that is being deleted gives back what they have.
fn heirs(observed: &Observation) -> impl Iterator<Item = &Peer> {
    let predecessors = &observed.succession.predecessors;
    let stays = |peer: &&Peer| !peer.is_terminating;
    predecessors.iter().filter(stays).filter(move |peer| {
        let mut others = predecessors.iter().filter(stays);
        // What such a one has is another's, or gone.
        !others.any(|other| other.status.taken_over.contains(&peer.uid))
    })
}

/// The objects that a plan that is being deleted leaves to its predecessors, or why that is not known.
pub(super) fn given_back(observed: &Observation) -> Result<Result<BTreeSet<Identity>, Hold>, Halt> {
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

/// The members of another plan, or why nobody knows them.
fn members(observed: &Observation, peer: &Peer) -> Result<Result<Members, String>, Halt> {
    let intent = match &*peer.intent {
        Ok(intent) => intent,
        Err(refusals) => return Ok(Err(refusals.to_string())),
    };
    let asks = valid::contents(observed, intent);
    if !asks.is_empty() {
        return Err(Halt::Ask(asks));
    }
    let identity = Identity {
        name: peer.name.clone(),
        ..observed.plan.identity.clone()
    };
    let read = Members::read(intent, &identity, &observed.contents);
    let digest = peer.status.record.as_ref().map(|record| &record.digest);
    Ok(match read {
        Ok(members) if digest.is_some_and(|digest| *digest != members.digest()) => {
            Err("its manifests are not those with which it began".to_owned())
        }
        Ok(members) => Ok(members),
        Err(faults) => Err(faults.first().map(ToString::to_string).unwrap_or_default()),
    })
}

/// Why a plan cannot take the place of those that it replaces, whatever else it is.
pub(super) fn refusal(observed: &Observation) -> Option<Said> {
    let has_begun = observed.status.record.is_some();
    if has_begun {
        return rivalry(observed);
    }
    let sentence =
        "the plans that it replaces do not come from one plan; replace those of one alone";
    let is_torn = !observed.succession.lineages.is_empty();
    is_torn.then(|| Said::no(Reason::LineagesDiffer, sentence))
}

/// Why a plan cannot begin that could otherwise: another one has the place. One that could not
/// anyway says so, and makes room for the other.
pub(super) fn rivalry(observed: &Observation) -> Option<Said> {
    let rival = observed.succession.rival.as_ref()?;
    let sentence = format!(
        "{rival} replaces already what this plan would replace; delete one of them, or write a plan \
         that replaces {rival}"
    );
    Some(Said::no(Reason::AlreadyReplaced, sentence))
}

/// The first plan that still writes, though this one takes its place.
pub(super) fn restless(observed: &Observation) -> Option<&Peer> {
    let mut predecessors = observed.succession.predecessors.iter();
    predecessors.find(|peer| !peer.is_resting())
}

/// What plans of the lineage knew of the objects before this plan: each with the uid of what was
/// there before them, or None if one of them made it.
pub(super) struct Accounts(BTreeMap<Identity, Option<String>>);

impl Accounts {
    pub(super) fn of(observed: &Observation) -> Result<Self, Halt> {
        let mut accounts = BTreeMap::new();
        let succession = &observed.succession;
        // The newest counts, as it has asked those before it.
        let peers = succession.leaving.iter().chain(&succession.predecessors);
        for peer in peers.filter(|peer| peer.has_begun()) {
            let Ok(members) = members(observed, peer)? else {
                continue;
            };
            let found = found::of(&peer.status, (*peer.intent).as_ref().ok());
            for (place, member) in members.iter().enumerate() {
                let identity = member.identity.clone();
                accounts
                    .entry(identity)
                    .or_insert_with(|| found.get(&place).cloned());
            }
        }
        Ok(Self(accounts))
    }

    /// Whether a plan of the lineage made an object. Where nobody knows, it was there before.
    pub(super) fn is_made(&self, identity: &Identity, uid: &str) -> bool {
        let known = self.0.get(identity);
        known.is_some_and(|found| found.as_ref().is_none_or(|found| found != uid))
    }

    /// The uid of an object that was there before the plans of the lineage.
    fn found(&self, identity: &Identity) -> Option<&String> {
        self.0.get(identity)?.as_ref()
    }
}

/// What was there before a plan that gives back its place: each with its uid. It may have taken over what the one
/// that gets it back had never come to make.
pub(super) fn found_by_leaving(observed: &Observation) -> Result<BTreeMap<Identity, String>, Halt> {
    let Some(leaving) = &observed.succession.leaving else {
        return Ok(BTreeMap::new());
    };
    let Ok(members) = members(observed, leaving)? else {
        return Ok(BTreeMap::new());
    };
    let found = found::of(&leaving.status, (*leaving.intent).as_ref().ok());
    let found = found
        .into_iter()
        .filter(|(place, _)| *place < members.len());
    Ok(found
        .map(|(place, uid)| (members[place].identity.clone(), uid))
        .collect())
}

/// The lineage of plans that are gone, whose objects a plan takes over that replaces one of them.
pub(super) fn orphaned(case: &Case<'_>) -> Option<String> {
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
        return None;
    }
    let objects = (0..case.members.len()).filter_map(|place| case.object(place));
    let lineages = objects.filter_map(|object| lineage_of(object));
    let mut lineages: BTreeSet<_> = lineages
        .filter(|lineage| !living.contains(*lineage))
        .collect();
    let only = lineages.pop_first()?;
    lineages.is_empty().then(|| only.to_owned())
}

/// The lineage that wrote an object, as far as the object says so itself.
fn lineage_of(object: &Value) -> Option<&str> {
    let lineage = collision::lineage(object)?;
    let is_there = !text(object, "/metadata/uid").is_empty();
    (is_there && is_written_by(lineage, object)).then_some(lineage)
}

/// Says in a status what the plan is to those before and after it.
pub(super) fn say(observed: &Observation, status: &mut Status, leftovers: Option<&Leftovers>) {
    let (before, succession) = (&observed.status, &observed.succession);
    let is_alone = succession.predecessors.is_empty() && succession.successor.is_none();
    let is_refused = refusal(observed).or_else(|| rivalry(observed)).is_some();
    let is_related = !is_alone && !is_refused;
    if status.record.is_some() || is_related {
        let lineage = before.lineage.clone();
        status.lineage = lineage.or_else(|| Some(observed.plan.lineage.clone()));
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
    let said = replaced(observed, leftovers);
    set(
        status,
        said.or_else(|| before.condition(ConditionType::Replaced).cloned()),
    );
}

fn replaced(observed: &Observation, leftovers: Option<&Leftovers>) -> Option<Condition> {
    let (before, succession) = (&observed.status, &observed.succession);
    let said = match &succession.successor {
        Some(Peer { name, .. }) if is_over(observed) => {
            Said::yes(Reason::HandedOver, format!("{name} has taken its place"))
        }
        Some(Peer { name, .. }) => {
            Said::yes(Reason::HandingOver, format!("{name} takes its place"))
        }
        None => {
            let said = leftovers.and_then(|leftovers| leftovers.said.clone());
            said.unwrap_or_else(|| Said::not_yet(Reason::NotReplaced, "no plan takes its place"))
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
    Some(condition(
        ConditionType::Replaced,
        said,
        before,
        observed.plan.generation,
        observed.now,
    ))
}
