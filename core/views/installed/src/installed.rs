//! An Installed: an operator in a namespace that it watches.

mod json;

use std::sync::Arc;

pub use self::json::{Piece, SubscriptionDetail};
use crate::uid::uid;
use crate::{Operator, ResourceVersion};

/// The API group, which OLM's PackageManifests are in as well.
pub const GROUP: &str = "packages.operators.coreos.com";
/// The version of the group.
pub const VERSION: &str = "v2alpha1";
/// The kind.
pub const KIND: &str = "Installed";
/// Its name in paths, which is the same of one and of many.
pub const RESOURCE: &str = "installed";

/// An annotation of one that goes: the name of the ClusterServiceVersion that takes its place.
pub const REPLACED_BY: &str = "installed.portolan.dev/replaced-by";
/// An annotation where operators of one name watch a namespace: where the others are installed.
pub const SAME_NAME_IN: &str = "installed.portolan.dev/same-name-in";

/// The character between the name of an operator and the namespace in which it is installed. No
/// ClusterServiceVersion has it in its name.
pub(crate) const BETWEEN: char = ':';

/// An operator in a namespace that it watches. It shares with its likes in other namespaces all but
/// what it is called, and cloning it is cheap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// The namespace.
    pub namespace: Arc<str>,
    /// The name of the ClusterServiceVersion, or that and where it is installed, where an operator of
    /// the same name is nearer.
    pub name: Arc<str>,
    /// The operator.
    pub operator: Arc<Operator>,
    /// The namespaces in which the others of its name are installed that watch the namespace; empty
    /// if there are none.
    pub same_name_in: Arc<str>,
    /// Since when it is so.
    pub version: Arc<ResourceVersion>,
}

// === impl Installed ===

impl Installed {
    /// Whether it is as another one, whenever that was.
    pub fn is_like(&self, other: &Self) -> bool {
        let Self {
            namespace,
            name,
            operator,
            same_name_in,
            version: _,
        } = self;
        *namespace == other.namespace
            && *name == other.name
            && *operator == other.operator
            && *same_name_in == other.same_name_in
    }

    /// Its uid, which no replica and no restart changes: the garbage collector deletes what belongs
    /// to one whose uid is another.
    pub fn uid(&self) -> String {
        let csv = &self.operator.csv;
        if csv.uid.is_empty() {
            uid(&csv.key.to_string(), &self.namespace)
        } else {
            uid(&csv.uid, &self.namespace)
        }
    }
}
