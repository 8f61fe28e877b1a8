//! The OperatorGroups of a policy, and the operators and policies that use them.

use std::cmp::Reverse;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use portolan_api::{Presence, Remove, Says, Withheld};
use portolan_core_olm::OperatorGroup;

use super::case::RemovalCase;
use super::disposition::{Disposition, KeepReason};
use super::inventory::{Item, decided, elsewhere, once_recorded};
use super::operator::OperatorObjects;
use super::stage::Stage;
use crate::managed;

const STAGE: Stage = Stage::Groups;

/// Returns the OperatorGroups that belong to the policy or must be kept for another reason. If the
/// namespace has several OperatorGroups, all are kept.
pub(super) fn items(
    removal: &RemovalCase<'_>,
    own: &OperatorObjects<'_>,
    before: &[Item],
) -> Vec<Item> {
    let one = match removal.groups() {
        [] => return Vec::new(),
        [one] => one,
        many => {
            let disposition = || Disposition::Keep(KeepReason::Many);
            let seen = many
                .iter()
                .map(|group| Item::from_object(removal, STAGE, &**group, disposition()));
            return seen.collect();
        }
    };
    let disposition = disposition(removal, own, before, one);
    let item = Item::from_object(removal, STAGE, &**one, disposition);
    Some(item)
        .filter(|item| is_meant(removal, item, &one.metadata))
        .into_iter()
        .collect()
}

/// Returns true if the report about the removal includes this OperatorGroup.
///
/// If the policy names an OperatorGroup, only the OperatorGroup with this name is included. If the
/// policy names none, every OperatorGroup is included. If it names none and its operator must be
/// absent, only an OperatorGroup that a policy created is included. Any OperatorGroup is also
/// included if it was recorded, or if it is kept because of the policy's settings, its users or its
/// owner.
fn is_meant(removal: &RemovalCase<'_>, item: &Item, metadata: &ObjectMeta) -> bool {
    let wanted = removal.intent.operator_group.as_ref();
    let name = wanted.and_then(|group| group.name.as_deref());
    let is_named = match (name, removal.intent.presence) {
        (Some(name), _) => name == item.target.name,
        (None, Presence::MustHave) => true,
        (None, Presence::MustNotHave) => {
            removal.made(STAGE, metadata) || managed::creator(metadata).is_some()
        }
    };
    is_named
        || item.is_recorded
        || match &item.disposition {
            Disposition::Keep(
                KeepReason::ByPolicy | KeepReason::Used(_) | KeepReason::Managed(_),
            ) => true,
            Disposition::Keep(
                KeepReason::Obstacle(_)
                | KeepReason::Theirs
                | KeepReason::Shared(_)
                | KeepReason::Many
                | KeepReason::Successor
                | KeepReason::Elsewhere(_)
                | KeepReason::Foreign
                | KeepReason::Unowned,
            )
            | Disposition::Delete => false,
        }
}

fn disposition(
    removal: &RemovalCase<'_>,
    own: &OperatorObjects<'_>,
    before: &[Item],
    group: &OperatorGroup,
) -> Disposition {
    let metadata = &group.metadata;
    // If another policy created the OperatorGroup, that policy no longer exists here and cannot
    // delete the OperatorGroup.
    let is_allowed = STAGE.removing(&removal.intent.removal).is_explicit
        || removal.made(STAGE, metadata)
        || managed::creator(metadata).is_some();
    decided(removal, STAGE)
        .or_else(|| used(removal, own, before))
        .or_else(|| managed(metadata))
        .or_else(|| theirs(removal, metadata))
        .or_else(|| once_recorded(removal, own, STAGE, metadata))
        .or_else(|| elsewhere(removal, own))
        .or_else(|| (!is_allowed).then_some(Disposition::Keep(KeepReason::Foreign)))
        .unwrap_or(Disposition::Delete)
}

/// Keeps an OperatorGroup that is still in use. Returns None if it is unused.
///
/// Its users are the operators that stay in the namespace, and other policies that need an operator
/// there. If the policy sets `Delete`, only existing operators count, because OLM stops an operator
/// without an OperatorGroup.
fn used(
    removal: &RemovalCase<'_>,
    own: &OperatorObjects<'_>,
    before: &[Item],
) -> Option<Disposition> {
    let only_others = match STAGE.removing(&removal.intent.removal).remove {
        Remove::DeleteIfUnused => false,
        Remove::Delete => true,
        Remove::Keep => return None,
    };
    let is_own = |metadata: &ObjectMeta| only_others && own.has(metadata);
    let user = user(removal, before, is_own).or_else(|| wanted(removal))?;
    Some(Disposition::Keep(KeepReason::Used(user)))
}

/// Returns the first operator of the namespace that stays. Returns None if no operator stays.
fn user(
    removal: &RemovalCase<'_>,
    before: &[Item],
    is_left_out: impl Fn(&ObjectMeta) -> bool,
) -> Option<String> {
    let stays = |metadata: &ObjectMeta| {
        let uid = metadata.uid.as_deref().unwrap_or_default();
        let mut going = before.iter().filter(|item| item.disposition.is_delete());
        !going.any(|item| item.target.uid == uid)
    };
    let subscriptions = removal.subscriptions().iter().map(|each| &each.metadata);
    let subscriptions = subscriptions.map(|metadata| ("Subscription", metadata));
    let csvs = removal.csvs().iter().filter(|csv| !csv.is_copied());
    let csvs = csvs.map(|csv| ("ClusterServiceVersion", &csv.metadata));
    let users = subscriptions.chain(csvs);
    let users = users.filter(|(_, metadata)| stays(metadata) && !is_left_out(metadata));
    let (kind, user) = users.max_by_key(|(kind, metadata)| (*kind, Reverse(&metadata.name)))?;
    let name = user.name.as_deref().unwrap_or_default();
    Some(format!("{kind} {name}"))
}

/// Returns the first other policy that needs another operator in the namespace. Returns None if
/// there is no such policy.
fn wanted(removal: &RemovalCase<'_>) -> Option<String> {
    let here = removal.namespace.name.as_str();
    let neighbors = removal.observed.neighbors.iter();
    let wanting = neighbors.filter(|other| {
        let wants = match &other.says {
            Says::Allows(_) | Says::Withholds(Withheld::Overlaps(_)) => true,
            Says::Withholds(
                Withheld::Leaving | Withheld::Invalid(_) | Withheld::Inform | Withheld::MustNotHave,
            ) => false,
        };
        let is_other = other.package != removal.intent.subscription.package;
        wants && is_other && other.namespace.as_deref() == Some(here)
    });
    let names = wanting.map(|other| format!("{}/{}", other.id.namespace, other.id.name));
    names.min().map(|name| format!("policy {name}"))
}

fn managed(metadata: &ObjectMeta) -> Option<Disposition> {
    let owner = metadata.owner_references.iter().flatten().next()?;
    let owner = format!("{} {}", owner.kind, owner.name);
    Some(Disposition::Keep(KeepReason::Managed(owner)))
}

/// Keeps an OperatorGroup that another existing policy created. Returns None for any other
/// OperatorGroup.
fn theirs(removal: &RemovalCase<'_>, metadata: &ObjectMeta) -> Option<Disposition> {
    let mark = managed::creator(metadata)?;
    let mut neighbors = removal.observed.neighbors.iter();
    let is_theirs = neighbors.any(|other| other.id.uid.as_deref() == Some(mark));
    is_theirs.then_some(Disposition::Keep(KeepReason::Theirs))
}
