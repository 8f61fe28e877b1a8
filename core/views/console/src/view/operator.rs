//! Operators: their state, and their possible updates.

use super::{ObjectTable, Plan, Seen, ShownObject, State};
use crate::drawing::Graph;

/// The system that installs an operator or executes a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// OLM v0, for a Subscription.
    Olm,
    /// OLM v1, for a ClusterExtension.
    OlmV1,
    /// Portolan, for an Operator.
    Portolan,
}

impl Origin {
    /// Each system.
    pub(crate) const ALL: [Self; 3] = [Self::Olm, Self::OlmV1, Self::Portolan];

    /// Returns the value of a parameter.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Olm => "olm",
            Self::OlmV1 => "olm-v1",
            Self::Portolan => "portolan",
        }
    }

    /// Returns the text that is shown to users.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Olm => "OLM",
            Self::OlmV1 => "OLM v1",
            Self::Portolan => "Portolan",
        }
    }
}

/// An operator, in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operator {
    /// The system that installs the operator.
    pub origin: Origin,
    /// The namespace. Empty for operators of Portolan.
    pub namespace: String,
    /// The name of the Subscription, the ClusterServiceVersion or the Operator.
    pub name: String,
    /// The package.
    pub package: String,
    /// The installed bundle.
    pub bundle: String,
    /// The version of the installed bundle.
    pub version: String,
    /// The version that the next upgrade installs. Empty if no object reports
    /// it.
    pub next: String,
    /// The version to which the operator is being upgraded. Empty if it stays at its version, or if
    /// no object reports it.
    pub wanted: String,
    /// The time at which upgrade policies permit upgrades, as text. Empty if no upgrade policy
    /// depends on the time.
    pub window: String,
    /// The catalog of the operator.
    pub catalog: String,
    /// The channel that the operator follows.
    pub channel: String,
    /// The state.
    pub state: State,
    /// The first reason for the state.
    pub why: String,
}

impl Operator {
    /// Sets the next and the wanted version, unless they are the installed version.
    pub fn set_versions(&mut self, next: String, wanted: String) {
        let other = |version: String| {
            if version == self.version {
                String::new()
            } else {
                version
            }
        };
        (self.next, self.wanted) = (other(next), other(wanted));
    }
}

/// The diagnoses of all objects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diagnoses {
    /// The operators, each with its root cause if it has a problem.
    pub operators: Vec<(Operator, Option<Cause>)>,
    /// The other objects of Portolan that belong to the diagnosis.
    pub others: Vec<DiagnosedObject>,
}

/// A diagnosed object that is not an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiagnosedObject {
    /// The page of the object. None if it has no page.
    pub page: Option<ShownObject>,
    /// The kind, with its group.
    pub kind: String,
    /// The namespace. Empty if the object is cluster-scoped.
    pub namespace: String,
    /// The name. Empty for the kind as a whole.
    pub name: String,
    /// The state.
    pub state: State,
    /// The root cause. None if the object has no problem.
    pub cause: Option<Cause>,
}

/// The details of an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorPage {
    /// The operator itself.
    pub operator: Operator,
    /// The facts that determine the health of the operator.
    pub facts: Vec<CheckedObject>,
    /// The cause of the problem, starting at the root cause. None if the operator has no problem.
    pub cause: Seen<Option<Cause>>,
    /// The versions to which the operator can be updated.
    pub versions: Seen<Versions>,
    /// The complete route to the target. Empty if the operator stays at its version.
    pub way: Seen<Vec<RouteHop>>,
    /// The graph of the package, with the installed bundle and the target.
    pub graph: Seen<Graph>,
    /// The plans that update the operator.
    pub plans: Seen<Vec<Plan>>,
    /// The upgrade policies of the operator, the other objects about it, and its history.
    pub tables: Vec<ObjectTable>,
    /// The warnings in the namespace of the operator, the newest first.
    pub events: Seen<Vec<Event>>,
}

/// One step of a route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteHop {
    /// The bundle to which the step leads.
    pub bundle: String,
    /// The version of this bundle.
    pub version: String,
    /// The notes about the step, such as the reason for waiting.
    pub notes: Vec<String>,
}

/// An event about an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The time at which the event was last seen.
    pub at: String,
    /// The object, as in `Pod harbor/ferry`.
    pub object: String,
    /// The reason of the event, as a code.
    pub reason: String,
    /// The message for people.
    pub message: String,
}

/// A checked object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedObject {
    /// The object, as in `Deployment harbor/ferry`.
    pub object: String,
    /// The state that the fact implies for the operator.
    pub state: State,
    /// A code for programs.
    pub code: String,
    /// A sentence.
    pub message: String,
    /// The facts on which this fact depends.
    pub below: Vec<CheckedObject>,
}

/// A problem.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cause {
    /// The impact in one sentence. Empty below the root.
    pub headline: String,
    /// The state that the cause implies for the operator.
    pub state: State,
    /// A code for programs.
    pub code: String,
    /// A few sentences.
    pub message: String,
    /// The messages of other programs that show the cause.
    pub quotes: Vec<Quote>,
    /// The object that must change or is missing.
    pub at_fault: String,
    /// The user who can change it. Empty if no action is needed.
    pub who: String,
    /// The required action, as a sentence. Empty if the remedies describe it.
    pub action: String,
    /// The certainty, with its reason.
    pub confidence: String,
    /// The read-only commands that show the object at fault.
    pub look: Vec<Remedy>,
    /// The only safe change.
    pub fix: Option<Remedy>,
    /// Alternative changes with a cost.
    pub decide: Vec<Remedy>,
    /// The commands to run later.
    pub later: Vec<Remedy>,
    /// The causes that follow from this cause.
    pub below: Vec<Cause>,
}

/// A message of another program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Quote {
    /// The program, for the middle of a sentence.
    pub source: String,
    /// The message.
    pub text: String,
}

/// Commands with one purpose.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Remedy {
    /// A sentence.
    pub message: String,
    /// The lines of each step for a shell, with comments.
    pub scripts: Vec<String>,
    /// The deleted objects, the remaining objects and the risk, one sentence each.
    pub notes: Vec<String>,
}

/// The versions to which an operator can be updated.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Versions {
    /// The recommended next bundle.
    pub recommended: String,
    /// The bundles that can follow in one update.
    pub next: Vec<Follower>,
    /// Newer bundles that cannot be reached, with the reasons.
    pub blocked: Vec<BlockedVersion>,
    /// The reasons why no update is available.
    pub reasons: Vec<String>,
}

/// A bundle that one update can install next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Follower {
    /// The name.
    pub name: String,
    /// The version.
    pub version: String,
    /// The channels that permit the update.
    pub channels: Vec<String>,
    /// The deprecation message of the author.
    pub deprecation: String,
}

/// A newer bundle that cannot be reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockedVersion {
    /// The name.
    pub name: String,
    /// The version.
    pub version: String,
    /// The reason why the bundle cannot be reached, in lines.
    pub why: String,
}
