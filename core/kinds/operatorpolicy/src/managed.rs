//! Reads from an object's metadata which policy the object belongs to, and which field managers own
//! its fields.

#[cfg(test)]
mod tests;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry;
use kube_core::ObjectMeta;
use portolan_api::{CREATED_BY, ESTABLISHED, FINALIZER, MANAGED, MANAGER, MARK, OperatorPolicy};
use portolan_core_olm::{
    Annotation, COMPONENT, ClusterServiceVersion, CustomResourceDefinition, InstallPlan, Label,
    Managers, OperatorGroup, Reads, Subscription,
};

use crate::case::Case;

/// The annotation with the uid of the policy that created the object.
const CREATOR: Annotation = Annotation::new(CREATED_BY);
/// The label of a Subscription that policies manage.
const MARKED: Label = Label::new(MANAGED);

/// The metadata that this controller reads in addition to the metadata that all controllers read:
/// marks, owners, field managers and finalizers.
pub const READS: &[Reads] = &[
    Reads::of::<ClusterServiceVersion>().finalizers(),
    Reads::of::<CustomResourceDefinition>()
        .labels(&[COMPONENT])
        .finalizers(),
    Reads::of::<InstallPlan>().labels(&[COMPONENT]).owners(),
    Reads::of::<OperatorGroup>()
        .annotations(&[MARK, CREATOR])
        .owners()
        .managers(Managers::OfSpec),
    Reads::of::<OperatorPolicy>()
        .owners()
        .finalizers()
        .managers(Managers::OfStatus)
        .in_full(),
    Reads::of::<Subscription>()
        .annotations(&[MARK, CREATOR])
        .labels(&[MARKED])
        .managers(Managers::OfSpec),
];

/// Returns the mark that this policy writes to its objects: the namespace, a dot and the name of
/// the policy.
pub(crate) fn mark(case: &Case<'_>) -> String {
    let metadata = &case.observed.policy.metadata;
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    format!("{}.{}", text(&metadata.namespace), text(&metadata.name))
}

/// Returns the mark of an object, which names its policy. Returns None if the object has no mark.
pub(crate) fn marked(metadata: &ObjectMeta) -> Option<&str> {
    MARK.of(metadata).filter(|mark| !mark.is_empty())
}

/// Returns true if the object has the label of Subscriptions that policies manage.
pub(crate) fn is_labeled(metadata: &ObjectMeta) -> bool {
    MARKED.of(metadata).is_some()
}

/// Returns true if the mark of the object names this policy.
pub(crate) fn is_own(case: &Case<'_>, metadata: &ObjectMeta) -> bool {
    marked(metadata) == Some(mark(case).as_str())
}

/// Returns the uid of the policy that created an object. Returns None if no policy created it.
pub fn creator(metadata: &ObjectMeta) -> Option<&str> {
    CREATOR.of(metadata)
}

/// Returns true if this policy created the object, according to the object's annotation or the
/// previous status.
pub(crate) fn is_created(case: &Case<'_>, metadata: &ObjectMeta) -> bool {
    let policy = case.observed.policy.metadata.uid.as_deref();
    if policy.is_some() && creator(metadata) == policy {
        return true;
    }
    let uid = metadata.uid.as_deref().filter(|uid| !uid.is_empty());
    let before = case.before.related_objects.iter();
    let mut listed = before.filter_map(|related| related.properties.as_ref());
    uid.is_some()
        && listed
            .any(|listed| listed.uid.as_deref() == uid && listed.created_by_policy == Some(true))
}

/// Returns true if the policy has Portolan's finalizer.
pub(crate) fn has_finalizer(policy: &OperatorPolicy) -> bool {
    let mut finalizers = policy.metadata.finalizers.iter().flatten();
    finalizers.any(|each| each == FINALIZER)
}

/// Returns true if a policy is being deleted and no longer has Portolan's finalizer.
pub(crate) fn is_let_go(policy: &OperatorPolicy) -> bool {
    policy.metadata.deletion_timestamp.is_some() && !has_finalizer(policy)
}

/// Returns true if the observed object contains its field managers.
pub(crate) fn tells_owners(metadata: &ObjectMeta) -> bool {
    metadata
        .managed_fields
        .as_ref()
        .is_some_and(|entries| !entries.is_empty())
}

/// Returns true if this controller owns a field through an apply or a create.
pub(crate) fn owns(metadata: &ObjectMeta, path: &[&str]) -> bool {
    ours(metadata).any(|entry| portolan_api::owns(entry, path))
}

/// Returns true if this controller owns a field through an apply. A create also makes the
/// controller the owner of the defaults that the API server adds. A field that the controller owns
/// only through a create may therefore not come from the policy.
pub(crate) fn applies(metadata: &ObjectMeta, path: &[&str]) -> bool {
    let mut ours = ours(metadata).filter(|entry| entry.operation.as_deref() == Some("Apply"));
    ours.any(|entry| portolan_api::owns(entry, path))
}

fn ours(metadata: &ObjectMeta) -> impl Iterator<Item = &ManagedFieldsEntry> {
    entries(metadata).filter(|entry| entry.manager.as_deref() == Some(MANAGER))
}

/// Returns the other field managers that own a field or one of its subfields, sorted. Omits the
/// established controller, because this controller takes over its fields without a report.
pub(crate) fn others(metadata: &ObjectMeta, path: &[&str]) -> Vec<String> {
    let entries = entries(metadata).filter(|entry| portolan_api::owns(entry, path));
    let names = entries.filter_map(|entry| entry.manager.clone());
    let mut names: Vec<_> = names
        .filter(|name| name != MANAGER && name != ESTABLISHED)
        .collect();
    names.sort();
    names.dedup();
    names
}

/// Returns true if the established controller wrote the spec of the object.
pub(crate) fn is_of_established(metadata: &ObjectMeta) -> bool {
    entries(metadata).any(|entry| {
        entry.manager.as_deref() == Some(ESTABLISHED) && portolan_api::owns(entry, &["spec"])
    })
}

fn entries(metadata: &ObjectMeta) -> impl Iterator<Item = &ManagedFieldsEntry> {
    let entries = metadata.managed_fields.iter().flatten();
    entries.filter(|entry| entry.subresource.as_deref().unwrap_or_default().is_empty())
}
