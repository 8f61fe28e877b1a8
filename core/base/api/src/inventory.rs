//! The operators of a cluster, each with the object that manages it.
//!
//! Several installers can manage an operator: OLM, an [`Operator`], OLM v1, an [`Install`], or a
//! user with an InstallPlan of [`plan`](crate::plan). An [`Inventory`] lists the operators of all of
//! them once, and names the kinds that could not be read:
//!
//! ```
//! use portolan_api::inventory::{Inventory, InventoryObjects, Manager};
//! use portolan_api::operator::Operator;
//!
//! let mut ferry = Operator::new("ferry", serde_json::json!({"packageName": "ferry"}).into());
//! let status = serde_json::json!({"bundle": {"name": "ferry.v1.0.0"}, "versions": {"installed": "1.0.0"}});
//! ferry.status = Some(serde_json::from_value(status)?);
//! let objects = InventoryObjects { operators: vec![&ferry], ..InventoryObjects::default() };
//! let inventory = Inventory::of(&objects);
//! let found = inventory.of_package("ferry").next().ok_or("missing")?;
//! assert_eq!((found.manager, found.title().as_str()), (Manager::Operator, "Operator ferry"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What counts as installed
//!
//! | manager | one entry for each | its bundle |
//! |---|---|---|
//! | OLM | Subscription, and ClusterServiceVersion without one | `installedCSV`; without a Subscription the newest of a chain of upgrades |
//! | Operator | Operator | the bundle whose objects were all applied |
//! | ClusterExtension | ClusterExtension | the bundle in `status.install` |
//! | Install | bundle in the content | the bundle in `status.resolved` |
//! | InstallPlan | plan of no Operator and no Install that no newer plan replaces | none |
//!
//! A copied ClusterServiceVersion is not an operator. A bundle that is being installed is the
//! [`next`](InstalledOperator::next) bundle of its entry. An entry exists even before anything is
//! installed, because its object already claims the package. An operator that is being adopted is
//! listed under OLM while the adoption can be undone, and under its Operator afterwards.

mod olm;
mod own;

use std::collections::BTreeSet;
use std::fmt;

use portolan_core_names::{GroupKind, Key, ObjectRef};
use portolan_core_olm::{ClusterExtension, ClusterServiceVersion, Subscription};

use crate::OperatorPolicy;
use crate::installs::Install;
use crate::operator::Operator;
use crate::plan::InstallPlan;

/// The operators of a cluster, sorted, and the facts that are missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inventory {
    operators: Vec<InstalledOperator>,
    gaps: BTreeSet<Gap>,
}

/// Objects that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Gap {
    /// The kind; None for a document that can contain an object of any kind.
    pub kind: Option<GroupKind>,
    /// The reason, such as a refusal of the API server.
    pub reason: String,
}

/// An operator and the object that manages it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct InstalledOperator {
    pub manager: Manager,
    /// The object that the operator belongs to. For OLM it is the ClusterServiceVersion, or the
    /// Subscription if there is no ClusterServiceVersion.
    pub object: ObjectRef,
    /// The Subscription with which OLM updates it.
    pub subscription: Option<Key>,
    /// The enforced OperatorPolicies that manage its Subscription.
    pub policies: BTreeSet<Key>,
    /// Empty if unknown.
    pub package: String,
    /// The installed bundle. Empty if no bundle is installed or the bundle is unknown.
    pub bundle: String,
    /// The version of the installed bundle. Empty if it is unknown.
    pub version: String,
    /// The namespace of the operator. Empty if it is unknown.
    pub namespace: String,
    /// False if nothing of it is installed yet.
    pub is_installed: bool,
    /// The bundle that is being installed.
    pub next: Option<NextBundle>,
    /// The versions that its object allows, as its author wrote them. Empty if all versions are
    /// allowed.
    pub versions: String,
    /// The channels whose upgrades are used. Empty if all channels are used.
    pub channels: BTreeSet<String>,
    /// The catalog of its upgrades, or of the installed bundle. Empty if it is unknown.
    pub catalog: String,
}

/// A bundle that is being installed.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct NextBundle {
    /// Empty if unknown.
    pub bundle: String,
    /// Empty if unknown.
    pub version: String,
}

/// The installer of an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Manager {
    /// OLM v0.
    Olm,
    /// An Operator of `operators.operatorframework.io`.
    Operator,
    /// OLM v1.
    ClusterExtension,
    /// An Install of `operators.coreos.com/v2alpha1`.
    Install,
    /// An InstallPlan of `plans.portolan.dev` that a user created.
    Plan,
}

/// The objects from which an inventory is computed, in any order.
#[derive(Debug, Clone, Default)]
pub struct InventoryObjects<'o> {
    pub csvs: Vec<&'o ClusterServiceVersion>,
    pub subscriptions: Vec<&'o Subscription>,
    pub policies: Vec<&'o OperatorPolicy>,
    pub operators: Vec<&'o Operator>,
    pub plans: Vec<&'o InstallPlan>,
    pub extensions: Vec<&'o ClusterExtension>,
    pub installs: Vec<&'o Install>,
}

// === impl Inventory ===

impl Inventory {
    /// Computes the inventory of these objects.
    pub fn of(objects: &InventoryObjects<'_>) -> Self {
        let adoptions = own::adoptions(objects);
        let mut operators = olm::operators(objects, &adoptions);
        operators.extend(own::operators(objects, &adoptions));
        let extensions = objects.extensions.iter().copied();
        operators.extend(extensions.map(InstalledOperator::of_extension));
        let installs = objects.installs.iter().copied();
        operators.extend(installs.flat_map(InstalledOperator::of_install));
        operators.extend(own::plans(objects));
        operators.sort();
        operators.dedup();
        Self {
            operators,
            gaps: BTreeSet::new(),
        }
    }

    /// Adds objects that could not be read.
    #[must_use]
    pub fn with_gap(mut self, gap: Gap) -> Self {
        self.gaps.insert(gap);
        self
    }

    /// Returns the operators, sorted by manager and object.
    pub fn operators(&self) -> &[InstalledOperator] {
        &self.operators
    }

    /// Returns the objects that could not be read. Their operators are missing.
    pub fn gaps(&self) -> &BTreeSet<Gap> {
        &self.gaps
    }

    /// Returns the operators of a package, including operators that are not installed yet.
    pub fn of_package<'i>(
        &'i self,
        package: &'i str,
    ) -> impl Iterator<Item = &'i InstalledOperator> {
        let operators = self.operators.iter();
        operators.filter(move |it| it.package == package && !package.is_empty())
    }

    /// Returns the operators of a namespace, or all for an empty namespace.
    pub fn within<'i>(&'i self, namespace: &'i str) -> impl Iterator<Item = &'i InstalledOperator> {
        let operators = self.operators.iter();
        operators.filter(move |it| it.is_within(namespace))
    }
}

// === impl Gap ===

/// Formats the gap as in `cannot list Operators: forbidden`.
impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, reason } = self;
        match kind.as_ref().map(|kind| kind.kind.as_str()) {
            None => f.write_str(reason),
            Some(kind) => match kind.strip_suffix('y') {
                Some(stem) => write!(f, "cannot list {stem}ies: {reason}"),
                None => write!(f, "cannot list {kind}s: {reason}"),
            },
        }
    }
}

// === impl InstalledOperator ===

impl InstalledOperator {
    /// Returns an operator about which only the managing object is known.
    pub fn new(manager: Manager, object: ObjectRef) -> Self {
        Self {
            manager,
            namespace: object.namespace().to_owned(),
            object,
            subscription: None,
            policies: BTreeSet::new(),
            package: String::new(),
            bundle: String::new(),
            version: String::new(),
            is_installed: false,
            next: None,
            versions: String::new(),
            channels: BTreeSet::new(),
            catalog: String::new(),
        }
    }

    /// Returns the object as displayed to users, as in `ClusterServiceVersion harbor/ferry.v1.0.0`.
    pub fn title(&self) -> String {
        format!("{} {}", self.object.kind.kind, self.object.key())
    }

    /// Returns true if its object or the operator itself is in the namespace. Every operator is
    /// within the empty namespace.
    pub fn is_within(&self, namespace: &str) -> bool {
        namespace.is_empty() || [self.object.namespace(), &self.namespace].contains(&namespace)
    }

    /// Returns the operator of OLM v1, installed or not.
    pub fn of_extension(extension: &ClusterExtension) -> Self {
        let kind = GroupKind::new("olm.operatorframework.io", "ClusterExtension");
        let name = extension.metadata.name.as_deref().unwrap_or_default();
        let install = extension.status.install.as_ref();
        let bundle = install.map(|it| it.bundle.clone()).unwrap_or_default();
        let source = &extension.spec.source.catalog;
        Self {
            package: source.package_name.clone(),
            versions: source.version.clone(),
            channels: source.channels.iter().cloned().collect(),
            is_installed: install.is_some(),
            bundle: bundle.name,
            version: bundle.version,
            namespace: extension.spec.namespace.clone(),
            ..Self::new(Manager::ClusterExtension, ObjectRef::new(kind, None, name))
        }
    }
}

// === impl Manager ===

impl Manager {
    pub const ALL: [Self; 5] = [
        Self::Olm,
        Self::Operator,
        Self::ClusterExtension,
        Self::Install,
        Self::Plan,
    ];

    /// Returns the name for tables and answers: OLM, or the kind of the managing object.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Olm => "OLM",
            Self::Operator => "Operator",
            Self::ClusterExtension => "ClusterExtension",
            Self::Install => "Install",
            Self::Plan => "InstallPlan",
        }
    }
}

impl fmt::Display for Manager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
