//! The request for the common route of all Operators.

use std::collections::BTreeSet;

use portolan_api::operator::{DependencyStatus, Intent};
use portolan_core_approval::consent::{self, Ground};
use portolan_core_install::canonical;
use portolan_core_names::{Gvk, VersionRange};
use serde::{Deserialize, Serialize};

/// The request for a route: the Operators that can move, with their goals, and the operators of
/// other installers.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Question {
    /// The Operators by priority, highest first.
    pub operators: Vec<Asked>,
    pub others: Vec<Installation>,
}

/// An Operator in the request. It may move to another version.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Asked {
    pub package: String,
    pub catalog: String,
    pub channels: BTreeSet<String>,
    pub installed: Option<Installation>,
    pub wish: Goal,
    pub ignore_dependencies: bool,
    pub direct_upgrades: bool,
    pub downgrades: bool,
    pub ignore_conflicts: bool,
}

/// The version that an Operator requests.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Goal {
    Stay,
    /// The best version that the operator can reach.
    Any,
    /// The best version within a range.
    Range(String),
}

/// A package that is looked up in all catalogs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PackageRef {
    pub name: String,
    /// True if the answer must contain the channels of the package.
    pub with_channels: bool,
}

/// The options for installing a bundle.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RenderOptions {
    /// The install namespace. None for the namespace that the bundle suggests.
    pub namespace: Option<String>,
    /// The watched namespaces. Empty for all namespaces.
    pub watch_namespaces: BTreeSet<String>,
    /// The changes to the operator's Deployments, as canonical JSON. Empty for no change.
    pub config: String,
}

/// A query to the approval service about the next move of an Operator.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConsentQuestion {
    pub asked: consent::Move,
    /// The policies that the controller has read for this Operator. None if the controller has not
    /// read the policies yet.
    pub grounds: Option<BTreeSet<Ground>>,
}

/// An installed operator of any installer.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Installation {
    /// The package. Empty if it is unknown.
    pub package: String,
    pub bundle: String,
    pub version: String,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub provides: BTreeSet<Gvk>,
    #[serde(skip_serializing_if = "Requirements::is_empty")]
    pub requires: Requirements,
    /// True if this operator is known only from the status of its Operator, because its plan is
    /// missing. The APIs that the operator provides are then unknown.
    #[serde(skip)]
    pub is_remembered: bool,
}

/// The requirements of a bundle.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Requirements {
    /// The required packages, each with a version range.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub packages: BTreeSet<(String, String)>,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub apis: BTreeSet<Gvk>,
    /// The compound constraints of the bundle, as JSON.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<String>,
}

impl RenderOptions {
    /// Returns the options in the spec of an Operator.
    pub(crate) fn of(intent: &Intent) -> Self {
        Self {
            namespace: intent.namespace.clone(),
            watch_namespaces: intent.watch_namespaces.clone(),
            config: if intent.config.is_null() {
                String::new()
            } else {
                String::from_utf8_lossy(&canonical(&intent.config)).into_owned()
            },
        }
    }

    /// Returns a text form of the options. Equal options have the same text.
    pub fn text(&self) -> String {
        let namespaces: Vec<_> = self.watch_namespaces.iter().map(String::as_str).collect();
        let text = format!(
            "namespace={} watch={}",
            self.namespace.as_deref().unwrap_or_default(),
            namespaces.join(",")
        );
        match self.config.as_str() {
            "" => text,
            config => format!("{text} config={config}"),
        }
    }
}

impl Requirements {
    pub fn is_empty(&self) -> bool {
        self.packages.is_empty() && self.apis.is_empty() && self.constraints.is_empty()
    }

    /// Returns the requirements of a bundle from the dependencies in a status. Statuses of an older
    /// version of Portolan do not contain the bundle name. If the status omits dependencies or
    /// shortens a constraint, the constraint is empty.
    pub fn reported(bundle: &str, dependencies: &[DependencyStatus]) -> Self {
        let mut requires = Self::default();
        let own = |it: &&DependencyStatus| it.bundle.is_empty() || it.bundle == bundle;
        for dependency in dependencies.iter().filter(own) {
            let name = &dependency.name;
            match (&dependency.range, &dependency.constraint) {
                (_, Some(constraint)) => requires.constraints.push(constraint.clone()),
                (Some(range), None) => {
                    requires.packages.insert((name.clone(), range.clone()));
                }
                (None, None) => requires.apis.extend(Gvk::parse(name)),
            }
        }
        requires
    }

    /// Returns true if an operator satisfies one of the requirements. Ignores compound constraints.
    pub(crate) fn is_met_by(&self, other: &Installation) -> bool {
        // If the version of an operator is unreadable, the operator counts as required, so that it
        // is not deleted.
        let is_in = |range: &str| VersionRange::may_match(range, &other.version);
        let mut packages = self.packages.iter();
        packages.any(|(package, range)| *package == other.package && is_in(range))
            || self.apis.iter().any(|api| other.provides.contains(api))
    }
}
