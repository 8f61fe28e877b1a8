//! What keeps a member from going, and how that is said.

use std::collections::BTreeMap;

use jiff::Timestamp;
use portolan_api::plan::{ABANDON, MemberState};
use portolan_core_names::text::{cite, counted, listed};
use serde_json::Value;

use super::PATIENCE;
use super::look::{Remains, Standing};
use super::sequence::Sequence;
use crate::decide::Halt;
use crate::decide::observation::{Ask, Observation};
use crate::discovery::{Discovery, defined};
use crate::manifest::Members;
use crate::object::{Identity, items, text};
use crate::others::Others;

/// The most objects that are named.
const MOST_NAMED: usize = 5;

/// The definitions that would go with objects that the plan did not make.
pub(super) fn definitions(
    observed: &Observation,
    members: &Members,
    discovery: &Discovery,
    remains: &Remains<'_>,
) -> Result<BTreeMap<usize, String>, Halt> {
    let (mut asks, mut held) = (Vec::new(), BTreeMap::new());
    for (place, standing) in &remains.at {
        let member = &members[*place];
        let is_whole = matches!(standing, Standing::There(object) if deleted(object).is_none());
        let (kind, _) = defined(&member.manifest);
        // What nobody serves has no objects: its names were never accepted.
        if !member.identity.kind.is_definition() || !is_whole || discovery.kind(&kind).is_none() {
            continue;
        }
        let Some(others) = observed.of_kinds.get(&kind) else {
            asks.push(Ask::OfKind(kind));
            continue;
        };
        let staying = remains
            .staying
            .iter()
            .map(|place| &members[*place].identity);
        let staying = staying.filter(|identity| identity.kind == kind);
        held.extend(lost(others, staying).map(|objects| (*place, waits(&objects))));
    }
    if asks.is_empty() {
        Ok(held)
    } else {
        Err(Halt::Ask(asks.into_iter().collect()))
    }
}

/// Why a Namespace does not go yet that has what the plan did not make; None of other members.
pub(super) fn namespace(
    observed: &Observation,
    members: &Members,
    remains: &Remains<'_>,
    place: usize,
) -> Result<Option<String>, Halt> {
    let identity = &members[place].identity;
    if !identity.kind.is_namespace() {
        return Ok(None);
    }
    let name = &identity.name;
    let Some(others) = observed.in_namespaces.get(name) else {
        return Err(Ask::InNamespace(name.clone()).into());
    };
    let staying = remains
        .staying
        .iter()
        .map(|place| &members[*place].identity);
    let staying = staying.filter(|identity| identity.namespace.as_ref() == Some(name));
    Ok(lost(others, staying).map(|objects| waits(&objects)))
}

fn waits(objects: &str) -> String {
    format!(
        "waits, as with it would be lost {objects}; delete these, or keep all that the plan made by \
         the annotation {ABANDON}=true"
    )
}

/// What would be lost, counted and named; None if nothing would.
fn lost<'m>(others: &Others, staying: impl Iterator<Item = &'m Identity>) -> Option<String> {
    let staying: Vec<_> = staying.collect();
    match others {
        Others::Unreadable(sentence) => Some(format!("what cannot be counted: {}", cite(sentence))),
        Others::Counted { count, first } => {
            let count = count + staying.len();
            let names: Vec<_> = staying
                .into_iter()
                .chain(first)
                .map(ToString::to_string)
                .collect();
            let some = names.iter().take(MOST_NAMED);
            let others = count.saturating_sub(MOST_NAMED.min(names.len()));
            let more = (others > 0).then(|| format!("{others} others"));
            let names = listed(some.chain(&more));
            (count > 0).then(|| {
                format!(
                    "{} that the plan did not make, {names}",
                    counted(count as i64, "object")
                )
            })
        }
    }
}

/// How a member is that is still there.
pub(super) fn told(standing: &Standing<'_>, held: Option<&String>) -> (MemberState, String) {
    match (standing, held) {
        (Standing::Unreadable(sentence), _) => (
            MemberState::Refused,
            format!("cannot be read: {}", cite(sentence)),
        ),
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

/// Who holds an object that is being deleted, by its finalizers or by what a Namespace says.
fn holders(object: &Value) -> String {
    let finalizers = items(object, "/metadata/finalizers");
    let finalizers = listed(finalizers.iter().filter_map(Value::as_str));
    let mut holders = match finalizers.as_str() {
        "" => String::new(),
        finalizers => format!(", held by {finalizers}"),
    };
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

/// When somebody deleted an object.
fn deleted(object: &Value) -> Option<&str> {
    let deleted = text(object, "/metadata/deletionTimestamp");
    (!deleted.is_empty()).then_some(deleted)
}

/// Since when the deletion of a plan is held up; None if it is not. What is being deleted has its
/// own time.
pub(super) fn since(
    now: Timestamp,
    since: Timestamp,
    remains: &Remains<'_>,
    sequence: &Sequence,
) -> Option<Timestamp> {
    let held = sequence.held.values().map(|_| since);
    let standing = remains.at.values().filter_map(|standing| match standing {
        Standing::Unreadable(_) | Standing::Unserved => Some(since),
        Standing::There(object) => {
            let deleted = deleted(object)?;
            let own = deleted
                .parse::<Timestamp>()
                .map_or(since, |own| own.max(since));
            let patient = own.checked_add(PATIENCE).ok()?;
            (patient <= now).then_some(own)
        }
    });
    held.chain(standing).max()
}
