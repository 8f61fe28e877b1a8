//! The Operators of a cluster, with the installed version of each.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_api::operator::Operator;
use portolan_api::plan::InstallPlan;
use portolan_core_approval::consent::Ground;

use crate::hop::OperatorHop;
use crate::member::FleetMember;
use crate::needs::Links;
use crate::offer::Offers;
use crate::question::{Installation, PackageRef, Question};

/// The Operators, and the operators of other installers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fleet {
    /// The Operators by name. Unchanged Operators share memory with the previous Fleet.
    pub members: BTreeMap<String, Arc<FleetMember>>,
    pub present: Vec<Present>,
    /// The Subscriptions through which OLM updates operators.
    pub subscriptions: Vec<Subscribed>,
    pub conditions: Conditions,
    pub policies: Policies,
    /// True if the updater is not installed. Then the updater's entries in the statuses of
    /// Operators are removed.
    pub is_updater_gone: bool,
    /// The dependencies between the members of the Fleet.
    pub links: Links,
}

/// The UpgradePolicies that apply to Operators.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Policies {
    /// The cluster does not have the CRD. No approval is needed.
    #[default]
    NotServed,
    /// The policies have not been read yet.
    Unseen,
    /// The policies that apply to each Operator, by the name of the Operator.
    Seen(BTreeMap<String, BTreeSet<Ground>>),
}

/// The OperatorConditions, in which operators report whether they can be upgraded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conditions {
    /// True if the cluster has the CRD.
    pub are_served: bool,
    /// The reasons why operators must not be upgraded now, by namespace and name of the
    /// OperatorCondition.
    pub not_upgradeable: BTreeMap<String, String>,
}

/// An operator that another installer than Portolan has installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Present {
    /// The object that represents the installation, such as `ClusterServiceVersion
    /// olm/ferry.v1.0.0`.
    pub object: String,
    pub by: Installer,
    pub installs: Installation,
    /// The ClusterServiceVersion of the operator. None if OLM did not install it.
    pub csv: Option<Csv>,
}

/// The ClusterServiceVersion through which OLM manages an operator. The type has no
/// resourceVersion, because OLM updates the status often. Code that writes the object reads the
/// object again first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Csv {
    pub namespace: String,
    pub name: String,
    pub uid: String,
    /// The progress of the installation as reported by OLM. None if the installation has succeeded.
    pub unsettled: Option<String>,
    pub is_terminating: bool,
    /// The finalizers that delay its deletion.
    pub finalizers: Vec<String>,
}

/// The fields that are read from a Subscription of OLM.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subscribed {
    pub namespace: String,
    pub name: String,
    pub package: String,
    /// The installed ClusterServiceVersion. Empty if the status of the Subscription does not name
    /// it.
    pub installed: String,
    /// The ClusterServiceVersion that OLM is installing. None if OLM installs nothing, or if a user
    /// must approve the installation first.
    pub on_the_way: Option<String>,
}

/// An installer of operators other than Portolan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Installer {
    Olm,
    ClusterExtension,
}

impl Fleet {
    /// Creates a Fleet from these Operators and their plans, without other installers. Ignores
    /// unrelated plans. Plans of Operators without a ServiceAccount are expected in the namespace
    /// `home`.
    pub fn of<'o>(
        operators: impl IntoIterator<Item = &'o Operator>,
        plans: impl IntoIterator<Item = &'o InstallPlan>,
        home: &str,
    ) -> Self {
        let mut hops: BTreeMap<&str, Vec<OperatorHop>> = BTreeMap::new();
        for (operator, hop) in plans.into_iter().filter_map(OperatorHop::read) {
            hops.entry(operator).or_default().push(hop);
        }
        let members = operators.into_iter().map(|operator| {
            let name = operator.metadata.name.clone().unwrap_or_default();
            let own = hops.remove(name.as_str()).unwrap_or_default();
            (name, Arc::new(FleetMember::of(operator, own, home)))
        });
        Self {
            members: members.collect(),
            ..Self::default()
        }
    }

    /// Returns an older Operator that requests the same package. Returns None if there is no such
    /// Operator.
    pub fn older(&self, member: &FleetMember) -> Option<&FleetMember> {
        let package = member.package()?;
        let mut members = self.members.values().map(Arc::as_ref);
        members.find(|other| other.package() == Some(package) && other.age() < member.age())
    }

    /// Returns the operator that another installer has installed from a package. Returns None if
    /// there is no such operator.
    pub fn present(&self, package: &str) -> Option<&Present> {
        let mut present = self.present.iter();
        present.find(|it| it.installs.package == package)
    }

    /// Returns the reason why the installed version must not be upgraded now. Returns None if the
    /// version reports no reason.
    pub(crate) fn not_upgradeable(&self, member: &FleetMember) -> Option<&str> {
        let condition = member.current()?.facts.condition.as_ref()?;
        let why = self.conditions.not_upgradeable.get(condition)?;
        Some(why)
    }

    /// Returns the packages of all members.
    pub fn packages(&self) -> BTreeSet<PackageRef> {
        let members = self.members.values();
        let packages = members.filter_map(|member| {
            Some(PackageRef {
                name: member.package()?.to_owned(),
                with_channels: !member.channels().is_empty(),
            })
        });
        packages.collect()
    }

    pub(crate) fn by_package(&self, package: &str) -> Option<&FleetMember> {
        let members = self.members.values().map(Arc::as_ref);
        let of_package = members.filter(|it| it.package() == Some(package));
        of_package.min_by_key(|it| it.age())
    }

    /// Returns the request for the common route. A member without a catalog cannot move. The
    /// request contains only the installed version of such a member, in `others`.
    pub fn question(&self, offers: &Offers) -> Question {
        let mut members: Vec<_> = self.members.values().collect();
        members.sort_by_key(|it| it.age());
        let mut question = Question::default();
        let mut packages = BTreeSet::new();
        for member in members {
            let installed = member.current().map(|hop| hop.facts.installs.clone());
            match member.asked(offers, installed.as_ref()) {
                Some(asked) => {
                    if packages.insert(asked.package.clone()) {
                        question.operators.push(asked);
                    }
                }
                None => question.others.extend(installed),
            }
        }
        let others = self.present.iter().map(|it| &it.installs);
        // If the bundle is empty, the operator is still being installed and does not satisfy
        // dependencies yet.
        let others = others.filter(|it| !it.bundle.is_empty() && !packages.contains(&it.package));
        question.others.extend(others.cloned());
        question
    }
}
