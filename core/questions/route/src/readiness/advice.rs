//! Advice: the required changes of each operator, the responsible parties, and the commands.
//!
//! ```text
//! Question, NamedOperators, Readiness -> step: what happens when     before, blocks, between, after
//!                                     -> action: who acts, and how   commands, changes of one field
//!                                     -> sentence: the reasons
//!                                     -> goal: the state after the step
//! ```
//!
//! Each command of a step keeps CRDs and their custom resources.

mod action;
mod comparison;
mod goal;
mod sentence;
mod step;

use portolan_core_names::{AddressedObject, CatalogName, Key};

use super::{Installer, Question, Readiness, ReadinessVerdict, Reason, Stage, Subject};

pub use self::goal::Goal;
pub use self::sentence::REQUESTS_REMOVED_API;
pub use self::step::{Step, When};

/// An operator of a question, as people name it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedOperator {
    /// The object that the operator belongs to. For OLM v0 it is the ClusterServiceVersion, or the
    /// Subscription if there is no ClusterServiceVersion.
    pub object: AddressedObject,
    /// The Subscription with which OLM v0 updates it.
    pub subscription: Option<AddressedObject>,
    /// The OperatorPolicies that manage its Subscription.
    pub policies: Vec<AddressedObject>,
    /// Empty if unknown.
    pub package: String,
    /// The installed bundle. Empty if it is unknown.
    pub bundle: String,
    /// The channels that it follows. Empty for all channels.
    pub channels: Vec<String>,
    /// Its catalogs, in the order of their use. Empty if it follows none.
    pub catalogs: Vec<CatalogName>,
    /// True if a person approves the InstallPlans of its Subscription.
    pub is_manual: bool,
}

/// The operators of a question with their answers, from which advice is given.
#[derive(Debug, Clone, Copy)]
pub struct Advice<'a> {
    pub question: &'a Question,
    /// The operators, in the order of the question.
    pub operators: &'a [NamedOperator],
    /// The answers, in the order of the question.
    pub answers: &'a [Readiness],
}

/// One operator with its answer.
#[derive(Debug, Clone, Copy)]
struct Advised<'a> {
    all: Advice<'a>,
    at: usize,
}

// === impl NamedOperator ===

impl NamedOperator {
    /// Returns the object by which people name the operator.
    pub fn key(&self) -> &Key {
        &self.subscription.as_ref().unwrap_or(&self.object).key
    }
}

// === impl Advice ===

impl Advice<'_> {
    /// Returns the steps of the operator with this index.
    ///
    /// # Panics
    /// Panics if the question has no such operator, or if the lists have other lengths.
    pub fn steps(&self, at: usize) -> Vec<Step> {
        self.of(at).steps()
    }

    /// Returns a reason of the operator with this index as a sentence.
    ///
    /// # Panics
    /// Panics if the question has no such operator, or if the lists have other lengths.
    pub fn sentence(&self, at: usize, reason: &Reason) -> String {
        self.of(at).sentence(reason)
    }

    /// Returns true if nothing must be done for the operator before the cluster reaches its target.
    /// False if a fact is unknown.
    ///
    /// # Panics
    /// Panics if there is no such answer.
    pub fn is_ready(&self, at: usize) -> bool {
        let answer = &self.answers[at];
        let needs_nothing = match answer.verdict {
            ReadinessVerdict::Ready
            | ReadinessVerdict::SwitchChannelAfter
            | ReadinessVerdict::NotReinstallable => answer.legs.is_empty(),
            ReadinessVerdict::UpdateFirst
            | ReadinessVerdict::UpdateBetween
            | ReadinessVerdict::SwitchChannelFirst
            | ReadinessVerdict::Stranded
            | ReadinessVerdict::PackageGone
            | ReadinessVerdict::Blocked
            | ReadinessVerdict::NotChecked => false,
        };
        needs_nothing && self.of(at).requests().is_none()
    }

    fn of(&self, at: usize) -> Advised<'_> {
        Advised { all: *self, at }
    }
}

// === impl Advised ===

impl<'a> Advised<'a> {
    fn operator(self) -> &'a NamedOperator {
        &self.all.operators[self.at]
    }

    fn subject(self) -> &'a Subject {
        &self.all.question.operators[self.at]
    }

    fn installer(self) -> Installer {
        self.subject().installer
    }

    fn answer(self) -> &'a Readiness {
        &self.all.answers[self.at]
    }

    fn stages(self) -> &'a [Stage] {
        &self.all.question.stages
    }

    fn target(self) -> Stage {
        self.stages()[self.stages().len() - 1]
    }

    /// Returns the name of another operator.
    fn name_of(self, at: usize) -> String {
        self.all.operators[at].key().to_string()
    }
}
