//! The status of a plan.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ConditionType;
use crate::status::{find, is_false, is_true};

/// The maximum number of members in a status. The state of further members is unknown.
pub const MOST_MEMBERS: usize = 100;
/// The most missing rules that a status lists.
pub const MOST_RULES: usize = 100;
/// The most lineages that one plan merges.
pub const MOST_LINEAGES: usize = 20;
/// The most bytes of these rules, as JSON.
const LARGEST_RULES: usize = 64 * 1024;

/// The status of a plan.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Status {
    /// The generation of the plan that the status describes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// One per type.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// The stage that is being applied. None before the first stage and after the last stage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<StageStatus>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<Counts>,
    /// Members that are not in the desired state, up to [`MOST_MEMBERS`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<MemberStatus>,
    /// Rules that the ServiceAccount lacks, the first of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing_rules: Vec<MissingRule>,
    /// The number of missing rules that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_missing_rules: u32,
    /// The UID of the first plan of the lineage, which is inherited. It is written before the first
    /// object is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lineage: Option<String>,
    /// The other lineages whose objects the plan has: those of the plans that it merges, or that a
    /// plan before it merged. Written together with `lineage`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub merged_lineages: Vec<String>,
    /// The UIDs of the plans that this plan replaces, directly or through other plans that may be
    /// deleted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub predecessors: Vec<String>,
    /// The UIDs of the replaced plans whose objects are all taken over or deleted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub taken_over: Vec<String>,
    /// Written before the first object is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<Record>,
    /// Jobs that have started, each with its last run. Written before the Job is created.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<JobStatus>,
    /// Transformations that have started. Written before the first object is deleted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub transformed: Vec<Transformed>,
    /// The repairs of members that other clients changed or deleted, by index in the order of the
    /// plan.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub repairs: BTreeMap<String, Repairs>,
    /// The last handled value of the annotation [`RETRY`](super::RETRY).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retried: Option<String>,
    /// The time since which the deletion is blocked without interruption. None while it continues,
    /// and while it only waits for objects that are being deleted, which have a time of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletion_blocked_since: Option<Time>,
}

impl Status {
    /// Lists the rules that the ServiceAccount lacks, as many of them as a status holds.
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

    /// Returns the conditions that report a problem or what the plan waits for, in the order of their
    /// types.
    pub fn open_conditions(&self) -> impl Iterator<Item = &Condition> {
        ConditionType::ALL.iter().filter_map(|type_| {
            let condition = self.condition(*type_)?;
            type_.is_open(condition).then_some(condition)
        })
    }

    /// Returns all lineages whose objects the plan has, its own first. Empty before they are recorded.
    pub fn lineages(&self) -> impl Iterator<Item = &String> {
        self.lineage.iter().chain(&self.merged_lineages)
    }

    /// Whether the plan may have written something.
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

/// A rule of a role that the ServiceAccount of a plan lacks.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MissingRule {
    /// None for the whole cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub api_groups: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<String>,
    /// Empty for all of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resource_names: Vec<String>,
    #[serde(rename = "nonResourceURLs", skip_serializing_if = "Vec::is_empty")]
    pub non_resource_urls: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub verbs: Vec<String>,
}

impl MissingRule {
    /// Returns the rule as roles have it, without the namespace.
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
    /// A Job failed.
    Failed,
    /// Every object was applied, and some are not ready.
    Applied,
    /// Every object was applied and is ready.
    Ready,
    /// A newer plan replaces this plan.
    Resting,
    Terminating,
    /// A value of another version of Portolan.
    #[serde(other)]
    Unknown,
}

/// The stage that is being applied.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StageStatus {
    pub name: String,
    /// The index of the stage, which is the number of completed stages.
    pub index: u32,
    /// The time when the stage started or was last resumed. None while the plan is suspended or
    /// resting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Time>,
}

/// The numbers of members.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Counts {
    pub members: u32,
    /// Members that are applied.
    pub applied: u32,
    /// Members that are applied and ready.
    pub ready: u32,
}

/// A member that is not in the desired state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MemberStatus {
    pub stage: String,
    /// The index of the member in the resources of the stage.
    pub index: u32,
    /// Such as `Deployment.apps harbor/ferry`.
    pub object: String,
    pub state: MemberState,
    pub message: String,
    /// The Pod that keeps a workload from being ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pod: Option<FailingPod>,
}

/// The most characters of a termination message in a status.
pub const LONGEST_LAST_WORDS: usize = 500;

/// A Pod that does not run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FailingPod {
    /// Its name; it is in the namespace of its workload.
    pub name: String,
    /// The cause, such as `CrashLooping`: a word that health has for it.
    pub cause: String,
    /// Empty for the Pod as a whole.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub container: String,
    /// The word of Kubernetes, such as `CrashLoopBackOff`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The exit code of the last termination of the container.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The termination message of the container.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// The state of a member that is not in the desired state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum MemberState {
    /// The member cannot be applied.
    Refused,
    /// The member was applied and has failed.
    Failed,
    /// The member is not applied yet.
    NotApplied,
    /// The member was applied and is missing.
    Missing,
    /// The member was applied and is not ready.
    NotReady,
    /// Another client changed the member.
    Drifted,
    /// Another client keeps changing the member, so it is not reverted for now.
    Contested,
    /// The deletion of the member is blocked.
    Held,
    /// The member is being deleted.
    Terminating,
    /// The member is not deleted yet.
    Remaining,
    /// A value of another version of Portolan.
    #[serde(other)]
    Unknown,
}

/// A transformation that has started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Transformed {
    /// The index of the transformation in the plan.
    pub index: u32,
    /// The selected objects.
    #[serde(default)]
    pub objects: Vec<Taken>,
    /// True if all selected objects are deleted.
    #[serde(default, rename = "done")]
    pub is_done: bool,
}

/// An object that is deleted because an object of the plan replaces it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Taken {
    pub group: String,
    pub kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    pub name: String,
    pub uid: String,
}

/// A Job that has started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JobStatus {
    pub stage: String,
    /// The name of the Job in its stage.
    pub name: String,
    /// The number of the run, starting at 1.
    pub run: u32,
    /// The number of consecutive failed runs since a retry was last requested.
    pub failures: u32,
    /// The name of the Job of this run.
    pub job: String,
    /// The UID of that Job, once the Job was observed. It is not created again then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
    pub state: JobState,
    /// The time when the run ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<Time>,
    /// A human-readable message about the failure.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub message: String,
}

/// The state of the last run of a Job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum JobState {
    /// The run has not ended, or its Job is not created yet.
    Running,
    Succeeded,
    Failed,
    /// A value of another version of Portolan.
    #[serde(other)]
    Unknown,
}

/// The repairs of a member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Repairs {
    pub times: u32,
    /// The time of the first repair that is counted.
    pub since: Time,
}

/// Facts about the plan that every controller needs, also after a restart.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Record {
    /// The digest of all manifests together.
    pub digest: String,
    /// The UIDs of members that existed before the plan, by index in the order of the plan. All
    /// other members are created by the plan.
    pub found: BTreeMap<String, String>,
    /// The digests of the UIDs of members that the plan created, compressed, by index in the order of
    /// the plan. A different object with the same name is not deleted.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub made: String,
    /// The names of members whose manifests are in Secrets and ResourceManifests, compressed. These
    /// members are deleted by name if such an object is missing. Empty without such members.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub referenced: String,
}
