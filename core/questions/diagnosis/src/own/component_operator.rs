//! Diagnoses Operators of `operators.coreos.com/v2alpha1` by their conditions.

use portolan_api::components::{ConditionType, Reason};
use portolan_core_olm::{ComponentOperator, Condition};

use super::{OwnKind, not_observed, outdated, subject};
use crate::command::Target;
use crate::cure::Cure;
use crate::diagnose::of_status;
use crate::headline::Impact;
use crate::{Cause, Code, Diagnosis, Evidence, Object, State, Step, words};

/// Diagnoses an Operator of `operators.coreos.com/v2alpha1` by its conditions.
///
/// # Guarantees
///
/// The diagnosis uses only the conditions. The Subscription of the installed operator has a
/// separate diagnosis by [`diagnose`](fn@crate::diagnose).
pub fn diagnose_component_operator(operator: &ComponentOperator) -> Diagnosis {
    let kind = OwnKind::ComponentOperator;
    let name = operator.metadata.name.as_deref().unwrap_or_default();
    let object = Object::new(kind.as_str(), "", name);
    let conditions = &operator.status.conditions;
    if conditions.is_empty() {
        let cause = not_observed(&object, kind.unwritten_cure());
        let told = (Impact::of(&object), &[][..]);
        return of_status(subject(object, ""), vec![cause], None, told);
    }
    let causes = conditions.iter().filter_map(|said| cause(&object, said));
    let causes = causes.collect();
    let seen = conditions.iter().filter_map(|it| it.observed_generation);
    let unknown = outdated(seen.max(), operator.metadata.generation);
    let told = (Impact::of(&object), &[][..]);
    of_status(subject(object, ""), causes, unknown, told)
}

fn cause(object: &Object, said: &Condition) -> Option<Cause> {
    let (code, state, beginning, who) = trouble(said)?;
    let message = words::sentence(&format!("{beginning}: {}", said.words()));
    let at_fault = if code == Code::ApprovalRequired {
        Object::new(OwnKind::Install.as_str(), "", object.name.clone())
    } else {
        object.clone()
    };
    let target = Target::new(OwnKind::ComponentOperator.resource(), "", &object.name);
    let cause = Cause::new(code, state, at_fault, &message);
    let cause = cause.shown([Evidence::of_condition(
        object.clone(),
        [&said.r#type, &said.reason, &said.message],
    )]);
    if state == State::Working {
        return Some(cause);
    }
    let (who, action) = who;
    let look = Step::new("Show the Operator", target.get());
    Some(cause.cured(Cure::external(who, action)).looked([look]))
}

/// The person who must act, and the required action.
type Actor = (&'static str, &'static str);

/// Returns the code, the state, the beginning of the message and the person who must act. Returns
/// None if the condition reports no problem.
fn trouble(said: &Condition) -> Option<(Code, State, &'static str, Actor)> {
    let reason = Reason::parse(&said.reason);
    Some(
        match (ConditionType::parse(&said.r#type)?, said.is_true()) {
            (ConditionType::InstallPendingApproval, true) => (
                Code::ApprovalRequired,
                State::Waiting,
                "The Install of the Operator waits for approval",
                (
                    "a user who has all permissions that the content needs",
                    "Approve the Install: `portolan approve install/NAME` shows and grants the \
                     permissions.",
                ),
            ),
            (ConditionType::ContentImportError, true) => (
                Code::ContentInvalid,
                State::Stuck,
                "The content of the Install cannot be read",
                (
                    "the owner of the image that the message names",
                    "Make the image pullable, or correct the image.",
                ),
            ),
            (ConditionType::ComponentsNotListed, true) => (
                Code::PermissionMissing,
                State::Stuck,
                "The status does not list all components of the Operator",
                (
                    "the administrator of Portolan",
                    "Allow the controller to list the kinds that the message names.",
                ),
            ),
            (ConditionType::Deleting, true) => return Some(deletion(reason)),
            (ConditionType::ContentResolved, false) => return Some(unresolved(reason)),
            (
                ConditionType::InstallPendingApproval
                | ConditionType::ContentImportError
                | ConditionType::ComponentsNotListed
                | ConditionType::Deleting
                | ConditionType::ContentResolved
                | ConditionType::UpdateAvailable
                | ConditionType::ComponentsDiverge
                | ConditionType::SubscriptionUnassociated,
                _,
            ) => return None,
        },
    )
}

fn deletion(reason: Option<Reason>) -> (Code, State, &'static str, Actor) {
    match reason {
        Some(Reason::DeletionBlocked | Reason::LabelsRemain) => (
            Code::DeletionBlocked,
            State::Stuck,
            "The deletion of the Operator is blocked",
            (
                "the owner of the objects that the message names",
                "Delete these objects, or allow the controller to change them.",
            ),
        ),
        _ => (
            Code::InProgress,
            State::Working,
            "The Operator is being deleted",
            ("", ""),
        ),
    }
}

fn unresolved(reason: Option<Reason>) -> (Code, State, &'static str, Actor) {
    const AUTHOR: Actor = (
        "the author of the Operator",
        "Correct spec.updates.catalogSource.",
    );
    match reason {
        Some(Reason::SourceInvalid) => (
            Code::OperatorInvalid,
            State::Stuck,
            "The Operator is invalid",
            AUTHOR,
        ),
        Some(Reason::Unresolvable) => (
            Code::NoUpgradePath,
            State::Stuck,
            "The requested content is not available",
            AUTHOR,
        ),
        Some(Reason::InstalledByOLM | Reason::PackageTaken) => (
            Code::PackageTaken,
            State::Stuck,
            "Another object already installs the package",
            (
                "the administrator of the package",
                "Delete the other object that installs the package, or delete this Operator.",
            ),
        ),
        Some(Reason::InstallNotOwned | Reason::ContentChanged) => (
            Code::ObjectNotOwned,
            State::Stuck,
            "The Install of the Operator differs from the Operator",
            (
                "the owner of the Install that the message names",
                "Delete the Install, or rename the Operator.",
            ),
        ),
        Some(Reason::ResolverUnavailable) => (
            Code::NotObserved,
            State::Waiting,
            "The content of the catalogs is unknown",
            (
                "the administrator of Portolan",
                "Check that the resolver runs, and that the flag --resolver of the controller has \
                 the address of the resolver.",
            ),
        ),
        _ => (
            Code::InstallFailed,
            State::Stuck,
            "The requested content is not installed",
            AUTHOR,
        ),
    }
}

#[cfg(test)]
mod tests;
