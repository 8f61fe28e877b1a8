//! The effects of a change before the change is made, and the result of the change.

use super::{Origin, Seen};
use crate::place::Wanted;

/// The page of a preview.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PreviewPage {
    /// The change that the visitor has chosen.
    pub wanted: Wanted,
    /// The values that the form offers.
    pub offered: Offered,
    /// The package of the chosen operator. Empty if no operator is chosen.
    pub package: String,
    /// The objects that manage the package now.
    pub managers: Vec<PackageManager>,
    /// The preview. None if no operator is chosen.
    pub told: Option<Seen<Preview>>,
}

/// The values that the form of a preview offers. Others can be typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Offered {
    /// The Operators of Portolan, by name.
    pub operators: Vec<String>,
    /// The packages, by name.
    pub packages: Vec<String>,
    /// The channels of the chosen package.
    pub channels: Vec<String>,
    /// The versions of the chosen package, the newest first.
    pub versions: Vec<String>,
}

/// An object that manages a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageManager {
    /// The system that the object belongs to.
    pub origin: Origin,
    /// The object, such as `ClusterServiceVersion harbor/ferry.v1.0.0`.
    pub object: String,
    /// The installed bundle. Empty if nothing is installed.
    pub bundle: String,
    /// The version of the installed bundle.
    pub version: String,
    /// The command with which Portolan adopts the installation. Empty if it cannot be adopted.
    pub adoption: String,
}

/// The changes that would be made, and messages about them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Preview {
    /// The changes, by the names of the Operators.
    pub steps: Vec<Step>,
    /// The errors that prevent the change. If there are errors, nothing would change.
    pub errors: Vec<String>,
    /// The warnings to read before applying the change.
    pub warnings: Vec<String>,
    /// The notes about additional changes.
    pub notes: Vec<String>,
    /// The changed text of a ConfigMap, for a change of automatic updates.
    pub text: Option<Rewritten>,
}

/// A changed text of a ConfigMap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewritten {
    /// The place of the text.
    pub place: String,
    /// The current text. Empty if the text does not exist.
    pub before: String,
    /// The new text.
    pub after: String,
    /// The command that makes the change. Empty if there is no command.
    pub command: String,
}

/// The response of the cluster to a change, or the result of the change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The change.
    pub wanted: Wanted,
    /// The objects that would be written, or have been written.
    pub moves: Vec<Move>,
    /// The outcome of the change.
    pub end: End,
}

/// An object that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// The object, as named in a sentence.
    pub object: String,
    /// The fields that differ from before.
    pub fields: Vec<Field>,
    /// The reason why the cluster rejects the object. Empty if the object is accepted.
    pub refused: String,
    /// True if the object has been written.
    pub is_done: bool,
}

/// A changed field of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The path of the field.
    pub path: String,
    /// The old value. Empty if the field did not exist.
    pub before: String,
    /// The new value. Empty if the field is removed.
    pub after: String,
}

/// The outcome of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// A dry run: nothing has been written. To apply the change, the visitor confirms with this
    /// identifier.
    Tried(String),
    /// A new dry run, because the change differs from the one that the visitor has seen.
    Differs(String),
    /// The cluster rejects an object of the change. Objects before it have been written.
    Refused,
    /// The complete change has been written.
    Done,
    /// The change is impossible, for this reason.
    Impossible(String),
}

/// The change of one Operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The name of the Operator.
    pub name: String,
    /// The new version. Empty if the Operator is deleted.
    pub version: String,
    /// The old version. Empty if the Operator is new or has no version yet.
    pub previous: String,
    /// The intermediate versions, lowest first.
    pub between: Vec<String>,
    /// The command that makes the change.
    pub command: String,
    /// The object that manages the package, so that the Operator has no effect. Empty if there is no
    /// such object.
    pub owner: String,
    /// The time at which upgrade policies permit the upgrade, as text. Empty if no upgrade policy
    /// depends on the time.
    pub window: String,
    /// The updates that wait until their CRD changes are accepted.
    pub unsafe_updates: Vec<UnsafeUpdate>,
    /// The reason why CRDs are not compared. Empty if they are compared.
    pub not_compared: String,
}

/// An update that waits until its unsafe CRD changes are accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsafeUpdate {
    /// The bundle that makes the changes.
    pub bundle: String,
    /// The changes, one line for each.
    pub changes: Vec<String>,
    /// The remedy: how to accept the changes.
    pub remedy: String,
}
