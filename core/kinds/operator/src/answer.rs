//! The results of queries to the services that read catalogs and policies.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use portolan_api::operator::Reason;
use portolan_core_names::text::one_line;
use serde_json::Value;

use crate::question::{Installation, Requirements};

/// The result of a query, or the reason why the result is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer<T> {
    Known(T),
    /// The service rejects the query. The service returns this result for the same query until an
    /// input of the service changes.
    Refused(String),
    /// The service cannot answer now. A later query may succeed.
    Unavailable(String),
}

/// The common upgrade route of operators that depend on each other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommonRoute {
    /// The steps in order. All operators of one step are upgraded at the same time.
    pub steps: Vec<Vec<Move>>,
    pub ends: Vec<End>,
}

impl CommonRoute {
    /// Returns the route that contains the operator of a package. Returns None if no route contains
    /// it.
    pub(crate) fn of<'r>(routes: &'r [Self], package: &str) -> Option<&'r Self> {
        let is_its = |route: &&Self| route.ends.iter().any(|end| end.package == package);
        routes.iter().find(is_its)
    }

    /// Returns the packages of all operators on the route.
    pub(crate) fn packages(&self) -> impl Iterator<Item = &str> {
        let moves = self.steps.iter().flatten().map(|one| &*one.package);
        moves.chain(self.ends.iter().map(|end| &*end.package))
    }
}

/// A move: one operator installs this bundle.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Move {
    pub package: String,
    pub bundle: String,
    pub version: String,
}

/// The result of the route for one operator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct End {
    pub package: String,
    pub version: String,
    /// The reason why the operator does not reach its target. None if it does.
    pub blocked: Option<Blocked>,
    /// The target bundle. None if there is no target, or if the resolver is too old to report it.
    pub wanted: Option<WantedBundle>,
}

/// The target bundle of an operator: the bundle at the end of its route, or the best bundle if the
/// operator cannot reach it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WantedBundle {
    pub bundle: String,
    pub version: String,
    pub requires: Requirements,
}

/// The reason why an operator cannot reach its target.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Blocked {
    /// The causes and remedies, as a tree of several lines.
    pub text: String,
    /// The causes and remedies, each as one line. Empty if an older resolver returned only the
    /// tree.
    pub sentences: Vec<String>,
    /// True if a required operator is not installed.
    pub is_lacking: bool,
    /// True if the operator can reach its target only after another operator is installed or
    /// updated.
    pub waits: bool,
}

impl Blocked {
    /// Returns the causes and remedies in one line.
    pub(crate) fn message(&self) -> String {
        match self.sentences.as_slice() {
            [] => self.text.clone(),
            sentences => sentences.join("; "),
        }
    }
}

/// The decision of the UpgradePolicies about the next move of an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PolicyDecision {
    Given,
    Withheld {
        /// The reasons, each as one sentence.
        why: Vec<String>,
        /// The next time at which the decision can change without a change of any object, for
        /// example when a time window opens. None if there is no such time.
        until: Option<Timestamp>,
    },
}

/// The custom resources of one CRD.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CustomResources {
    /// The name of the CRD.
    pub definition: String,
    pub count: usize,
    /// The first custom resources, each as NAMESPACE/NAME.
    pub first: Vec<String>,
}

/// The properties of a package in a catalog.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PackageFacts {
    pub versions: BTreeSet<String>,
    pub deprecations: Deprecations,
    /// The version of the resolver. None if the resolver does not report it.
    pub resolver: Option<String>,
}

/// The deprecation messages of a package, its channels and its bundles.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Deprecations {
    pub package: Option<String>,
    pub channels: BTreeMap<String, String>,
    /// The deprecated bundles by name, each with its version and message.
    pub bundles: BTreeMap<String, (String, String)>,
}

impl Deprecations {
    /// Returns one sentence for each deprecation: of the package, of the given channels, and of the
    /// bundle.
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

/// A bundle whose manifests were rendered with the options of an Operator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RenderedBundle {
    pub installs: Installation,
    /// The image with its digest. Empty if the catalog has the manifests.
    pub image: String,
    /// The image reference as written in the catalog, with or without a digest. Empty if the
    /// catalog has no image for the bundle.
    pub named: String,
    pub manifests: Vec<Value>,
    /// The ClusterServiceVersion as OLM would create it in the cluster; null if it is unknown.
    pub csv: Value,
}
