//! The answers of those components that know the catalogs.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde_json::Value;

use crate::question::Installation;

/// An answer, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer<T> {
    Known(T),
    /// The question is refused, and will be until something changes.
    Refused(String),
    /// There is no answer for now.
    Unavailable(String),
}

/// The way of some operators that bear on one another.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Route {
    /// One after the other, each with the moves that are made together.
    pub steps: Vec<Vec<Move>>,
    pub ends: Vec<End>,
}

impl Route {
    /// The one of these that leads an operator of a package.
    pub(crate) fn of<'r>(routes: &'r [Self], package: &str) -> Option<&'r Self> {
        let is_its = |route: &&Self| route.ends.iter().any(|end| end.package == package);
        routes.iter().find(is_its)
    }

    /// The packages that it tells of.
    pub(crate) fn packages(&self) -> impl Iterator<Item = &str> {
        let moves = self.steps.iter().flatten().map(|one| &*one.package);
        moves.chain(self.ends.iter().map(|end| &*end.package))
    }
}

/// The move of one operator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Move {
    pub package: String,
    pub bundle: String,
    pub version: String,
}

/// The state of an operator after all steps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct End {
    pub package: String,
    pub version: String,
    /// Why that is not what was wished.
    pub blocked: Option<Blocked>,
}

/// Why an operator does not get where it shall.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Blocked {
    /// For people.
    pub text: String,
    /// Whether it only lacks what somebody may install.
    pub is_lacking: bool,
}

/// Whether the Policies let an operator begin to move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Consent {
    Given,
    Withheld {
        /// Why, a sentence each.
        why: Vec<String>,
        /// Whether it is only not the time.
        is_for_now: bool,
        /// When that may be another one if nobody changes anything.
        until: Option<Timestamp>,
    },
}

/// The custom resources of a definition.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CustomResources {
    /// The name of the definition.
    pub definition: String,
    pub count: usize,
    /// The first of them, each by its namespace, a slash and its name.
    pub first: Vec<String>,
}

/// The facts that a catalog has about a package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PackageFacts {
    pub versions: BTreeSet<String>,
}

/// A bundle that was read and rendered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RenderedBundle {
    pub installs: Installation,
    /// The image with its digest; empty if the catalog has the manifests.
    pub image: String,
    /// The image that its catalog names, with or without a digest; empty if it names none.
    pub named: String,
    pub manifests: Vec<Value>,
    /// The ClusterServiceVersion, as OLM would have it in the cluster; null where nobody tells it.
    pub csv: Value,
}
