//! An InstallPlan with a newer version that waits for approval, while the installed version cannot
//! run on the cluster.

use portolan_core_health::CsvPhase;
use portolan_core_names::text::cite;
use portolan_core_olm::messages::unserved_api;
use serde_json::json;

use crate::case::Case;
use crate::command::{GROUPS, Target};
use crate::{Cause, Code, Confidence, Procedure, State, Step};

/// Makes the InstallPlan with the newer version the root cause, if the installed version uses an API
/// that the cluster does not serve. No repair of the installed version helps then.
pub(crate) fn approve_first(case: Case<'_>, causes: &mut [Cause]) {
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
    let Some((kind, version)) = unserved_api(&causes[crash].message) else {
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
         No restart or reinstallation repairs this. The newer {next} may not need this API, and only waits for \
         approval.",
        cite(kind),
        cite(version)
    );
    let state = causes[crash].state;
    let evidence = causes[crash].evidence.clone();
    let root = &mut causes[plan];
    root.message = format!("{lead} {}", root.message);
    if let Some(head) = case.subscription.and_then(|it| case.situation().head(it)) {
        let (_, head) = head;
        let is_manual = root.code == Code::PlanAwaitsApproval;
        if is_manual && head.as_str() != next {
            root.message += &format!(" The later upgrade to {head} needs another approval.");
        }
    }
    root.state = state;
    root.confidence = Confidence::likely(&format!(
        "The log of the container shows the missing API. It is unknown if {next} uses it, too."
    ));
    root.remedy.later.extend(forward(case, next));
    *root = root.clone().shown(evidence);
    let root = root.clone();
    let crash = &mut causes[crash];
    crash.at_fault = root.at_fault.clone();
    crash.responsible = root.responsible.clone();
    crash.confidence = Confidence::proved("The status of the Pod shows this cause.");
    crash.remedy.later.clear();
    crash.remedy.decide = root.remedy.decide;
}

/// Returns the step for the case that OLM does not replace the installed version, because it is
/// Failed. OLM replaces a version only while it works, unless the OperatorGroup allows more.
fn forward(case: Case<'_>, next: &str) -> Option<Procedure> {
    let csv = case.newest()?;
    let mut groups = case.situation().namespace.groups.objects.iter();
    let (Some(group), None) = (groups.next(), groups.next()) else {
        return None;
    };
    if csv.status.phase == CsvPhase::Succeeded {
        return None;
    }
    let target = Target::of(GROUPS, &group.observed);
    let patch = json!({"spec": {"upgradeStrategy": "TechPreviewUnsafeFailForward"}});
    let installed = &csv.observed.object.name;
    let title = format!(
        "After the approval, if {next} stays Pending, let OLM replace {installed} although it is Failed."
    );
    let comment = format!("Let {} replace versions that are Failed", target.called());
    let step = Step::new(&comment, target.merge(&patch));
    let risk = "OLM normally replaces only a version that works. The setting applies to all operators of the \
                namespace: set the value Default again after the upgrade.";
    Some(Procedure::of(&title, vec![step], risk))
}

/// Returns true if the cause is a plan that repairs a broken version.
pub(crate) fn is_repair(cause: &Cause) -> bool {
    let is_plan = [Code::PlanAwaitsApproval, Code::PlanForcedManual].contains(&cause.code);
    is_plan && cause.state > State::Waiting
}
