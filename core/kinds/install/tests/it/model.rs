//! A small simulated API server, together with the controllers of a cluster.

mod fields;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use portolan_api::plan::Status;
use portolan_core_install::{
    Account, Discovery, Event, GroupKind, ObjectRef, OlmDefinitions, Outcome, OwnedField, Resident,
    SelectableObject, ServedKind, manager,
};
use serde_json::{Value, json};

use crate::kit::discovery;
use fields::{conflicts, drop_fields, entry, merge};

pub(crate) const LINEAGE: &str = "u-plan";

/// The content of a cluster.
#[derive(Debug, Clone)]
pub(crate) struct Server {
    pub(crate) objects: BTreeMap<ObjectRef, Value>,
    /// The manifests that are stored in Secrets, by the names of the Secrets.
    pub(crate) secrets: BTreeMap<String, Value>,
    /// The CRDs that ClusterServiceVersions own.
    pub(crate) olm_definitions: OlmDefinitions,
    /// The status of the plan.
    pub(crate) status: Status,
    pub(crate) has_finalizer: bool,
    pub(crate) terminating_since: Option<Timestamp>,
    pub(crate) is_abandoned: bool,
    /// True if the CRD of InstallPlans is being deleted.
    pub(crate) is_retired: bool,
    /// True if the plan is gone.
    pub(crate) is_gone: bool,
    pub(crate) events: Vec<Event>,
    pub(crate) now: Timestamp,
    pub(crate) account: Account,
    pub(crate) is_allowed: bool,
    /// True if the account may not read objects.
    pub(crate) hides_objects: bool,
    /// True if the account may not read Secrets.
    pub(crate) hides_secrets: bool,
    /// The Pods of workloads.
    pub(crate) pods: BTreeMap<ObjectRef, Vec<Value>>,
    /// The reason why Pods cannot be listed.
    pub(crate) hides_pods: Option<String>,
    /// The number of dry runs that were made before the first write.
    pub(crate) trials: Cell<usize>,
    /// The number of access reviews.
    pub(crate) reviews: Cell<usize>,
    /// The number of lists of Pods.
    pub(crate) pod_lists: Cell<usize>,
    /// The verbs that the account may not use, even if a rule allows them.
    pub(crate) denies: BTreeSet<&'static str>,
    /// The objects that the API server rejects.
    pub(crate) refuses: BTreeSet<ObjectRef>,
    /// The objects whose Namespace does not exist.
    pub(crate) without_namespace: BTreeSet<ObjectRef>,
    /// The objects that another program serves, which does not answer.
    pub(crate) unanswered: BTreeSet<ObjectRef>,
    /// The objects that never become ready.
    pub(crate) stuck: BTreeSet<ObjectRef>,
    /// The objects that another user deletes once, as soon as they are created.
    pub(crate) unwanted: BTreeSet<ObjectRef>,
    /// The objects that another field manager keeps writing, with the name of this manager.
    pub(crate) restless: BTreeMap<ObjectRef, &'static str>,
    /// The objects whose finalizers no client removes.
    pub(crate) held: BTreeSet<ObjectRef>,
    /// The number of times that each Job fails before it succeeds.
    pub(crate) failing: usize,
    /// The objects that cannot be updated to their manifest.
    pub(crate) immutable: BTreeSet<ObjectRef>,
    /// The objects whose data and spec cannot be changed.
    pub(crate) frozen: BTreeSet<ObjectRef>,
    /// The error message of all dry runs. None if dry runs are possible.
    pub(crate) tries_nothing: Option<String>,
    /// The number of dry runs that compare an object with its manifest to find drift.
    pub(crate) drift_looks: Cell<usize>,
    /// The value of the plan's retry annotation.
    pub(crate) retry: Option<String>,
    /// The deleted objects, including the objects that were deleted together with them.
    pub(crate) deleted: Vec<Value>,
    pub(crate) lost: Vec<Value>,
    /// True if the server reports the owners of conflicting fields.
    pub(crate) names_owners: bool,
    pub(crate) writes: usize,
    /// The number of apply requests, including failed ones.
    pub(crate) applies: usize,
    versions: u64,
}

/// The reason why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// No work is left.
    Rest,
    /// The run was stopped after a write.
    Stopped,
}

impl Server {
    pub(crate) fn new() -> Self {
        Self {
            objects: BTreeMap::new(),
            secrets: BTreeMap::new(),
            olm_definitions: OlmDefinitions::Owned(BTreeSet::new()),
            status: Status::default(),
            has_finalizer: false,
            terminating_since: None,
            is_abandoned: false,
            is_retired: false,
            is_gone: false,
            events: Vec::new(),
            now: Timestamp::UNIX_EPOCH,
            account: Account::There,
            is_allowed: true,
            hides_objects: false,
            hides_secrets: false,
            pods: BTreeMap::new(),
            hides_pods: None,
            reviews: Cell::new(0),
            pod_lists: Cell::new(0),
            trials: Cell::new(0),
            denies: BTreeSet::new(),
            refuses: BTreeSet::new(),
            without_namespace: BTreeSet::new(),
            unanswered: BTreeSet::new(),
            stuck: BTreeSet::new(),
            unwanted: BTreeSet::new(),
            restless: BTreeMap::new(),
            held: BTreeSet::new(),
            failing: 0,
            immutable: BTreeSet::new(),
            frozen: BTreeSet::new(),
            tries_nothing: None,
            drift_looks: Cell::new(0),
            retry: None,
            deleted: Vec::new(),
            lost: Vec::new(),
            names_owners: true,
            writes: 0,
            applies: 0,
            versions: 0,
        }
    }

    /// Adds an object that another user created.
    pub(crate) fn with(mut self, manifest: Value) -> Self {
        self.make(&manifest, "somebody", "Update");
        self
    }

    /// A user deletes the plan.
    pub(crate) fn delete_plan(&mut self) {
        self.terminating_since.get_or_insert(self.now);
        self.is_gone = !self.has_finalizer;
    }

    /// Adds an object with a finalizer.
    pub(crate) fn hold(&mut self, manifest: &Value, finalizer: &str) {
        let object = self.objects.get_mut(&identity(manifest)).expect("it");
        object["metadata"]["finalizers"] = json!([finalizer]);
        self.held.insert(identity(manifest));
    }

    pub(crate) fn later(&mut self, seconds: i64) {
        self.now += SignedDuration::from_secs(seconds);
    }

    fn make(&mut self, manifest: &Value, manager: &str, operation: &str) {
        self.versions += 1;
        let mut object = manifest.clone();
        object["metadata"]["uid"] = json!(format!("u-{}", self.versions));
        object["metadata"]["resourceVersion"] = json!(self.versions.to_string());
        object["metadata"]["managedFields"] = json!([entry(manager, operation, manifest)]);
        self.objects.insert(identity(manifest), object);
    }

    pub(crate) fn create(&mut self, manifest: &Value) -> Outcome {
        if self.objects.contains_key(&identity(manifest)) {
            return Outcome::Again;
        }
        let identity = identity(manifest);
        self.make(manifest, &writer(manifest), "Apply");
        if self.unwanted.remove(&identity) {
            let object = self.objects.get_mut(&identity).expect("what was made");
            object["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        }
        Outcome::Done
    }

    /// Executes an apply. If the same manager also has an Update entry in the managed fields,
    /// merges it into its Apply entry.
    pub(crate) fn apply(&mut self, manifest: &Value, uid: &str, force: Option<&str>) -> Outcome {
        self.applies += 1;
        let identity = identity(manifest);
        let Some(object) = self.objects.get(&identity) else {
            return Outcome::Again;
        };
        let is_other =
            |pointer: &str, wanted: &str| object.pointer(pointer) != Some(&json!(wanted));
        let is_newer = force.is_some_and(|version| is_other("/metadata/resourceVersion", version));
        if is_other("/metadata/uid", uid) || is_newer {
            return Outcome::Again;
        }
        let conflicts = conflicts(object, manifest);
        if !conflicts.is_empty() && force.is_none() {
            let names_owners = self.names_owners;
            let conflicts = conflicts.into_iter().filter(|_| names_owners);
            return Outcome::FieldsOwned(conflicts.collect());
        }
        // Another owner keeps its caBundle, which is only valid together with a strategy.
        let is_webhook =
            object["spec"]["conversion"]["webhook"]["clientConfig"]["caBundle"].is_string();
        if is_webhook && manifest["spec"]["conversion"].is_null() {
            return Outcome::Refused("spec.conversion.strategy: Required value".to_owned());
        }
        let mut after = object.clone();
        let ours = writer(manifest);
        let is_ours = |entry: &&Value| entry["manager"] == json!(ours);
        let before = object["metadata"]["managedFields"]
            .as_array()
            .expect("entries")
            .iter();
        for entry in before.filter(is_ours) {
            drop_fields(&mut after, &entry["fieldsV1"], manifest);
        }
        merge(&mut after, manifest);
        if self.frozen.contains(&identity) && content(&after) != content(object) {
            return Outcome::Refused("field is immutable".to_owned());
        }
        let mut entries = vec![entry(&ours, "Apply", manifest)];
        let others = object["metadata"]["managedFields"]
            .as_array()
            .expect("entries");
        entries.extend(
            others
                .iter()
                .filter(|entry| entry["manager"] != json!(ours))
                .cloned(),
        );
        after["metadata"]["managedFields"] = entries.into();
        self.versions += 1;
        after["metadata"]["resourceVersion"] = json!(self.versions.to_string());
        self.objects.insert(identity, after);
        Outcome::Done
    }

    /// Writes a value as a field manager with this name.
    pub(crate) fn edit(&mut self, of: &Value, pointer: &str, value: Value, manager: &str) {
        self.versions += 1;
        let object = self.objects.get_mut(&identity(of)).expect("it");
        let steps: Vec<_> = pointer.split('/').skip(1).collect();
        let (last, way) = steps.split_last().expect("a field");
        let parent = way.iter().fold(&mut *object, |at, step| &mut at[*step]);
        match value {
            Value::Null => drop(parent.as_object_mut().expect("fields").remove(*last)),
            value => parent[*last] = value,
        }
        object["metadata"]["resourceVersion"] = json!(self.versions.to_string());
        let entries = object["metadata"]["managedFields"].as_array_mut();
        let entries = entries.expect("entries");
        for entry in &mut *entries {
            let set = &mut entry["fieldsV1"];
            let way = way
                .iter()
                .try_fold(set, |at, step| at.get_mut(format!("f:{step}")));
            if let Some(set) = way.and_then(Value::as_object_mut) {
                set.remove(&format!("f:{last}"));
                if set.is_empty() {
                    // The entry still owns the field itself, but not its parts.
                    set.insert(".".to_owned(), json!({}));
                }
            }
        }
        let field = steps.iter().rev();
        let field = field.fold(json!({}), |set, step| json!({format!("f:{step}"): set}));
        let is_theirs = |entry: &&mut Value| {
            entry["manager"] == json!(manager) && entry["operation"] == "Update"
        };
        // If a manager writes twice, it has only one entry. The time of the entry has a resolution
        // of one second.
        let time = json!(self.now.as_second());
        match entries.iter_mut().find(is_theirs) {
            Some(entry) => {
                merge(&mut entry["fieldsV1"], &field);
                entry["time"] = time;
            }
            None => entries.push(json!({
                "manager": manager, "operation": "Update", "time": time, "fieldsV1": field,
            })),
        }
    }

    /// Returns true if the object exists and cannot be updated to the manifest.
    pub(crate) fn is_frozen(&self, manifest: &Value) -> bool {
        let identity = identity(manifest);
        let object = self.objects.get(&identity);
        let differs = object.is_some_and(|object| content(object) != content(manifest));
        self.frozen.contains(&identity) && differs
    }

    /// Returns the fields that other managers have set to other values, as a dry run reports them.
    /// Returns None if there are no such fields.
    pub(crate) fn conflicts(&self, manifest: &Value) -> Option<Vec<OwnedField>> {
        let object = self.objects.get(&identity(manifest))?;
        let conflicts = conflicts(object, manifest);
        let named = conflicts.iter().filter(|_| self.names_owners);
        (!conflicts.is_empty()).then(|| named.cloned().collect())
    }

    /// Returns the object after a forced apply. Does not store the result.
    pub(crate) fn tried(&self, manifest: &Value) -> Value {
        let mut other = self.clone();
        let identity = identity(manifest);
        let [uid, version] = ["uid", "resourceVersion"].map(|key| {
            let text = self.objects[&identity]["metadata"][key].as_str();
            text.expect("it").to_owned()
        });
        let outcome = other.apply(manifest, &uid, Some(&version));
        assert_eq!(outcome, Outcome::Done);
        other.objects[&identity].clone()
    }

    /// Removes the fields at these pointers.
    pub(crate) fn seal(&mut self, of: &Value, wanted: &str, pointers: &[String]) -> Outcome {
        let object = self.objects.get_mut(&identity(of)).expect("it");
        if version(object) != wanted {
            return Outcome::Again;
        }
        for pointer in pointers {
            let (parent, key) = pointer.rsplit_once('/').expect("a field");
            let parent = object.pointer_mut(parent).and_then(Value::as_object_mut);
            parent.expect("fields").remove(key).expect("a field");
        }
        let entries = object["metadata"]["managedFields"].as_array_mut();
        let is_ours = |entry: &Value| entry["operation"] == "Apply";
        entries.expect("entries").retain(is_ours);
        self.versions += 1;
        object["metadata"]["resourceVersion"] = json!(self.versions.to_string());
        Outcome::Done
    }

    /// Replaces the whole spec, including the fields of other owners.
    pub(crate) fn replace(&mut self, manifest: &Value, wanted: &str) -> Outcome {
        let object = self.objects.get_mut(&identity(manifest)).expect("it");
        if version(object) != wanted {
            return Outcome::Again;
        }
        object["spec"] = manifest["spec"].clone();
        let ours = writer(manifest);
        let entries = object["metadata"]["managedFields"].as_array_mut();
        let entries = entries.expect("entries");
        entries.retain(|entry| entry["manager"] == json!(ours));
        for entry in entries {
            entry["fieldsV1"]["f:spec"] = json!({});
        }
        self.versions += 1;
        object["metadata"]["resourceVersion"] = json!(self.versions.to_string());
        Outcome::Done
    }

    pub(crate) fn delete(&mut self, identity: &ObjectRef, uid: &str) -> Outcome {
        let Some(object) = self.objects.get_mut(identity) else {
            return Outcome::Again;
        };
        if object["metadata"]["uid"] != json!(uid) {
            return Outcome::Again;
        }
        self.writes += 1;
        let is_last = object["metadata"]["finalizers"].is_null();
        object["metadata"]["deletionTimestamp"] = json!(self.now.to_string());
        if is_last {
            self.remove(identity);
            return Outcome::Done;
        }
        Outcome::Again
    }

    /// Removes an object, together with the objects that cannot exist without it.
    fn remove(&mut self, identity: &ObjectRef) {
        let object = self.objects.remove(identity).expect("it");
        let (name, spec) = (&identity.name, &object["spec"]);
        let is_in = |other: &ObjectRef| {
            let is_of_kind = json!(other.kind.kind) == spec["names"]["kind"]
                && json!(other.kind.group) == spec["group"];
            let is_inside = identity.kind.is_namespace() && other.namespace.as_ref() == Some(name);
            is_inside || (identity.kind.is_definition() && is_of_kind)
        };
        let lost = self.objects.extract_if(.., |other, _| is_in(other));
        self.lost.extend(lost.map(|(_, object)| object));
        self.deleted.push(object);
    }

    /// Returns all objects in a namespace, including those that the cluster itself creates there.
    pub(crate) fn residents(&self, namespace: &str) -> Vec<Resident> {
        let in_it = self
            .objects
            .iter()
            .filter(|(identity, _)| identity.namespace.as_deref() == Some(namespace));
        let residents = in_it.map(|(identity, object)| Resident {
            identity: identity.clone(),
            uid: object["metadata"]["uid"]
                .as_str()
                .expect("a uid")
                .to_owned(),
            owners: BTreeSet::new(),
        });
        let usual = ["default", "kube-root-ca.crt"]
            .into_iter()
            .zip(["ServiceAccount", "ConfigMap"]);
        let usual = usual.map(|(name, kind)| Resident {
            identity: ObjectRef {
                kind: GroupKind::new("", kind),
                namespace: Some(namespace.to_owned()),
                name: name.to_owned(),
            },
            ..Resident::default()
        });
        residents.chain(usual).collect()
    }

    /// Returns the objects of a kind in one namespace or in all namespaces.
    pub(crate) fn candidates(
        &self,
        kind: &GroupKind,
        namespace: Option<&str>,
    ) -> Vec<SelectableObject> {
        let all = self.objects.iter().filter(|(identity, _)| {
            let is_there = namespace.is_none_or(|name| identity.namespace.as_deref() == Some(name));
            identity.kind == *kind && is_there
        });
        let candidates = all.map(|(identity, object)| {
            let labels = object["metadata"]["labels"]
                .as_object()
                .into_iter()
                .flatten();
            let labels = labels
                .map(|(key, value)| (key.clone(), value.as_str().expect("a text").to_owned()));
            SelectableObject {
                identity: identity.clone(),
                uid: object["metadata"]["uid"]
                    .as_str()
                    .expect("a uid")
                    .to_owned(),
                labels: labels.collect(),
            }
        });
        candidates.collect()
    }

    /// Simulates the controllers of the cluster. Returns true if they changed an object.
    pub(crate) fn tick(&mut self) -> bool {
        let before = self.objects.len();
        let is_there = |object: &Value| object["metadata"]["deletionTimestamp"].is_null();
        let going = self
            .objects
            .iter()
            .filter(|(identity, object)| !is_there(object) && !self.held.contains(identity));
        let going: Vec<_> = going.map(|(identity, _)| identity.clone()).collect();
        for identity in going {
            // The object may already be gone, because it was deleted together with an earlier
            // object.
            if self.objects.contains_key(&identity) {
                self.remove(&identity);
            }
        }
        let mut changed = self.objects.len() < before;
        for (identity, manager) in &self.restless {
            self.versions += 1;
            if let Some(object) = self.objects.get_mut(identity) {
                object["metadata"]["resourceVersion"] = json!(self.versions.to_string());
                let entries = object["metadata"]["managedFields"].as_array_mut();
                let mut entries = entries.expect("entries").iter_mut();
                if let Some(entry) = entries.find(|entry| entry["manager"] == json!(manager)) {
                    entry["time"] = json!(self.versions);
                }
            }
        }
        for (identity, object) in &mut self.objects {
            if self.stuck.contains(identity) {
                continue;
            }
            let status = match identity.kind.kind.as_str() {
                "CustomResourceDefinition" => json!({"conditions": [
                    {"type": "NamesAccepted", "status": "True"},
                    {"type": "Established", "status": "True"},
                ]}),
                "Namespace" => json!({"phase": "Active"}),
                "PersistentVolumeClaim" => json!({"phase": "Bound"}),
                "Deployment" => json!({
                    "replicas": 1, "updatedReplicas": 1, "availableReplicas": 1, "readyReplicas": 1,
                    "conditions": [{"type": "Available", "status": "True"}],
                }),
                "Job" if self.failing > 0 => {
                    if object["status"].is_null() {
                        self.failing -= 1;
                        object["status"] = json!({"conditions": [
                            {"type": "Failed", "status": "True", "message": "out of steam"},
                        ]});
                        changed = true;
                    }
                    continue;
                }
                "Job" if object["status"].is_object() => continue,
                "Job" => json!({"conditions": [{"type": "Complete", "status": "True"}]}),
                "Ship" => json!({"phase": "Sailing"}),
                _ => continue,
            };
            if object["status"] != status {
                object["status"] = status;
                changed = true;
            }
        }
        changed
    }

    pub(crate) fn discovery(&self) -> Discovery {
        let definitions = self.objects.iter().filter(|(identity, object)| {
            identity.kind.is_definition() && object["status"]["conditions"].is_array()
        });
        let defined = definitions.filter_map(|(_, object)| {
            let kind = object["spec"]["names"]["kind"].as_str()?;
            let served = ServedKind {
                plural: kind.to_lowercase(),
                is_namespaced: true,
                is_listed: true,
                versions: ["v1".to_owned()].into(),
            };
            Some((
                GroupKind::new(object["spec"]["group"].as_str()?, kind),
                served,
            ))
        });
        discovery().into_iter().chain(defined).collect()
    }
}

/// Returns the field manager for a manifest with the label of a lineage.
fn writer(manifest: &Value) -> String {
    let lineage = manifest["metadata"]["labels"]["plans.portolan.dev/lineage"].as_str();
    manager(lineage.expect("a lineage"))
}

/// Returns the parts of an object that cannot be changed if the object is frozen.
fn content(object: &Value) -> [&Value; 2] {
    ["data", "spec"].map(|key| &object[key])
}

pub(crate) fn version(object: &Value) -> String {
    let version = object["metadata"]["resourceVersion"].as_str();
    version.expect("a version").to_owned()
}

pub(crate) fn identity(manifest: &Value) -> ObjectRef {
    let text = |pointer: &str| {
        manifest
            .pointer(pointer)
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    let api_version = text("/apiVersion").expect("a version");
    let (group, _) = api_version.split_once('/').unwrap_or(("", ""));
    ObjectRef {
        kind: GroupKind::new(group, &text("/kind").expect("a kind")),
        namespace: text("/metadata/namespace"),
        name: text("/metadata/name").expect("a name"),
    }
}
