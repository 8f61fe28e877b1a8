//! The request for which Operators are generated.

use portolan_core_names::Version;
use serde_json::Value;

use crate::RequestedOperator;
use crate::input::Document;
use crate::owner::PackageOwner;

/// The input of [`generate`](crate::generate()), without the answers about catalogs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Request {
    /// The documents of the current configuration. None if the user gave no configuration.
    pub documents: Option<Vec<Document>>,
    /// The errors about documents of the configuration that cannot be read, one sentence each.
    pub unread: Vec<String>,
    /// The manifest that lists all desired operators. Other operators are removed, unless they are
    /// also requested or another operator needs them.
    pub manifest: Option<Document>,
    pub wishes: Vec<RequestedOperator>,
    /// The operators to delete. Each is the name of an Operator or a package.
    pub deletes: Vec<String>,
    pub autoremove: Autoremove,
    /// The version of this program. It is compared with the version that resolved the Operators in
    /// the input.
    pub version: String,
    /// The Kubernetes version that all operators must support. None if unknown.
    pub kubernetes: Option<Version>,
    /// The Operators in the cluster, with their installed versions. None if the cluster was not
    /// read.
    pub live: Option<Vec<Value>>,
    /// The objects with which other installers manage packages on the cluster. Empty if unknown.
    pub owners: Vec<PackageOwner>,
}

/// The choice between keeping, reporting and removing Operators that were not requested and that no
/// other operator needs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Autoremove {
    /// Keeps these operators.
    #[default]
    No,
    /// Keeps and reports these operators.
    Tell,
    /// Removes these operators.
    Remove,
}
