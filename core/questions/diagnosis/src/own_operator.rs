//! Diagnoses Operators of `operators.operatorframework.io` from the status of the Operator and of
//! its InstallPlans.

mod cure;
pub(crate) mod deletion;
mod failure;
mod stopped;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod waiting;
pub(crate) mod windows;

use std::collections::BTreeSet;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use portolan_api::operator::{ConditionType, OPERATOR, Operator, Reason, Status};
use portolan_api::plan::InstallPlan;
use portolan_api::qualified;
use portolan_api::status::ConditionTypes;

use self::waiting::Awaited;
use self::windows::NeverOpen;
use crate::command::{OWN_OPERATORS, Target};
use crate::cure::Cure;
use crate::diagnose::of_status;
use crate::headline::Impact;
use crate::{Cause, Code, Diagnosis, Evidence, Object, State, Subject, Workloads, rollout, words};

/// An Operator, with its status and plans.
#[derive(Debug, Clone, Copy)]
struct OperatorCase<'a> {
    operator: &'a Operator,
    status: &'a Status,
    name: &'a str,
    /// InstallPlans, including the InstallPlans of other Operators.
    plans: &'a [&'a InstallPlan],
    /// The observed workloads, including the workloads of other InstallPlans.
    workloads: &'a Workloads,
    facts: OperatorFacts<'a>,
}

/// Facts about an Operator that come from other objects.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct OperatorFacts<'a> {
    /// The Operator in deletion that blocks this Operator. None if there is no such Operator.
    pub(crate) leaving: Option<&'a Operator>,
    /// The Policies whose time windows never allow an upgrade of this Operator. None if a window
    /// opens.
    pub(crate) never_open: Option<&'a NeverOpen>,
    /// The Operators that this Operator waits for. None if it does not wait for another Operator.
    pub(crate) awaited: Option<Awaited<'a>>,
}

/// Diagnoses an Operator of `operators.operatorframework.io` from its status and its InstallPlans.
/// `plans` may contain InstallPlans of other Operators.
///
/// # Guarantees
///
/// The diagnosis uses only these objects. The diagnosis of an Operator that no controller has
/// reconciled is `NotObserved`, which means neither healthy nor broken.
pub fn diagnose_operator(operator: &Operator, plans: &[&InstallPlan]) -> Diagnosis {
    diagnose_among(
        operator,
        plans,
        &Workloads::default(),
        OperatorFacts::default(),
    )
}

/// Diagnoses an Operator like [`diagnose_operator`]. In addition, uses the workloads of the
/// InstallPlans and the facts from other objects.
pub(crate) fn diagnose_among(
    operator: &Operator,
    plans: &[&InstallPlan],
    workloads: &Workloads,
    facts: OperatorFacts<'_>,
) -> Diagnosis {
    let none = Status::default();
    let case = OperatorCase {
        workloads,
        operator,
        status: operator.status.as_ref().unwrap_or(&none),
        name: operator.metadata.name.as_deref().unwrap_or_default(),
        plans,
        facts,
    };
    let bundle = case.status.bundle.as_ref();
    let subject = Subject {
        object: case.object(),
        package: case.package(),
        csv: bundle.map(|bundle| bundle.name.clone()).unwrap_or_default(),
    };
    let causes = case.causes();
    let impact = Impact {
        effect: case.effect(&causes),
        ..case.impact()
    };
    let told = (impact, &*case.status.conditions);
    let mut diagnosis = of_status(subject, causes, case.unknown(), told);
    let awaited = facts.awaited.map(|awaited| awaited.last);
    if let Some(broken) = awaited.filter(|it| it.state == State::Broken) {
        // The broken Operator is more urgent than the upgrade that waits for it, so its headline is
        // first.
        let names = [&diagnosis.subject.object.name, &broken.subject.object.name];
        let [name, other] = names;
        diagnosis.headline = format!(
            "{} Because of this, {name} waits for {other}. {}",
            broken.headline, diagnosis.headline
        );
    }
    diagnosis
}

/// Returns the code and the state for a condition with this reason. Returns None if the reason is
/// no problem.
fn trouble(reason: Reason) -> Option<(Code, State)> {
    Some(match reason {
        Reason::SpecInvalid => (Code::OperatorInvalid, State::Stuck),
        Reason::ResolverUnavailable => (Code::NotObserved, State::Waiting),
        Reason::PackageNotFound => (Code::PackageMissing, State::Stuck),
        Reason::AmbiguousCatalog => (Code::AmbiguousCatalog, State::Stuck),
        Reason::NoUpgradePath => (Code::NoUpgradePath, State::Stuck),
        Reason::WaitingForDependencies => (Code::DependencyMissing, State::Waiting),
        Reason::BundleNotInstallable | Reason::BundleChanged => {
            (Code::BundleNotInstallable, State::Stuck)
        }
        Reason::CrdUpgradeUnsafe => (Code::CrdUpgradeUnsafe, State::Waiting),
        Reason::ApprovalRequired => (Code::ApprovalRequired, State::Waiting),
        Reason::NotUpgradeable => (Code::NotUpgradeable, State::Waiting),
        // The upgrade starts without an action when the window opens.
        Reason::TimeRestricted => (Code::BlockedByPolicy, State::Working),
        Reason::DeniedByPolicy | Reason::PolicyServiceUnavailable => {
            (Code::BlockedByPolicy, State::Waiting)
        }
        Reason::PlanInvalid => (Code::PlanInvalid, State::Stuck),
        Reason::PermissionMissing => (Code::PermissionMissing, State::Stuck),
        Reason::InstallFailed | Reason::Reverting => (Code::InstallFailed, State::Broken),
        Reason::Reverted => (Code::InstallFailed, State::Stuck),
        Reason::NotReady => (Code::MembersNotReady, State::Broken),
        Reason::InstalledByOlm
        | Reason::AlsoInstalledByOlm
        | Reason::InstalledByClusterExtension
        | Reason::AdoptionRefused
        | Reason::Duplicate => (Code::PackageTaken, State::Stuck),
        Reason::DeletionBlocked => (Code::DeletionBlocked, State::Stuck),
        Reason::Adopting
        | Reason::Applying
        | Reason::Checking
        | Reason::Settling
        | Reason::WaitingForOtherOperators
        | Reason::Reinstalling
        | Reason::Deleting => (Code::InProgress, State::Working),
        // Other conditions report why nothing is installed.
        Reason::NotInstalled
        | Reason::Installed
        | Reason::UpToDate
        | Reason::Frozen
        | Reason::HigherVersions
        | Reason::NoHigherVersion
        | Reason::DependenciesSatisfied
        | Reason::DependenciesMissing
        | Reason::PackageDeprecated
        | Reason::ChannelDeprecated
        | Reason::BundleDeprecated => return None,
    })
}

/// For each code, the beginning of the message. The message of the condition follows.
const BEGINNINGS: &[(Code, &str)] = &[
    (Code::OperatorInvalid, "The Operator is invalid"),
    (Code::NotObserved, "The content of the catalogs is unknown"),
    (Code::PackageMissing, "Nothing can be installed"),
    (Code::AmbiguousCatalog, "The catalog is ambiguous"),
    (
        Code::NoUpgradePath,
        "The requested version cannot be reached",
    ),
    (
        Code::DependencyMissing,
        "The version waits for its dependencies",
    ),
    (Code::BundleNotInstallable, "A bundle cannot be installed"),
    (
        Code::CrdUpgradeUnsafe,
        "The next version may break custom resources",
    ),
    (
        Code::ApprovalRequired,
        "The next version waits for approval",
    ),
    (Code::BlockedByPolicy, "The next version does not start"),
    (
        Code::NotUpgradeable,
        "The installed version must not be upgraded now",
    ),
    (Code::PlanInvalid, "The next version cannot be applied"),
    (
        Code::PermissionMissing,
        "The next version cannot be applied",
    ),
    (Code::InstallFailed, "The installation of a version failed"),
    (Code::MembersNotReady, "The installed version does not work"),
    (
        Code::PackageTaken,
        "Another object already installs the package",
    ),
    (
        Code::DeletionBlocked,
        "The deletion of the Operator is blocked",
    ),
    (
        Code::InProgress,
        "The controller is working on the Operator",
    ),
];

/// Returns true if the cause of a plan replaces a cause with this code, because it is more
/// specific. An example of such a cause is a crash-looping Pod.
fn is_explained(code: Code, below: &Cause) -> bool {
    let is_open = [Code::InProgress, Code::MembersNotReady].contains(&code);
    let of_plans = [Code::InProgress, Code::StageBlocked, Code::MembersNotReady];
    is_open && below.state == State::Broken && !of_plans.contains(&below.code)
}

fn beginning(code: Code) -> &'static str {
    let known = BEGINNINGS.iter().find(|(of, _)| *of == code);
    known.map_or("The Operator is stuck", |(_, beginning)| beginning)
}

// === impl OperatorCase ===

impl<'a> OperatorCase<'a> {
    fn object(self) -> Object {
        Object::new(qualified::OPERATOR, "", self.name)
    }

    fn target(self) -> Target<'a> {
        Target::new(OWN_OPERATORS, "", self.name)
    }

    fn package(self) -> String {
        let package = &self.operator.spec.as_json()["packageName"];
        package.as_str().unwrap_or_default().to_owned()
    }

    fn causes(self) -> Vec<Cause> {
        if self.status.observed_generation.is_none() {
            return vec![self.not_observed()];
        }
        let conditions = self.status.conditions.iter();
        let mut causes: Vec<_> = conditions.filter_map(|said| self.cause(said)).collect();
        causes.extend(self.unreported(&causes));
        let mut told = BTreeSet::new();
        causes.retain(|cause| told.insert((cause.code, cause.at_fault.clone())));
        let has = |code: Code| causes.iter().any(|cause| cause.code == code);
        if has(Code::InstallFailed) {
            // The members are unready because the installation has failed.
            causes.retain(|cause| cause.code != Code::MembersNotReady);
        } else if has(Code::InProgress) {
            // While a version is being installed, its members may be unready.
            let is_told = |cause: &Cause| cause.state != State::Working;
            let is_begun = |cause: &Cause| is_told(cause) && cause.code != Code::MembersNotReady;
            if causes.iter().any(is_begun) {
                causes.retain(is_begun);
            } else {
                causes.retain(|cause| cause.code == Code::InProgress);
            }
        }
        causes
    }

    fn not_observed(self) -> Cause {
        let message = "The controller has not reconciled the Operator yet.";
        let cause = Cause::new(Code::NotObserved, State::Working, self.object(), message);
        cause.cured(Cure::external(
            "the administrator of Portolan",
            "Check that the controller runs, with --operators and --plans.",
        ))
    }

    /// Returns a sentence if the controller has not reconciled the last change of the Operator. In
    /// this case, the status may be outdated.
    fn unknown(self) -> Option<String> {
        let seen = self.status.observed_generation?;
        let now = self.operator.metadata.generation;
        let is_behind = now.is_some_and(|now| now != seen);
        is_behind.then(|| {
            "The controller has not reconciled the Operator since its last \
                      change."
                .to_owned()
        })
    }

    fn cause(self, said: &'a Condition) -> Option<Cause> {
        let reason = Reason::parse(&said.reason)?;
        let (code, state) = trouble(reason)?;
        match ConditionType::of(said)? {
            ConditionType::Ready | ConditionType::Installing => {}
            ConditionType::UpgradeAvailable
            | ConditionType::DependenciesMet
            | ConditionType::Deprecated => return None,
        }
        if let Some(never) = self
            .facts
            .never_open
            .filter(|_| reason == Reason::TimeRestricted)
        {
            let cause = never.cause(&self.object(), self.next_bundle());
            return Some(cause.shown([Evidence::reported(self.object(), said)]));
        }
        if reason == Reason::WaitingForDependencies {
            return Some(self.waiting(said));
        }
        let below = self.plan(code).and_then(|plan| self.plan_cause(plan));
        let explaining = below.as_ref().filter(|below| is_explained(code, below));
        if let Some(live) = explaining.filter(|below| rollout::is_live(below)) {
            return Some(self.live(live, said));
        }
        let beginning = explaining.map_or(beginning(code), |_| "A Pod does not run");
        let (code, state) = explaining.map_or((code, state), |below| (below.code, below.state));
        let at_fault = below.as_ref().map(|below| below.at_fault.clone());
        let at_fault = at_fault.or_else(|| self.needed(reason));
        let at_fault = at_fault.unwrap_or_else(|| self.object());
        let message = format!("{}: {}", beginning, self.message(said));
        let message = words::sentence(&message);
        let message = if reason == Reason::InstallFailed {
            self.with_failure_policy(message)
        } else {
            message
        };
        let cause = Cause::new(code, state, at_fault, &message);
        let cause = cause.shown([Evidence::reported(self.object(), said)]);
        let cause = match explaining {
            Some(below) => {
                let missing = below.is_at_fault_missing();
                let missing = missing.then(|| Evidence::absent(below.at_fault.clone()));
                self.configured(cause.cured_like(below).shown(missing))
            }
            None => self.cured(cause, reason, below.as_ref()),
        };
        Some(Cause {
            below: below.into_iter().collect(),
            ..cause
        })
    }

    /// Returns the message of a condition without the command that resolves the problem. A status
    /// from an older controller version does not separate the command from the message. In that
    /// case, returns the whole message.
    fn message(self, said: &'a Condition) -> &'a str {
        let is_installing = said.type_ == ConditionType::Installing.as_str();
        let remedy = self.status.remedy.as_ref().filter(|_| is_installing);
        remedy.map_or(&said.message, |remedy| &remedy.message)
    }

    /// Returns the next bundle if the publisher must correct this bundle.
    fn needed(self, reason: Reason) -> Option<Object> {
        let bundle = self.next_bundle()?;
        (reason == Reason::BundleNotInstallable).then(|| Object::new("Bundle", "", bundle))
    }

    /// Returns the plan of the Operator that has more details about a cause with this code.
    fn plan(self, code: Code) -> Option<&'a InstallPlan> {
        let is_own = |plan: &&InstallPlan| OPERATOR.of(&plan.metadata) == Some(self.name);
        let mut own = self.plans.iter().copied().filter(is_own);
        if [Code::PlanInvalid, Code::PermissionMissing].contains(&code) {
            return own.find(|plan| plan.spec.as_json()["suspend"] == true);
        }
        let of_current = [Code::InstallFailed, Code::MembersNotReady, Code::InProgress];
        let current = self.status.plan.as_ref();
        let current = current.filter(|_| of_current.contains(&code))?;
        own.find(|plan| {
            let metadata = &plan.metadata;
            metadata.name.as_ref() == Some(&current.name)
                && metadata.namespace.as_ref() == Some(&current.namespace)
        })
    }

    /// Returns the impact, with the names of the installed bundle and of the next bundle.
    fn impact(self) -> Impact {
        let bundle = self.status.bundle.as_ref();
        Impact {
            running: bundle.map(|bundle| bundle.name.clone()),
            next: self.next_bundle().map(str::to_owned),
            is_operator: true,
            is_absent: bundle.is_none(),
            deleted: self.operator.metadata.deletion_timestamp.clone(),
            offered: self.offered_since(),
            ..Impact::of(&self.object())
        }
    }

    /// Returns the time since which the catalog has offered a higher version than the installed
    /// version. Returns None if no version is installed.
    fn offered_since(self) -> Option<Time> {
        self.status.bundle.as_ref()?;
        let said = self.status.condition(ConditionType::UpgradeAvailable)?;
        (said.status == "True").then(|| said.last_transition_time.clone())
    }

    /// Returns the name of the next bundle on the upgrade path.
    fn next_bundle(self) -> Option<&'a str> {
        self.status.path.first().map(|hop| hop.bundle.as_str())
    }
}
