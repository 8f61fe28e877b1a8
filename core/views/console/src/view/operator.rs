//! Views of operators: their state, their problems, and their possible updates.

use super::{ObjectTable, Plan, Seen, ShownObject, State};
use crate::drawing::Graph;

/// The system that installs an operator or executes a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// OLM v0, which installs an operator for a Subscription.
    Olm,
    /// OLM v1, which installs an operator for a ClusterExtension.
    OlmV1,
    /// Portolan, which installs an operator for an Operator object.
    Portolan,
}

impl Origin {
    /// Every system.
    pub(crate) const ALL: [Self; 3] = [Self::Olm, Self::OlmV1, Self::Portolan];

    /// Returns the value of the URL parameter.
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

/// An operator, as a row of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operator {
    /// The system that installs the operator.
    pub origin: Origin,
    /// The namespace. Empty for cluster-scoped objects, such as the Operators of Portolan.
    pub namespace: String,
    /// The name of the Subscription, the ClusterServiceVersion or the Operator.
    pub name: String,
    /// The package.
    pub package: String,
    /// The name of the installed bundle.
    pub bundle: String,
    /// The version of the installed bundle.
    pub version: String,
    /// The version that the next upgrade installs. Empty if the version is unknown.
    pub next: String,
    /// The target version of the upgrade. Empty if the operator keeps its version, or if the target
    /// is unknown.
    pub wanted: String,
    /// A text about the time at which upgrade policies permit upgrades. Empty if no upgrade policy
    /// restricts the time.
    pub window: String,
    /// The name of the catalog of the operator.
    pub catalog: String,
    /// The channel that the operator follows.
    pub channel: String,
    /// The state.
    pub state: State,
    /// The first reason for the state.
    pub why: String,
}

impl Operator {
    /// Sets the next version and the target version. A version that equals the installed version is
    /// ignored.
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
    /// The operators. An operator with a problem also has a root cause.
    pub operators: Vec<(Operator, Option<Cause>)>,
    /// Other diagnosed objects, such as Installs.
    pub others: Vec<DiagnosedObject>,
}

/// A diagnosed object that is not an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiagnosedObject {
    /// The object, if it has a page.
    pub page: Option<ShownObject>,
    /// The kind, with its group.
    pub kind: String,
    /// The namespace. Empty if the object is cluster-scoped.
    pub namespace: String,
    /// The name. Empty if the diagnosis is about all objects of the kind.
    pub name: String,
    /// The state.
    pub state: State,
    /// The root cause. None if the object has no problem.
    pub cause: Option<Cause>,
}

/// The data of the page of an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorPage {
    /// The row of the operator in the list of operators.
    pub operator: Operator,
    /// The checked objects that determine the health of the operator.
    pub facts: Vec<CheckedObject>,
    /// The root cause of the problem. None if the operator has no problem.
    pub cause: Seen<Option<Cause>>,
    /// The versions to which the operator can be updated.
    pub versions: Seen<Versions>,
    /// The complete upgrade path to the target version. Empty if the operator keeps its version.
    pub way: Seen<Vec<RouteHop>>,
    /// The update graph of the package, with the installed bundle and the upgrade path.
    pub graph: Seen<Graph>,
    /// The plans that upgrade the operator.
    pub plans: Seen<Vec<Plan>>,
    /// The tables about upgrade policies, related objects and the history of the operator.
    pub tables: Vec<ObjectTable>,
    /// The warning events in the namespace of the operator, the newest first.
    pub events: Seen<Vec<Event>>,
}

/// One step of an upgrade path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteHop {
    /// The name of the bundle that the step installs.
    pub bundle: String,
    /// The version of the bundle that the step installs.
    pub version: String,
    /// Notes about the step, such as the reason for a delay.
    pub notes: Vec<String>,
}

/// An event of Kubernetes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The time at which the event was last seen.
    pub at: String,
    /// The object of the event, such as `Pod harbor/ferry`.
    pub object: String,
    /// The reason code of the event, such as `BackOff`.
    pub reason: String,
    /// The message of the event.
    pub message: String,
}

/// An object that a health check examined, with the result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedObject {
    /// The object, such as `Deployment harbor/ferry`.
    pub object: String,
    /// The state of the operator according to this object.
    pub state: State,
    /// The result as a stable code for programs.
    pub code: String,
    /// The result as a sentence.
    pub message: String,
    /// The checked objects on which this result depends.
    pub below: Vec<CheckedObject>,
}

/// The cause of a problem.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cause {
    /// The impact on the operator, as a sentence. Only the root cause has a headline.
    pub headline: String,
    /// The state of the operator as a result of this cause.
    pub state: State,
    /// The stable code of the cause, for programs.
    pub code: String,
    /// The explanation, in a few sentences.
    pub message: String,
    /// Messages of other programs, such as OLM, that show the cause.
    pub quotes: Vec<Quote>,
    /// The object that must be changed or created.
    pub at_fault: String,
    /// The person or program that can fix the problem. Empty if no action is needed.
    pub who: String,
    /// The required action, as a sentence. Empty if the remedies describe the action.
    pub action: String,
    /// The confidence in this cause, with the reason.
    pub confidence: String,
    /// The read-only commands that show the object at fault.
    pub look: Vec<Remedy>,
    /// The only safe change. None if there is no such change.
    pub fix: Option<Remedy>,
    /// Alternative changes that have a cost. A user must choose one of them.
    pub decide: Vec<Remedy>,
    /// The commands to run later.
    pub later: Vec<Remedy>,
    /// The causes that follow from this cause.
    pub below: Vec<Cause>,
}

/// A message of a program, such as OLM.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Quote {
    /// The name of the program, as used in the middle of a sentence.
    pub source: String,
    /// The message.
    pub text: String,
}

/// Commands with the same purpose.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Remedy {
    /// The purpose, as a sentence.
    pub message: String,
    /// One shell script for each step. Scripts may contain comments.
    pub scripts: Vec<String>,
    /// Sentences about deleted objects, remaining objects and the risk.
    pub notes: Vec<String>,
}

/// The versions to which an operator can be updated.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Versions {
    /// The name of the recommended next bundle.
    pub recommended: String,
    /// The bundles that one update can install.
    pub next: Vec<Follower>,
    /// Newer bundles that the operator cannot reach, with the reasons.
    pub blocked: Vec<BlockedVersion>,
    /// The reasons why no update is available.
    pub reasons: Vec<String>,
}

/// A bundle that one update can install.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Follower {
    /// The name.
    pub name: String,
    /// The version.
    pub version: String,
    /// The names of the channels that permit the update.
    pub channels: Vec<String>,
    /// The deprecation message of the package author. Empty if the bundle is not deprecated.
    pub deprecation: String,
}

/// A newer bundle that the operator cannot reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockedVersion {
    /// The name.
    pub name: String,
    /// The version.
    pub version: String,
    /// The reason why the operator cannot reach the bundle. May have several lines.
    pub why: String,
}
