//! The status of a plan.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use serde::{Deserialize, Serialize};

use super::ConditionType;

/// The most members that a status tells of: of what is beyond, nobody knows how it is.
pub const MOST_MEMBERS: usize = 100;

/// The status of a plan.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Status {
    /// The generation of the plan that all this is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// One of each type.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// The stage that is applied now; none before the first and after the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<StageStatus>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<Counts>,
    /// Members that are not fine, the first of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<MemberStatus>,
    /// The uid of the first plan of the lineage, which is inherited. It is written before the first
    /// request that changes anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lineage: Option<String>,
    /// The uids of the plans whose place it takes, itself or through others: that stays so when one in
    /// between is gone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub predecessors: Vec<String>,
    /// The uids of the plans that it has taken over from: nothing that only they made is left to be
    /// deleted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub taken_over: Vec<String>,
    /// Written before the first request that changes anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<Record>,
    /// Jobs that have begun, each with its last run. It is written before the Job is made.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<JobStatus>,
    /// Transformations that have begun. It is written before the first object goes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub transformed: Vec<Transformed>,
    /// The repairs of members that others had changed or deleted, by their places in the order of
    /// the plan, from 0 on.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub repairs: BTreeMap<String, Repairs>,
    /// The value of the annotation [`RETRY`](super::RETRY) that was heeded last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retried: Option<String>,
}

impl Status {
    pub fn condition(&self, type_: ConditionType) -> Option<&Condition> {
        let mut conditions = self.conditions.iter();
        conditions.find(|condition| condition.type_ == type_.as_str())
    }

    /// Whether the plan may have written something.
    pub fn has_begun(&self) -> bool {
        self.record.is_some()
    }

    /// Whether a condition is there and True.
    pub fn is_true(&self, type_: ConditionType) -> bool {
        let condition = self.condition(type_);
        condition.is_some_and(|condition| condition.status == "True")
    }
}

/// A plan in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// It cannot be carried out as it is.
    Invalid,
    /// Something must come or be allowed before it begins.
    Pending,
    Suspended,
    Applying,
    /// A Job has failed.
    Failed,
    /// All was applied; something is not ready.
    Applied,
    /// All was applied, and is there and works.
    Ready,
    /// A newer plan takes its place.
    Resting,
    Terminating,
    /// A word of another version of Portolan.
    #[serde(other)]
    Unknown,
}

/// The stage that is applied now.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StageStatus {
    pub name: String,
    /// Its place among the stages, from 0 on: so many are done.
    pub index: u32,
    /// When it began, or was last let go on; None while the plan is suspended or rests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Time>,
}

/// The numbers of members.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Counts {
    pub members: u32,
    /// Those that are there as they were meant.
    pub applied: u32,
    /// Those that are ready, too.
    pub ready: u32,
}

/// A member that is not fine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MemberStatus {
    pub stage: String,
    /// Its place in the stage, from 0 on.
    pub index: u32,
    /// Such as `Deployment.apps harbor/ferry`.
    pub object: String,
    pub state: MemberState,
    pub message: String,
}

/// The state of a member that is not fine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum MemberState {
    /// It cannot be applied.
    Refused,
    /// It is applied, and has failed.
    Failed,
    /// It is not applied yet.
    NotApplied,
    /// It was applied, and is gone.
    Missing,
    /// It is applied, and not ready.
    NotReady,
    /// Others have changed what was applied.
    Drifted,
    /// Others change it as often as it is put right: it stays as it is for a while.
    Contested,
    /// It is to be deleted, and something keeps that from being done.
    Held,
    /// It is being deleted.
    Terminating,
    /// It is to be deleted.
    Remaining,
    /// A word of another version of Portolan.
    #[serde(other)]
    Unknown,
}

/// A transformation that has begun.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Transformed {
    /// Its place among the transformations of the plan, from 0 on.
    pub index: u32,
    /// The objects that go.
    #[serde(default)]
    pub objects: Vec<Taken>,
    /// Whether all of it is gone.
    #[serde(default, rename = "done")]
    pub is_done: bool,
}

/// An object that goes as another one stands in for it.
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

/// A Job that has begun.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JobStatus {
    pub stage: String,
    /// In its stage.
    pub name: String,
    /// Which run it is, from 1 on.
    pub run: u32,
    /// The number of runs in a row that have failed, since a user last asked to try it again.
    pub failures: u32,
    /// The name of the Job of this run.
    pub job: String,
    /// The uid of that Job, once it was seen: then it is not made again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
    pub state: JobState,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<Time>,
    /// Why it failed.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub message: String,
}

/// The state of the last run of a Job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum JobState {
    /// It has not ended, or is to be made.
    Running,
    Succeeded,
    Failed,
    /// A word of another version of Portolan.
    #[serde(other)]
    Unknown,
}

/// The number of times that a member was repaired.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Repairs {
    pub times: u32,
    /// The time of the first of these.
    pub since: Time,
}

/// The facts about the plan that must be kept for good, whichever controller carries it on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Record {
    /// Of all manifests together.
    pub digest: String,
    /// The uids of the members that were there before the plan, by their places in the order of the
    /// plan, from 0 on. All others are made by the plan.
    pub found: BTreeMap<String, String>,
    /// The names of the members whose manifests lie beside the plan, packed. They are deleted by these
    /// names if a Secret or ResourceManifest is missing. Empty without such members.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub referenced: String,
}
