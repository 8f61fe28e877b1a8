//! The status of an InstallPlan.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use schemars::generate::SchemaGenerator;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ConditionType;
use crate::schema::{self, items, moment, optional, structural, values};
use crate::status::{find, is_false, is_true};

/// The maximum number of members in a status. A status does not report further members.
pub const MOST_MEMBERS: usize = 100;
/// The maximum number of missing rules in a status.
pub const MOST_RULES: usize = 100;
/// The maximum number of missing namespaces in a status.
pub const MOST_NAMESPACES: usize = 20;
/// The maximum number of finalizers of a member in a status.
pub const MOST_FINALIZERS: usize = 20;
/// The maximum number of lineages that one plan can merge.
pub const MOST_LINEAGES: usize = 20;
/// The maximum size of the missing rules in a status, as JSON, in bytes.
const LARGEST_RULES: usize = 64 * 1024;

// `kubectl explain` prints the comments of these types and fields. States have no enum in the
// schema, because a controller could not write a state that an older CRD does not know.

/// The observed state of the plan.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(transform = structural)]
pub struct Status {
    /// The generation of the plan that the status describes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// The phase: a summary of the state of the plan. Invalid: the plan cannot be applied. Pending: the plan waits for an object or a
    /// permission before it starts. Suspended: spec.suspend is true. Applying: objects are being applied. Failed: a Job
    /// failed. Applied: all objects were applied, and some are not ready. Ready: all objects were applied and are ready.
    /// Superseded: a newer plan replaces this plan. Terminating: the plan is being deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub phase: Option<Phase>,
    /// The current conditions, one per type.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "conditions")]
    pub conditions: Vec<Condition>,
    /// The stage that is being applied. Absent before the first stage and after the last stage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<StageStatus>,
    /// The numbers of all, applied and ready objects of the plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<Counts>,
    /// Objects of the plan that are not in the desired state. At most 100 are listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<MemberStatus>,
    /// The permission rules that the ServiceAccount lacks. At most 100 are listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing_rules: Vec<MissingRule>,
    /// The number of missing rules that are not listed in missingRules.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_missing_rules: u32,
    /// The missing namespaces that objects of the plan need. At most 20 are listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(transform = items("A namespace."))]
    pub missing_namespaces: Vec<String>,
    /// The label that the namespace of the plan lacks. The namespace needs this label with the
    /// value true, so that the plan can act as its ServiceAccount. Absent if the namespace has the
    /// label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_namespace_label: Option<String>,
    /// The ClusterRole that a RoleBinding in the namespace of the plan must bind to the controller.
    /// Without this RoleBinding, the controller cannot act as the ServiceAccount of the plan.
    /// Absent if the ClusterRole is bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_controller_role: Option<String>,
    // A plan inherits the lineage of the plan that it replaces. Written before the first object is
    // written.
    /// The lineage of the plan: the UID of the first plan in a chain of plans, each of which
    /// replaces the previous one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lineage: Option<String>,
    // Written together with `lineage`.
    /// The other lineages that this plan or a replaced plan merged. The objects of these lineages
    /// belong to this plan.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(transform = items("The lineage: the UID of the first plan in a chain of plans that \
                                  replace each other."))]
    pub merged_lineages: Vec<String>,
    // Some of these plans may be deleted.
    /// The UIDs of the plans that this plan replaces, directly or through other plans.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(transform = items("A UID."))]
    pub predecessors: Vec<String>,
    /// The UIDs of the plans that are completely replaced. All objects of these plans were taken
    /// over or deleted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(transform = items("A UID."))]
    pub taken_over: Vec<String>,
    /// The facts that the controller records before it writes the first object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<Record>,
    // Written before a Job is created.
    /// The Jobs of the plan that have started, each with the state of its last run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<JobStatus>,
    // Written before the first object is deleted.
    /// The transformations that have started, each with its selected objects.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub transformed: Vec<Transformed>,
    /// The repairs of objects that other clients changed or deleted. The key is the index of the
    /// object among all objects of the plan, starting at 0.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub repairs: BTreeMap<String, Repairs>,
    /// The last handled value of the annotation plans.portolan.dev/retry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retried: Option<String>,
    // Also absent if the deletion only waits for objects that are already being deleted. The
    // deletion time of these objects is used instead.
    /// The time since which the deletion of the plan makes no progress. spec.abandonAfterSeconds
    /// counts from this time. Absent if the deletion is not blocked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "moment")]
    pub deletion_blocked_since: Option<Time>,
}

impl Status {
    /// Sets the rules that the ServiceAccount lacks, up to the size limits of a status, and counts
    /// the remaining rules.
    pub fn list_missing_rules(&mut self, rules: Vec<MissingRule>) {
        let count = rules.len();
        let mut size = 0;
        let fits = |rule: &MissingRule| {
            size += rule.to_json().to_string().len();
            size <= LARGEST_RULES
        };
        self.missing_rules = rules
            .into_iter()
            .take(MOST_RULES)
            .take_while(fits)
            .collect();
        let more = count - self.missing_rules.len();
        self.more_missing_rules = u32::try_from(more).unwrap_or(u32::MAX);
    }

    pub fn condition(&self, type_: ConditionType) -> Option<&Condition> {
        find(&self.conditions, type_)
    }

    /// Returns the conditions that report a problem, or an object for which the plan waits. They
    /// are in the order of their types.
    pub fn open_conditions(&self) -> impl Iterator<Item = &Condition> {
        ConditionType::ALL.iter().filter_map(|type_| {
            let condition = self.condition(*type_)?;
            type_.is_open(condition).then_some(condition)
        })
    }

    /// Returns all lineages whose objects belong to the plan. The plan's own lineage is first.
    /// Returns nothing if the status has no lineage yet.
    pub fn lineages(&self) -> impl Iterator<Item = &String> {
        self.lineage.iter().chain(&self.merged_lineages)
    }

    /// Returns true if the plan may have written objects. The record is written before the first
    /// object.
    pub fn has_begun(&self) -> bool {
        self.record.is_some()
    }

    /// Returns true if the condition exists and is True.
    pub fn is_true(&self, type_: ConditionType) -> bool {
        is_true(&self.conditions, type_)
    }

    /// Returns true if the condition exists and is False.
    pub fn is_false(&self, type_: ConditionType) -> bool {
        is_false(&self.conditions, type_)
    }
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

fn conditions(_: &mut SchemaGenerator) -> Schema {
    schema::finished(schema::conditions("plan"))
}

/// A permission rule, as in a Role, that the ServiceAccount lacks.
#[derive(
    Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase", default)]
pub struct MissingRule {
    /// The namespace in which the rule is missing. Absent if the rule is missing for the whole
    /// cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The API groups of the resources.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(transform = items("A group."))]
    pub api_groups: Vec<String>,
    /// The resources.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(transform = items("A resource."))]
    pub resources: Vec<String>,
    /// The names of the objects. If empty, the rule applies to all objects.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(transform = items("A name."))]
    pub resource_names: Vec<String>,
    /// The paths of non-resource URLs.
    #[serde(rename = "nonResourceURLs", skip_serializing_if = "Vec::is_empty")]
    #[schemars(transform = items("A path."))]
    pub non_resource_urls: Vec<String>,
    /// The verbs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(transform = items("A verb."))]
    pub verbs: Vec<String>,
}

impl MissingRule {
    /// Returns the rule in the format of a role, without the namespace.
    pub fn to_json(&self) -> Value {
        json!(Self {
            namespace: None,
            ..self.clone()
        })
    }
}

/// A summary of the state of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// The plan cannot be applied.
    Invalid,
    /// The plan waits for an object or a permission before it starts.
    Pending,
    Suspended,
    Applying,
    /// A Job has failed.
    Failed,
    /// Every object was applied, but some are not ready.
    Applied,
    /// Every object was applied and is ready.
    Ready,
    /// A newer plan replaced this plan. Earlier versions of Portolan wrote `Resting`.
    #[serde(alias = "Resting")]
    Superseded,
    Terminating,
    /// A phase that another version of Portolan wrote, and that this version does not know.
    #[serde(other)]
    Unknown,
}

/// The stage that is being applied.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct StageStatus {
    /// The name of the stage.
    pub name: String,
    // The index is also the number of completed stages.
    /// The index of the stage in spec.stages, starting at 0.
    pub index: u32,
    /// The time when the stage started or was last resumed. The deadline counts from this time. Absent while the plan is
    /// suspended or superseded.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "moment")]
    pub since: Option<Time>,
}

/// The numbers of all, applied and ready objects of the plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Counts {
    /// The number of all objects.
    pub members: u32,
    /// The number of applied objects.
    pub applied: u32,
    /// The number of ready objects.
    pub ready: u32,
}

/// An object that is not in the desired state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = optional)]
pub struct MemberStatus {
    /// The name of the stage.
    pub stage: String,
    /// The index of the object in the resources of the stage, starting at 0.
    pub index: u32,
    /// The kind, namespace and name of the object, such as Deployment.apps harbor/ferry.
    pub object: String,
    /// The state of the object. Refused: the object cannot be applied. Failed: the object was
    /// applied and has failed. NotApplied: the object is not applied yet. Missing: the object was
    /// applied and is missing. NotReady: the object was applied and is not ready. Drifted: another
    /// client changed the object. Contested: another client keeps changing the object, so the
    /// changes are not reverted for now. Held: the deletion of the object is blocked. Terminating:
    /// the object is being deleted. Remaining: the object is not deleted yet.
    #[schemars(with = "String")]
    pub state: MemberState,
    /// A human-readable message.
    pub message: String,
    /// The Pod that prevents the workload from becoming ready. Reported after 20 seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pod: Option<FailingPod>,
    /// The owner of the existing object. Absent if the object has no other owner than the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<MemberOwner>,
    /// The finalizers that block the deletion of the object. At most 20 are listed. Absent if the
    /// object is not being deleted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(transform = items("A finalizer."))]
    pub finalizers: Vec<String>,
    /// The name of the admission webhook that the API server cannot call for the object or for the
    /// Pods of the object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failing_webhook: Option<String>,
}

impl MemberStatus {
    /// Returns the status of an object. `stage` and `index` are the stage of the object and its
    /// index in that stage.
    pub fn new(
        (stage, index): (&str, usize),
        object: String,
        state: MemberState,
        message: String,
    ) -> Self {
        Self {
            stage: stage.to_owned(),
            index: u32::try_from(index).unwrap_or(u32::MAX),
            object,
            state,
            message,
            pod: None,
            owner: None,
            finalizers: Vec::new(),
            failing_webhook: None,
        }
    }
}

/// The owner of an object.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct MemberOwner {
    /// The API group of the owner. Absent if the owner is in the core group or is a tool.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// The kind of the owner, such as InstallPlan, or the name of the tool that manages the object, such as Helm.
    pub kind: String,
    /// The namespace of the owner. Absent if the owner is cluster-scoped or its namespace is
    /// unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The name of the owner. For a tool, the name that the tool uses for the object. Absent if
    /// unknown.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
}

/// The maximum length of a container's termination message in a status.
pub const LONGEST_LAST_WORDS: usize = 500;

/// A Pod that does not run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct FailingPod {
    /// The name of the Pod. The Pod is in the namespace of the workload.
    pub name: String,
    // The code is a code of the health service.
    /// The cause, such as CrashLooping, ImagePullFailing or Unschedulable.
    pub cause: String,
    /// The name of the container. Absent if the cause concerns the whole Pod.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub container: String,
    /// The reason that Kubernetes reports, such as CrashLoopBackOff.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The exit code of the last termination of the container.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The end of the latest termination message of the container.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// The state of a member that differs from the desired state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum MemberState {
    /// The member cannot be applied.
    Refused,
    /// The member was applied, but has failed.
    Failed,
    /// The member is not applied yet.
    NotApplied,
    /// The member was applied, but no longer exists.
    Missing,
    /// The member was applied, but is not ready.
    NotReady,
    /// Another client changed the member.
    Drifted,
    /// Another client changes the member again and again, so the plan does not revert it for now.
    Contested,
    /// The deletion of the member is blocked.
    Held,
    /// The member is being deleted.
    Terminating,
    /// The member must still be deleted.
    Remaining,
    /// A state that another version of Portolan wrote, and that this version does not know.
    #[serde(other)]
    Unknown,
}

/// A transformation that has started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = optional)]
pub struct Transformed {
    /// The index of the transformation in spec.transformations, starting at 0.
    pub index: u32,
    /// The selected objects.
    #[serde(default)]
    pub objects: Vec<Taken>,
    /// True if all selected objects are deleted.
    #[serde(default, rename = "done")]
    pub is_done: bool,
}

/// An object that is deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = optional)]
pub struct Taken {
    /// The API group of the object. Empty for the core group.
    pub group: String,
    /// The kind of the object.
    pub kind: String,
    /// The namespace of the object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The name of the object.
    pub name: String,
    /// The UID of the object. An object with the same name and another UID is kept.
    pub uid: String,
}

/// A Job that has started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = optional)]
pub struct JobStatus {
    /// The name of the stage.
    pub stage: String,
    /// The name of the Job in the spec of its stage.
    pub name: String,
    /// The number of the run, starting at 1.
    pub run: u32,
    /// The number of consecutive failed runs since the last requested retry.
    pub failures: u32,
    /// The name of the Job object of this run. The Job is in the namespace of the plan.
    pub job: String,
    // Set when the controller has seen the Job. After that, the controller does not create the Job
    // again.
    /// The UID of the Job object of this run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
    /// The state of the run: Running, Succeeded or Failed.
    #[schemars(with = "String")]
    pub state: JobState,
    /// The time when the run ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "moment")]
    pub ended: Option<Time>,
    /// A human-readable message about the failure.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub message: String,
}

/// The state of the last run of a Job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum JobState {
    /// The run has not ended, or the controller has not created its Job yet.
    Running,
    Succeeded,
    Failed,
    /// A state that another version of Portolan wrote, and that this version does not know.
    #[serde(other)]
    Unknown,
}

/// The repairs of an object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = optional)]
pub struct Repairs {
    /// The number of counted repairs.
    pub times: u32,
    /// The time of the first counted repair.
    #[schemars(schema_with = "moment")]
    pub since: Time,
}

// Each controller needs these facts, also after it restarts.
/// The facts that the controller records before it writes the first object.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Record {
    /// The digest of all manifests of the plan together.
    pub digest: String,
    // The plan created all other objects.
    /// The UIDs of objects that existed before the plan. The key is the index of the object among
    /// all objects of the plan, starting at 0.
    #[schemars(transform = values("A UID."))]
    pub found: BTreeMap<String, String>,
    /// The digests of the UIDs of the objects that the plan created, 5 bytes each, in the order of
    /// the plan, as base64. With these digests, the controller recognizes the objects. An object
    /// with the same name and another UID is not deleted.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub made: String,
    // If the manifest of such an object is missing, the controller deletes the object by this name.
    // Empty if the plan contains all its manifests.
    /// The names of the objects whose manifests are in Secrets and ResourceManifests, as compressed
    /// JSON in base64.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub referenced: String,
}
