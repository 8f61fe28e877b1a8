//! Judges Deployments, which are the workloads of an operator.

use std::collections::BTreeSet;
use std::ops::{Deref, DerefMut};

use portolan_core_names::text::counted;
use portolan_core_olm::{Condition, Deployment, Event, Pod, ReplicaSet};

use crate::case::Case;
use crate::objects::LookupResult;
use crate::words::{because, with_word};
use crate::{Csv, CsvPhase, Fact, HealthCode, Item, ObservedObjects, State};

mod cause;

pub use cause::judge_below;

/// A Deployment with its ReplicaSets, Pods and Events.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Workload {
    /// The Deployment.
    pub deployment: Item<Deployment>,
    /// The ReplicaSets, Pods and Events of the Deployment.
    pub below: Below,
}

/// The ReplicaSets, Pods and Events that were read for a Deployment.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Below {
    /// The objects were not read, because the Deployment was healthy.
    NotLooked,
    /// The objects were not read, because too many other Deployments fail or failed recently.
    /// Contains the maximum number of Deployments whose objects are read at the same time.
    TooMany(usize),
    /// The objects were read.
    Looked {
        /// The ReplicaSets, by the uid in their owner references.
        replica_sets: ObservedObjects<Item<ReplicaSet>>,
        /// The Pods of the ReplicaSets.
        pods: ObservedObjects<Item<Pod>>,
        /// The warning Events about any of these objects.
        events: ObservedObjects<Item<Event>>,
    },
}

/// The state of a Deployment, regardless of its ReplicaSets and Pods.
struct DeploymentState {
    state: State,
    code: HealthCode,
    message: String,
}

// === impl DeploymentState ===

impl DeploymentState {
    fn no(code: HealthCode, message: String) -> Self {
        Self {
            state: State::No,
            code,
            message,
        }
    }
}

impl Item<Deployment> {
    /// Returns true if the Deployment is healthy. Its Pods then do not have to be read. `wanted` is
    /// the number of replicas that its operator requests.
    pub fn is_fine(&self, wanted: i32) -> bool {
        self.standing(wanted).state == State::Yes
    }

    fn standing(&self, wanted: i32) -> DeploymentState {
        let standing = self.wrong(wanted).or_else(|| self.under_way());
        standing.unwrap_or_else(|| DeploymentState {
            state: State::Yes,
            code: HealthCode::Healthy,
            message: format!(
                "{} has {} available.",
                self.observed.object,
                counted(self.status.available_replicas, "replica")
            ),
        })
    }

    /// Returns the problem of the Deployment. Returns None if the Deployment has no problem. A
    /// problem takes precedence over a change in progress. For example, a failed Deployment stays
    /// failed while it is being deleted.
    fn wrong(&self, wanted: i32) -> Option<DeploymentState> {
        let failing = || self.failing();
        self.scaled_to_zero(wanted)
            .or_else(failing)
            .or_else(|| self.unavailable())
    }

    fn scaled_to_zero(&self, wanted: i32) -> Option<DeploymentState> {
        let message = format!(
            "{} is scaled to {}, but the ClusterServiceVersion requires {}.",
            self.observed.object,
            self.replicas(),
            wanted
        );
        let is_off = self.replicas() <= 0 && wanted > 0;
        is_off.then(|| DeploymentState::no(HealthCode::DeploymentScaledToZero, message))
    }

    /// Returns the failure that the Deployment controller reports. Returns None if it reports no
    /// failure.
    fn failing(&self) -> Option<DeploymentState> {
        let failure = self
            .condition("ReplicaFailure")
            .filter(|said| said.is_true());
        let late = self.condition("Progressing").filter(|said| said.is_false());
        let said = failure.or(late)?;
        let (code, claim) = match said.reason.as_str() {
            DEADLINE_EXCEEDED => {
                let claim = "exceeded its progress deadline";
                (HealthCode::DeploymentDeadlineExceeded, claim)
            }
            _ => (
                HealthCode::DeploymentReplicaFailure,
                "cannot create its Pods",
            ),
        };
        let claim = with_word(format!("{} {claim}", self.observed.object), &said.reason);
        Some(DeploymentState::no(code, because(claim, &said.message)))
    }

    /// Returns the problem that a Deployment is completely rolled out but not available. Returns
    /// None otherwise.
    fn unavailable(&self) -> Option<DeploymentState> {
        let is_down = self.condition("Available").is_some_and(Condition::is_false);
        let is_wrong = is_down && self.is_rolled_out();
        is_wrong.then(|| DeploymentState::no(HealthCode::DeploymentUnavailable, self.count()))
    }

    fn count(&self) -> String {
        let wanted = counted(self.replicas(), "replica");
        format!(
            "{} has {} of {wanted} available.",
            self.observed.object, self.status.available_replicas
        )
    }

    /// Returns the change in progress, or the reason why the state is unknown. Returns None if the
    /// Deployment is healthy.
    fn under_way(&self) -> Option<DeploymentState> {
        let object = &self.observed.object;
        let is_available = self.condition("Available").is_some_and(Condition::is_true);
        let (code, message) = if self.is_deleting() {
            (
                HealthCode::DeploymentTerminating,
                format!("{object} is being deleted."),
            )
        } else if self.status.observed_generation < self.generation() {
            let message =
                format!("The controller of {object} has not observed the latest generation.");
            (HealthCode::DeploymentNotObserved, message)
        } else if !self.is_sane() {
            let message = format!("The status of {object} has a negative count or generation.");
            (HealthCode::DeploymentNotObserved, message)
        } else if self.spec.paused {
            (
                HealthCode::DeploymentPaused,
                format!(
                    "{object} is paused, so Kubernetes does not roll out its changes. Resume \
                         the rollout."
                ),
            )
        } else if !self.is_rolled_out() {
            let message = format!(
                "{object} is being rolled out: {} of {} new, {} available.",
                self.status.updated_replicas,
                self.replicas(),
                self.status.available_replicas
            );
            (HealthCode::DeploymentProgressing, message)
        } else if self.status.available_replicas < self.replicas() {
            (HealthCode::DeploymentUnavailable, self.count())
        } else if !is_available {
            let message = format!("The controller of {object} does not report availability.");
            (HealthCode::DeploymentUnavailable, message)
        } else {
            return None;
        };
        Some(DeploymentState {
            state: State::NotYet,
            code,
            message,
        })
    }

    /// Returns true if the status is plausible. Negative counts are not plausible.
    fn is_sane(&self) -> bool {
        let counts = [
            self.replicas(),
            self.status.replicas,
            self.status.updated_replicas,
            self.status.available_replicas,
        ];
        self.generation() >= 0 && counts.iter().all(|count| *count >= 0)
    }

    /// Returns true if the rollout is complete: the Deployment has the desired number of replicas,
    /// and all of them run the newest template that the Deployment controller has observed. The
    /// counts are compared because a Deployment without a deadline has no condition that reports
    /// this.
    fn is_rolled_out(&self) -> bool {
        let said = self.condition("Progressing");
        let is_done = said.is_none_or(|said| said.is_true() && said.reason == ROLLED_OUT);
        is_done
            && self.status.updated_replicas >= self.replicas()
            && self.status.replicas <= self.status.updated_replicas
    }

    fn condition(&self, of_type: &str) -> Option<&Condition> {
        Condition::about(&self.status.conditions, of_type)
    }

    /// Returns true if the Deployment reports that it, or one of its ReplicaSets, cannot create
    /// Pods.
    pub(crate) fn cannot_make_pods(&self) -> bool {
        let failing = self
            .condition("ReplicaFailure")
            .filter(|said| said.is_true());
        let stuck = self
            .condition("Progressing")
            .filter(|said| said.is_false() && said.reason != DEADLINE_EXCEEDED);
        failing.or(stuck).is_some()
    }

    /// Returns a remark that enough replicas are available during the rollout. Some callers accept
    /// this state. Returns None if too few replicas are available, or if there is no rollout.
    fn minimum(&self, code: HealthCode) -> Option<Fact> {
        let is_enough = self.condition("Available").is_some_and(Condition::is_true);
        let is_meant = is_enough && code == HealthCode::DeploymentProgressing;
        let message = format!(
            "{} has the minimum number of replicas available during the rollout.",
            self.observed.object
        );
        let code = HealthCode::DeploymentMinimumAvailable;
        is_meant.then(|| Fact::remark(&self.observed, code, &message))
    }

    /// Returns true if the Deployment may never have been available. This is possible while OLM
    /// installs the operator: a Deployment without a deadline does not show if the current rollout
    /// is the first.
    fn may_be_new(&self, case: &Case<'_>) -> bool {
        let bearer = case.chain.bearer();
        self.condition("Progressing").is_none()
            && bearer.is_some_and(|csv| csv.status.phase == CsvPhase::Installing)
    }

    /// Returns the fact that the Deployment belongs to another operator. Returns None if the
    /// Deployment belongs to this operator.
    fn of_another(&self, case: &Case<'_>) -> Option<Fact> {
        let owner = self.owner().filter(|owner| !owner.is_empty())?;
        let message = format!(
            "{} belongs to {owner}, so this operator has no Deployment with this name.",
            self.observed.object
        );
        let code = HealthCode::DeploymentOwnedByOther;
        // The label may name an older version of this operator, because another client may have
        // restored it.
        let mut owners = self.owning_csvs().chain([owner]);
        let is_own = owners.any(|owner| case.chain.has(owner));
        (!is_own).then(|| Fact::new(&self.observed, State::No, code, &message))
    }
}

// === impl Workload ===

impl Workload {
    /// Returns the facts about the Deployment, with their causes.
    fn judge(&self, wanted: i32, case: &Case<'_>) -> Vec<Fact> {
        let DeploymentState {
            state,
            code,
            message,
        } = self.standing(wanted);
        let is_down = code == HealthCode::DeploymentUnavailable;
        let state = if is_down && self.may_be_new(case) {
            state.min(State::NotYet)
        } else {
            state
        };
        let mut fact = Fact::new(&self.observed, state, code, &message);
        if state != State::Yes && code != HealthCode::DeploymentScaledToZero {
            fact.below = cause::judge(self, state, &message);
        }
        let mut facts = vec![fact];
        facts.extend(self.minimum(code));
        facts.extend(self.of_another(case));
        facts
    }
}

impl Deref for Workload {
    type Target = Item<Deployment>;

    fn deref(&self) -> &Item<Deployment> {
        &self.deployment
    }
}

impl DerefMut for Workload {
    fn deref_mut(&mut self) -> &mut Item<Deployment> {
        &mut self.deployment
    }
}

/// The reason of the Progressing condition after a rollout has exceeded its deadline.
const DEADLINE_EXCEEDED: &str = "ProgressDeadlineExceeded";
/// The reason of the Progressing condition after a rollout is complete.
const ROLLED_OUT: &str = "NewReplicaSetAvailable";
/// The reason with which OLM reports that it reinstalls an operator.
const NEEDS_REINSTALL: &str = "NeedsReinstall";

/// Judges the Deployments of an operator. They belong to the newest ClusterServiceVersion that OLM
/// has begun to install, so older ClusterServiceVersions have no facts.
pub(crate) fn judge(csv: &Csv, case: &Case<'_>) -> Vec<Fact> {
    let is_hopeful = case.chain.bearer().is_none() && case.chain.is_newest(csv);
    if !case.chain.is_bearer(csv) && !is_hopeful {
        return Vec::new();
    }
    let wanted = csv.deployments().iter();
    let wanted: BTreeSet<_> = wanted
        .map(|one| (one.name.as_str(), one.replicas()))
        .collect();
    let facts = wanted
        .into_iter()
        .flat_map(|(name, replicas)| one(name, replicas, csv, is_hopeful, case));
    if is_hopeful {
        facts.map(about_to_change).collect()
    } else {
        facts.collect()
    }
}

/// Judges one Deployment of an operator. With `is_hopeful`, OLM has not begun to install the
/// operator, so the Deployment may be missing.
fn one(name: &str, replicas: i32, csv: &Csv, is_hopeful: bool, case: &Case<'_>) -> Vec<Fact> {
    match case.objects.deployments.find(name) {
        LookupResult::There(deployment) => deployment.judge(replicas, case),
        LookupResult::Missing(observed) if !is_hopeful || csv.status.reason == NEEDS_REINSTALL => {
            let message = format!(
                "{} is missing or lacks the label olm.owner. OLM creates the Deployment again, if \
                 possible.",
                observed.object
            );
            let code = HealthCode::DeploymentMissing;
            vec![Fact::new(&observed, State::No, code, &message)]
        }
        LookupResult::Missing(_) | LookupResult::Unseen => Vec::new(),
    }
}

/// Reduces the severity of a fact about an existing Deployment, because the Deployment will change
/// as soon as OLM begins to install the operator. Does not change the fact that a Deployment is
/// missing.
fn about_to_change(fact: Fact) -> Fact {
    if fact.code == HealthCode::DeploymentMissing {
        fact
    } else {
        fact.softened()
    }
}

#[cfg(test)]
pub(crate) mod tests;
