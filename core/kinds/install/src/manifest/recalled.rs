//! Restores members whose manifests are stored beside the plan from a record in the status of the
//! plan.
//!
//! The objects with the manifests may be deleted before the plan. The deletion of a member needs
//! only its name. For CRDs and APIServices, it also needs the kinds that they define. The record is
//! compressed: 10,000 members take less than 100 kB.

use portolan_api::plan::{Body, Intent, Record, Source};
use portolan_core_names::GroupKind;
use portolan_core_names::object::split_api_version;
use serde_json::{Map, Value, json};

use super::{Job, Member, Members, Part, ResourcePlace, form, member, pack};
use crate::manifest::{Contents, opened};
use crate::object::text;

impl Members {
    /// Returns the compressed record of the members whose manifests are stored beside the plan.
    /// Empty if there are no such members.
    pub fn references(&self, intent: &Intent) -> String {
        let all = self.all.iter().enumerate();
        let beside = all.filter(|(_, member)| {
            let resources = &intent.stages[member.place.stage].resources;
            !matches!(resources[member.place.index].source, Source::Inline(_))
        });
        let outlines: Map<_, _> = beside
            .map(|(place, member)| (place.to_string(), outline(member)))
            .collect();
        if outlines.is_empty() {
            return String::new();
        }
        pack(&Value::Object(outlines))
    }

    /// Returns the members of a plan that is deleted, without reading the objects that store
    /// manifests. Returns None if the record lacks a member, or if no manifests are stored beside
    /// the plan.
    pub fn recalled(intent: &Intent, record: &Record) -> Option<Self> {
        if record.referenced.is_empty() {
            return None;
        }
        let packed = Body::Compressed(record.referenced.clone());
        let outlines = opened(packed).ok()?;
        let mut members = Self::default();
        for (stage, written) in intent.stages.iter().enumerate() {
            let begin = members.all.len();
            for (index, resource) in written.resources.iter().enumerate() {
                let part = Part::Resource;
                let place = ResourcePlace { stage, part, index };
                let read = match &resource.source {
                    Source::Inline(_) => member(place, resource, &Contents::default()).ok()?,
                    Source::ResourceManifest(_) | Source::Secret(_) => {
                        let outline = outlines.get(members.all.len().to_string())?;
                        Member {
                            place,
                            identity: form::identity(outline)?,
                            version: split_api_version(text(outline, "/apiVersion")).1.to_owned(),
                            digest: String::new(),
                            manifest: outline.clone(),
                            lifecycle: resource.lifecycle.clone(),
                        }
                    }
                };
                members.all.push(read);
            }
            members.stages.push(begin..members.all.len());
            for (index, job) in written.jobs.iter().enumerate() {
                let part = Part::Job;
                let place = ResourcePlace { stage, part, index };
                let job = Job::read(place, &written.name, job, &intent.service_account);
                members.jobs.push(job.ok()?);
            }
        }
        Some(members)
    }
}

/// Returns the name of a member, and the fields that show which other members depend on it. In
/// contrast to the manifest, these fields are never confidential.
fn outline(member: &Member) -> Value {
    let Member {
        identity, manifest, ..
    } = member;
    let mut outline = json!({
        "apiVersion": manifest["apiVersion"], "kind": manifest["kind"],
        "metadata": {"name": identity.name},
    });
    if let Some(namespace) = &identity.namespace {
        outline["metadata"]["namespace"] = json!(namespace);
    }
    for field in recorded_fields(&identity.kind) {
        outline["spec"][field] = manifest["spec"][field].clone();
    }
    outline
}

/// Returns the fields of the spec that show which kinds an object of this kind defines.
fn recorded_fields(kind: &GroupKind) -> &'static [&'static str] {
    if kind.is_definition() {
        &["group", "names"]
    } else if kind.is_api_service() {
        &["group", "version"]
    } else {
        &[]
    }
}
