//! Diagnoses InstallPlans of `plans.portolan.dev` from the status of the plan.

mod cure;
mod live;
mod quota;
#[cfg(test)]
pub(crate) use live::tests as live_tests;
#[cfg(test)]
pub(crate) mod tests;
mod webhook;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use portolan_api::plan::{
    FailingPod, InstallPlan, Intent, JobState, JobStatus, MemberState, MemberStatus, Phase, Reason,
    Replaces, Status,
};
use portolan_api::qualified;

use portolan_core_health::HealthCode;

use crate::command::{OWN_PLANS, PODS, Target};
use crate::cure::Cure;
use crate::diagnose::of_status;
use crate::headline::Impact;
use crate::missing::named_reference;
use crate::role::pod_code;
use crate::webhook::FailingWebhook;
use crate::{Cause, Code, Diagnosis, Evidence, Object, State, Step, Subject, Workloads, words};

/// The codes of causes that a failing Pod can explain.
const EXPLAINED: [Code; 3] = [Code::InProgress, Code::StageBlocked, Code::MembersNotReady];

/// The maximum number of members that the evidence contains.
const MOST_SHOWN: usize = 10;

/// A plan, with its status.
#[derive(Debug, Clone, Copy)]
struct PlanCase<'a> {
    plan: &'a InstallPlan,
    status: &'a Status,
    namespace: &'a str,
    name: &'a str,
    /// The observed workloads, including the workloads of other plans.
    workloads: &'a Workloads,
}

/// A workload of the plan that is not ready, with its failing Pod.
#[derive(Debug, Clone, Copy)]
struct FailingMember<'a> {
    member: &'a MemberStatus,
    pod: &'a FailingPod,
    code: Code,
}

/// Diagnoses an InstallPlan of `plans.portolan.dev` from its status.
///
/// # Guarantees
///
/// The diagnosis uses only the status. The diagnosis of a plan that no controller has reconciled is
/// `NotObserved`, which means neither healthy nor broken.
pub fn diagnose_plan(plan: &InstallPlan) -> Diagnosis {
    with_workloads(plan, &Workloads::default())
}

/// Diagnoses an InstallPlan from its status and from the workloads that it has applied. The
/// diagnosis can contain failures of workloads that no controller has reported yet.
pub(crate) fn with_workloads(plan: &InstallPlan, workloads: &Workloads) -> Diagnosis {
    let none = Status::default();
    let case = PlanCase {
        workloads,
        plan,
        status: plan.status.as_ref().unwrap_or(&none),
        namespace: plan.metadata.namespace.as_deref().unwrap_or_default(),
        name: plan.metadata.name.as_deref().unwrap_or_default(),
    };
    let subject = Subject {
        object: case.object(),
        package: String::new(),
        csv: String::new(),
    };
    let impact = Impact {
        deleted: plan.metadata.deletion_timestamp.clone(),
        effect: case.effect(),
        ..Impact::of(&subject.object)
    };
    let told = (impact, &*case.status.conditions);
    let mut diagnosis = of_status(subject, case.causes(), case.unknown(), told);
    diagnosis.unknowns.extend(case.unread());
    diagnosis
}

/// Returns the code and the state for a condition with this reason. Returns None if the reason is
/// no problem.
fn trouble(reason: Reason) -> Option<(Code, State)> {
    Some(match reason {
        Reason::SpecInvalid
        | Reason::ManifestInvalid
        | Reason::OrderInvalid
        | Reason::ManifestsChanged
        | Reason::LineagesDiffer
        | Reason::AlreadyReplaced
        | Reason::DryRunRejected => (Code::PlanInvalid, State::Stuck),
        Reason::ReferenceMissing | Reason::KindNotServed => (Code::PlanInvalid, State::Waiting),
        Reason::PermissionMissing | Reason::ServiceAccountMissing | Reason::NamespaceNotEnabled => {
            (Code::PermissionMissing, State::Stuck)
        }
        Reason::Suspended => (Code::PlanSuspended, State::Waiting),
        Reason::StageDeadlineExceeded | Reason::SelectionTooLarge | Reason::WriteRejected => {
            (Code::StageBlocked, State::Stuck)
        }
        Reason::JobFailed => (Code::JobFailed, State::Stuck),
        Reason::ObjectNotOwned | Reason::FieldConflict => (Code::ObjectNotOwned, State::Stuck),
        Reason::MembersFailed => (Code::MembersNotReady, State::Broken),
        Reason::MembersNotReady => (Code::MembersNotReady, State::Working),
        Reason::DriftContested => (Code::DriftContested, State::Stuck),
        Reason::DeletionBlocked => (Code::DeletionBlocked, State::Stuck),
        Reason::Applying
        | Reason::NotObserved
        | Reason::RemovingLeftovers
        | Reason::HandingOver
        | Reason::Deleting => (Code::InProgress, State::Working),
        // `Waiting` is not reported, because a different cause reports the member that the other
        // members wait for. `MembersDrifted` is not reported, because it is only a problem if the
        // plan must revert the drift.
        Reason::Waiting
        | Reason::PlanValid
        | Reason::PermissionsSufficient
        | Reason::AllApplied
        | Reason::Superseded
        | Reason::AllReady
        | Reason::NotDrifted
        | Reason::MembersDrifted
        | Reason::NotWatched
        | Reason::NotReplaced
        | Reason::HandedOver
        | Reason::ObjectsRemain => return None,
    })
}

/// Returns the beginning of the message. The message of the condition follows.
fn beginning(code: Code, reason: Reason) -> &'static str {
    match (code, reason) {
        (Code::PlanInvalid, Reason::ReferenceMissing | Reason::KindNotServed) => {
            "The plan waits for missing objects"
        }
        (Code::PlanInvalid, _) => "The plan is invalid",
        (Code::PermissionMissing, _) => "The ServiceAccount of the plan lacks permissions",
        (Code::JobFailed, _) => {
            "A Job has failed, and the next stage waits until this Job \
                                 succeeds"
        }
        (Code::ObjectNotOwned, _) => "The plan does not adopt existing objects",
        (Code::MembersNotReady, _) => "Some objects of the plan do not work",
        (Code::DriftContested, _) => "Another client reverts each repair by the controller",
        (Code::DeletionBlocked, _) => "The deletion of the plan is blocked",
        (Code::PlanSuspended, _) => "The plan is suspended",
        (Code::InProgress, _) => "The controller is working on the plan",
        _ => "The plan is stuck",
    }
}

// === impl PlanCase ===

impl<'a> PlanCase<'a> {
    fn object(self) -> Object {
        Object::new(qualified::INSTALL_PLAN, self.namespace, self.name)
    }

    fn target(self) -> Target<'a> {
        Target::new(OWN_PLANS, self.namespace, self.name)
    }

    fn causes(self) -> Vec<Cause> {
        match self.status.phase {
            None => return vec![self.not_observed()],
            // The plan that replaces this plan owns the objects and reports their problems.
            Some(Phase::Superseded) => return Vec::new(),
            Some(_) => {}
        }
        let conditions = self.status.conditions.iter();
        let mut causes: Vec<_> = conditions.filter_map(|said| self.cause(said)).collect();
        causes.extend(self.unreported(&causes));
        let is_kept = |cause: &Cause| cause.code != Code::InProgress;
        if causes.iter().any(is_kept) {
            causes.retain(is_kept);
        }
        causes
    }

    fn not_observed(self) -> Cause {
        let message = "The controller has not reconciled the plan yet.";
        let cause = Cause::new(Code::NotObserved, State::Working, self.object(), message);
        cause.cured(Cure::external(
            "the administrator of Portolan",
            "Check that the controller runs, with --plans.",
        ))
    }

    /// Returns a sentence if the controller has not reconciled the last change of the plan. In this
    /// case, the status may be outdated.
    fn unknown(self) -> Option<String> {
        let seen = self.status.observed_generation?;
        let is_behind = self.plan.metadata.generation.is_some_and(|now| now != seen);
        is_behind
            .then(|| "The controller has not reconciled the plan since its last change.".to_owned())
    }

    fn cause(self, said: &Condition) -> Option<Cause> {
        let reason = Reason::parse(&said.reason)?;
        let (code, state) = trouble(reason)?;
        if let Some(cause) = self.live(code, said) {
            return Some(cause);
        }
        if let Some(failing) = self.failing(code) {
            return Some(self.pod_cause(said, failing));
        }
        let member = self.member(code);
        let needed = self.needed(reason);
        let webhook = self.failing_webhook(reason);
        let quota = self.refusing_quota(reason);
        let member_at_fault = || member.and_then(at_fault);
        let refuser = webhook.as_ref().map(FailingWebhook::object);
        let refuser = refuser.or_else(|| quota.as_ref().map(|it| it.object()));
        let at_fault = refuser.or_else(|| needed.clone());
        let at_fault = at_fault.or_else(member_at_fault);
        let at_fault = at_fault.unwrap_or_else(|| self.object());
        let message = format!("{}: {}", beginning(code, reason), said.message);
        let run = self.failed_run().filter(|_| reason == Reason::JobFailed);
        let message = run
            .as_ref()
            .map_or_else(|| message.clone(), |run| run.explain(&message));
        let cause = Cause::new(code, state, at_fault, &words::sentence(&message));
        let cause = cause.shown([Evidence::reported(self.object(), said)]);
        let missing = [Reason::ServiceAccountMissing, Reason::ReferenceMissing];
        let missing = needed.filter(|_| missing.contains(&reason));
        let cause = cause.shown(missing.map(Evidence::absent));
        let cause = cause.shown(self.evidence(code));
        let cause = cause.shown(run.iter().flat_map(live::FailedRun::evidence));
        Some(match (webhook, quota) {
            (Some(webhook), _) => webhook.explain(cause, self.workloads),
            (None, Some(quota)) => quota.blamed(cause),
            (None, None) => self.cured(cause, reason, member),
        })
    }

    /// Returns a sentence about the state of the objects that the plan has not applied yet. Empty
    /// if all objects are applied, or if the plan replaces no other plan.
    fn effect(self) -> String {
        let Some(counts) = self.status.counts.filter(|it| it.applied < it.members) else {
            return String::new();
        };
        let replaced = self.intent().map(|intent| intent.replaces);
        let first = replaced.and_then(|all| all.into_iter().next());
        let previous = match first {
            Some(Replaces::Name(name)) => format!("InstallPlan {name}"),
            Some(Replaces::Labels(_)) => "the previous plan".to_owned(),
            None => return String::new(),
        };
        format!(
            "The plan has applied {} of {} objects. The other objects are still in the version of \
             {previous}, or are missing if they are new.",
            counts.applied, counts.members
        )
    }

    /// Returns the object outside of the plan that must be created or changed: the ServiceAccount,
    /// the namespace of the plan, or a missing namespace.
    fn needed(self, reason: Reason) -> Option<Object> {
        if [Reason::PermissionMissing, Reason::ServiceAccountMissing].contains(&reason) {
            let account = self.intent()?.service_account;
            Some(Object::new("ServiceAccount", self.namespace, &account))
        } else if reason == Reason::NamespaceNotEnabled {
            Some(Object::new("Namespace", "", self.namespace))
        } else {
            let name = self.status.missing_namespaces.first()?;
            let is_namespace = reason == Reason::ReferenceMissing;
            is_namespace.then(|| Object::new("Namespace", "", name))
        }
    }

    /// Returns the first workload with a failing Pod that explains a cause with this code.
    fn failing(self, code: Code) -> Option<FailingMember<'a>> {
        let mut members = self.status.members.iter();
        members.find_map(|member| {
            let pod = member.pod.as_ref().filter(|_| EXPLAINED.contains(&code))?;
            let cause = pod_code(HealthCode::parse(&pod.cause)?)?;
            // While the plan is being applied, a running container may still become ready.
            let may_pass = code == Code::InProgress && cause == Code::ProbeFailing;
            (!may_pass).then_some(FailingMember {
                member,
                pod,
                code: cause,
            })
        })
    }

    /// Returns the cause for a failing Pod. Its message contains the message of the condition.
    fn pod_cause(self, said: &Condition, failing: FailingMember<'a>) -> Cause {
        let FailingMember { member, pod, code } = failing;
        let at_fault = at_fault(member).unwrap_or_else(|| self.object());
        let message = format!(
            "The plan waits for a Pod that does not run: {}",
            said.message
        );
        let namespace = at_fault.namespace.clone();
        let cause = Cause::new(code, State::Broken, at_fault, &words::sentence(&message));
        let cause = cause.shown([self.member_evidence(member)]);
        let target = Target::new(PODS, &namespace, &pod.name);
        let container = pod.container.as_str();
        let has_container = !container.is_empty();
        let (comment, command) = if code == Code::CrashLooping && has_container {
            (
                format!("Show the last log of container {container}"),
                target.last_logs(container),
            )
        } else if code == Code::ProbeFailing && has_container {
            (
                format!("Show the log of container {container}"),
                target.logs(container),
            )
        } else {
            (
                format!("Show {} with its events", target.called()),
                target.describe(),
            )
        };
        let cure = Cure::external(
            "the author of the manifest",
            "Correct the manifest or the image. The plan continues once the Pod is ready.",
        );
        named_reference(cause.cured(cure).looked([Step::new(&comment, command)]))
    }

    /// Returns the member that a cause with this code is about. Returns None for causes that are
    /// not about a member.
    fn member(self, code: Code) -> Option<&'a MemberStatus> {
        let mut members = self.members(code).into_iter();
        members.next()
    }

    fn members(self, code: Code) -> Vec<&'a MemberStatus> {
        let wanted = states(code);
        let members = self.status.members.iter();
        let mut members: Vec<_> = members
            .filter_map(|member| {
                let rank = wanted.iter().position(|state| *state == member.state)?;
                Some((rank, member))
            })
            .collect();
        members.sort_by_key(|(rank, _)| *rank);
        members.into_iter().map(|(_, member)| member).collect()
    }

    fn evidence(self, code: Code) -> Vec<Evidence> {
        let members = self.members(code).into_iter().take(MOST_SHOWN);
        members.map(|member| self.member_evidence(member)).collect()
    }

    fn member_evidence(self, member: &MemberStatus) -> Evidence {
        let field = format!("status.members[{}]", member.object);
        let value = format!("{:?}: {}", member.state, member.message);
        Evidence::at(self.object(), &field, &value)
    }

    fn intent(self) -> Option<Intent> {
        Intent::parse(self.plan).ok()
    }

    /// Returns the first Job of the plan whose last run has failed.
    fn failed_job(self) -> Option<&'a JobStatus> {
        let mut jobs = self.status.jobs.iter();
        jobs.find(|job| job.state == JobState::Failed)
    }
}

/// For each code, the states of the members that the cause is about. The states that most likely
/// show the member at fault are first.
const OF_MEMBERS: &[(Code, &[MemberState])] = &[
    (
        Code::StageBlocked,
        &[
            MemberState::Refused,
            MemberState::Failed,
            MemberState::NotReady,
            MemberState::Missing,
        ],
    ),
    (Code::ObjectNotOwned, &[MemberState::Refused]),
    (
        Code::MembersNotReady,
        &[
            MemberState::Failed,
            MemberState::Missing,
            MemberState::NotReady,
        ],
    ),
    (Code::DriftContested, &[MemberState::Contested]),
    (
        Code::DeletionBlocked,
        &[
            MemberState::Terminating,
            MemberState::Held,
            MemberState::Refused,
            MemberState::Remaining,
        ],
    ),
];

fn states(code: Code) -> &'static [MemberState] {
    let mut of = OF_MEMBERS.iter().filter(|(of, _)| *of == code);
    of.next().map_or(&[], |(_, states)| *states)
}

/// Parses the object of a member from the status, such as `Deployment.apps harbor/ferry`.
fn at_fault(member: &MemberStatus) -> Option<Object> {
    let (kind, name) = member.object.split_once(' ')?;
    let (namespace, name) = name.split_once('/').unwrap_or(("", name));
    Some(Object::new(kind.to_owned(), namespace, name))
}
