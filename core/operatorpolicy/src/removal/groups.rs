//! The OperatorGroup of a policy, and who else uses it.

use std::cmp::Reverse;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use portolan_api::Remove;
use portolan_core_olm::OperatorGroup;

use super::fate::{Fate, Stay};
use super::ground::Ground;
use super::inventory::{Item, elsewhere, once_recorded, told};
use super::own::Own;
use super::stage::Stage;
use crate::managed;

const STAGE: Stage = Stage::Groups;

/// The OperatorGroup of the namespace, if it is the policy's or stays anyway. Of several all stay.
pub(super) fn items(ground: &Ground<'_>, own: &Own<'_>, before: &[Item]) -> Vec<Item> {
    let one = match ground.groups() {
        [] => return Vec::new(),
        [one] => one,
        many => {
            let fate = || Fate::Stays(Stay::Many);
            let seen = many
                .iter()
                .map(|group| Item::seen(ground, STAGE, &**group, fate()));
            return seen.collect();
        }
    };
    let fate = fate(ground, own, before, one);
    let item = Item::seen(ground, STAGE, &**one, fate);
    Some(item)
        .filter(|item| is_meant(ground, item))
        .into_iter()
        .collect()
}

/// Whether the OperatorGroup is the one that the policy means: it has the name that the policy
/// gives it. Of another one it is only said that it stays, where it would stay under any name.
fn is_meant(ground: &Ground<'_>, item: &Item) -> bool {
    let wanted = ground.intent.operator_group.as_ref();
    let name = wanted.and_then(|group| group.name.as_deref());
    let is_named = name.is_none_or(|name| name == item.target.name);
    is_named
        || item.is_recorded
        || match &item.fate {
            Fate::Stays(Stay::Told | Stay::Used(_) | Stay::Managed(_)) => true,
            Fate::Stays(
                Stay::Obstacle(_)
                | Stay::Theirs
                | Stay::Shared(_)
                | Stay::Many
                | Stay::Successor
                | Stay::Elsewhere(_)
                | Stay::Foreign
                | Stay::Unowned,
            )
            | Fate::Goes => false,
        }
}

fn fate(ground: &Ground<'_>, own: &Own<'_>, before: &[Item], group: &OperatorGroup) -> Fate {
    let metadata = &group.metadata;
    let is_allowed =
        STAGE.removing(&ground.intent.removal).is_explicit || ground.made(STAGE, metadata);
    told(ground, STAGE)
        .or_else(|| used(ground, before))
        .or_else(|| managed(metadata))
        .or_else(|| theirs(ground, metadata))
        .or_else(|| once_recorded(ground, own, STAGE, metadata))
        .or_else(|| elsewhere(ground, own))
        .or_else(|| (!is_allowed).then_some(Fate::Stays(Stay::Foreign)))
        .unwrap_or(Fate::Goes)
}

/// Who uses the OperatorGroup: each operator of the namespace that is not about to go.
fn used(ground: &Ground<'_>, before: &[Item]) -> Option<Fate> {
    match STAGE.removing(&ground.intent.removal).remove {
        Remove::DeleteIfUnused => {}
        Remove::Keep | Remove::Delete => return None,
    }
    let stays = |metadata: &ObjectMeta| {
        let uid = metadata.uid.as_deref().unwrap_or_default();
        let mut going = before.iter().filter(|item| item.fate.goes());
        !going.any(|item| item.target.uid == uid)
    };
    let subscriptions = ground.subscriptions().iter().map(|each| &each.metadata);
    let subscriptions = subscriptions.map(|metadata| ("Subscription", metadata));
    let csvs = ground.csvs().iter().filter(|csv| !csv.is_copied());
    let csvs = csvs.map(|csv| ("ClusterServiceVersion", &csv.metadata));
    let users = subscriptions.chain(csvs);
    let users = users.filter(|(_, metadata)| stays(metadata));
    let (kind, user) = users.max_by_key(|(kind, metadata)| (*kind, Reverse(&metadata.name)))?;
    let name = user.name.as_deref().unwrap_or_default();
    Some(Fate::Stays(Stay::Used(format!("the {kind} {name}"))))
}

fn managed(metadata: &ObjectMeta) -> Option<Fate> {
    let owner = metadata.owner_references.iter().flatten().next()?;
    let owner = format!("the {} {}", owner.kind, owner.name);
    Some(Fate::Stays(Stay::Managed(owner)))
}

/// Whether another policy that is still there had it made. The mark of one that is gone tells no
/// more than that this policy did not.
fn theirs(ground: &Ground<'_>, metadata: &ObjectMeta) -> Option<Fate> {
    let mark = managed::creator(metadata)?;
    let mut neighbors = ground.observed.neighbors.iter();
    let is_theirs = neighbors.any(|other| other.id.uid.as_deref() == Some(mark));
    is_theirs.then_some(Fate::Stays(Stay::Theirs))
}
