//! Operators: what they are, how they are, and where they can go.

use super::{Plan, Seen, State};
use crate::drawing::Graph;

/// The system that installs an operator, or carries a plan out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// OLM v0, for a Subscription.
    Olm,
    /// Portolan, for an Operator.
    Portolan,
}

/// An operator, in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operator {
    /// The system that installs it.
    pub origin: Origin,
    /// Empty for those of Portolan.
    pub namespace: String,
    /// The name of its Subscription, ClusterServiceVersion or Operator.
    pub name: String,
    /// Its package.
    pub package: String,
    /// The bundle that is installed.
    pub bundle: String,
    /// The version of that one.
    pub version: String,
    /// The catalog that it is from.
    pub catalog: String,
    /// The channel that it follows.
    pub channel: String,
    /// Its state.
    pub state: State,
    /// The first reason for that.
    pub why: String,
}

/// All about one operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorPage {
    /// The operator itself.
    pub operator: Operator,
    /// The facts that its health depends on.
    pub facts: Vec<Fact>,
    /// The cause of what is wrong with it, from the root on; None if nothing is.
    pub cause: Seen<Option<Cause>>,
    /// The versions that it can go to.
    pub versions: Seen<Versions>,
    /// The whole way that it is on; empty if it stays.
    pub way: Seen<Vec<Hop>>,
    /// The graph of its package, with where it is and where it goes.
    pub graph: Seen<Graph>,
    /// Plans that move it.
    pub plans: Seen<Vec<Plan>>,
    /// Warnings of its namespace, the newest first.
    pub events: Seen<Vec<Event>>,
}

/// One step of a way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hop {
    /// The bundle that it leads to.
    pub bundle: String,
    /// The version of that.
    pub version: String,
    /// The notes about it, such as what it waits for.
    pub notes: Vec<String>,
}

/// Something that happened to an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The time at which it was last seen.
    pub at: String,
    /// The object, as in `Pod harbor/ferry`.
    pub object: String,
    /// The reason of the event, in a word.
    pub reason: String,
    /// The same for people.
    pub message: String,
}

/// A thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// The object, as in `Deployment harbor/ferry`.
    pub object: String,
    /// The state that it gives the whole.
    pub state: State,
    /// A code for programs.
    pub code: String,
    /// A sentence.
    pub message: String,
    /// The facts that it depends on.
    pub below: Vec<Fact>,
}

/// A thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// The state that it gives the operator.
    pub state: State,
    /// A code for programs.
    pub code: String,
    /// A few sentences.
    pub message: String,
    /// The object that is to blame.
    pub guilty: String,
    /// The remedies for it.
    pub remedies: Vec<Remedy>,
    /// The causes that follow from it.
    pub below: Vec<Cause>,
}

/// A remedy for a cause, or a help to find out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remedy {
    /// A sentence.
    pub message: String,
    /// The command to type, or the manifest to apply; empty if there is none.
    pub command: String,
    /// Its risk.
    pub risk: String,
}

/// The versions that an operator can go to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Versions {
    /// The bundle that should come next.
    pub recommended: String,
    /// The bundles that can follow in one update.
    pub next: Vec<Follower>,
    /// Newer ones that no way leads to, and why.
    pub blocked: Vec<BlockedVersion>,
    /// The reasons why nothing leads on.
    pub reasons: Vec<String>,
}

/// A bundle that can follow in one update.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Follower {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The channels that permit it.
    pub channels: Vec<String>,
    /// The reason why its author advises against it.
    pub deprecation: String,
}

/// A newer bundle that no way leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockedVersion {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The reason why not, in lines.
    pub why: String,
}
