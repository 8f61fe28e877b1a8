//! An Installed: an operator in one of the namespaces that it watches.

mod json;

use std::sync::Arc;

pub use self::json::{Piece, SubscriptionDetail};
use crate::uid::uid;
use crate::{Operator, ResourceVersion};

/// The API group. OLM's PackageManifests have the same API group.
pub const GROUP: &str = "packages.operators.coreos.com";
/// The API version.
pub const VERSION: &str = "v2alpha1";
/// The kind.
pub const KIND: &str = "Installed";
/// The resource name in paths, which is both singular and plural.
pub const RESOURCE: &str = "installed";

/// The annotation of an operator that another operator replaces. Its value is the name of the new
/// ClusterServiceVersion.
pub const REPLACED_BY: &str = "installed.portolan.dev/replaced-by";
/// The annotation of an operator if other operators with the same name watch the namespace. Its
/// value lists the namespaces in which the other operators are installed.
pub const SAME_NAME_IN: &str = "installed.portolan.dev/same-name-in";

/// The separator between the name of a ClusterServiceVersion and the suffix of an Installed. Names
/// of ClusterServiceVersions cannot contain it.
pub(crate) const BETWEEN: char = ':';

/// An operator in one of the namespaces that it watches. Cloning is cheap: all Installed objects of
/// an operator share everything except namespace and name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// The namespace that the operator watches.
    pub namespace: Arc<str>,
    /// The name of the ClusterServiceVersion. If another operator with the same name takes
    /// precedence, the name has a suffix: the namespace in which this operator is installed.
    pub name: Arc<str>,
    /// The operator.
    pub operator: Arc<Operator>,
    /// The namespaces in which other operators with the same name are installed, if they watch this
    /// namespace too. Empty if there are no such operators.
    pub same_name_in: Arc<str>,
    /// The version at which this object last changed.
    pub version: Arc<ResourceVersion>,
}

// === impl Installed ===

impl Installed {
    /// Returns true if the two objects are equal, except for their versions.
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

    /// Returns the uid, which is the same on all replicas and after restarts. If the uid changed,
    /// the garbage collector would delete the dependents of the object.
    pub fn uid(&self) -> String {
        let csv = &self.operator.csv;
        if csv.uid.is_empty() {
            uid(&csv.key.to_string(), &self.namespace)
        } else {
            uid(&csv.uid, &self.namespace)
        }
    }
}
