//! Causes for an installed version that cannot run on the cluster, while an InstallPlan with a
//! newer version waits for approval.

use portolan_core_health::CsvPhase;
use portolan_core_names::text::cite;
use portolan_core_olm::messages::unserved_api;
use serde_json::json;

use crate::case::Case;
use crate::code::Matter;
use crate::command::{CSVS, GROUPS, Target};
use crate::words::sentence;
use crate::{Cause, Code, Confidence, Procedure, State, Step};

/// Merges two causes if the installed version crashes because it uses an API that the cluster does
/// not serve. The InstallPlan with the newer version becomes the object at fault, because no repair
/// of the installed version helps.
pub(crate) fn approve_first(case: Case<'_>, causes: &mut Vec<Cause>) {
    let crash = causes.iter().position(|cause| {
        let is_crash = cause.code == Code::CrashLooping;
        is_crash && cause.texts().any(|text| unserved_api(text).is_some())
    });
    let plan = causes
        .iter()
        .position(|cause| [Code::PlanAwaitsApproval, Code::PlanForcedManual].contains(&cause.code));
    let (Some(crash), Some(plan)) = (crash, plan) else {
        return;
    };
    let crashed = causes[crash].clone();
    let Some((kind, version)) = crashed.texts().find_map(unserved_api) else {
        return;
    };
    let next = case
        .subscription
        .map_or("", |it| it.status.current_csv.as_str());
    let installed = case.operator.csv.as_str();
    let served = case.situation().cluster.kubernetes.as_ref();
    let cluster = served.map_or_else(String::new, |version| format!(" (Kubernetes {version})"));
    let lead = format!(
        "{installed} ends again and again, because it uses {} of {}. The API server of this cluster{cluster} does \
         not serve this API. The upgrade to {next} waits for approval.",
        cite(kind),
        cite(version)
    );
    let version = cite(version);
    let waiting = causes[plan].clone();
    let later = later_upgrade(case, &waiting, next);
    let root = &mut causes[crash];
    root.message = lead;
    root.at_fault = waiting.at_fault;
    root.responsible = waiting.responsible;
    root.responsible.action = format!(
        "Approve {}, which installs {next}. Then check that {next} works. It is unknown if {next} also uses {version}.{later}",
        root.at_fault
    );
    root.confidence = Confidence::likely(
        "The log of the container shows the missing API. The bundle of the next version was not read.",
    );
    root.remedy.fix = waiting.remedy.fix;
    root.remedy.decide = waiting.remedy.decide;
    let show = Target::named(&root.at_fault).map(|it| {
        let comment = format!("Show {}", root.at_fault);
        Step::new(&comment, it.get())
    });
    let looks = show.into_iter().chain(root.remedy.look.drain(..));
    root.remedy.look = looks.collect();
    let checks = [check(case, next)].into_iter().chain(forward(case, next));
    root.remedy.later.splice(0..0, checks);
    *root = root.clone().shown(waiting.evidence);
    causes.remove(plan);
}

/// Returns a sentence about a later upgrade that needs another approval. Empty if no such upgrade
/// follows.
fn later_upgrade(case: Case<'_>, waiting: &Cause, next: &str) -> String {
    let is_manual = waiting.code == Code::PlanAwaitsApproval;
    let head = case
        .subscription
        .and_then(|it| case.situation().head(it))
        .filter(|(_, head)| is_manual && head.as_str() != next);
    head.map_or_else(String::new, |(_, head)| {
        format!(" The later upgrade from {next} to {head} needs another approval.")
    })
}

/// Returns the check that OLM has installed the next version.
fn check(case: Case<'_>, next: &str) -> Procedure {
    let target = Target::new(CSVS, case.situation().name(), next);
    let comment = format!("Wait until {} works", target.called());
    let step = Step::new(&comment, target.wait(".status.phase", "Succeeded"));
    Procedure::of(
        "After the approval, check that OLM installs the version.",
        vec![step],
        "",
    )
}

/// Returns the steps for the case that OLM does not replace the installed version because it is
/// Failed. OLM replaces only a version that works, unless the OperatorGroup permits more.
fn forward(case: Case<'_>, next: &str) -> Vec<Procedure> {
    let failed = case
        .newest()
        .filter(|it| it.status.phase != CsvPhase::Succeeded);
    let Some(csv) = failed else {
        return Vec::new();
    };
    let title = format!(
        "Only if this check fails and {next} is Pending: let OLM replace {}, which is Failed. \
         `kubectl get csv -n {}` shows the phase.",
        csv.observed.object.name, csv.observed.object.namespace
    );
    let forward = FailForward::of(case, next, &title);
    forward.map_or_else(Vec::new, |it| vec![it.allow, it.reset])
}

/// Lets OLM continue with the next version if this version waits behind a version that does not
/// work.
pub(crate) fn replace_stalled(case: Case<'_>, causes: &mut Vec<Cause>) {
    let Some((old, next)) = case.stalled() else {
        return;
    };
    let is_broken = |cause: &&mut Cause| {
        cause.state == State::Broken && cause.code.matter() == Matter::Workload
    };
    let Some(broken) = causes.iter_mut().find(is_broken) else {
        return;
    };
    let [old, next] = [old, next].map(|csv| csv.observed.object.name.as_str());
    broken.message = format!(
        "{} OLM has created {next}, but OLM replaces {old} only while {old} works.",
        sentence(&broken.message)
    );
    let title =
        format!("If {next} corrects the problem: let OLM replace {old}, which does not work.");
    if let Some(forward) = FailForward::of(case, next, &title) {
        broken.remedy.decide.push(forward.allow);
        broken.remedy.later.push(forward.reset);
    }
    // The ServiceAccount belongs to the old version until OLM replaces this version.
    causes.retain(|cause| {
        let is_of_version =
            ["ClusterServiceVersion", "ServiceAccount"].contains(&&*cause.at_fault.kind);
        cause.code != Code::RequirementUnmet || !is_of_version
    });
}

/// The changes of an OperatorGroup with which OLM also replaces versions that do not work.
struct FailForward {
    allow: Procedure,
    reset: Procedure,
}

// === impl FailForward ===

impl FailForward {
    /// Returns the changes for the only OperatorGroup of the namespace, with the title of the first
    /// change. Returns None if there is not exactly one OperatorGroup.
    fn of(case: Case<'_>, next: &str, title: &str) -> Option<Self> {
        let mut groups = case.situation().namespace.groups.objects.iter();
        let (Some(group), None) = (groups.next(), groups.next()) else {
            return None;
        };
        let target = Target::of(GROUPS, &group.observed);
        let strategy = |value: &str| target.merge(&json!({"spec": {"upgradeStrategy": value}}));
        let allow = Step::new(
            &format!("Let {} replace versions that are Failed", target.called()),
            strategy("TechPreviewUnsafeFailForward"),
        );
        let risk = "OLM normally replaces only a version that works. The setting applies to all \
                    operators of the namespace.";
        let reset = Step::new(
            &format!("Let {} replace only versions that work", target.called()),
            strategy("Default"),
        );
        let title_of_reset = format!(
            "Only if you have changed {}: when {next} is Succeeded, set upgradeStrategy to Default again.",
            target.called()
        );
        Some(Self {
            allow: Procedure::of(title, vec![allow], risk),
            reset: Procedure::of(&title_of_reset, vec![reset], ""),
        })
    }
}
