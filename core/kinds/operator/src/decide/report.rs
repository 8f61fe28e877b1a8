//! The status report of an Operator.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use portolan_api::operator::{
    AdoptionStatus, BundleStatus, ConditionType, CrdChange, DependencyStatus, HopStatus, PlanRef,
    Reason, Remedy, RevertedStatus, Status, UPDATES, UserStatus, Versions,
};
use portolan_api::status::{self, Conditions, Reconcile, Undecided, others};
use portolan_core_names::Version;

use super::dependencies::{dependencies, listed, met};
use super::deprecation::{among, deprecated};
use super::{Ask, Halt, Observation, OperatorContext};
use crate::answer::{Answer, PackageFacts, WantedBundle};
use crate::hop::{HopState, OperatorHop};
use crate::member::FleetMember;

/// The maximum number of versions in a status.
const MOST_VERSIONS: usize = 200;

/// A condition of an Operator, without its transition time.
pub(super) type UndatedCondition = status::UndatedCondition<Reason>;

/// A status whose conditions do not have times yet.
#[derive(Debug, Clone)]
pub(super) struct Report {
    pub(super) ready: UndatedCondition,
    pub(super) installing: Option<UndatedCondition>,
    versions: Versions,
    /// True if the available versions are known.
    knows_versions: bool,
    bundle: Option<BundleStatus>,
    dependencies: Vec<DependencyStatus>,
    /// The condition about deprecations. The outer value is `None` while the deprecations are
    /// unknown. The inner value is `None` if nothing is deprecated.
    deprecated: Option<Option<UndatedCondition>>,
    used_by: Vec<UserStatus>,
    pub(super) reverted: Option<RevertedStatus>,
    pub(super) unsafe_changes: Vec<CrdChange>,
    pub(super) remedy: Option<Remedy>,
    pub(super) path: Vec<HopStatus>,
    plan: Option<PlanRef>,
    adoption: Option<AdoptionStatus>,
}

impl Report {
    /// Returns a report with the facts that are known at the start of the decision.
    pub(super) fn of(
        observed: &Observation,
        member: &FleetMember,
        adoption: Option<AdoptionStatus>,
    ) -> Self {
        let (current, installed) = (member.current(), member.installed());
        let facts = installed.map(|hop| &hop.facts);
        let version = facts.map(|facts| facts.installs.version.clone());
        Self {
            ready: ready(current),
            installing: None,
            versions: Versions {
                installed: version.clone(),
                target: current.map(|hop| hop.facts.installs.version.clone()),
                available: observed.status.versions.available.clone(),
                deprecated: observed.status.versions.deprecated.clone(),
                controller: Some(observed.home.version.to_owned()),
                resolver: observed.status.versions.resolver.clone(),
            },
            knows_versions: false,
            bundle: facts.map(|facts| BundleStatus {
                name: facts.installs.bundle.clone(),
                image: facts.image.clone(),
                catalog: facts.catalog.clone(),
            }),
            dependencies: facts.map_or_else(Vec::new, |facts| {
                let installs = &facts.installs;
                dependencies((observed, member), &installs.bundle, &installs.requires)
            }),
            deprecated: None,
            used_by: match member.lost() {
                Some(_) => observed.status.used_by.clone(),
                None => observed.fleet.users(member),
            },
            // The status contains a revert only if the revert belongs to the current generation or
            // is in progress.
            reverted: observed
                .status
                .reverted
                .clone()
                .filter(|it| it.generation == member.generation || observed.is_reverting(member)),
            unsafe_changes: Vec::new(),
            remedy: None,
            path: Vec::new(),
            plan: current.map(|hop| PlanRef {
                namespace: hop.namespace.clone(),
                name: hop.plan.clone(),
                cluster_service_version: hop.facts.csv.clone(),
            }),
            adoption,
        }
    }

    /// Adds the facts about the package in the catalog: newer versions and deprecations.
    pub(super) fn available(
        &mut self,
        case: OperatorContext<'_>,
        catalog: &str,
    ) -> Result<(), Halt> {
        let key = (catalog.to_owned(), case.intent.package.to_string());
        let facts = match case.observed.packages.get(&key) {
            None => {
                let (catalog, package) = key;
                return Err(Halt::Ask([Ask::Package { catalog, package }].into()));
            }
            Some(Answer::Known(facts)) => facts,
            // If the catalog returns no facts, the previous facts are kept.
            Some(Answer::Refused(_) | Answer::Unavailable(_)) => return Ok(()),
        };
        self.deprecated = Some(deprecated(case, facts));
        self.versions.resolver.clone_from(&facts.resolver);
        self.higher(facts);
        self.versions.deprecated = among(&self.versions.available, facts);
        Ok(())
    }

    /// Adds the versions of the package that are newer than the installed version.
    fn higher(&mut self, facts: &PackageFacts) {
        let installed = self.versions.installed.as_deref();
        let Some(installed) = installed.and_then(|version| Version::parse(version).ok()) else {
            self.versions.available.clear();
            return;
        };
        let versions = facts.versions.iter().filter_map(|text| text.parse().ok());
        let mut higher: Vec<Version> = versions.filter(|it| *it > installed).collect();
        higher.sort_by(|one, other| other.cmp(one));
        higher.dedup();
        let texts = higher.iter().take(MOST_VERSIONS).map(Version::to_string);
        self.versions.available = texts.collect();
        self.knows_versions = true;
    }

    /// Adds the dependencies of the target bundle to the report, before the dependencies of the
    /// installed bundle.
    pub(super) fn wants(&mut self, case: OperatorContext<'_>, wanted: &WantedBundle) {
        let case = (case.observed, case.member);
        let mut all = dependencies(case, &wanted.bundle, &wanted.requires);
        let others = std::mem::take(&mut self.dependencies).into_iter();
        all.extend(others.filter(|it| it.bundle != wanted.bundle));
        self.dependencies = all;
    }

    pub(super) fn target(&mut self, version: &str) {
        self.versions.target = Some(version.to_owned());
    }

    /// Returns the status. A condition whose status is unchanged keeps its transition time.
    pub(super) fn render(self, observed: &Observation, generation: i64) -> Status {
        let before = &observed.status;
        let is_looked_up = self.deprecated.is_some();
        let decided = Conditions::default()
            .with(ConditionType::Ready, self.ready.clone())
            .with(ConditionType::Installing, self.installing.clone())
            .with(ConditionType::UpgradeAvailable, self.upgrade(before))
            .with(ConditionType::DependenciesMet, met(&self.dependencies))
            .with(ConditionType::Deprecated, self.deprecated.clone().flatten());
        let reconcile = Reconcile {
            before: &before.conditions,
            generation: Some(generation),
            now: Time(observed.now),
        };
        let mut conditions = decided.render(&reconcile, |type_| undecided(type_, is_looked_up));
        // Conditions of other writers are kept. Conditions of the updater are removed if the
        // updater is no longer installed.
        let is_gone = |it: &&Condition| it.type_ == UPDATES && observed.fleet.is_updater_gone;
        let others = others::<ConditionType>(&before.conditions);
        conditions.extend(others.filter(|it| !is_gone(it)).cloned());
        Status {
            observed_generation: Some(generation),
            conditions,
            versions: self.versions,
            bundle: self.bundle,
            dependencies: listed(self.dependencies),
            used_by: self.used_by,
            reverted: self.reverted,
            unsafe_changes: self.unsafe_changes,
            remedy: self.remedy,
            path: self.path,
            plan: self.plan,
            adoption: self.adoption,
        }
    }

    /// Returns the condition about newer versions. Returns None if no version is installed.
    fn upgrade(&self, before: &Status) -> Option<UndatedCondition> {
        self.versions.installed.as_ref()?;
        let available = &self.versions.available;
        match available.first() {
            Some(highest) => Some(UndatedCondition::yes(
                Reason::HigherVersions,
                format!("the catalog has higher versions, up to {highest}"),
            )),
            None if self.knows_versions => Some(UndatedCondition::no(
                Reason::NoHigherVersion,
                "the catalog has no higher version",
            )),
            None => before.condition(ConditionType::UpgradeAvailable).map(|_| {
                UndatedCondition::no(Reason::NoHigherVersion, "the catalog has no higher version")
            }),
        }
    }
}

fn ready(current: Option<&OperatorHop>) -> UndatedCondition {
    let Some(hop) = current else {
        return UndatedCondition::no(Reason::NotInstalled, "the operator is not installed");
    };
    let bundle = &hop.facts.installs.bundle;
    match &hop.state {
        HopState::Begun {
            ready_since: Some(_),
            ..
        } => UndatedCondition::yes(
            Reason::Installed,
            format!("{bundle} is installed and works"),
        ),
        HopState::Begun {
            is_applied: true,
            message,
            ..
        } => UndatedCondition::no(
            Reason::NotReady,
            format!("{bundle} is installed but does not work: {message}"),
        ),
        HopState::Begun { message, .. } => UndatedCondition::no(
            Reason::NotReady,
            format!("{bundle} is not completely installed: {message}"),
        ),
        HopState::Lost => UndatedCondition::no(
            Reason::NotReady,
            format!("the InstallPlan {} of {bundle} is missing", hop.plan),
        ),
        HopState::Held(_) => UndatedCondition::no(
            Reason::NotInstalled,
            "the operator is not \
                                                                         installed",
        ),
    }
}

/// Decides whether a condition that this decision does not set is kept or removed. `is_looked_up`
/// is true if the deprecations of the package are known.
fn undecided(type_: ConditionType, is_looked_up: bool) -> Undecided<Reason> {
    match type_ {
        // Each decision sets these conditions.
        ConditionType::Ready | ConditionType::Installing => Undecided::Kept,
        // The condition does not apply: no version is installed, or the installed version has no
        // dependencies.
        ConditionType::UpgradeAvailable | ConditionType::DependenciesMet => Undecided::Removed,
        ConditionType::Deprecated if is_looked_up => Undecided::Removed,
        ConditionType::Deprecated => Undecided::Kept,
    }
}
