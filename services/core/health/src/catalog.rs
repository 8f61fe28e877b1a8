//! Catalogs, and the registries behind them.

use crate::{Condition, Fact, Object, Observed, Verdict};

/// A CatalogSource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogSource {
    /// Which object.
    pub observed: Observed,
    /// Where its registry is, as `host:port`, or the sentence that says why nobody knows.
    pub address: Result<String, String>,
    /// What OLM says of its connection, such as `READY`; empty if it has not said anything.
    pub connection: String,
    /// What OLM says is wrong, in a word; empty if nothing.
    pub reason: String,
    /// What OLM says is wrong, for people.
    pub message: String,
    /// What controllers say of it.
    pub conditions: Vec<Condition>,
    /// Whether it is being deleted.
    pub is_deleting: bool,
}

/// What came of asking the registry of a catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Probe {
    /// Nobody asks: the objects come from files.
    NotProbed,
    /// The first answer is on its way.
    Pending,
    /// It says that it serves, and has told its packages.
    Answered {
        /// How many those are.
        packages: u32,
    },
    /// Its name is not known where it is asked from, which need not be inside of the cluster.
    NameUnknown(String),
    /// It cannot be reached. Holds why.
    Unreachable(String),
    /// It says that it does not serve.
    NotServing,
    /// It took the question and did not answer in time. Holds which question, and how long.
    Silent(String),
    /// It answered with an error, or with what is no answer. Holds which question, and what.
    Failing(String),
}

/// A catalog as judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catalog {
    /// Names the CatalogSource.
    pub subject: Object,
    /// What OLM says of its connection.
    pub connection: String,
    /// What was looked at.
    pub facts: Vec<Fact>,
    /// What the facts come to.
    pub verdict: Verdict,
}
