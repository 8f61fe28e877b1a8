//! Whose an object is, and whose its fields are.

#[cfg(test)]
mod tests;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry;
use kube_core::ObjectMeta;
use portolan_api::{CREATED_BY, MANAGED, MANAGER};
use serde_json::Map;

use crate::case::Case;

/// The established controller of policies, whose fields are taken over without a word.
const ESTABLISHED: &str = "config-policy-controller";

/// The mark of the policy: its namespace, a dot, its name.
pub(crate) fn mark(case: &Case<'_>) -> String {
    let metadata = &case.observed.policy.metadata;
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    format!("{}.{}", text(&metadata.namespace), text(&metadata.name))
}

/// The mark that an object bears.
pub(crate) fn marked(metadata: &ObjectMeta) -> Option<&str> {
    let annotations = metadata.annotations.as_ref()?;
    let mark = annotations.get(MANAGED).map(String::as_str);
    mark.filter(|mark| !mark.is_empty())
}

/// Whether it bears the mark of the policy.
pub(crate) fn is_own(case: &Case<'_>, metadata: &ObjectMeta) -> bool {
    marked(metadata) == Some(mark(case).as_str())
}

/// The uid of the policy that had an object made.
pub(crate) fn creator(metadata: &ObjectMeta) -> Option<&str> {
    let annotations = metadata.annotations.as_ref()?;
    annotations.get(CREATED_BY).map(String::as_str)
}

/// Whether the policy had an object made: it says so itself, or it was said of it before.
pub(crate) fn is_created(case: &Case<'_>, metadata: &ObjectMeta) -> bool {
    let policy = case.observed.policy.metadata.uid.as_deref();
    if policy.is_some() && creator(metadata) == policy {
        return true;
    }
    let uid = metadata.uid.as_deref().filter(|uid| !uid.is_empty());
    let before = case.before.related_objects.iter();
    let mut told = before.filter_map(|related| related.properties.as_ref());
    uid.is_some()
        && told.any(|told| told.uid.as_deref() == uid && told.created_by_policy == Some(true))
}

/// Whether it is told whose the fields of an object are.
pub(crate) fn tells_owners(metadata: &ObjectMeta) -> bool {
    metadata
        .managed_fields
        .as_ref()
        .is_some_and(|entries| !entries.is_empty())
}

/// Whether a field is owned under our name, by an apply or by the create.
pub(crate) fn owns(metadata: &ObjectMeta, path: &[&str]) -> bool {
    entries(metadata).any(|entry| entry.manager.as_deref() == Some(MANAGER) && has(entry, path))
}

/// Who else owns a field or something in it, but for the established controller; sorted.
pub(crate) fn others(metadata: &ObjectMeta, path: &[&str]) -> Vec<String> {
    let entries = entries(metadata).filter(|entry| has(entry, path));
    let names = entries.filter_map(|entry| entry.manager.clone());
    let mut names: Vec<_> = names
        .filter(|name| name != MANAGER && name != ESTABLISHED)
        .collect();
    names.sort();
    names.dedup();
    names
}

/// Whether the established controller wrote the spec.
pub(crate) fn is_of_established(metadata: &ObjectMeta) -> bool {
    entries(metadata)
        .any(|entry| entry.manager.as_deref() == Some(ESTABLISHED) && has(entry, &["spec"]))
}

fn entries(metadata: &ObjectMeta) -> impl Iterator<Item = &ManagedFieldsEntry> {
    let entries = metadata.managed_fields.iter().flatten();
    entries.filter(|entry| entry.subresource.as_deref().unwrap_or_default().is_empty())
}

fn has(entry: &ManagedFieldsEntry, path: &[&str]) -> bool {
    let Some(fields) = entry.fields_v1.as_ref() else {
        return false;
    };
    let mut fields = &fields.0;
    for (depth, name) in path.iter().enumerate() {
        match fields.get(format!("f:{name}")) {
            Some(below) => fields = below,
            // Who owns a field and nothing in it owns all of it.
            None => return depth > 0 && fields.as_object().is_some_and(Map::is_empty),
        }
    }
    true
}
