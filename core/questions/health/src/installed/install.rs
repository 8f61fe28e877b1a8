//! Judges Installs of `operators.coreos.com/v2alpha1` by their conditions.

use portolan_api::installs::{ConditionType, Install, Reason, Status};
use portolan_api::inventory::Manager;
use portolan_api::status::find;

use super::{Conclusion, Installer, Said, not_reconciled};
use crate::{HealthCode, Item, State};

impl Installer for Install {
    const MANAGER: Manager = Manager::Install;

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
        find(&item.status.as_ref()?.conditions, ConditionType::Ready).map(Said::from)
    }
}

fn of_status(status: &Status) -> Vec<Conclusion<'_>> {
    let about = |type_| find(&status.conditions, type_).map(Said::from);
    let Some(ready) = about(ConditionType::Ready) else {
        return vec![Conclusion::missing()];
    };
    let others = [
        (
            ConditionType::ContentImportError,
            State::No,
            HealthCode::ObjectInvalid,
        ),
        (
            ConditionType::PendingApproval,
            State::NotYet,
            HealthCode::InstallWaiting,
        ),
    ];
    let others = others.into_iter().filter_map(|(type_, state, code)| {
        let said = about(type_).filter(|said| said.is_true())?;
        let conclusion = Conclusion::new(state, code, said);
        // The installed content works even if the new content cannot be installed, so this is only
        // a remark.
        Some(if ready.is_true() {
            conclusion.into_remark()
        } else {
            conclusion
        })
    });
    let mut conclusions: Vec<_> = others.collect();
    if !ready.is_true() && conclusions.is_empty() {
        conclusions.push(of_ready(ready));
    }
    conclusions
}

fn of_ready(ready: Said<'_>) -> Conclusion<'_> {
    let reason = Reason::parse(ready.reason).filter(|_| ready.is_false());
    let Some((state, code)) = reason.and_then(effect) else {
        return Conclusion::unknown(ready);
    };
    Conclusion::new(state, code, ready)
}

/// Returns the state and code for the reason of a Ready condition with status False. Returns None
/// if the reason has no effect.
fn effect(reason: Reason) -> Option<(State, HealthCode)> {
    Some(match reason {
        Reason::Installing => (State::NotYet, HealthCode::InstallProgressing),
        Reason::InstallPlanFailed => (State::No, HealthCode::InstallFailed),
        Reason::ApprovalRequired
        | Reason::NotApproved
        | Reason::UnsatisfiedPermissions
        | Reason::KindNotServed => (State::NotYet, HealthCode::InstallWaiting),
        Reason::ContentInvalid
        | Reason::SpecInvalid
        | Reason::RawInvalid
        | Reason::ManifestImagePullFailed
        | Reason::ManifestImageInvalid
        | Reason::ContentNotInstallable => (State::No, HealthCode::ObjectInvalid),
        Reason::ServiceAccountNotOwned | Reason::RoleNotFound => {
            (State::No, HealthCode::InstallBlocked)
        }
        Reason::Deleting => (State::NotYet, HealthCode::ObjectDeleting),
        Reason::Installed
        | Reason::ApprovalGiven
        | Reason::NotObserved
        | Reason::NotChecked
        | Reason::ContentImported => return None,
    })
}
