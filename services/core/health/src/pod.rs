//! What is below a Deployment: ReplicaSets, Pods, and what is written of them.

use crate::{Condition, Object, Observed};

/// One edition of a Deployment.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReplicaSet {
    /// Which object.
    pub observed: Observed,
    /// Which edition, counted from 1: the annotation `deployment.kubernetes.io/revision`.
    pub revision: i64,
    /// How many Pods are wanted.
    pub replicas: i32,
    /// What its controller says of it.
    pub conditions: Vec<Condition>,
}

/// One replica.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pod {
    /// Which object.
    pub observed: Observed,
    /// The uid of the ReplicaSet that made it.
    pub owner_uid: String,
    /// How far it has come: `Pending`, `Running`, `Succeeded`, `Failed`, `Unknown`.
    pub phase: String,
    /// Why the Pod as a whole is as it is, in a word, such as `Evicted`.
    pub reason: String,
    /// Why the Pod as a whole is as it is, for people.
    pub message: String,
    /// What Kubernetes says of it.
    pub conditions: Vec<Condition>,
    /// Its containers, those that only prepare first.
    pub containers: Vec<Container>,
    /// Whether it is being deleted.
    pub is_deleting: bool,
}

/// One container of a Pod.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Container {
    /// Its name.
    pub name: String,
    /// Its image.
    pub image: String,
    /// Whether it only prepares, and ends before the others begin.
    pub is_init: bool,
    /// Whether it is ready.
    pub is_ready: bool,
    /// Whether it runs.
    pub is_running: bool,
    /// How often it was started again.
    pub restarts: i32,
    /// What it waits for, if it waits.
    pub waiting: Option<Waiting>,
    /// How it ended, if it has ended.
    pub terminated: Option<Terminated>,
    /// How it ended the time before, if it was started again.
    pub last: Option<Terminated>,
}

/// What a container waits for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Waiting {
    /// In a word, such as `CrashLoopBackOff`.
    pub reason: String,
    /// For people.
    pub message: String,
}

/// How a container ended.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Terminated {
    /// Its exit code.
    pub exit_code: i32,
    /// In a word, such as `OOMKilled`.
    pub reason: String,
    /// What it left as its last words.
    pub message: String,
}

/// A warning about an object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    /// What it is about.
    pub about: Object,
    /// The uid of that; empty if it is not said.
    pub about_uid: String,
    /// In a word, such as `FailedMount`.
    pub reason: String,
    /// For people.
    pub message: String,
    /// When it was last seen (RFC 3339, as it was written), to tell the newest.
    pub last_seen: String,
}
