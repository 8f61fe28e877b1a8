//! The metadata of objects that worlds keep in memory: only the fields that code reads.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{FieldsV1, ManagedFieldsEntry};
use kube::core::ObjectMeta;
use portolan_core_olm::{Annotation, Label, Managers, Reads};
use serde_json::json;

use crate::Kind;

/// The metadata that is kept of each kind: the union of all `Reads` of the kind. Fields that the
/// methods of the kinds read are always kept.
///
/// If no `Reads` names a kind, all its metadata is kept. A missing `Reads` therefore costs memory
/// but never causes wrong results.
#[derive(Debug, Clone)]
pub struct Projection(Vec<Reads>);

/// The metadata that is kept for one kind.
#[derive(Debug, Clone, Default)]
pub(crate) struct KeptFields {
    /// True if no `Reads` names the kind.
    is_all: bool,
    annotations: Vec<Annotation>,
    labels: Vec<Label>,
    owners: bool,
    finalizers: bool,
    managers: Managers,
    in_full: bool,
}

// === impl Projection ===

impl Default for Projection {
    fn default() -> Self {
        Self([portolan_core_olm::READS, portolan_api::READS].concat())
    }
}

impl Projection {
    /// Also keeps the metadata in `reads`.
    #[must_use]
    pub fn with(mut self, reads: &[Reads]) -> Self {
        self.0.extend_from_slice(reads);
        self
    }

    /// Returns the metadata that is kept of objects of a kind.
    pub(crate) fn of<K: Kind>(&self) -> KeptFields {
        let mut kept = KeptFields {
            is_all: true,
            ..KeptFields::default()
        };
        for reads in self.0.iter().filter(|reads| reads.is_of::<K>()) {
            kept.is_all = false;
            kept.annotations.extend_from_slice(reads.annotations);
            kept.labels.extend_from_slice(reads.labels);
            kept.owners |= reads.owners;
            kept.finalizers |= reads.finalizers;
            kept.managers = kept.managers.max(reads.managers);
            kept.in_full |= reads.in_full;
        }
        kept
    }
}

// === impl KeptFields ===

impl KeptFields {
    /// Returns true if no `Reads` names the kind, so all its metadata is kept.
    #[cfg(test)]
    pub(crate) fn is_all(&self) -> bool {
        self.is_all
    }

    /// Removes the metadata that is not read. It is often the largest part of an object.
    pub(crate) fn prune<K: Kind>(&self, object: &mut K) {
        object.shrink();
        if self.is_all {
            return;
        }
        if !self.in_full {
            object.trim();
        }
        self.prune_metadata(object.meta_mut());
    }

    fn prune_metadata(&self, metadata: &mut ObjectMeta) {
        let is_held = self.finalizers || metadata.deletion_timestamp.is_some();
        if !is_held {
            metadata.finalizers = None;
        }
        if !self.owners {
            metadata.owner_references = None;
        }
        let entries = metadata.managed_fields.take();
        metadata.managed_fields = entries.and_then(|entries| managers(self.managers, entries));
        retain(&mut metadata.annotations, |name| {
            self.keeps_annotation(name)
        });
        retain(&mut metadata.labels, |name| {
            self.labels.iter().any(|label| label.is_named(name))
        });
    }

    pub(crate) fn keeps_annotation(&self, name: &str) -> bool {
        let mut annotations = self.annotations.iter();
        self.is_all || annotations.any(|annotation| annotation.is_named(name))
    }

    pub(crate) fn keeps_managers(&self) -> bool {
        self.is_all || self.managers != Managers::Nobody
    }
}

fn retain(all: &mut Option<BTreeMap<String, String>>, is_kept: impl Fn(&str) -> bool) {
    if let Some(some) = all {
        some.retain(|name, _| is_kept(name));
    }
    all.take_if(|kept| kept.is_empty());
}

/// Reduces managed fields to the entries and fields that are read. Managed fields contain a node
/// for each field, and are the largest part of many objects.
fn managers(read: Managers, entries: Vec<ManagedFieldsEntry>) -> Option<Vec<ManagedFieldsEntry>> {
    let entries = entries.into_iter();
    let mut kept: Vec<_> = match read {
        Managers::Nobody => return None,
        Managers::OfSpec => entries.map(of_spec).collect(),
        Managers::Names => entries.map(without_fields).collect(),
        Managers::OfStatus => {
            let of_status = entries.filter(|entry| entry.subresource.is_some());
            of_status.map(of_spec).collect()
        }
    };
    kept.shrink_to_fit();
    (!kept.is_empty()).then_some(kept)
}

fn without_fields(entry: ManagedFieldsEntry) -> ManagedFieldsEntry {
    of_spec(ManagedFieldsEntry {
        fields_v1: None,
        ..entry
    })
}

/// Reduces an entry of managed fields to the fields of the spec. Entries of subresources keep no
/// fields. The operation Apply identifies the values that a policy has set. The time identifies the
/// last writer.
fn of_spec(entry: ManagedFieldsEntry) -> ManagedFieldsEntry {
    let ManagedFieldsEntry {
        manager,
        operation,
        subresource,
        time,
        fields_v1,
        ..
    } = entry;
    let fields = fields_v1.filter(|_| subresource.is_none());
    let spec = fields.and_then(|FieldsV1(mut fields)| {
        let spec = fields.as_object_mut()?.remove("f:spec")?;
        Some(FieldsV1(json!({"f:spec": spec})))
    });
    ManagedFieldsEntry {
        manager,
        operation,
        subresource,
        time,
        fields_v1: spec,
        ..ManagedFieldsEntry::default()
    }
}
