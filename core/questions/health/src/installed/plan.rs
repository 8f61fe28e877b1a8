//! Judges InstallPlans of `plans.portolan.dev` that belong to neither an Operator nor an Install.

use portolan_api::inventory::Manager;
use portolan_api::plan::{ConditionType, InstallPlan, MemberState, Reason, Status};

use super::{Conclusion, Installer, Said, not_reconciled};
use crate::{HealthCode, Item, State};

/// The conditions that an InstallPlan reaches one after the other.
const STEPS: [ConditionType; 4] = [
    ConditionType::Valid,
    ConditionType::Permitted,
    ConditionType::Applied,
    ConditionType::Ready,
];

impl Installer for InstallPlan {
    const MANAGER: Manager = Manager::Plan;

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
    let mut conclusions = Vec::new();
    for type_ in STEPS {
        let Some(said) = status.condition(type_).map(Said::from) else {
            conclusions.push(Conclusion::missing());
            break;
        };
        if !said.is_true() {
            conclusions.push(of_step(said, status));
            // The later conditions cannot be True before this condition is True, so they add no
            // information.
            break;
        }
    }
    conclusions.extend(
        status
            .condition(ConditionType::Replaced)
            .map(Said::from)
            .and_then(of_other),
    );
    conclusions.extend(
        status
            .condition(ConditionType::Drifted)
            .map(Said::from)
            .and_then(of_other),
    );
    conclusions
}

fn of_step<'a>(said: Said<'a>, status: &Status) -> Conclusion<'a> {
    let Some((state, code)) = Reason::parse(said.reason).and_then(effect) else {
        return Conclusion::unknown(said);
    };
    let is_starting = said.reason == Reason::MembersNotReady.as_str() && !has_failing(status);
    // A condition with status Unknown does not prove a problem.
    let is_no = said.is_false() && !is_starting;
    Conclusion::new(if is_no { state } else { State::NotYet }, code, said)
}

/// Returns true if an object of the plan fails. An object that is still starting does not fail.
fn has_failing(status: &Status) -> bool {
    status.members.iter().any(|member| match member.state {
        MemberState::Refused
        | MemberState::Failed
        | MemberState::Missing
        | MemberState::Contested
        | MemberState::Held => true,
        MemberState::NotApplied
        | MemberState::NotReady
        | MemberState::Drifted
        | MemberState::Terminating
        | MemberState::Remaining
        | MemberState::Unknown => member.pod.is_some() || member.failing_webhook.is_some(),
    })
}

/// Returns the conclusion from a condition that a completed plan may also have.
fn of_other(said: Said<'_>) -> Option<Conclusion<'_>> {
    let (state, code) = Reason::parse(said.reason).and_then(effect)?;
    let conclusion = Conclusion::new(state, code, said);
    Some(if said.r#type == ConditionType::Drifted.as_str() {
        conclusion.into_remark()
    } else {
        conclusion
    })
}

/// Returns the state and code for a reason. Returns None if the reason reports no problem.
fn effect(reason: Reason) -> Option<(State, HealthCode)> {
    Some(match reason {
        Reason::SpecInvalid
        | Reason::ManifestInvalid
        | Reason::OrderInvalid
        | Reason::ReferenceMissing
        | Reason::KindNotServed
        | Reason::ManifestsChanged
        | Reason::LineagesDiffer
        | Reason::AlreadyReplaced
        | Reason::DryRunRejected => (State::No, HealthCode::ObjectInvalid),
        Reason::PermissionMissing | Reason::ServiceAccountMissing | Reason::NamespaceNotEnabled => {
            (State::No, HealthCode::PermissionMissing)
        }
        Reason::StageDeadlineExceeded | Reason::JobFailed => (State::No, HealthCode::InstallFailed),
        Reason::SelectionTooLarge
        | Reason::ObjectNotOwned
        | Reason::FieldConflict
        | Reason::WriteRejected => (State::No, HealthCode::InstallBlocked),
        Reason::MembersNotReady | Reason::MembersFailed => (State::No, HealthCode::MembersNotReady),
        Reason::Waiting | Reason::Suspended => (State::NotYet, HealthCode::InstallWaiting),
        Reason::Applying | Reason::RemovingLeftovers | Reason::HandingOver | Reason::Superseded => {
            (State::NotYet, HealthCode::InstallProgressing)
        }
        Reason::MembersDrifted | Reason::DriftContested | Reason::NotWatched => {
            (State::NotYet, HealthCode::MembersNotReady)
        }
        Reason::Deleting => (State::NotYet, HealthCode::ObjectDeleting),
        Reason::DeletionBlocked => (State::No, HealthCode::DeletionBlocked),
        Reason::PlanValid
        | Reason::PermissionsSufficient
        | Reason::AllApplied
        | Reason::AllReady
        | Reason::NotDrifted
        | Reason::NotReplaced
        | Reason::HandedOver
        | Reason::ObjectsRemain
        | Reason::NotObserved => return None,
    })
}
