//! The answers of those components that know the catalogs.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use portolan_api::operator::Reason;
use portolan_core_names::text::one_line;
use serde_json::Value;

use crate::question::{Installation, Requirements};

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
    /// The target bundle. None if there is none, or if the resolver is older.
    pub wanted: Option<WantedBundle>,
}

/// The target bundle of an operator: the end of its route, or the best one that it does not reach.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WantedBundle {
    pub bundle: String,
    pub version: String,
    pub requires: Requirements,
}

/// Why an operator does not get where it shall.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Blocked {
    /// The causes and what helps, as a tree of several lines.
    pub text: String,
    /// The same, one line each. Empty if a resolver of an older Portolan has only the tree.
    pub sentences: Vec<String>,
    /// True if a required operator is not installed.
    pub is_lacking: bool,
    /// True if it waits for what it requires: another operator must be installed, or move.
    pub waits: bool,
}

impl Blocked {
    /// Returns the causes and what helps in one line.
    pub(crate) fn message(&self) -> String {
        match self.sentences.as_slice() {
            [] => self.text.clone(),
            sentences => sentences.join("; "),
        }
    }
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
    pub deprecations: Deprecations,
    /// The version of the resolver; None if it does not say.
    pub resolver: Option<String>,
}

/// The words by which authors advise against a package, its channels and its bundles.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Deprecations {
    pub package: Option<String>,
    pub channels: BTreeMap<String, String>,
    /// By the name of the bundle, with its version.
    pub bundles: BTreeMap<String, (String, String)>,
}

impl Deprecations {
    /// Returns a sentence for each of the package, these channels and the bundle that is deprecated.
    pub fn of(
        &self,
        package: &str,
        channels: &BTreeSet<String>,
        bundle: Option<&str>,
    ) -> Vec<(Reason, String)> {
        let of_package = self.package.iter().map(|why| {
            let name = format!("package {package}");
            (Reason::PackageDeprecated, deprecated(&name, why))
        });
        let of_channels = channels.iter().filter_map(|channel| {
            let why = self.channels.get(channel)?;
            let name = format!("channel {channel}");
            Some((Reason::ChannelDeprecated, deprecated(&name, why)))
        });
        let of_bundle = bundle.and_then(|bundle| {
            let (_, why) = self.bundles.get(bundle)?;
            let name = format!("bundle {bundle}");
            Some((Reason::BundleDeprecated, deprecated(&name, why)))
        });
        of_package.chain(of_channels).chain(of_bundle).collect()
    }
}

fn deprecated(name: &str, why: &str) -> String {
    match one_line(why).trim_end_matches('.') {
        "" => format!("{name} is deprecated"),
        why => format!("{name} is deprecated: {why}"),
    }
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
