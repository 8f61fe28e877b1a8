//! Causes for controllers of OLM that do not run. They block all operators that wait for them.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use portolan_core_health::{Csv, Item, PodCause};
use portolan_core_names::text::cite;
use portolan_core_olm::{Condition, Deployment, OlmController, Pod};

use crate::around::OlmPart;
use crate::case::Case;
use crate::code::Matter;
use crate::command::{DEPLOYMENTS, PODS, Target};
use crate::cure::Cure;
use crate::plan::conversion::unreadable;
use crate::{Cause, Code, Evidence, Object, Procedure, State, Step, evidence, memory};

/// The reason why a controller of OLM does not run.
enum Stop<'a> {
    ScaledToZero,
    /// The API server rejects the Pods of the controller. Contains the error message.
    NoPods(&'a str),
    Pod(&'a Item<Pod>, PodCause),
}

/// Adds a cause if a controller of OLM does not run and the operator waits for it. Removes the
/// causes that report only that OLM has made no progress.
pub(crate) fn name_stopped(case: Case<'_>, causes: &mut Vec<Cause>) {
    for controller in OlmController::ALL {
        let waiting = causes
            .iter()
            .filter(|cause| is_waiting(case, cause, controller));
        let worst = waiting.map(|cause| cause.state).max();
        let unwritten = unwritten(case).filter(|_| controller == OlmController::Olm);
        let Some(worst) = worst.or(unwritten.map(|_| State::Stuck)) else {
            continue;
        };
        let Some(cause) = cause(case, controller) else {
            continue;
        };
        // An operator that cannot read its custom resources does not work.
        let is_unreadable = controller == OlmController::Olm && unreadable(case).is_some();
        let usual = if is_unreadable {
            State::Broken
        } else {
            State::Stuck
        };
        let mut cause = Cause {
            state: worst.max(usual),
            ..cause
        };
        let passes = [
            Code::InProgress,
            Code::PlanNotStarted,
            Code::RequirementNotRechecked,
        ];
        causes
            .retain(|other| !(passes.contains(&other.code) && is_waiting(case, other, controller)));
        let is_follower =
            |other: &Cause| other.code == Code::PlanFailed && is_waiting(case, other, controller);
        for follower in causes.iter_mut().filter(|other| is_follower(other)) {
            follower.at_fault = cause.at_fault.clone();
            if is_unreadable {
                // Both causes have the same check.
                follower.remedy.later.clear();
                cause.responsible.action += &again(case);
            }
        }
        causes.push(cause);
    }
}

/// Returns the sentence about the InstallPlan that OLM does not repeat.
fn again(case: Case<'_>) -> String {
    let plan = case.subscription.map_or_else(
        || "the failed InstallPlan".to_owned(),
        |it| format!("InstallPlan {}/{}", it.observed.object.namespace, it.plan()),
    );
    let never = unreadable(case).map_or_else(String::new, |it| it.never_renewed(case));
    if never.is_empty() {
        return format!(
            " Afterwards, run `portolan diagnose` again: it shows how to continue with {plan}."
        );
    }
    format!(
        " {never} Therefore, run `portolan diagnose` again afterwards: it shows the commands that renew the certificate \
         and repeat {plan}."
    )
}

/// Returns the newest ClusterServiceVersion if it has no status yet, so olm-operator has never
/// processed it.
fn unwritten(case: Case<'_>) -> Option<&Csv> {
    case.newest()
        .filter(|csv| csv.status.phase.as_str().is_empty())
}

/// Returns true if only this controller can resolve the cause.
fn is_waiting(case: Case<'_>, cause: &Cause, controller: OlmController) -> bool {
    let is_in_progress = cause.code == Code::InProgress;
    let kind = &*cause.at_fault.kind;
    match controller {
        OlmController::Catalog => {
            let of_catalogs = ["Subscription", "InstallPlan", "CatalogSource"].contains(&kind);
            let is_early = matches!(cause.code.matter(), Matter::Resolution | Matter::Delivery);
            (is_in_progress && of_catalogs) || is_early
        }
        OlmController::Olm => {
            let rechecks = [
                Code::DeadlinePassed,
                Code::DeploymentMissing,
                Code::PredecessorPending,
                Code::RequirementNotRechecked,
            ];
            let unreadable = unreadable(case).filter(|_| cause.code == Code::PlanFailed);
            (is_in_progress && kind == "ClusterServiceVersion")
                || rechecks.contains(&cause.code)
                || unreadable.is_some_and(|it| it.is_of_olm(case))
        }
    }
}

/// Returns the cause if no Deployment of the controller runs. Returns None while a Deployment is
/// starting.
fn cause(case: Case<'_>, controller: OlmController) -> Option<Cause> {
    let parts = case.situation().around.olm.iter();
    let parts: Vec<&OlmPart> = parts.filter(|part| part.controller == controller).collect();
    // Other Deployments may have the same labels. If one of them runs, it may be the real
    // controller, so no cause is reported.
    if parts.iter().any(|part| !part.is_down()) {
        return None;
    }
    let mut stopped = parts
        .into_iter()
        .filter_map(|part| Some((part, part.stop()?)));
    let (part, stop) = stopped.next()?;
    let object = part.object();
    let effect = match controller {
        OlmController::Catalog => {
            "Without it, OLM starts no installation or upgrade in the whole cluster. It does not choose versions for \
             Subscriptions, and does not unpack bundles. The status of Subscriptions, InstallPlans and CatalogSources \
             is not updated."
        }
        OlmController::Olm => {
            "Without it, OLM installs, checks and upgrades no ClusterServiceVersion (an installed version) in the whole \
             cluster."
        }
    };
    let unreadable =
        unreadable(case).filter(|it| controller == OlmController::Olm && it.is_of_olm(case));
    let certificate = unreadable.map_or_else(String::new, |it| {
        format!(
            " Meanwhile, the certificate of the conversion webhook of CustomResourceDefinition {} has expired.",
            cite(it.crd)
        )
    });
    let message = format!(
        "{object} of OLM does not run. {effect}{certificate} {}",
        stop.why()
    );
    let check = unreadable.map(|it| {
        let wait = Target::new(DEPLOYMENTS, &object.namespace, &object.name);
        let comment = format!("Wait until the Pods of {object} are ready");
        let wait = Step::new(&comment, wait.rolled_out());
        if it.never_renewed(case).is_empty() {
            let title = "After the repair, check that the custom resources can be read again. OLM renews the \
                         certificate within a few minutes: repeat the second command until it succeeds.";
            return Procedure::of(title, vec![wait, it.check(case)], "");
        }
        let title = "After the repair, run `portolan diagnose` again to renew the certificate.";
        Procedure::of(title, vec![wait], "")
    });
    let cause = Cause::new(Code::OlmNotRunning, State::Stuck, object, &message);
    let cause = cause
        .cured(stop.cure(part))
        .looked(stop.look())
        .followed(check);
    Some(cause.shown(part.evidence()).shown(stop.evidence()))
}

/// Returns the time since which the Deployment of a controller is unavailable.
pub(crate) fn down_since(case: Case<'_>, deployment: &Object) -> Option<Time> {
    let mut parts = case.situation().around.olm.iter();
    let part = parts.find(|part| part.object() == *deployment)?;
    let said = Condition::about(&part.deployment.status.conditions, "Available");
    said.filter(|said| said.is_false())?
        .last_transition_time
        .clone()
}

// === impl OlmPart ===

impl OlmPart {
    fn object(&self) -> Object {
        let metadata = &self.deployment.metadata;
        let namespace = metadata.namespace.as_deref().unwrap_or_default();
        let name = metadata.name.as_deref().unwrap_or_default();
        Object::new(Deployment::KIND, namespace, name)
    }

    fn is_down(&self) -> bool {
        self.deployment.replicas() <= 0 || self.deployment.is_unavailable()
    }

    /// Returns the reason why the controller does not run. Returns None if no reason is known, for
    /// example while the controller starts.
    fn stop(&self) -> Option<Stop<'_>> {
        if self.deployment.replicas() <= 0 {
            return Some(Stop::ScaledToZero);
        }
        let mut pods: Vec<&Item<Pod>> = self.pods.iter().collect();
        pods.sort();
        let mut causes = pods.into_iter().filter_map(|pod| Some((pod, pod.cause()?)));
        if let Some((pod, cause)) = causes.next() {
            return Some(Stop::Pod(pod, cause));
        }
        let said = &self.deployment.status.conditions;
        let failure = Condition::about(said, "ReplicaFailure").filter(|said| said.is_true());
        failure.map(|said| Stop::NoPods(&said.message))
    }

    fn evidence(&self) -> Vec<Evidence> {
        let available = self.deployment.status.available_replicas;
        let wanted = self.deployment.replicas();
        let value = format!("{available} of {wanted}");
        vec![Evidence::at(
            self.object(),
            "status.availableReplicas",
            &value,
        )]
    }
}

// === impl Stop ===

impl Stop<'_> {
    fn why(&self) -> String {
        match self {
            Self::ScaledToZero => "The Deployment is scaled to 0 replicas.".to_owned(),
            Self::NoPods(message) => format!(
                "The Pods of the Deployment cannot be created: \
                                              {message}"
            ),
            Self::Pod(_, cause) => cause.message.clone(),
        }
    }

    fn cure(&self, part: &OlmPart) -> Cure {
        let object = part.object();
        let (change, action) = match self {
            Self::ScaledToZero => (
                Some(scaled_up(&object)),
                format!("Start {object} again. {CONTINUES}"),
            ),
            Self::NoPods(message) => return crate::refused::cure(&object.namespace, message),
            Self::Pod(pod, cause) if memory::is_exceeded(pod, &cause.container) => (
                memory::raised(&object, pod, &cause.container),
                format!(
                    "Raise the memory limit of container {} in {object}. {CONTINUES}",
                    cause.container
                ),
            ),
            Self::Pod(..) => (None, format!("Make {object} available. {CONTINUES}")),
        };
        Cure::advised(
            "the administrator of OLM",
            &action,
            change.into_iter().collect(),
        )
    }

    /// Returns the command that shows the log of the container's previous run. Returns None if no
    /// container has ended.
    fn look(&self) -> Option<Step> {
        let Self::Pod(pod, cause) = self else {
            return None;
        };
        cause.exit_code?;
        let comment = format!("Show the last log of container {}", cause.container);
        Some(Step::new(
            &comment,
            Target::of(PODS, &pod.observed).last_logs(&cause.container),
        ))
    }

    fn evidence(&self) -> Vec<Evidence> {
        match self {
            Self::Pod(pod, _) => evidence::pod(pod),
            Self::ScaledToZero | Self::NoPods(_) => Vec::new(),
        }
    }
}

const CONTINUES: &str = "OLM then continues its work by itself, but does not retry InstallPlans that have \
                         failed. Do not create Subscriptions or InstallPlans again.";

fn scaled_up(object: &Object) -> Procedure {
    let target = Target::new(DEPLOYMENTS, &object.namespace, &object.name);
    Procedure::command(
        &format!("Scale {object} to 1 again."),
        target.scale(1),
        "OLM continues all waiting work. It is unknown why the Deployment was scaled down.",
    )
}
