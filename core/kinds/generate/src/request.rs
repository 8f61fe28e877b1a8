//! The request.

use portolan_core_names::Version;
use serde_json::Value;

use crate::input::Document;
use crate::wish::Wish;

/// All that [`generate`](crate::generate()) works on, but for what catalogs say.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Request {
    /// The current configuration; None if nobody gave one.
    pub documents: Option<Vec<Document>>,
    /// The parts of it that could not be read, a sentence each.
    pub unread: Vec<String>,
    /// The manifest with all operators that shall be there.
    pub manifest: Option<Document>,
    pub wishes: Vec<Wish>,
    /// The operators that shall go, by the name of the Operator or its package.
    pub deletes: Vec<String>,
    pub autoremove: Autoremove,
    /// The version of who generates, for those that the input was written by.
    pub version: String,
    /// The version of Kubernetes that all of it shall run on; None if nobody knows.
    pub kubernetes: Option<Version>,
    /// The Operators that a cluster has, with what is installed; None if nobody looked.
    pub live: Option<Vec<Value>>,
}

/// The way to treat an Operator that was not asked for and that nothing needs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Autoremove {
    /// It stays.
    #[default]
    No,
    /// It stays, and is told.
    Tell,
    /// It goes.
    Remove,
}
