//! An InstallPlan with a newer version that waits for approval, while the installed version cannot
//! run on the cluster.

use portolan_core_health::CsvPhase;
use portolan_core_names::text::cite;
use portolan_core_olm::messages::unserved_api;
use serde_json::json;

use crate::case::Case;
use crate::command::{GROUPS, Target};
use crate::{Cause, Code, Confidence, Procedure, Step};

/// Names the InstallPlan with the newer version as the object at fault of a crash, if the installed
/// version uses an API that the cluster does not serve. No repair of the installed version helps then.
pub(crate) fn approve_first(case: Case<'_>, causes: &mut Vec<Cause>) {
    let crash = causes.iter().position(|cause| {
        let is_crash = cause.code == Code::CrashLooping;
        is_crash && unserved_api(&cause.message).is_some()
    });
    let plan = causes
        .iter()
        .position(|cause| [Code::PlanAwaitsApproval, Code::PlanForcedManual].contains(&cause.code));
    let (Some(crash), Some(plan)) = (crash, plan) else {
        return;
    };
    let message = causes[crash].message.clone();
    let Some((kind, version)) = unserved_api(&message) else {
        return;
    };
    let next = case
        .subscription
        .map_or("", |it| it.status.current_csv.as_str());
    let installed = case.operator.csv.as_str();
    let served = case.situation().cluster.kubernetes.as_ref();
    let cluster = served.map_or_else(String::new, |version| format!(" (Kubernetes {version})"));
    let lead = format!(
        "{installed} cannot run on this cluster{cluster}: it uses {} of {}, which the API server does not serve. \
         {message} The only repair is an upgrade. The next version is {next}. If it crashes with the same error, \
         upgrade further.",
        cite(kind),
        cite(version)
    );
    let waiting = causes[plan].clone();
    let later = later_upgrade(case, &waiting, next);
    let root = &mut causes[crash];
    root.message = format!("{lead} {}{later}", waiting.message);
    root.at_fault = waiting.at_fault;
    root.responsible = waiting.responsible;
    root.responsible.action = format!(
        "Approve {}, which installs {next}. Then check that {next} works.",
        root.at_fault
    );
    root.confidence = Confidence::likely(
        "The log of the container shows the missing API. The next bundle was not read.",
    );
    root.remedy.fix = waiting.remedy.fix;
    root.remedy.decide = waiting.remedy.decide;
    let show = Target::named(&root.at_fault).map(|it| {
        let comment = format!("Show {}", root.at_fault);
        Step::new(&comment, it.get())
    });
    let looks = show.into_iter().chain(root.remedy.look.drain(..));
    root.remedy.look = looks.collect();
    root.remedy.later.splice(0..0, forward(case, next));
    *root = root.clone().shown(waiting.evidence);
    causes.remove(plan);
}

/// Returns a sentence about the upgrade that follows the next version, if it needs another approval.
fn later_upgrade(case: Case<'_>, waiting: &Cause, next: &str) -> String {
    let is_manual = waiting.code == Code::PlanAwaitsApproval;
    let head = case
        .subscription
        .and_then(|it| case.situation().head(it))
        .filter(|(_, head)| is_manual && head.as_str() != next);
    head.map_or_else(String::new, |(_, head)| {
        format!(" The later upgrade to {head} needs another approval.")
    })
}

/// Returns the steps for the case that OLM does not replace the installed version, because it is
/// Failed. OLM replaces a version only while it works, unless the OperatorGroup allows more.
fn forward(case: Case<'_>, next: &str) -> Vec<Procedure> {
    let Some(csv) = case
        .newest()
        .filter(|it| it.status.phase != CsvPhase::Succeeded)
    else {
        return Vec::new();
    };
    let mut groups = case.situation().namespace.groups.objects.iter();
    let (Some(group), None) = (groups.next(), groups.next()) else {
        return Vec::new();
    };
    let target = Target::of(GROUPS, &group.observed);
    let strategy = |value: &str| target.merge(&json!({"spec": {"upgradeStrategy": value}}));
    let installed = &csv.observed.object.name;
    let allow = Step::new(
        &format!("Let {} replace versions that are Failed", target.called()),
        strategy("TechPreviewUnsafeFailForward"),
    );
    let title = format!(
        "After the approval, check `kubectl get csv -n {}`. If {next} is Pending for more than 5 minutes, let OLM \
         replace {installed}, which is Failed.",
        csv.observed.object.namespace
    );
    let risk = "OLM normally replaces only a version that works. The setting applies to all operators of the \
                namespace.";
    let reset = Step::new(
        &format!("Let {} replace only versions that work", target.called()),
        strategy("Default"),
    );
    let title_of_reset = format!(
        "If you have changed {}: when {next} is Succeeded, set upgradeStrategy to Default again.",
        target.called()
    );
    vec![
        Procedure::of(&title, vec![allow], risk),
        Procedure::of(&title_of_reset, vec![reset], ""),
    ]
}
