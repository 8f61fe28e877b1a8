//! An Installed: an operator in a namespace that it watches.

mod json;

use std::sync::Arc;

pub use self::json::{Piece, SubscriptionDetail};
use crate::uid::uid;
use crate::{Operator, ResourceVersion};

/// The API group, which OLM's PackageManifests also use.
pub const GROUP: &str = "packages.operators.coreos.com";
/// The version of the group.
pub const VERSION: &str = "v2alpha1";
/// The kind.
pub const KIND: &str = "Installed";
/// The resource name in paths, which is both singular and plural.
pub const RESOURCE: &str = "installed";

/// The annotation of an operator that is being replaced: the name of the new ClusterServiceVersion.
pub const REPLACED_BY: &str = "installed.portolan.dev/replaced-by";
/// The annotation of operators with the same name in a namespace. It lists where the other
/// operators are installed.
pub const SAME_NAME_IN: &str = "installed.portolan.dev/same-name-in";

/// The separator between the name of an operator and its namespace. Names of ClusterServiceVersions
/// cannot contain it.
pub(crate) const BETWEEN: char = ':';

/// An operator in a namespace that it watches. Cloning it is cheap: Installed objects of the same
/// operator share everything except the namespace and name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// The namespace.
    pub namespace: Arc<str>,
    /// The name of the ClusterServiceVersion. If another operator with the same name takes
    /// precedence, the namespace in which this one is installed is appended.
    pub name: Arc<str>,
    /// The operator.
    pub operator: Arc<Operator>,
    /// The namespaces in which the other operators of the same name are installed that watch the
    /// namespace. Empty if there are no other operators.
    pub same_name_in: Arc<str>,
    /// The version at which the object last changed.
    pub version: Arc<ResourceVersion>,
}

// === impl Installed ===

impl Installed {
    /// Returns true if both are equal, ignoring their versions.
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

    /// Returns the uid, which is the same on all replicas and after restarts. If it changed, the
    /// garbage collector would delete dependents of the object.
    pub fn uid(&self) -> String {
        let csv = &self.operator.csv;
        if csv.uid.is_empty() {
            uid(&csv.key.to_string(), &self.namespace)
        } else {
            uid(&csv.uid, &self.namespace)
        }
    }
}
