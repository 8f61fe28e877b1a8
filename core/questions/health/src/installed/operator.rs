//! Judges Operators of `operators.operatorframework.io` by their conditions.

use portolan_api::inventory::Manager;
use portolan_api::operator::{ConditionType, Operator, Reason, Status};

use super::{Conclusion, Installer, Said, not_reconciled};
use crate::{HealthCode, Item, State};

/// The effect that a reason of the Installing condition has on the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// The condition does not affect the operator.
    None,
    /// The controller applies a version, so the installed version may be incomplete.
    Progress,
    /// The next version is being prepared or is waiting. The installed version is unchanged.
    Waits(HealthCode),
    /// The next version cannot be installed until a user makes a change. The installed version is
    /// unchanged.
    Blocks(HealthCode),
    /// The problem affects the installed version.
    Breaks(HealthCode),
}

impl Installer for Operator {
    const MANAGER: Manager = Manager::Operator;

    fn conclusions(item: &Item<Self>) -> Vec<Conclusion<'_>> {
        let status = item.status.as_ref();
        if let Some(old) = not_reconciled(
            item.generation(),
            status.and_then(|it| it.observed_generation),
        ) {
            return vec![old];
        }
        status.map_or_else(|| vec![Conclusion::missing()], of_status)
    }

    fn main_condition(item: &Item<Self>) -> Option<Said<'_>> {
        let status = item.status.as_ref()?;
        status.condition(ConditionType::Ready).map(Said::from)
    }
}

fn of_status(status: &Status) -> Vec<Conclusion<'_>> {
    let Some(ready) = status.condition(ConditionType::Ready).map(Said::from) else {
        return vec![Conclusion::missing()];
    };
    if !ready.is_true() && !ready.is_false() {
        return vec![Conclusion::unknown(ready)];
    }
    let installing = status.condition(ConditionType::Installing).map(Said::from);
    let mut conclusions: Vec<_> = installing
        .and_then(|it| progress(it, ready))
        .into_iter()
        .collect();
    let is_explained = conclusions.iter().any(|it| it.state != State::Yes);
    if ready.is_false() && is_broken(ready, installing) {
        conclusions.insert(
            0,
            Conclusion::new(State::No, HealthCode::MembersNotReady, ready),
        );
    } else if ready.is_false() && !is_explained {
        conclusions.push(Conclusion::unknown(ready));
    }
    conclusions
}

/// Returns true if an installed object does not work, and no version that might repair it is being
/// applied.
fn is_broken(ready: Said<'_>, installing: Option<Said<'_>>) -> bool {
    let effect = installing
        .and_then(|it| Reason::parse(it.reason))
        .map(effect);
    ready.reason == Reason::NotReady.as_str() && effect != Some(Effect::Progress)
}

/// Returns the conclusion about the installation or upgrade. Returns None if the Installing
/// condition has no effect.
fn progress<'a>(installing: Said<'a>, ready: Said<'_>) -> Option<Conclusion<'a>> {
    let Some(reason) = Reason::parse(installing.reason) else {
        return Some(Conclusion::unknown(installing));
    };
    let of = |state, code| Some(Conclusion::new(state, code, installing));
    match effect(reason) {
        Effect::None => None,
        Effect::Progress => of(State::NotYet, HealthCode::InstallProgressing),
        Effect::Breaks(code) => of(State::No, code),
        Effect::Waits(code) if ready.is_true() => of(State::Yes, code),
        Effect::Waits(code) => of(State::NotYet, code),
        Effect::Blocks(code) if ready.is_true() => of(State::Yes, code),
        Effect::Blocks(code) => of(State::No, code),
    }
}

fn effect(reason: Reason) -> Effect {
    match reason {
        Reason::Applying | Reason::Adopting | Reason::Reinstalling => Effect::Progress,
        Reason::Deleting => Effect::Waits(HealthCode::ObjectDeleting),
        Reason::Checking | Reason::Settling => Effect::Waits(HealthCode::InstallProgressing),
        Reason::WaitingForOtherOperators
        | Reason::WaitingForDependencies
        | Reason::ApprovalRequired
        | Reason::NotUpgradeable
        | Reason::TimeRestricted
        | Reason::PolicyServiceUnavailable
        | Reason::ResolverUnavailable => Effect::Waits(HealthCode::InstallWaiting),
        Reason::SpecInvalid | Reason::PlanInvalid => Effect::Blocks(HealthCode::ObjectInvalid),
        Reason::PackageNotFound
        | Reason::AmbiguousCatalog
        | Reason::NoUpgradePath
        | Reason::BundleNotInstallable
        | Reason::BundleChanged
        | Reason::CrdUpgradeUnsafe
        | Reason::DeniedByPolicy => Effect::Blocks(HealthCode::InstallBlocked),
        Reason::PermissionMissing => Effect::Blocks(HealthCode::PermissionMissing),
        Reason::Reverted => Effect::Blocks(HealthCode::InstallFailed),
        Reason::InstallFailed | Reason::Reverting => Effect::Breaks(HealthCode::InstallFailed),
        Reason::AdoptionRefused
        | Reason::InstalledByOlm
        | Reason::InstalledByClusterExtension
        | Reason::Duplicate => Effect::Blocks(HealthCode::PackageTaken),
        Reason::AlsoInstalledByOlm => Effect::Breaks(HealthCode::PackageTaken),
        Reason::DeletionBlocked => Effect::Breaks(HealthCode::DeletionBlocked),
        // These reasons belong to other conditions, or to an Operator whose requested version is
        // installed.
        Reason::Installed
        | Reason::NotInstalled
        | Reason::NotReady
        | Reason::UpToDate
        | Reason::Frozen
        | Reason::HigherVersions
        | Reason::NoHigherVersion
        | Reason::DependenciesSatisfied
        | Reason::DependenciesMissing
        | Reason::PackageDeprecated
        | Reason::ChannelDeprecated
        | Reason::BundleDeprecated => Effect::None,
    }
}
