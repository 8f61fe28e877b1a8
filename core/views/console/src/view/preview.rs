//! Views of a change: the preview of its effects, and its result.

use super::{Origin, Seen};
use crate::place::Wanted;

/// The data of the preview page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PreviewPage {
    /// The change that the visitor has chosen.
    pub wanted: Wanted,
    /// The values that the form offers.
    pub offered: Offered,
    /// The package of the chosen operator. Empty if no operator is chosen.
    pub package: String,
    /// The objects that currently manage the package.
    pub managers: Vec<PackageManager>,
    /// The effects of the change. None if no operator is chosen.
    pub told: Option<Seen<Preview>>,
}

/// The values that the preview form offers. Visitors can type other values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Offered {
    /// The names of the Operators of Portolan.
    pub operators: Vec<String>,
    /// The names of the packages.
    pub packages: Vec<String>,
    /// The names of the channels of the chosen package.
    pub channels: Vec<String>,
    /// The versions of the chosen package, the newest first.
    pub versions: Vec<String>,
}

/// An object that manages a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageManager {
    /// The system to which the object belongs.
    pub origin: Origin,
    /// The object, such as `ClusterServiceVersion harbor/ferry.v1.0.0`.
    pub object: String,
    /// The name of the installed bundle. Empty if no bundle is installed.
    pub bundle: String,
    /// The version of the installed bundle.
    pub version: String,
    /// The command with which Portolan adopts the installation. Empty if Portolan cannot adopt it.
    pub adoption: String,
}

/// The effects of a change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Preview {
    /// The changes to Operators, sorted by name.
    pub steps: Vec<Step>,
    /// The errors that prevent the change. If there are errors, nothing is changed.
    pub errors: Vec<String>,
    /// Warnings that the visitor should read before the change.
    pub warnings: Vec<String>,
    /// Notes about additional effects of the change.
    pub notes: Vec<String>,
    /// The changed configuration text. Set only for a change of automatic updates.
    pub text: Option<Rewritten>,
    /// The decisions of the controller after the change, before it makes any further change. None if
    /// the change adds or upgrades no Operator.
    pub rehearsal: Option<Seen<Vec<Rehearsed>>>,
}

/// The decision of the controller about an Operator, in the words of `portolan explain`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rehearsed {
    /// The Operator with its kind, such as `operator/ferry`.
    pub operator: String,
    /// The reason of the condition Installing, or `-`.
    pub state: String,
    /// The conditions, one line for each.
    pub conditions: Vec<String>,
    /// The bundles from the installed one to the destination.
    pub path: Vec<String>,
    /// The next changes of the controller, such as `create InstallPlan portolan/ferry-1`.
    pub changes: Vec<String>,
    /// The facts that are unknown.
    pub unknown: Vec<String>,
}

/// The change of a configuration text in a ConfigMap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewritten {
    /// The location of the text: the ConfigMap and the key.
    pub place: String,
    /// The current text. Empty if there is no text yet.
    pub before: String,
    /// The new text.
    pub after: String,
    /// The command that makes the same change. Empty if there is no such command.
    pub command: String,
}

/// The result of a change, or of its dry run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The change.
    pub wanted: Wanted,
    /// The objects that the change writes, with the result of each write.
    pub moves: Vec<Move>,
    /// The outcome of the whole change.
    pub end: End,
}

/// The write of one object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// The kind and name of the object, as used in a sentence.
    pub object: String,
    /// The changed fields of the object.
    pub fields: Vec<Field>,
    /// The reason why the cluster rejects the write. Empty if the cluster accepts the write.
    pub refused: String,
    /// True if the object has been written. False for a dry run.
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

/// The outcome of a change or of its dry run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// The dry run was successful, and nothing has been written. To apply the change, the visitor
    /// confirms this identifier.
    Tried(String),
    /// The change differs from the preview that the visitor confirmed, so nothing has been written.
    /// Contains the identifier of the new preview.
    Differs(String),
    /// The cluster rejected the write of one object. Earlier objects may have been written.
    Refused,
    /// The complete change has been written.
    Done,
    /// The change is impossible. Contains the reason.
    Impossible(String),
}

/// The change of one Operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The name of the Operator.
    pub name: String,
    /// The new version. Empty if the Operator is deleted.
    pub version: String,
    /// The old version. Empty if the Operator is new, or if no version is installed yet.
    pub previous: String,
    /// The versions between the old and the new version, lowest first.
    pub between: Vec<String>,
    /// The command that makes the same change.
    pub command: String,
    /// The other object that manages the package, so that a new Operator has no effect. Empty if
    /// there is no such object.
    pub owner: String,
    /// A text about the time at which upgrade policies permit the upgrade. Empty if no upgrade
    /// policy restricts the time.
    pub window: String,
    /// The updates that the controller delays until a user accepts their CRD changes.
    pub unsafe_updates: Vec<UnsafeUpdate>,
    /// The reason why CRDs were not compared. Empty if CRDs were compared.
    pub not_compared: String,
}

/// An update that the controller delays until a user accepts its unsafe CRD changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsafeUpdate {
    /// The name of the bundle that contains the changed CRDs.
    pub bundle: String,
    /// The CRD changes, one text for each.
    pub changes: Vec<String>,
    /// The remedy: how a user accepts the CRD changes.
    pub remedy: String,
}
