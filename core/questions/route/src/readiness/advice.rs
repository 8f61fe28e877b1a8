//! Gives advice for each operator: the required changes, the responsible parties, and the commands.
//!
//! ```text
//! Question, NamedOperators, Readiness -> step: what happens when     before, blocks, between, after
//!                                     -> action: who acts, and how   commands, changes of one field
//!                                     -> sentence: the reasons
//!                                     -> goal: the state after the step
//! ```
//!
//! No command of a step deletes CRDs or custom resources.

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

/// An operator of a question, with the names of its objects for users.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedOperator {
    /// The object of the operator. For OLM v0, this is the ClusterServiceVersion or, if it does not
    /// exist, the Subscription.
    pub object: AddressedObject,
    /// The Subscription with which OLM v0 updates the operator. None if no Subscription exists.
    pub subscription: Option<AddressedObject>,
    /// The OperatorPolicies that manage the Subscription of the operator.
    pub policies: Vec<AddressedObject>,
    /// The package. Empty if it is unknown.
    pub package: String,
    /// The installed bundle. Empty if it is unknown.
    pub bundle: String,
    /// The channels that the operator follows. Empty for all channels.
    pub channels: Vec<String>,
    /// The catalogs of the operator, in the order in which they are used. Empty if the operator
    /// follows no catalog.
    pub catalogs: Vec<CatalogName>,
    /// True if a user must approve the InstallPlans of the operator's Subscription.
    pub is_manual: bool,
}

/// The operators of a question and their answers, from which advice is derived.
#[derive(Debug, Clone, Copy)]
pub struct Advice<'a> {
    pub question: &'a Question,
    /// The operators, in the order of the question.
    pub operators: &'a [NamedOperator],
    /// The answers for the operators, in the order of the question.
    pub answers: &'a [Readiness],
}

/// One operator with its answer, as an index of the question.
#[derive(Debug, Clone, Copy)]
struct Advised<'a> {
    all: Advice<'a>,
    at: usize,
}

// === impl NamedOperator ===

impl NamedOperator {
    /// Returns the key by which users identify the operator. This is the key of the Subscription
    /// or, without a Subscription, of the operator's object.
    pub fn key(&self) -> &Key {
        &self.subscription.as_ref().unwrap_or(&self.object).key
    }
}

// === impl Advice ===

impl Advice<'_> {
    /// Returns the steps of the operator with this index.
    ///
    /// # Panics
    /// Panics if the question has no operator with this index, or if the lists of this advice have
    /// different lengths.
    pub fn steps(&self, at: usize) -> Vec<Step> {
        self.of(at).steps()
    }

    /// Returns a reason of the operator with this index as a sentence.
    ///
    /// # Panics
    /// Panics if the question has no operator with this index, or if the lists of this advice have
    /// different lengths.
    pub fn sentence(&self, at: usize, reason: &Reason) -> String {
        self.of(at).sentence(reason)
    }

    /// Returns true if the operator needs no change before the cluster reaches its target. Returns
    /// false if a fact is unknown.
    ///
    /// # Panics
    /// Panics if no answer has this index.
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

    /// Returns the name of the operator with this index.
    fn name_of(self, at: usize) -> String {
        self.all.operators[at].key().to_string()
    }
}
