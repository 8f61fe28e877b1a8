//! Parses the manifests of a plan into members, and finds their faults.

mod canonical;
mod content;
mod fault;
mod form;
mod job;
mod normal;
mod read;
mod recalled;

use std::collections::BTreeMap;
use std::ops::Range;

use portolan_api::plan::{DIGEST, Disposition, Intent, LINEAGE, Lifecycle, Stage};
use portolan_core_names::ObjectRef;
use portolan_core_olm::State;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::fields::{Fields, Owner};
use crate::lineages::manager;
use crate::object::{is_within, text};

use canonical::named;
pub use canonical::{canonical, digest};
pub use content::{Contents, SECRET_KEY, SecretContent, opened, pack};
pub use fault::{ManifestFault, Part, ResourcePlace};
pub use job::{Job, JobOwner};
use read::{Beside, member, remove, set};

/// The members of a plan, in the order of the plan. Empty by default.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Members {
    all: Vec<Member>,
    stages: Vec<Range<usize>>,
    jobs: Vec<Job>,
}

/// One object of a plan, in its desired state.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    pub place: ResourcePlace,
    pub identity: ObjectRef,
    /// The API version of the object in the manifest.
    pub version: String,
    /// The manifest in normal form. It omits content that the API server would change.
    pub manifest: Value,
    /// The digest of the manifest, such as `sha256:0b5e…`.
    pub digest: String,
    /// The lifecycle of the resource, as the plan specifies it.
    pub lifecycle: Lifecycle,
}

impl Members {
    /// Reads the manifests of a plan. `plan` is the identity of the plan. The plan must not be one
    /// of its own members.
    ///
    /// # Errors
    ///
    /// Returns all faults. If all faults have the state `NotYet`, the plan only lacks content that
    /// may appear later.
    pub fn read(
        intent: &Intent,
        plan: &ObjectRef,
        contents: &Contents,
    ) -> Result<Self, Vec<ManifestFault>> {
        let (members, faults) = Self::read_sound(intent, plan, contents);
        if faults.is_empty() {
            Ok(members)
        } else {
            Err(faults)
        }
    }

    /// Returns the members that can be read, and the faults of the other members.
    pub(crate) fn read_sound(
        intent: &Intent,
        plan: &ObjectRef,
        contents: &Contents,
    ) -> (Self, Vec<ManifestFault>) {
        let mut members = Self {
            all: Vec::new(),
            stages: Vec::with_capacity(intent.stages.len()),
            jobs: Vec::new(),
        };
        let mut faults = Vec::new();
        let mut places: BTreeMap<ObjectRef, ResourcePlace> = BTreeMap::new();
        let mut beside = Beside::default();
        for (stage, written) in intent.stages.iter().enumerate() {
            let begin = members.all.len();
            for (index, resource) in written.resources.iter().enumerate() {
                let place = ResourcePlace {
                    stage,
                    part: Part::Resource,
                    index,
                };
                let member = match beside.read(place, resource, contents) {
                    Ok(member) => member,
                    Err(found) => {
                        faults.extend(found);
                        continue;
                    }
                };
                let sentence = match places.get(&member.identity) {
                    Some(before) => Some(format!(
                        "is already listed at {before}; remove one of the two entries"
                    )),
                    None if member.identity == *plan => {
                        Some("is the plan itself; remove this entry".to_owned())
                    }
                    None => None,
                };
                faults.extend(sentence.map(|sentence| member.fault(State::No, sentence)));
                places.entry(member.identity.clone()).or_insert(place);
                members.all.push(member);
            }
            let is_whole = members.all.len() - begin == written.resources.len();
            if is_whole {
                faults.extend(needless(stage, written, &members.all[begin..]));
            }
            members.stages.push(begin..members.all.len());
            for (index, job) in written.jobs.iter().enumerate() {
                let place = ResourcePlace {
                    stage,
                    part: Part::Job,
                    index,
                };
                match Job::read(place, &written.name, job, &intent.service_account) {
                    Ok(job) => members.jobs.push(job),
                    Err(found) => faults.extend(found),
                }
            }
        }
        (members, faults)
    }

    pub fn iter(&self) -> std::slice::Iter<'_, Member> {
        self.all.iter()
    }

    /// Returns the member with this identity. Returns None if the plan does not contain it.
    pub fn get(&self, object: &ObjectRef) -> Option<&Member> {
        self.all.iter().find(|member| member.identity == *object)
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the indexes of the members of a stage.
    pub fn stage(&self, stage: usize) -> Range<usize> {
        self.stages[stage].clone()
    }

    /// Changes the manifest of a member.
    pub(crate) fn change(&mut self, place: usize, change: impl FnOnce(&mut Value)) {
        let member = &mut self.all[place];
        change(&mut member.manifest);
        member.digest = digest(&member.manifest);
    }

    /// Returns the Jobs of all stages, in the order of the plan.
    pub fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    /// Returns the digest of all manifests, in the order of the plan. Plans with the same content
    /// have the same digest, even if their names differ.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        for (stage, range) in self.stages.iter().enumerate() {
            for member in &self.all[range.clone()] {
                hash.update(&member.digest);
            }
            hash.update("\n");
            for job in self.jobs.iter().filter(|job| job.place.stage == stage) {
                hash.update(job.digest());
            }
        }
        named(&hash.finalize())
    }
}

impl std::ops::Index<usize> for Members {
    type Output = Member;

    fn index(&self, place: usize) -> &Member {
        &self.all[place]
    }
}

impl<'a> IntoIterator for &'a Members {
    type Item = &'a Member;
    type IntoIter = std::slice::Iter<'a, Member>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Member {
    /// Returns the manifest that the controller applies in a lineage. A label contains the lineage,
    /// and an annotation contains the digest of the manifest.
    pub fn applied(&self, lineage: &str) -> Value {
        let mut manifest = self.manifest.clone();
        set(&mut manifest, "labels", LINEAGE.name(), lineage);
        set(&mut manifest, "annotations", DIGEST, &self.digest);
        manifest
    }

    /// Returns the manifest that the controller applies to an existing object. It omits fields that
    /// the lifecycle ignores and that another owner has taken.
    pub fn applied_to(&self, object: &Value, lineage: &str) -> Value {
        let mut manifest = self.applied(lineage);
        let ignore = &self.lifecycle.ignore;
        if ignore.is_empty() {
            return manifest;
        }
        let owner = Owner::applies(&manager(lineage));
        let lost = Fields::of(object).lost(&manifest, &owner);
        for lost in lost.iter().filter(|lost| !lost.owners.is_empty()) {
            if self.ignores(&lost.pointer) {
                remove(&mut manifest, &lost.pointer);
            }
            let inner = ignore.iter();
            for pointer in inner.filter(|pointer| is_within(pointer, &lost.pointer)) {
                remove(&mut manifest, pointer);
            }
        }
        manifest
    }

    /// Returns true if the lifecycle ignores changes that other owners make to this field.
    pub(crate) fn ignores(&self, pointer: &str) -> bool {
        let mut ignored = self.lifecycle.ignore.iter();
        ignored.any(|ignored| is_within(pointer, ignored))
    }

    /// Returns the `apiVersion` of the manifest.
    pub fn api_version(&self) -> &str {
        text(&self.manifest, "/apiVersion")
    }

    /// Returns true if the member is deleted when its plan is deleted. `plan` is the
    /// `onPlanDeletion` of the plan.
    pub fn is_deleted_with(&self, plan: Disposition) -> bool {
        let Lifecycle {
            on_plan_deletion,
            on_removal,
            ..
        } = self.lifecycle;
        let may_go = !self.identity.kind.is_precious() || on_removal == Some(Disposition::Delete);
        may_go && on_plan_deletion.unwrap_or(plan) == Disposition::Delete
    }

    /// Returns true if the member is deleted when a new plan without this member replaces its plan.
    pub fn is_deleted_when_lacking(&self) -> bool {
        match self.lifecycle.on_removal {
            Some(said) => said == Disposition::Delete,
            None => !self.identity.kind.is_precious(),
        }
    }

    pub(crate) fn fault(&self, state: State, sentence: impl Into<String>) -> ManifestFault {
        ManifestFault {
            place: self.place,
            object: Some(self.identity.clone()),
            state,
            sentence: sentence.into(),
        }
    }
}

/// Returns a fault for each readiness rule whose kind has no object in the stage. The kind of such
/// a rule is probably misspelled.
fn needless(stage: usize, written: &Stage, members: &[Member]) -> Vec<ManifestFault> {
    let rules = written.ready.iter().enumerate();
    let needless = rules.filter(|(_, rule)| {
        let mut kinds = members.iter().map(|member| &member.identity.kind);
        !kinds.any(|kind| kind.is(&rule.group, &rule.kind))
    });
    let faults = needless.map(|(index, rule)| ManifestFault {
        place: ResourcePlace {
            stage,
            part: Part::Ready,
            index,
        },
        object: None,
        state: State::No,
        sentence: format!(
            "names the kind {}.{}, but no object of the stage has this kind; write the kind of an \
             object of the stage",
            rule.kind, rule.group
        ),
    });
    faults.collect()
}
