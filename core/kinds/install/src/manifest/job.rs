//! The Jobs that a plan runs between its stages.

use std::collections::BTreeSet;

use portolan_api::plan::LINEAGE;
use portolan_core_names::text::listed;
use portolan_core_names::{GroupKind, ObjectRef};
use portolan_core_olm::State;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::fault::{ManifestFault, ResourcePlace};
use super::{digest, set};
use crate::object::text;

/// The maximum length of a Job name. A label of the Job's Pods contains this name.
const LONGEST_NAME: usize = 63;
/// The number of characters in a Job name that differ between the runs.
const HASH: usize = 10;
const TEMPLATE_FIELDS: [&str; 2] = ["metadata", "spec"];
const METADATA_FIELDS: [&str; 2] = ["annotations", "labels"];

/// A Job that the plan runs after the resources of its stage exist.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    pub place: ResourcePlace,
    /// The name of the stage.
    pub stage: String,
    pub name: String,
    pub retries: u32,
    template: Value,
    digest: String,
}

/// The plan to which a Job belongs, with the ServiceAccount that the Job uses.
#[derive(Debug, Clone, Copy)]
pub struct JobOwner<'p> {
    pub plan: &'p ObjectRef,
    pub uid: &'p str,
    pub lineage: &'p str,
    pub account: &'p str,
}

impl Job {
    /// Reads a Job from its plan.
    ///
    /// # Errors
    ///
    /// Returns all faults of the Job.
    pub(super) fn read(
        place: ResourcePlace,
        stage: &str,
        written: &portolan_api::plan::Job,
        account: &str,
    ) -> Result<Self, Vec<ManifestFault>> {
        let template = Value::Object(written.template.clone());
        let sentences = sentences(&template, account);
        if !sentences.is_empty() {
            let faults = sentences.into_iter().map(|sentence| ManifestFault {
                place,
                object: None,
                state: State::No,
                sentence,
            });
            return Err(faults.collect());
        }
        Ok(Self {
            place,
            stage: stage.to_owned(),
            name: written.name.clone(),
            retries: written.retries,
            digest: digest(&template),
            template,
        })
    }

    pub(super) fn digest(&self) -> &str {
        &self.digest
    }

    /// Returns the identity of the Job object of a run. Each run has its own Job object.
    pub fn identity(&self, owner: JobOwner<'_>, run: u32) -> ObjectRef {
        let mut hash = Sha256::new();
        for part in [owner.uid, &self.stage, &self.name, &self.digest] {
            hash.update(part);
            hash.update("\n");
        }
        hash.update(run.to_string());
        let hash = hash.finalize();
        let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut name = format!("{}-{}", owner.plan.name, self.name).replace('.', "-");
        name.truncate(LONGEST_NAME - HASH - 1);
        ObjectRef {
            kind: GroupKind::job(),
            namespace: owner.plan.namespace.clone(),
            name: format!("{}-{}", name.trim_end_matches('-'), &hash[..HASH]),
        }
    }

    /// Returns the manifest of the Job object of a run. The Job object is deleted together with the
    /// plan, even if the plan keeps its members.
    pub fn manifest(&self, owner: JobOwner<'_>, run: u32) -> Value {
        let identity = self.identity(owner, run);
        let mut job = self.template.clone();
        job["apiVersion"] = json!("batch/v1");
        job["kind"] = json!(identity.kind.kind);
        job["metadata"]["name"] = json!(identity.name);
        job["metadata"]["namespace"] = json!(identity.namespace);
        job["metadata"]["ownerReferences"] = json!([{
            "apiVersion": "plans.portolan.dev/v1alpha1", "kind": owner.plan.kind.kind,
            "name": owner.plan.name, "uid": owner.uid,
        }]);
        set(&mut job, "labels", LINEAGE.name(), owner.lineage);
        job["spec"]["template"]["spec"]["serviceAccountName"] = json!(owner.account);
        job
    }
}

/// Returns all faults of a Job template, one sentence each.
fn sentences(template: &Value, account: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let only = |pointer: &str, known: &[&str]| {
        let known: BTreeSet<_> = known.iter().copied().collect();
        let fields = template.pointer(pointer).and_then(Value::as_object);
        let fields = fields.into_iter().flat_map(Map::keys);
        let others: Vec<_> = fields.filter(|key| !known.contains(key.as_str())).collect();
        (!others.is_empty()).then(|| {
            let others = listed(others);
            format!(
                "has {others} in template{}; remove it",
                pointer.replace('/', ".")
            )
        })
    };
    wrong.extend(only("", &TEMPLATE_FIELDS));
    wrong.extend(only("/metadata", &METADATA_FIELDS));
    if !template
        .pointer("/spec/template/spec")
        .is_some_and(Value::is_object)
    {
        let sentence = "has no template.spec.template.spec; write the Pod to run";
        wrong.push(sentence.to_owned());
    }
    if template.pointer("/spec/ttlSecondsAfterFinished").is_some() {
        let sentence = "has template.spec.ttlSecondsAfterFinished, which may delete the Job \
                        before its result is read; remove this field, because the Job is deleted \
                        with the plan";
        wrong.push(sentence.to_owned());
    }
    let named = text(template, "/spec/template/spec/serviceAccountName");
    if !named.is_empty() && named != account {
        wrong.push(format!(
            "runs as the ServiceAccount {named}, but the plan runs as {account}; remove \
             serviceAccountName"
        ));
    }
    wrong
}
