//! The Operators of a cluster, with the installed version of each.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use portolan_api::Refusals;
use portolan_api::operator::{Approval, Dependencies, FINALIZER, Intent, Operator, Wanted};
use portolan_api::plan::InstallPlan;
use portolan_core_approval::consent::Ground;
use serde_json::json;

use crate::decide::{PackageRef, RenderOptions};
use crate::hop::Hop;
use crate::needs::Links;
use crate::offer::{Choice, Offers};
use crate::question::{Asked, Goal, Installation, Question};

/// The Operators, and the operators of other installers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fleet {
    /// The Operators by name. Unchanged ones are shared with the previous Fleet.
    pub members: BTreeMap<String, Arc<Member>>,
    pub present: Vec<Present>,
    /// The Subscriptions with which OLM updates operators.
    pub subscriptions: Vec<Subscribed>,
    pub conditions: Conditions,
    pub policies: Policies,
    /// True if the updater is known to be absent, so that its entries are removed from statuses.
    pub is_updater_gone: bool,
    /// The dependencies between members.
    pub links: Links,
}

/// The Policies that apply to Operators, as far as known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Policies {
    /// The cluster does not have the CRD, so that no approval is needed.
    #[default]
    NotServed,
    /// The Policies have not been read.
    Unseen,
    /// The Policies that apply to each Operator, by its name.
    Seen(BTreeMap<String, BTreeSet<Ground>>),
}

/// The conditions that operators report about themselves by OperatorConditions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conditions {
    /// True if the cluster has the CRD.
    pub are_served: bool,
    /// The reasons why operators must not be upgraded now, by namespace and name of the object.
    pub not_upgradeable: BTreeMap<String, String>,
}

/// One Operator.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    pub name: String,
    pub uid: String,
    pub labels: BTreeMap<String, String>,
    pub created: Option<Timestamp>,
    pub generation: i64,
    pub is_terminating: bool,
    /// True if it is deleted even if other operators need it.
    pub is_forced: bool,
    /// True if it has the [`FINALIZER`].
    pub has_finalizer: bool,
    /// The bundle that a user has approved.
    pub approved: Option<String>,
    /// The bundles whose breaking CRD changes are accepted by its annotation.
    pub accepted: BTreeSet<String>,
    pub intent: Result<Intent, Refusals>,
    /// Its plans, in the order of the hops.
    pub hops: Vec<Hop>,
}

/// An operator of another installer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Present {
    /// The object that installed it, such as `ClusterServiceVersion olm/ferry.v1.0.0`.
    pub object: String,
    pub by: Installer,
    pub installs: Installation,
    /// The ClusterServiceVersion, if OLM has installed it.
    pub csv: Option<Csv>,
}

/// The ClusterServiceVersion by which OLM manages an operator. Its resourceVersion is omitted: OLM
/// updates the status often, and writers read the object again anyway.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Csv {
    pub namespace: String,
    pub name: String,
    pub uid: String,
    /// The progress of OLM, unless the installation has succeeded.
    pub unsettled: Option<String>,
    pub is_terminating: bool,
    /// The finalizers that delay its deletion.
    pub finalizers: Vec<String>,
}

/// A Subscription.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subscribed {
    pub namespace: String,
    pub name: String,
    pub package: String,
    /// The installed ClusterServiceVersion; empty if OLM does not report it.
    pub installed: String,
    /// The ClusterServiceVersion that OLM is installing, unless that needs an approval first.
    pub on_the_way: Option<String>,
}

/// Another installer of operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Installer {
    Olm,
    ClusterExtension,
}

impl Member {
    /// Creates a member from an Operator and the hops that claim to belong to it, in any order.
    /// Plans of an Operator without a ServiceAccount are in the namespace `home`.
    pub fn of(operator: &Operator, mut hops: Vec<Hop>, home: &str) -> Self {
        let metadata = &operator.metadata;
        // Plans in other namespaces can claim any name, so they are ignored.
        let namespace = operator.plans_namespace().unwrap_or(home);
        hops.retain(|hop| hop.namespace == namespace);
        let is_terminating = metadata.deletion_timestamp.is_some();
        let lost = Hop::lost(operator, &hops).filter(|_| !is_terminating);
        let mut hops: Vec<_> = lost.into_iter().chain(hops).collect();
        hops.sort_by_key(|hop| hop.facts.number);
        let finalizers = metadata.finalizers.as_deref().unwrap_or_default();
        Self {
            name: metadata.name.clone().unwrap_or_default(),
            uid: metadata.uid.clone().unwrap_or_default(),
            labels: metadata.labels.clone().unwrap_or_default(),
            created: metadata.creation_timestamp.as_ref().map(|time| time.0),
            generation: metadata.generation.unwrap_or_default(),
            is_terminating,
            is_forced: operator.is_deletion_forced(),
            has_finalizer: finalizers.iter().any(|it| it == FINALIZER),
            approved: operator.approved().map(str::to_owned),
            accepted: operator.accepted(),
            intent: Intent::parse(operator),
            hops,
        }
    }

    /// Returns the age for ordering; the first is the oldest.
    fn age(&self) -> (Option<Timestamp>, &str) {
        (self.created, &self.uid)
    }

    /// Returns the newest hop that has begun.
    pub fn current(&self) -> Option<&Hop> {
        self.hops.iter().rev().find(|hop| !hop.is_held())
    }

    /// Returns the newest hop that has begun and whose plan exists.
    pub(crate) fn predecessor(&self) -> Option<&Hop> {
        let mut hops = self.hops.iter().rev();
        hops.find(|hop| !hop.is_held() && !hop.is_lost())
    }

    /// Returns the installed hop whose plan is missing. It is restored before anything else.
    pub(crate) fn lost(&self) -> Option<&Hop> {
        self.current().filter(|hop| hop.is_lost())
    }

    /// Returns the suspended hop after the current one.
    pub fn next(&self) -> Option<&Hop> {
        self.hops.last().filter(|hop| hop.is_held())
    }

    /// Returns the newest hop whose objects were all applied.
    pub fn installed(&self) -> Option<&Hop> {
        self.hops.iter().rev().find(|hop| hop.is_applied())
    }

    /// Returns the hops whose objects may exist: the newest one that has begun, and before it the
    /// newest one that was applied.
    pub(crate) fn there(&self) -> impl Iterator<Item = &Hop> {
        let [current, installed] = [self.current(), self.installed()];
        let installed = installed.filter(|it| current.is_none_or(|hop| hop.uid != it.uid));
        current.into_iter().chain(installed)
    }

    /// Returns the number of the next hop.
    pub(crate) fn next_number(&self) -> u32 {
        self.hops.last().map_or(1, |hop| hop.facts.number + 1)
    }

    pub fn package(&self) -> Option<&str> {
        let intent = self.intent.as_ref().ok();
        let wanted = intent.map(|intent| intent.package.as_str());
        let has = || {
            self.current()
                .map(|hop| hop.facts.installs.package.as_str())
        };
        wanted.or_else(has)
    }

    /// Returns true if the user approval allows a bundle.
    pub(crate) fn is_allowed(&self, bundle: &str) -> bool {
        match self.intent.as_ref().map(|intent| intent.approval) {
            Ok(Approval::Automatic) => true,
            Ok(Approval::Manual) => self.approved.as_deref() == Some(bundle),
            Err(_) => false,
        }
    }

    /// Returns the time at which the installed version counts as settled; None while it is not
    /// ready.
    pub(crate) fn settled_at(&self) -> Option<Timestamp> {
        let since = self.current()?.ready_since()?;
        let seconds = self
            .intent
            .as_ref()
            .map_or(0, |intent| intent.settle_seconds);
        since
            .checked_add(jiff::SignedDuration::from_secs(seconds.into()))
            .ok()
    }

    /// Returns true if no hop is in progress or settling at this time.
    pub(crate) fn is_settled(&self, now: Timestamp) -> bool {
        self.current().is_none() || self.settled_at().is_some_and(|at| at <= now)
    }

    /// Returns the goal of the member.
    fn wish(&self) -> Option<Goal> {
        let is_installed = self.current().is_some();
        let intent = match &self.intent {
            Ok(intent) if !self.is_terminating && self.lost().is_none() => intent,
            Ok(_) | Err(_) => return is_installed.then_some(Goal::Stay),
        };
        Some(match &intent.version {
            Wanted::Range(range) => Goal::Range(range.as_str().to_owned()),
            Wanted::Once if self.installed().is_some() => Goal::Stay,
            Wanted::Once => Goal::Any,
        })
    }
}

impl Fleet {
    /// Creates a Fleet from these Operators and their plans, without other installers. Unrelated
    /// plans are ignored. Plans of Operators without a ServiceAccount are in the namespace `home`.
    pub fn of<'o>(
        operators: impl IntoIterator<Item = &'o Operator>,
        plans: impl IntoIterator<Item = &'o InstallPlan>,
        home: &str,
    ) -> Self {
        let mut hops: BTreeMap<&str, Vec<Hop>> = BTreeMap::new();
        for (operator, hop) in plans.into_iter().filter_map(Hop::read) {
            hops.entry(operator).or_default().push(hop);
        }
        let members = operators.into_iter().map(|operator| {
            let name = operator.metadata.name.clone().unwrap_or_default();
            let own = hops.remove(name.as_str()).unwrap_or_default();
            (name, Arc::new(Member::of(operator, own, home)))
        });
        Self {
            members: members.collect(),
            ..Self::default()
        }
    }

    /// Returns an older Operator with the same package.
    pub fn older(&self, member: &Member) -> Option<&Member> {
        let package = member.package()?;
        let mut members = self.members.values().map(Arc::as_ref);
        members.find(|other| other.package() == Some(package) && other.age() < member.age())
    }

    /// Returns the operator of a package that another installer has installed.
    pub fn present(&self, package: &str) -> Option<&Present> {
        let mut present = self.present.iter();
        present.find(|it| it.installs.package == package)
    }

    /// Returns the reason why the installed version must not be upgraded now, if it reports one.
    pub(crate) fn not_upgradeable(&self, member: &Member) -> Option<&str> {
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

    pub(crate) fn by_package(&self, package: &str) -> Option<&Member> {
        let members = self.members.values().map(Arc::as_ref);
        let of_package = members.filter(|it| it.package() == Some(package));
        of_package.min_by_key(|it| it.age())
    }

    /// Returns the question for the common route. It omits members without a catalog; their
    /// installed versions count as present.
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
        // An operator that is still being installed has nothing yet.
        let others = others.filter(|it| !it.bundle.is_empty() && !packages.contains(&it.package));
        question.others.extend(others.cloned());
        question
    }
}

impl Member {
    /// Returns the channels whose upgrade edges it uses.
    pub fn channels(&self) -> BTreeSet<String> {
        let intent = self.intent.as_ref().ok();
        intent.map(Intent::channel_names).unwrap_or_default()
    }

    fn asked(&self, offers: &Offers, installed: Option<&Installation>) -> Option<Asked> {
        let package = self.package()?.to_owned();
        let wish = self.wish()?;
        let intent = self.intent.as_ref().ok();
        let Choice::Catalog(catalog) = Choice::of(offers, &package, intent) else {
            return None;
        };
        let overrides = intent.map(|intent| intent.overrides).unwrap_or_default();
        Some(Asked {
            package,
            catalog,
            channels: self.channels(),
            installed: installed.cloned(),
            wish,
            ignore_dependencies: intent
                .is_some_and(|intent| intent.dependencies == Dependencies::Ignore),
            direct_upgrades: overrides.direct_upgrades,
            downgrades: overrides.downgrades,
            ignore_conflicts: overrides.ignore_conflicts,
        })
    }

    /// Returns true if the Operator now requests another version or other install options than an
    /// unready hop. Such a hop is abandoned. Other changes of the Operator abandon nothing.
    pub(crate) fn is_overruled(&self) -> bool {
        let is_unready = |hop: &&Hop| hop.ready_since().is_none() && !hop.is_lost();
        let unready = self.current().filter(is_unready);
        unready.is_some_and(|hop| match (&hop.facts.wish, &self.intent) {
            (Some(wish), Ok(intent)) => {
                *wish != Self::wished(intent)
                    || hop.facts.options != RenderOptions::of(intent).text()
            }
            (None, _) | (_, Err(_)) => hop.facts.generation != self.generation,
        })
    }

    /// Returns everything that determines the requested versions, as one text.
    pub(crate) fn wished(intent: &Intent) -> String {
        let version = match &intent.version {
            Wanted::Once => None,
            Wanted::Range(range) => Some(range.as_str()),
        };
        json!([version, intent.channel_names(), intent.catalog_selector]).to_string()
    }
}
