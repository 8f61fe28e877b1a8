//! A plan with its readable members, for commands that compare and explain plans.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::Refusals;
use portolan_api::plan::{GROUP, InstallPlan, Intent, Record, Resource, Source, Status};
use portolan_core_names::{GroupKind, ObjectRef};

use crate::manifest::{Contents, ManifestFault, Member, Members, ResourcePlace};

/// A plan, with the members that can be read.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanVersion {
    pub name: String,
    pub labels: BTreeMap<String, String>,
    pub intent: Intent,
    pub members: Members,
    /// The reasons why some members cannot be read.
    pub faults: Vec<ManifestFault>,
    pub status: Status,
}

impl PlanVersion {
    /// Reads a plan. `contents` contains the objects with manifests that could be read.
    ///
    /// # Errors
    ///
    /// Returns all faults of the plan's spec. The result contains the faults of manifests.
    pub fn read(plan: &InstallPlan, contents: &Contents) -> Result<Self, Refusals> {
        let intent = Intent::parse(plan)?;
        let metadata = &plan.metadata;
        let name = metadata.name.clone().unwrap_or_default();
        let own = ObjectRef {
            kind: GroupKind::new(GROUP, "InstallPlan"),
            namespace: metadata.namespace.clone(),
            name: name.clone(),
        };
        let (members, faults) = Members::read_sound(&intent, &own, contents);
        Ok(Self {
            name,
            labels: metadata.labels.clone().unwrap_or_default(),
            intent,
            members,
            faults,
            status: plan.status.clone().unwrap_or_default(),
        })
    }

    /// Returns the member with this identity. Returns None if it is unknown.
    pub fn member(&self, object: &ObjectRef) -> Option<&Member> {
        self.members.get(object)
    }

    pub fn resource(&self, place: ResourcePlace) -> &Resource {
        &self.intent.stages[place.stage].resources[place.index]
    }

    /// Returns true if a member existed before the plan. Returns None if the plan has not begun
    /// yet.
    pub fn was_found(&self, member: &Member) -> Option<bool> {
        let record: &Record = self.status.record.as_ref()?;
        let before = self.intent.stages[..member.place.stage].iter();
        let before: usize = before.map(|stage| stage.resources.len()).sum();
        let number = before + member.place.index;
        Some(record.found.contains_key(&number.to_string()))
    }

    /// Returns the objects with manifests that could not be read, as kind and name.
    pub(crate) fn unread(&self) -> BTreeSet<(&'static str, &str)> {
        let places = self.members.iter().map(|member| member.place);
        let sound: BTreeSet<_> = places.map(|place| (place.stage, place.index)).collect();
        let mut unread = BTreeSet::new();
        for (stage, written) in self.intent.stages.iter().enumerate() {
            for (index, resource) in written.resources.iter().enumerate() {
                let reference = match &resource.source {
                    Source::Inline(_) => continue,
                    Source::ResourceManifest(name) => ("ResourceManifest", name.as_str()),
                    Source::Secret(name) => ("Secret", name.as_str()),
                };
                if !sound.contains(&(stage, index)) {
                    unread.insert(reference);
                }
            }
        }
        unread
    }
}
