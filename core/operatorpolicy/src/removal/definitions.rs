//! The definitions that an operator brought, and the custom resources that go with them.

use portolan_api::RemainingObject;
use portolan_core_olm::{
    COMPONENT, ClusterServiceVersion, CustomResourceDefinition, Identity, component,
};

use super::fate::{Fate, Stay};
use super::ground::Ground;
use super::inventory::{Inventory, Item, Sight, elsewhere, once_recorded, told};
use super::own::{Own, owned};
use super::stage::Stage;
use crate::Instance;

const STAGE: Stage = Stage::Definitions;

/// Whether a definition may be deleted now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Consequence<'a> {
    /// Its custom resources are known; these are held by something.
    Known(&'a [Instance]),
    /// They cannot be listed, for this reason.
    Hidden(&'a str),
    /// Nobody has looked yet.
    Unseen,
}

/// The definitions that the bundles own, those of the record, and those that OLM has labeled.
pub(super) fn items(ground: &Ground<'_>, own: &Own<'_>, before: &[Item]) -> Vec<Item> {
    let all = ground.definitions().iter().map(|definition| &**definition);
    let relevant = all.filter(|definition| {
        is_owned(own, definition)
            || ground.is_recorded(STAGE, &definition.metadata)
            || own.labels(ground, definition)
    });
    let seen = |definition: &CustomResourceDefinition| {
        let fate = fate(ground, own, before, definition);
        Item::seen(ground, STAGE, definition, fate)
    };
    relevant.map(seen).collect()
}

fn is_owned(own: &Own<'_>, definition: &CustomResourceDefinition) -> bool {
    let name = definition.metadata.name.as_deref();
    name.is_some_and(|name| own.definitions.contains(name))
}

fn fate(
    ground: &Ground<'_>,
    own: &Own<'_>,
    before: &[Item],
    definition: &CustomResourceDefinition,
) -> Fate {
    let metadata = &definition.metadata;
    told(ground, STAGE)
        .or_else(|| shared(ground, own, before, definition))
        .or_else(|| once_recorded(ground, own, STAGE, metadata))
        .or_else(|| elsewhere(ground, own))
        .or_else(|| (!is_owned(own, definition)).then_some(Fate::Stays(Stay::Unowned)))
        .unwrap_or(Fate::Goes)
}

/// Whether a bundle that is not of this operator here owns a definition as well.
fn shared(
    ground: &Ground<'_>,
    own: &Own<'_>,
    before: &[Item],
    definition: &CustomResourceDefinition,
) -> Option<Fate> {
    let name = definition.metadata.name.as_deref()?;
    let all = ground.csvs().iter().chain(&ground.scene.owners);
    let others = all
        .map(|csv| &**csv)
        .filter(|csv| !csv.is_copied() && !is_of(own, before, csv))
        .filter(|csv| owned(csv).any(|each| each == name))
        .map(|csv| csv.identity());
    let identity = others.min_by(|one, other| {
        let place = |each: &Identity| (each.namespace.clone(), each.name.clone());
        place(one).cmp(&place(other))
    });
    let Some(identity) = identity else {
        return labeled(ground, definition);
    };
    let place = identity.namespace.unwrap_or_default();
    let by = format!(
        "the ClusterServiceVersion {} of the namespace {place}",
        identity.name
    );
    Some(Fate::Stays(Stay::Shared(by)))
}

/// Whether OLM has labeled a definition as that of an operator elsewhere as well: the same one in
/// another namespace, or another one.
fn labeled(ground: &Ground<'_>, definition: &CustomResourceDefinition) -> Option<Fate> {
    let own = component(ground.package(), &ground.scene.name);
    let operators = COMPONENT.rests(&definition.metadata);
    let other = operators.filter(|name| *name != own).min()?;
    Some(Fate::Stays(Stay::Shared(format!("the operator {other}"))))
}

/// Whether a ClusterServiceVersion is one of this operator, and not one that came after it.
fn is_of(own: &Own<'_>, before: &[Item], csv: &ClusterServiceVersion) -> bool {
    let uid = csv.metadata.uid.as_deref().unwrap_or_default();
    let mut items = before.iter().filter(|item| item.stage == Stage::Csvs);
    let is_new =
        items.any(|item| item.target.uid == uid && item.fate == Fate::Stays(Stay::Successor));
    let mut csvs = own.csvs.iter();
    !is_new && csvs.any(|each| each.metadata.uid == csv.metadata.uid)
}

/// What goes with a definition.
pub(super) fn consequence<'a>(ground: &Ground<'a>, name: &str) -> Consequence<'a> {
    let mut all = ground.scene.instances.iter();
    match all
        .find(|each| each.definition == name)
        .map(|each| &each.found)
    {
        Some(Ok(found)) => Consequence::Known(found),
        Some(Err(why)) => Consequence::Hidden(why),
        None => Consequence::Unseen,
    }
}

/// The custom resources that hold up definitions which are being deleted.
pub(super) fn remaining(ground: &Ground<'_>, inventory: &Inventory) -> Vec<RemainingObject> {
    let leaving = inventory
        .at(STAGE)
        .filter(|item| item.fate.goes() && item.sight == Sight::Leaving);
    let mut remaining: Vec<_> = leaving
        .flat_map(|item| held(ground, &item.target.name))
        .map(|instance| RemainingObject {
            api_version: instance.api_version.clone(),
            finalizers: instance.finalizers.clone(),
            kind: instance.kind.clone(),
            name: instance.name.clone(),
            namespace: instance.namespace.clone(),
        })
        .collect();
    remaining.sort_by(|one, other| {
        let place =
            |each: &RemainingObject| (each.kind.clone(), each.namespace.clone(), each.name.clone());
        place(one).cmp(&place(other))
    });
    remaining
}

/// The custom resources of a definition that something holds.
pub(super) fn held<'a>(
    ground: &Ground<'a>,
    name: &str,
) -> impl Iterator<Item = &'a Instance> + use<'a> {
    let found = match consequence(ground, name) {
        Consequence::Known(found) => found,
        Consequence::Hidden(_) | Consequence::Unseen => &[],
    };
    found
        .iter()
        .filter(|instance| !instance.finalizers.is_empty())
}

/// Whether a definition has custom resources that were not looked at.
pub(super) fn has_more(ground: &Ground<'_>, name: &str) -> bool {
    let mut all = ground.scene.instances.iter();
    all.any(|each| each.definition == name && each.has_more)
}
