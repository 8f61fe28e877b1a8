//! InstallPlans: a step that OLM takes.

use crate::{Condition, Observed};

/// A step of OLM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstallPlan {
    /// Which object.
    pub observed: Observed,
    /// The ClusterServiceVersions that it brings.
    pub csvs: Vec<String>,
    /// Whether somebody has let it go ahead.
    pub is_approved: bool,
    /// How far it has come.
    pub phase: PlanPhase,
    /// What OLM says of the whole; empty if nothing.
    pub message: String,
    /// What OLM says of it.
    pub conditions: Vec<Condition>,
    /// What it makes, as far as that is not done: neither `Created` nor `Present`.
    pub open_steps: Vec<Step>,
}

/// How far an InstallPlan has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanPhase {
    /// OLM has not said.
    Unset,
    /// It is put together.
    Planning,
    /// Somebody has to approve it.
    RequiresApproval,
    /// It is carried out.
    Installing,
    /// It was carried out.
    Complete,
    /// It was given up.
    Failed,
    /// A word that is not known here.
    Other(String),
}

/// One object that an InstallPlan makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The bundle that it is part of.
    pub resolving: String,
    /// The kind of the object.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// How far that is, in OLM's word.
    pub status: String,
}
