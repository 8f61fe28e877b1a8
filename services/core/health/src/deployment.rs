//! Deployments: what runs of an operator.

use crate::case::Case;
use crate::condition::about;
use crate::ground::Found;
use crate::words::{because, counted, with_word};
use crate::{
    Code, Condition, Csv, Event, Fact, Observed, Pod, ReplicaSet, Seen, State, WantedDeployment,
};

/// A Deployment.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
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
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
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

/// What a Deployment is by itself, without what is below it.
struct Standing {
    state: State,
    code: Code,
    message: String,
}

// === impl Deployment ===

impl Deployment {
    /// Whether all is well with it, so that nobody needs to look below it. `wanted` is how many
    /// replicas its operator wants; one, where it does not say.
    pub fn is_fine(&self, wanted: Option<i32>) -> bool {
        self.standing(wanted).state == State::Yes
    }

    fn standing(&self, wanted: Option<i32>) -> Standing {
        let standing = self.wrong(wanted).or_else(|| self.under_way());
        standing.unwrap_or_else(|| Standing {
            state: State::Yes,
            code: Code::Fine,
            message: format!(
                "{} has {} available.",
                self.observed.object,
                counted(self.available, "replica")
            ),
        })
    }

    /// What is wrong with it. What is wrong stays so while something is under way: a Deployment that
    /// has failed is not better for being deleted.
    fn wrong(&self, wanted: Option<i32>) -> Option<Standing> {
        let object = &self.observed.object;
        let no = |code, message| {
            Some(Standing {
                state: State::No,
                code,
                message,
            })
        };
        let said = |condition: &Condition, claim: String| {
            because(with_word(claim, &condition.reason), &condition.message)
        };
        if self.replicas <= 0 && wanted.unwrap_or(1) > 0 {
            let message = format!(
                "{object} is scaled to {}, and its operator wants {}. Scale it up again.",
                self.replicas,
                wanted.unwrap_or(1)
            );
            return no(Code::DeploymentScaledToZero, message);
        }
        if let Some(failure) = self.says("ReplicaFailure").filter(|said| said.is_true()) {
            let claim = format!("{object} cannot make its Pods");
            return no(Code::DeploymentReplicaFailure, said(failure, claim));
        }
        match self.says("Progressing").filter(|said| said.is_false()) {
            Some(late) if late.reason == DEADLINE_EXCEEDED => {
                let claim = format!("{object} has not been rolled out within its deadline");
                return no(Code::DeploymentDeadlineExceeded, said(late, claim));
            }
            Some(stuck) => {
                let claim = format!("{object} cannot be rolled out");
                return no(Code::DeploymentReplicaFailure, said(stuck, claim));
            }
            None => {}
        }
        match self.says("Available").filter(|said| said.is_false()) {
            Some(_) if self.is_rolled_out() => {
                let message = format!(
                    "{object} is not available: {} of {} are.",
                    self.available,
                    counted(self.replicas, "replica")
                );
                no(Code::DeploymentUnavailable, message)
            }
            Some(_) | None => None,
        }
    }

    /// What is under way with it, or not known.
    fn under_way(&self) -> Option<Standing> {
        let object = &self.observed.object;
        let is_available = self.says("Available").is_some_and(Condition::is_true);
        let (code, message) = if self.is_deleting {
            (
                Code::DeploymentTerminating,
                format!("{object} is being deleted."),
            )
        } else if !self.is_seen() {
            (
                Code::DeploymentNotObserved,
                format!("The controller of {object} has not seen its newest generation."),
            )
        } else if self.is_paused {
            (
                Code::DeploymentPaused,
                format!("{object} is paused: what is changed in it is not rolled out. Resume it."),
            )
        } else if !self.is_rolled_out() {
            (
                Code::DeploymentProgressing,
                format!(
                    "{object} is being rolled out: {} of {} are of its newest edition.",
                    self.updated,
                    counted(self.replicas, "replica")
                ),
            )
        } else if !is_available || self.available < self.replicas {
            (
                Code::DeploymentUnavailable,
                format!(
                    "{object} is not fully available: {} of {} are.",
                    self.available,
                    counted(self.replicas, "replica")
                ),
            )
        } else {
            return None;
        };
        Some(Standing {
            state: State::NotYet,
            code,
            message,
        })
    }

    /// Whether what is written of it is of its newest generation, and makes sense.
    fn is_seen(&self) -> bool {
        let counts = [self.replicas, self.current, self.updated, self.available];
        self.observed_generation >= self.generation
            && self.generation >= 0
            && counts.iter().all(|count| *count >= 0)
    }

    /// Whether all replicas that there are, and as many as there should be, are of its newest
    /// edition. One without a deadline has no condition that says so.
    fn is_rolled_out(&self) -> bool {
        let is_done = self
            .says("Progressing")
            .is_none_or(|said| said.is_true() && said.reason == ROLLED_OUT);
        is_done && self.is_seen() && self.updated >= self.replicas && self.current <= self.updated
    }

    fn says(&self, kind: &str) -> Option<&Condition> {
        about(&self.conditions, kind)
    }

    fn judge(&self, wanted: &WantedDeployment, softened: bool) -> Fact {
        let Standing {
            state,
            code,
            message,
        } = self.standing(wanted.replicas);
        let state = if softened {
            state.min(State::NotYet)
        } else {
            state
        };
        Fact::new(&self.observed, state, code, &message)
    }
}

/// The reason of Progressing when a rollout took longer than it may.
const DEADLINE_EXCEEDED: &str = "ProgressDeadlineExceeded";
/// The reason of Progressing when a rollout is done.
const ROLLED_OUT: &str = "NewReplicaSetAvailable";

/// What runs of an operator. It is that of the newest that OLM has begun to install; those before
/// it lose theirs.
pub(crate) fn judge(csv: &Csv, case: &Case<'_>) -> Vec<Fact> {
    let bearer = case.chain.bearer();
    let is_hopeful = bearer.is_none() && case.chain.newest() == Some(csv);
    match bearer == Some(csv) || is_hopeful {
        true => csv
            .deployments
            .iter()
            .filter_map(|wanted| one(wanted, is_hopeful, case))
            .collect(),
        false => Vec::new(),
    }
}

/// One Deployment of an operator. Before OLM has begun to install it, none need be there, and what
/// is there is about to change.
fn one(wanted: &WantedDeployment, is_hopeful: bool, case: &Case<'_>) -> Option<Fact> {
    match case.ground.deployments.find(&wanted.name) {
        Found::There(deployment) => Some(deployment.judge(wanted, is_hopeful)),
        Found::Missing(observed) if !is_hopeful => {
            let message = format!(
                "{} is not there. OLM makes it again within minutes, if it can.",
                observed.object
            );
            Some(Fact::new(
                &observed,
                State::No,
                Code::DeploymentMissing,
                &message,
            ))
        }
        Found::Missing(_) | Found::Unseen => None,
    }
}
