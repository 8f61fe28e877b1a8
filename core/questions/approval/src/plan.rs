//! InstallPlans, as far as they name what they install.

use std::collections::BTreeSet;

use portolan_core_names::{PackageName, Version, VersionRange};
use portolan_core_olm::{Api, Properties};

/// An InstallPlan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// Its name.
    pub name: String,
    /// The uid; None if the plan is not from a cluster.
    pub uid: Option<String>,
    /// The resource version; None if the plan is not from a cluster.
    pub resource_version: Option<String>,
    /// The generation, which grows from plan to plan of a namespace; None if OLM has not written
    /// it.
    pub generation: Option<u64>,
    /// Its phase, as OLM writes it.
    pub phase: String,
    /// True if it is approved.
    pub is_approved: bool,
    /// True if OLM does not approve it by itself.
    pub is_manual: bool,
    /// The ClusterServiceVersions that it is for.
    pub csvs: Vec<String>,
    /// The descriptions of bundles: from the lookups of their images and from their
    /// ClusterServiceVersions among the steps. One bundle may be listed more than once.
    pub bundles: Vec<Bundle>,
    /// Everything that it creates.
    pub steps: Vec<Step>,
}

/// The description of a bundle in one part of an InstallPlan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    /// Its name.
    pub name: String,
    /// The part of the plan that names it.
    pub source: Source,
    /// The bundle that it replaces; empty if it replaces none.
    pub replaces: String,
    /// Its catalog, as `namespace/name`; empty if unknown.
    pub catalog: String,
    /// Its identity, or the reason why its properties cannot be read. None if it has no properties.
    pub identity: Option<Result<BundleIdentity, String>>,
    /// True if OLM has not unpacked it yet.
    pub is_pending: bool,
}

/// The source from which the package of a bundle is known, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// The lookup of its image.
    Lookup,
    /// The properties of its ClusterServiceVersion among the steps.
    Step,
    /// The Subscription whose next bundle it is.
    Subscription,
}

/// The identity of a bundle, from its properties.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleIdentity {
    /// Its package.
    pub package: PackageName,
    /// Its version; None if it is invalid.
    pub version: Option<Version>,
    /// The APIs that it provides.
    pub provides: BTreeSet<Api>,
    /// Its further needs. A single bundle must meet a need.
    pub needs: Vec<Need>,
}

/// A dependency of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Need {
    /// A package, in a range of versions.
    Package(PackageName, VersionRange),
    /// An API.
    Api(Api),
    /// Every one of these needs.
    All(Vec<Need>),
    /// Any of these needs.
    Any(Vec<Need>),
    /// None of these needs. A bundle never counts as needed because of it.
    Not(Vec<Need>),
    /// A need that cannot be evaluated here, such as an expression, as the author wrote it. A
    /// bundle never counts as needed because of it.
    Opaque(String),
}

/// One object that an InstallPlan creates.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Step {
    /// The bundle that it belongs to, according to the plan; empty if unset.
    pub bundle: String,
    /// Its kind.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// The requested package, if it is a Subscription.
    pub package: Option<PackageName>,
}

// === impl BundleIdentity ===

impl BundleIdentity {
    /// Returns the identity in the properties of a bundle. Returns None if they name no package.
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
