//! Deployments: what runs of an operator.

use crate::{Condition, Event, Observed, Pod, ReplicaSet, Seen};

/// A Deployment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deployment {
    /// Which object.
    pub observed: Observed,
    /// The ClusterServiceVersion that it belongs to, by the label that OLM writes.
    pub owner: String,
    /// The newest wish that there is.
    pub generation: i64,
    /// The newest wish that its controller has seen.
    pub observed_generation: i64,
    /// How many replicas are wanted.
    pub replicas: i32,
    /// How many there are, of whatever edition.
    pub current: i32,
    /// How many are of the newest edition.
    pub updated: i32,
    /// How many are available.
    pub available: i32,
    /// Whether its rollout is held.
    pub is_paused: bool,
    /// Whether it is being deleted.
    pub is_deleting: bool,
    /// What its controller says of it.
    pub conditions: Vec<Condition>,
    /// What is below it.
    pub below: Below,
}

/// What was looked at below a Deployment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Below {
    /// Nothing, as it was fine when that was decided.
    NotLooked,
    /// Nothing, as too many others fail. Holds how many are looked into at a time.
    TooMany(usize),
    /// All of it.
    Looked {
        /// Its ReplicaSets, by its uid.
        replica_sets: Seen<ReplicaSet>,
        /// The Pods of those.
        pods: Seen<Pod>,
        /// Warnings about any of them.
        events: Seen<Event>,
    },
}
