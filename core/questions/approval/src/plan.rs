//! InstallPlans, reduced to the facts about the bundles that they install.

use std::collections::BTreeSet;

use portolan_core_names::{PackageName, Version, VersionRange};
use portolan_core_olm::{Api, Properties};

/// An InstallPlan, as input of the review.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// The name of the InstallPlan.
    pub name: String,
    /// The uid. None if the plan does not come from a cluster.
    pub uid: Option<String>,
    /// The resource version. None if the plan does not come from a cluster.
    pub resource_version: Option<String>,
    /// The `spec.generation` of the plan, which increases from plan to plan in a namespace. None if
    /// OLM has not written it.
    pub generation: Option<u64>,
    /// The phase, as OLM writes it.
    pub phase: String,
    /// True if the plan is approved.
    pub is_approved: bool,
    /// True if the plan needs an approval from a user or controller.
    pub is_manual: bool,
    /// The ClusterServiceVersions that the plan installs.
    pub csvs: Vec<String>,
    /// The descriptions of bundles in the plan. Descriptions come from the lookups of bundle
    /// images, and from the ClusterServiceVersions in the steps. A bundle may have several
    /// descriptions.
    pub bundles: Vec<Bundle>,
    /// The steps of the plan, one for each object that it creates.
    pub steps: Vec<Step>,
}

/// A description of a bundle in an InstallPlan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    /// The name of the bundle.
    pub name: String,
    /// The field of the plan that contains the description.
    pub source: Source,
    /// The bundle that this bundle replaces. Empty if it replaces no bundle.
    pub replaces: String,
    /// The catalog of the bundle, as `namespace/name`. Empty if it is unknown.
    pub catalog: String,
    /// The identity of the bundle. An error contains the reason why its properties cannot be read.
    /// None if it has no properties.
    pub identity: Option<Result<BundleIdentity, String>>,
    /// True if OLM has not unpacked the bundle yet.
    pub is_pending: bool,
}

/// The source of a bundle's package name. The most reliable source comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// The lookup of the bundle image.
    Lookup,
    /// The properties of the ClusterServiceVersion in a step.
    Step,
    /// The Subscription whose `status.currentCSV` names the bundle.
    Subscription,
}

/// The package, version and dependencies of a bundle, from its properties.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleIdentity {
    /// The package of the bundle.
    pub package: PackageName,
    /// The version of the bundle. None if the version is invalid.
    pub version: Option<Version>,
    /// The APIs that the bundle provides.
    pub provides: BTreeSet<Api>,
    /// The dependencies of the bundle. A single other bundle must satisfy each need.
    pub needs: Vec<Need>,
}

/// A dependency of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Need {
    /// A package in a version range.
    Package(PackageName, VersionRange),
    /// An API that the other bundle must provide.
    Api(Api),
    /// All of these needs.
    All(Vec<Need>),
    /// Any of these needs.
    Any(Vec<Need>),
    /// The negation of these needs. Such a need alone never makes another bundle a dependency.
    Not(Vec<Need>),
    /// A requirement that cannot be evaluated here, for example a CEL expression. Contains the text
    /// of the author. Such a requirement alone never makes another bundle a dependency.
    Opaque(String),
}

/// One object that an InstallPlan creates.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Step {
    /// The bundle that the step belongs to, as the plan states it. Empty if the plan names no
    /// bundle.
    pub bundle: String,
    /// The kind of the object.
    pub kind: String,
    /// The name of the object.
    pub name: String,
    /// The requested package if the object is a Subscription. None otherwise.
    pub package: Option<PackageName>,
}

// === impl BundleIdentity ===

impl BundleIdentity {
    /// Returns the identity in the properties of a bundle. Returns None if the properties name no
    /// package.
    ///
    /// # Errors
    ///
    /// Returns an error if the properties contain an invalid package name.
    pub fn of(properties: &Properties) -> Option<Result<Self, String>> {
        let Properties {
            package,
            version,
            provides,
            requires,
            is_prohibited: _,
            faults: _,
        } = properties;
        if package.is_empty() {
            return None;
        }
        let package = PackageName::parse(package).map_err(|refusal| refusal.to_string());
        Some(package.map(|package| Self {
            package,
            version: Version::parse(version).ok(),
            provides: provides.clone(),
            needs: requires.each().map(Need::of).collect(),
        }))
    }
}
