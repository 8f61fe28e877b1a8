//! The request.

use portolan_core_names::Version;
use serde_json::Value;

use crate::RequestedOperator;
use crate::input::Document;
use crate::owner::PackageOwner;

/// The input of [`generate`](crate::generate()), except for the results of catalog queries.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Request {
    /// The current configuration. None if there is no configuration.
    pub documents: Option<Vec<Document>>,
    /// The errors of unreadable documents in the configuration, each as one sentence.
    pub unread: Vec<String>,
    /// The manifest that lists all desired operators.
    pub manifest: Option<Document>,
    pub wishes: Vec<RequestedOperator>,
    /// The operators to delete, by the name of the Operator or its package.
    pub deletes: Vec<String>,
    pub autoremove: Autoremove,
    /// The version of the generating program, which is compared with the version that wrote the
    /// input.
    pub version: String,
    /// The Kubernetes version that all operators must support. None if unknown.
    pub kubernetes: Option<Version>,
    /// The Operators of a cluster, with their installed versions. None if the cluster was not read.
    pub live: Option<Vec<Value>>,
    /// The packages of the cluster that other installers manage. Empty if unknown.
    pub owners: Vec<PackageOwner>,
}

/// The treatment of Operators without a request that no other operator needs.
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
