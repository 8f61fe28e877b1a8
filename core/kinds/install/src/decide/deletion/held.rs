//! The reasons that prevent the deletion of a member, and the messages about them.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use portolan_api::plan::MemberState;
use portolan_core_names::ObjectRef;
use portolan_core_names::text::{cite, counted, listed};
use serde_json::Value;

use super::remaining::{RemainingMember, Remains};
use super::{Goal, PATIENCE};
use crate::decide::Halt;
use crate::decide::case::unanswered;
use crate::decide::decision::Ask;
use crate::discovery::defined;
use crate::object::{held_by, items, text};
use crate::others::Others;

/// The maximum number of objects that a message names.
const MOST_NAMED: usize = 5;

/// Returns the CRDs that must not be deleted, because Kubernetes would also delete objects of other
/// owners. Each CRD has a message.
pub(super) fn definitions(
    goal: &Goal<'_>,
    remains: &Remains<'_>,
) -> Result<BTreeMap<usize, String>, Halt> {
    let (mut asks, mut held) = (BTreeSet::new(), BTreeMap::new());
    let own = own(goal, remains);
    for (place, remaining) in &remains.at {
        let member = &goal.members[*place];
        let is_whole =
            matches!(remaining, RemainingMember::There(object) if deleted(object).is_none());
        let (kind, _) = defined(&member.manifest);
        // If the kind of a CRD is not served, the API server has not accepted its names. Such a CRD
        // has no objects.
        let is_served = goal.discovery.kind(&kind).is_some();
        if !member.identity.kind.is_definition() || !is_whole || !is_served {
            continue;
        }
        match goal.observed.of_kinds.get(&kind) {
            None => drop(asks.insert(Ask::OfKind(kind))),
            Some(others) => held.extend(lost(goal, others, &own).map(|said| (*place, said))),
        }
    }
    if asks.is_empty() {
        Ok(held)
    } else {
        Err(Halt::Ask(asks))
    }
}

/// Returns the message about a Namespace that is not deleted yet because it contains objects of
/// other owners. Returns None for a Namespace without such objects, and for all other kinds.
pub(super) fn namespace(
    goal: &Goal<'_>,
    remains: &Remains<'_>,
    place: usize,
) -> Result<Option<String>, Halt> {
    let identity = &goal.members[place].identity;
    if !identity.kind.is_namespace() {
        return Ok(None);
    }
    let name = &identity.name;
    let others = goal.observed.in_namespaces.get(name);
    let others = others.ok_or_else(|| Halt::ask(Ask::InNamespace(name.clone())))?;
    Ok(lost(goal, others, &own(goal, remains)))
}

/// Returns the objects that this deletion deletes itself.
fn own<'m>(goal: &'m Goal<'_>, remains: &Remains<'_>) -> BTreeSet<&'m ObjectRef> {
    let places = remains.at.keys();
    places.map(|place| &goal.members[*place].identity).collect()
}

/// Returns a message with the number and the names of the objects that Kubernetes would also
/// delete. Returns None if there are no such objects.
fn lost(goal: &Goal<'_>, others: &Others, own: &BTreeSet<&ObjectRef>) -> Option<String> {
    let (count, first) = match others {
        Others::Unreadable(sentence) => {
            let cited = cite(sentence);
            return Some(format!(
                "is not deleted, because it is unknown which other objects Kubernetes would delete \
                 with it: {cited}"
            ));
        }
        Others::Counted { count, first } => (count, first),
    };
    let staying: Vec<_> = first.iter().filter(|other| !own.contains(other)).collect();
    let count = staying.len() + count.saturating_sub(first.len());
    let objects = counted(i64::try_from(count).unwrap_or(i64::MAX), "object");
    let named = staying.iter().take(MOST_NAMED).map(ToString::to_string);
    let more = count.saturating_sub(MOST_NAMED);
    let more = (more > 0).then(|| format!("{more} more"));
    let names = listed(named.chain(more));
    let way_out = &goal.way_out;
    (count > 0).then(|| {
        format!(
            "is not deleted, because Kubernetes would also delete objects that must be kept: \
             {objects}, {names}; {way_out}"
        )
    })
}

/// Returns the state of a member that still exists, with a message.
pub(super) fn describe(
    remaining: &RemainingMember<'_>,
    held: Option<&String>,
) -> (MemberState, String) {
    match (remaining, held) {
        (RemainingMember::Unreadable(sentence), _) => (
            MemberState::Refused,
            format!("cannot be read: {}", cite(sentence)),
        ),
        (RemainingMember::Unanswered(sentence), _) => (MemberState::Held, unanswered(sentence)),
        (RemainingMember::Unserved, _) => {
            let sentence = "cannot be read: the API server no longer serves its kind";
            (MemberState::Held, sentence.to_owned())
        }
        (RemainingMember::There(_), Some(held)) => (MemberState::Held, held.clone()),
        (RemainingMember::There(object), None) if deleted(object).is_some() => (
            MemberState::Terminating,
            format!("is being deleted{}", holders(object)),
        ),
        (RemainingMember::There(_), None) => {
            (MemberState::Remaining, "is to be deleted".to_owned())
        }
    }
}

/// Returns the end of a sentence about what delays the deletion of an object: its finalizers, or
/// the conditions of a Namespace.
fn holders(object: &Value) -> String {
    let mut holders = held_by(object, ", ");
    let is_remaining = |condition: &&Value| {
        let about = text(condition, "/type");
        let about = matches!(
            about,
            "NamespaceContentRemaining" | "NamespaceFinalizersRemaining"
        );
        about && text(condition, "/status") == "True"
    };
    for condition in items(object, "/status/conditions")
        .iter()
        .filter(is_remaining)
    {
        holders.push_str(&format!("; {}", cite(text(condition, "/message"))));
    }
    holders
}

/// Returns the deletion timestamp of an object. Returns None if the object is not being deleted.
fn deleted(object: &Value) -> Option<&str> {
    let deleted = text(object, "/metadata/deletionTimestamp");
    (!deleted.is_empty()).then_some(deleted)
}

/// Describes how members block the deletion of a plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::decide) enum Held {
    #[default]
    No,
    /// Objects have been in deletion for too long. Contains the latest deletion time.
    Since(Timestamp),
    /// A member cannot be deleted now. It is unknown when this problem began.
    Now,
}

/// Returns how members block the deletion of a plan. `since` is the deletion time of the plan.
pub(super) fn held(
    now: Timestamp,
    since: Timestamp,
    remains: &Remains<'_>,
    held: &BTreeMap<usize, String>,
) -> Held {
    let is_over = |at: Timestamp| at.checked_add(PATIENCE).is_ok_and(|end| end <= now);
    let held = held.values().map(|_| Held::Now);
    let remaining = remains.at.values().map(|remaining| match remaining {
        // The program that serves this object may answer again before the plan gives up the
        // deletion.
        RemainingMember::Unanswered(_) => Held::No,
        RemainingMember::Unreadable(_) => Held::Now,
        // The deletion of a CRD also deletes its objects. The API server stops serving the kind a
        // moment before the CRD is gone. This is a problem only if it lasts.
        RemainingMember::Unserved if is_over(since) => Held::Now,
        RemainingMember::Unserved => Held::No,
        RemainingMember::There(object) => deleted(object).map_or(Held::No, |deleted| {
            let own = deleted.parse::<Timestamp>();
            let own = own.map_or(since, |own| own.max(since));
            if is_over(own) {
                Held::Since(own)
            } else {
                Held::No
            }
        }),
    });
    held.chain(remaining).max().unwrap_or_default()
}
