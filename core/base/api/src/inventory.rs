//! Lists the operators of a cluster, each with the object that manages it.
//!
//! Several installers can manage an operator: OLM, an [`Operator`], OLM v1, an [`Install`], or a
//! user with an InstallPlan of [`plan`](crate::plan). An [`Inventory`] lists the operators of all
//! installers, each operator once. It also lists the kinds that could not be read:
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
//! | manager | one entry for each | bundle of the entry |
//! |---|---|---|
//! | OLM | Subscription, and ClusterServiceVersion without one | `installedCSV`; without a Subscription the newest of a chain of upgrades |
//! | Operator | Operator | the bundle whose objects were all applied |
//! | ClusterExtension | ClusterExtension | the bundle in `status.install` |
//! | Install | bundle in the content | the bundle in `status.resolved` |
//! | InstallPlan | plan without an Operator or Install that no newer plan replaces | none |
//!
//! A copied ClusterServiceVersion is not an operator. A bundle that is being installed is the
//! [`next`](InstalledOperator::next) bundle of its entry. An entry exists even before anything is
//! installed, because its object already claims the package. While an adoption can be undone, the
//! adopted operator is listed under OLM. Afterwards, it is listed under its Operator.

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

/// The operators of a cluster, sorted, and the kinds of objects that could not be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inventory {
    operators: Vec<InstalledOperator>,
    gaps: BTreeSet<Gap>,
}

/// A kind of objects that could not be read, and the reason.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Gap {
    /// The kind. None for a file that may contain objects of any kind.
    pub kind: Option<GroupKind>,
    /// The reason, such as an error of the API server.
    pub reason: String,
}

/// An operator, and the object that manages it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct InstalledOperator {
    pub manager: Manager,
    /// The object that manages the operator. For OLM, this is the ClusterServiceVersion, or the
    /// Subscription if there is no ClusterServiceVersion.
    pub object: ObjectRef,
    /// The Subscription with which OLM upgrades the operator.
    pub subscription: Option<Key>,
    /// The enforced OperatorPolicies that manage the Subscription.
    pub policies: BTreeSet<Key>,
    /// The package. Empty if it is unknown.
    pub package: String,
    /// The installed bundle. Empty if no bundle is installed, or if it is unknown.
    pub bundle: String,
    /// The version of the installed bundle. Empty if it is unknown.
    pub version: String,
    /// The namespace of the operator. Empty if it is unknown.
    pub namespace: String,
    /// False if no part of the operator is installed yet.
    pub is_installed: bool,
    /// The bundle that is being installed.
    pub next: Option<NextBundle>,
    /// The allowed versions, as the author of the object wrote them. Empty if all versions are
    /// allowed.
    pub versions: String,
    /// The channels that the object allows. Empty if all channels are allowed.
    pub channels: BTreeSet<String>,
    /// The catalog for upgrades, or the catalog of the installed bundle. Empty if it is unknown.
    pub catalog: String,
}

/// A bundle that is being installed.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct NextBundle {
    /// The name of the bundle. Empty if it is unknown.
    pub bundle: String,
    /// The version of the bundle. Empty if it is unknown.
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

/// The objects from which the inventory is computed, in any order.
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

    /// Adds a kind of objects that could not be read.
    #[must_use]
    pub fn with_gap(mut self, gap: Gap) -> Self {
        self.gaps.insert(gap);
        self
    }

    /// Returns the operators, sorted by manager and object.
    pub fn operators(&self) -> &[InstalledOperator] {
        &self.operators
    }

    /// Returns the kinds of objects that could not be read. The operators of these objects are
    /// missing in the inventory.
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

    /// Returns the operators in a namespace. Returns all operators if the namespace is empty.
    pub fn within<'i>(&'i self, namespace: &'i str) -> impl Iterator<Item = &'i InstalledOperator> {
        let operators = self.operators.iter();
        operators.filter(move |it| it.is_within(namespace))
    }
}

// === impl Gap ===

/// Formats the gap, such as `cannot list Operators: forbidden`.
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
    /// Returns an operator with only its managing object. All other facts are unknown.
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

    /// Returns the kind and key of the object, such as `ClusterServiceVersion harbor/ferry.v1.0.0`.
    pub fn title(&self) -> String {
        format!("{} {}", self.object.kind.kind, self.object.key())
    }

    /// Returns true if the operator or its object is in the namespace, or if the namespace is
    /// empty.
    pub fn is_within(&self, namespace: &str) -> bool {
        namespace.is_empty() || [self.object.namespace(), &self.namespace].contains(&namespace)
    }

    /// Returns the operator of a ClusterExtension, installed or not.
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

    /// Returns the name of the installer in tables: OLM, or the kind of the managing object.
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
