//! Diagnoses Installs of `operators.coreos.com/v2alpha1`.

mod role;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use portolan_api::installs::{ConditionType, Install, Reason, Status};
use portolan_api::plan::{InstallPlan, Phase};
use portolan_api::status::ConditionTypes;

use super::{OwnKind, not_observed, outdated, subject};
use crate::command::Target;
use crate::cure::Cure;
use crate::diagnose::of_status;
use crate::headline::Impact;
use crate::{
    Cause, Code, Confidence, Diagnosis, Evidence, Object, State, Step, Workloads, own_plan,
    rollout, words,
};

/// Diagnoses an Install from its status and its InstallPlans.
///
/// # Guarantees
///
/// The diagnosis uses only the Install and its InstallPlans. The diagnosis of an Install without a
/// status is `NotObserved`, which means neither healthy nor broken.
pub fn diagnose_install(install: &Install, plans: &[&InstallPlan]) -> Diagnosis {
    with_workloads(install, plans, &Workloads::default())
}

/// Diagnoses an Install like [`diagnose_install`]. In addition, uses the workloads that the
/// InstallPlans have applied.
pub(super) fn with_workloads(
    install: &Install,
    plans: &[&InstallPlan],
    workloads: &Workloads,
) -> Diagnosis {
    let name = install.metadata.name.as_deref().unwrap_or_default();
    let object = Object::new(OwnKind::Install.as_str(), "", name);
    let Some(status) = install
        .status
        .as_ref()
        .filter(|it| !it.conditions.is_empty())
    else {
        let cause = not_observed(&object, OwnKind::Install.unwritten_cure());
        let told = (Impact::of(&object), &[][..]);
        return of_status(subject(object, ""), vec![cause], None, told);
    };
    let current = current_plan(status, plans);
    let plan = current.and_then(|plan| own_plan::with_workloads(plan, workloads).cause);
    let conditions = status.conditions.iter().filter(|said| is_reported(said));
    let causes = conditions.filter_map(|said| {
        let cause = cause(&object, said, plan.as_ref())?;
        Some(match Reason::parse(&said.reason) {
            Some(Reason::RoleNotFound) => role::named(cause, current),
            _ => cause,
        })
    });
    let mut causes: Vec<_> = causes.collect();
    if causes.is_empty() {
        // The current InstallPlan is broken, but the status of the Install does not report a
        // problem yet.
        causes.extend(plan.filter(|cause| cause.state == State::Broken));
    }
    if causes
        .iter()
        .any(|cause| cause.code == Code::ImagePullFailing)
    {
        // The content is only unreadable because its image cannot be pulled.
        causes.retain(|cause| cause.code != Code::ContentInvalid);
    }
    let unknown = outdated(status.observed_generation, install.metadata.generation);
    let is_ready = current
        .and_then(|plan| plan.status.as_ref())
        .is_some_and(|status| status.phase == Some(Phase::Ready));
    let lacks_role = causes
        .iter()
        .any(|cause| cause.code == Code::PermissionMissing);
    let effect = match (is_ready, lacks_role) {
        (true, true) => "The installed version keeps running, but may lack permissions.",
        (true, false) => "The installed version keeps running.",
        (false, _) => "",
    };
    let impact = Impact {
        effect: effect.to_owned(),
        ..Impact::of(&object)
    };
    of_status(
        subject(object, ""),
        causes,
        unknown,
        (impact, &status.conditions),
    )
}

fn current_plan<'a>(status: &Status, plans: &[&'a InstallPlan]) -> Option<&'a InstallPlan> {
    let current = status.plan.as_ref()?;
    plans.iter().copied().find(|plan| {
        let metadata = &plan.metadata;
        metadata.name.as_ref() == Some(&current.name)
            && metadata.namespace.as_ref() == Some(&current.namespace)
    })
}

/// Returns true if the condition reports a problem, or that the Install waits.
fn is_reported(said: &Condition) -> bool {
    match ConditionType::of(said) {
        Some(ConditionType::Ready) => said.status != "True",
        Some(ConditionType::PendingApproval | ConditionType::ContentImportError) => {
            said.status == "True"
        }
        None => false,
    }
}

/// Returns the code, the state and the beginning of the message for a reason. Returns None if the
/// reason is no problem.
fn trouble(reason: Reason) -> Option<(Code, State, &'static str)> {
    Some(match reason {
        Reason::Installing | Reason::Deleting => (
            Code::InProgress,
            State::Working,
            "The controller is working on the Install",
        ),
        Reason::InstallPlanFailed => (
            Code::InstallFailed,
            State::Broken,
            "The content is not installed or does not work",
        ),
        Reason::ApprovalRequired | Reason::UnsatisfiedPermissions | Reason::NotApproved => (
            Code::ApprovalRequired,
            State::Waiting,
            "The content waits for approval",
        ),
        Reason::ContentInvalid
        | Reason::SpecInvalid
        | Reason::RawInvalid
        | Reason::ManifestImageInvalid
        | Reason::ContentNotInstallable => (
            Code::ContentInvalid,
            State::Stuck,
            "The content cannot be installed",
        ),
        Reason::ManifestImagePullFailed => (
            Code::ImagePullFailing,
            State::Stuck,
            "The image of the content cannot be pulled",
        ),
        Reason::KindNotServed => (
            Code::PlanInvalid,
            State::Waiting,
            "The Install waits for a kind that the API server does not serve",
        ),
        Reason::ServiceAccountNotOwned => (
            Code::ObjectNotOwned,
            State::Stuck,
            "The ServiceAccount of the Install belongs to another owner",
        ),
        Reason::RoleNotFound => (
            Code::PermissionMissing,
            State::Stuck,
            "A role that the content \
                                                                         refers to is missing",
        ),
        // A different condition reports the problem, or there is no problem.
        Reason::Installed
        | Reason::ApprovalGiven
        | Reason::NotObserved
        | Reason::NotChecked
        | Reason::ContentImported => return None,
    })
}

fn cause(object: &Object, said: &Condition, plan: Option<&Cause>) -> Option<Cause> {
    let (code, state, beginning) = match Reason::parse(&said.reason) {
        Some(reason) => trouble(reason)?,
        // A newer version of the controller has written this reason.
        None => (
            Code::InstallFailed,
            State::Stuck,
            "The Install does not continue",
        ),
    };
    let below = plan.filter(|_| [Code::InstallFailed, Code::InProgress].contains(&code));
    if let Some(live) = below.filter(|below| rollout::is_live(below)) {
        let evidence = Evidence::reported(object.clone(), said);
        return Some(live.clone().shown([evidence]));
    }
    let state = match (code, below) {
        (Code::InstallFailed, Some(below)) => below.state.max(State::Waiting),
        _ => state,
    };
    let at_fault = below.map_or(object, |below| &below.at_fault).clone();
    let message = words::sentence(&format!("{beginning}: {}", said.message));
    let cause = Cause::new(code, state, at_fault, &message);
    let cause = cause.shown([Evidence::reported(object.clone(), said)]);
    let cause = match below {
        Some(below) => cause.cured_like(below),
        None => Cause {
            confidence: Confidence::reported(),
            ..cause.cured(cure(code))
        },
    };
    let look = (!cause.responsible.who.is_empty()).then(|| look(object));
    Some(Cause {
        below: below.cloned().into_iter().collect(),
        ..cause.looked(look)
    })
}

fn look(object: &Object) -> Step {
    let target = Target::new(OwnKind::Install.resource(), "", &object.name);
    Step::new("Show the Install", target.get())
}

fn cure(code: Code) -> Cure {
    if code == Code::InProgress {
        return Cure::Time;
    }
    let known = CURES.iter().find(|(of, ..)| *of == code);
    let (who, action) = known.map_or((AUTHOR, CORRECT), |(_, who, action)| (who, action));
    Cure::external(who, action)
}

const AUTHOR: &str = "the author of the Install";
const CORRECT: &str = "Correct the problem that the message reports.";

/// The person who must act, and the required action, for each code.
const CURES: &[(Code, &str, &str)] = &[
    (
        Code::ApprovalRequired,
        "a user who has all permissions that the content needs",
        "Approve the Install: `portolan approve install/NAME` shows and grants the permissions.",
    ),
    (
        Code::ContentInvalid,
        AUTHOR,
        "Correct the content that the message names.",
    ),
    (
        Code::ImagePullFailing,
        "the publisher of the image",
        "Make the image pullable.",
    ),
    (
        Code::ObjectNotOwned,
        "the owner of the ServiceAccount",
        "Delete the ServiceAccount. Or rename the Install.",
    ),
    (
        Code::PermissionMissing,
        "the author of the content",
        "Create the role that the message names again, or add the role to the objects of \
         the Install. The Install then continues by itself. Until the role exists, the Install needs no approval.",
    ),
];
