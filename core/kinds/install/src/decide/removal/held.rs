//! The reasons that keep a member from going, and the messages about them.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use portolan_api::plan::MemberState;
use portolan_core_names::text::{cite, counted, listed};
use serde_json::Value;

use super::PATIENCE;
use super::goal::Goal;
use super::remaining::{Remains, Standing};
use super::sequence::Sequence;
use crate::decide::Halt;
use crate::decide::case::unanswered;
use crate::decide::observation::Ask;
use crate::discovery::defined;
use crate::object::{Identity, held_by, items, text};
use crate::others::Others;

/// The most objects that are named.
const MOST_NAMED: usize = 5;

/// The definitions that would go with objects that are to stay.
pub(super) fn definitions(
    goal: &Goal<'_>,
    remains: &Remains<'_>,
) -> Result<BTreeMap<usize, String>, Halt> {
    let (mut asks, mut held) = (BTreeSet::new(), BTreeMap::new());
    let own = own(goal, remains);
    for (place, standing) in &remains.at {
        let member = &goal.members[*place];
        let is_whole = matches!(standing, Standing::There(object) if deleted(object).is_none());
        let (kind, _) = defined(&member.manifest);
        // What nobody serves has no objects: its names were never accepted.
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

/// The reason why a Namespace does not go yet, as it has objects that are to stay; None if it has
/// none, and for other members.
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

/// The objects that go.
fn own<'m>(goal: &'m Goal<'_>, remains: &Remains<'_>) -> BTreeSet<&'m Identity> {
    let places = remains.at.keys();
    places.map(|place| &goal.members[*place].identity).collect()
}

/// The sentence with the objects that would be lost, counted and named; None if there are none.
fn lost(goal: &Goal<'_>, others: &Others, own: &BTreeSet<&Identity>) -> Option<String> {
    let (count, first) = match others {
        Others::Unreadable(sentence) => {
            let cited = cite(sentence);
            return Some(format!(
                "waits, as what would be lost with it cannot be counted: {cited}"
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
        format!("waits, as with it would be lost what is to stay: {objects}, {names}; {way_out}")
    })
}

/// The state of a member that is still there, with a sentence.
pub(super) fn told(standing: &Standing<'_>, held: Option<&String>) -> (MemberState, String) {
    match (standing, held) {
        (Standing::Unreadable(sentence), _) => (
            MemberState::Refused,
            format!("cannot be read: {}", cite(sentence)),
        ),
        (Standing::Unanswered(sentence), _) => (MemberState::Held, unanswered(sentence)),
        (Standing::Unserved, _) => {
            let sentence = "cannot be seen: nobody serves its kind now";
            (MemberState::Held, sentence.to_owned())
        }
        (Standing::There(_), Some(held)) => (MemberState::Held, held.clone()),
        (Standing::There(object), None) if deleted(object).is_some() => (
            MemberState::Terminating,
            format!("is being deleted{}", holders(object)),
        ),
        (Standing::There(_), None) => (MemberState::Remaining, "is to be deleted".to_owned()),
    }
}

/// The holders of an object that is being deleted, by its finalizers or by what a Namespace says,
/// as the end of a sentence.
fn holders(object: &Value) -> String {
    let mut holders = held_by(object);
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

/// The deletion timestamp of an object; None if it is not being deleted.
fn deleted(object: &Value) -> Option<&str> {
    let deleted = text(object, "/metadata/deletionTimestamp");
    (!deleted.is_empty()).then_some(deleted)
}

/// The way in which members hold up the deletion of a plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::decide) enum Held {
    #[default]
    No,
    /// Objects are being deleted and stay, the last of them since then.
    Since(Timestamp),
    /// A member cannot be deleted now. The cluster does not say since when.
    Now,
}

/// Returns the way in which members hold up the deletion of a plan, which was deleted at `since`.
pub(super) fn held(
    now: Timestamp,
    since: Timestamp,
    remains: &Remains<'_>,
    sequence: &Sequence,
) -> Held {
    let is_over = |at: Timestamp| at.checked_add(PATIENCE).is_ok_and(|end| end <= now);
    let held = sequence.held.values().map(|_| Held::Now);
    let standing = remains.at.values().map(|standing| match standing {
        // Who answers about it may be back before the time is over that a deletion waits for.
        Standing::Unanswered(_) => Held::No,
        Standing::Unreadable(_) => Held::Now,
        // A definition that goes takes its objects with it, and is there for a moment longer than its kind is served.
        Standing::Unserved if is_over(since) => Held::Now,
        Standing::Unserved => Held::No,
        Standing::There(object) => deleted(object).map_or(Held::No, |deleted| {
            let own = deleted.parse::<Timestamp>();
            let own = own.map_or(since, |own| own.max(since));
            if is_over(own) {
                Held::Since(own)
            } else {
                Held::No
            }
        }),
    });
    held.chain(standing).max().unwrap_or_default()
}
