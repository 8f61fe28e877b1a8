//! The CRDs of an operator, and their custom resources, which are deleted together with them.

use portolan_api::RemainingObject;
use portolan_core_olm::{
    COMPONENT, ClusterServiceVersion, CustomResourceDefinition, ObjectIdentity, component,
};

use super::case::RemovalCase;
use super::disposition::{Disposition, KeepReason};
use super::inventory::{Inventory, Item, Progress, decided, elsewhere, once_recorded};
use super::operator::{OperatorObjects, is_labeled, owned};
use super::stage::Stage;
use crate::Instance;

const STAGE: Stage = Stage::Crds;

/// The custom resources of a CRD. The removal deletes the CRD only if they are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CustomResources<'a> {
    /// The custom resources are known. Contains the existing custom resources.
    Listed(&'a [Instance]),
    /// The custom resources cannot be listed. Contains the reason.
    Unlistable(&'a str),
    /// The custom resources have not been listed yet.
    NotListed,
}

/// Returns the CRDs that the bundles of the operator own, the recorded CRDs, and the CRDs with
/// OLM's label of the operator.
pub(super) fn items(
    removal: &RemovalCase<'_>,
    own: &OperatorObjects<'_>,
    before: &[Item],
) -> Vec<Item> {
    let all = removal.crds().iter().map(|crd| &**crd);
    let relevant = all.filter(|crd| {
        is_owned(own, crd)
            || removal.is_recorded(STAGE, &crd.metadata)
            || is_labeled(removal, &crd.metadata)
    });
    let seen = |crd: &CustomResourceDefinition| {
        let disposition = disposition(removal, own, before, crd);
        Item::from_object(removal, STAGE, crd, disposition)
    };
    relevant.map(seen).collect()
}

fn is_owned(own: &OperatorObjects<'_>, crd: &CustomResourceDefinition) -> bool {
    let name = crd.metadata.name.as_deref();
    name.is_some_and(|name| own.crds.contains(name))
}

fn disposition(
    removal: &RemovalCase<'_>,
    own: &OperatorObjects<'_>,
    before: &[Item],
    crd: &CustomResourceDefinition,
) -> Disposition {
    let metadata = &crd.metadata;
    decided(removal, STAGE)
        .or_else(|| shared(removal, own, before, crd))
        .or_else(|| once_recorded(removal, own, STAGE, metadata))
        .or_else(|| elsewhere(removal, own))
        .or_else(|| (!is_owned(own, crd)).then_some(Disposition::Keep(KeepReason::Unowned)))
        .unwrap_or(Disposition::Delete)
}

/// Keeps a CRD that another operator also owns. Returns None if no other operator owns the CRD.
fn shared(
    removal: &RemovalCase<'_>,
    own: &OperatorObjects<'_>,
    before: &[Item],
    crd: &CustomResourceDefinition,
) -> Option<Disposition> {
    let name = crd.metadata.name.as_deref()?;
    let all = removal.csvs().iter().chain(&removal.namespace.owners);
    let others = all
        .map(|csv| &**csv)
        .filter(|csv| !csv.is_copied() && !is_of(own, before, csv))
        .filter(|csv| owned(csv).any(|each| each == name))
        .map(|csv| csv.identity());
    let identity = others.min_by(|one, other| {
        let place = |each: &ObjectIdentity| (each.namespace.clone(), each.name.clone());
        place(one).cmp(&place(other))
    });
    let Some(identity) = identity else {
        return labeled(removal, crd);
    };
    let place = identity.namespace.unwrap_or_default();
    let by = format!("ClusterServiceVersion {place}/{}", identity.name);
    Some(Disposition::Keep(KeepReason::Shared(by)))
}

/// Keeps a CRD with OLM's label of another installation: the same operator in another namespace, or
/// another operator. Returns None if the CRD has no such label.
fn labeled(removal: &RemovalCase<'_>, crd: &CustomResourceDefinition) -> Option<Disposition> {
    let own = component(removal.package(), &removal.namespace.name);
    let operators = COMPONENT.suffixes(&crd.metadata);
    let other = operators.filter(|name| *name != own).min()?;
    Some(Disposition::Keep(KeepReason::Shared(format!(
        "operator {other}"
    ))))
}

/// Returns true if the ClusterServiceVersion belongs to this operator and existed before the
/// removal began.
fn is_of(own: &OperatorObjects<'_>, before: &[Item], csv: &ClusterServiceVersion) -> bool {
    let uid = csv.metadata.uid.as_deref().unwrap_or_default();
    let mut items = before.iter().filter(|item| item.stage == Stage::Csvs);
    let is_new = items.any(|item| {
        item.target.uid == uid && item.disposition == Disposition::Keep(KeepReason::Successor)
    });
    let mut csvs = own.csvs.iter();
    !is_new && csvs.any(|each| each.metadata.uid == csv.metadata.uid)
}

/// Returns the custom resources of a CRD.
pub(super) fn custom_resources<'a>(removal: &RemovalCase<'a>, name: &str) -> CustomResources<'a> {
    let mut all = removal.namespace.instances.iter();
    match all.find(|each| each.crd == name).map(|each| &each.found) {
        Some(Ok(found)) => CustomResources::Listed(found),
        Some(Err(why)) => CustomResources::Unlistable(why),
        None => CustomResources::NotListed,
    }
}

/// Returns the custom resources whose finalizers delay the deletion of CRDs.
pub(super) fn remaining(removal: &RemovalCase<'_>, inventory: &Inventory) -> Vec<RemainingObject> {
    let leaving = inventory
        .at(STAGE)
        .filter(|item| item.disposition.is_delete() && item.progress == Progress::Terminating);
    let mut remaining: Vec<_> = leaving
        .flat_map(|item| held(removal, &item.target.name))
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

/// Returns the custom resources of a CRD that have finalizers.
pub(super) fn held<'a>(
    removal: &RemovalCase<'a>,
    name: &str,
) -> impl Iterator<Item = &'a Instance> + use<'a> {
    let found = match custom_resources(removal, name) {
        CustomResources::Listed(found) => found,
        CustomResources::Unlistable(_) | CustomResources::NotListed => &[],
    };
    found
        .iter()
        .filter(|instance| !instance.finalizers.is_empty())
}

/// Returns true if a CRD has more custom resources than were listed.
pub(super) fn has_more(removal: &RemovalCase<'_>, name: &str) -> bool {
    let mut all = removal.namespace.instances.iter();
    all.any(|each| each.crd == name && each.has_more)
}
