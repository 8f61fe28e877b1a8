//! Causes for Pending ClusterServiceVersions that another version should replace. OLM never
//! replaces a Pending version.

use portolan_core_approval::{self as approval, Review};
use portolan_core_health::{self as health, Csv, HealthCode, Item};
use portolan_core_olm::{InstallPlan, Subscription};

use super::UNMET;
use crate::case::Case;
use crate::command::{CSVS, Target};
use crate::cure::Cure;
use crate::deletion;
use crate::required::{is_about_cluster_version, retry};
use crate::{Cause, Code, Object, State, evidence, plan};

/// Returns a Pending ClusterServiceVersion with a missing requirement, and the name of the version
/// that should replace it. The ClusterServiceVersion belongs to this operator, or to another
/// operator whose upgrade is in the same waiting InstallPlan.
pub(crate) fn pending(case: Case<'_>) -> Option<(&Csv, &str)> {
    let (own, situation) = (case.subscription?, case.situation());
    let is_pending = |csv: &&Csv| {
        let status = &csv.status;
        status.phase == health::CsvPhase::Pending && status.reason == UNMET
    };
    let next = own.status.current_csv.as_str();
    let old = match situation.csv(next).map(|csv| &csv.spec.replaces) {
        Some(replaced) => situation.csv(replaced),
        None => case.newest(),
    };
    if let Some(old) = old.filter(is_pending)
        && !next.is_empty()
    {
        return Some((old, next));
    }
    let plan = situation
        .plan(own.plan())
        .filter(|plan| awaits_approval(plan))?;
    let subscriptions = situation.namespace.subscriptions.objects.iter();
    let replaced = subscriptions.filter_map(|other| {
        let (old, next) = (&other.status.installed_csv, &other.status.current_csv);
        let is_planned = old != next && plan.spec.csvs.contains(next);
        let old = situation.csv(old).filter(is_pending)?;
        is_planned.then_some((old, next.as_str()))
    });
    replaced.min()
}

fn awaits_approval(plan: &Item<InstallPlan>) -> bool {
    let is_held = plan.status.phase == health::InstallPlanPhase::RequiresApproval;
    is_held && !plan.spec.approved
}

/// Returns the cause if the next version exists or waits for approval, but OLM will never install
/// it. While both versions are Pending, OLM does not resolve the namespace.
pub(super) fn overtaken(case: Case<'_>) -> Option<Cause> {
    let (old, next) = pending(case)?;
    let owner = owner(case, old);
    let object = Object::from(&old.observed.object);
    let named = if owner.subject() == case.subject() {
        object.to_string()
    } else {
        format!("{object} of {}", owner.subject())
    };
    let plan = case.subscription.and_then(|own| waiting(case, own, next));
    let message = message(case, [&named, &old.status.reason, next], plan);
    let again = (!lacks_for_sure(owner, old)).then(|| retry(CSVS, &old.observed));
    let rest = continuation(case.situation().name(), plan, next);
    let deletion = deletion::delete(
        &format!("Delete {named}{rest}"),
        &[Target::of(CSVS, &old.observed)],
        Vec::new(),
        &format!(
            "The remaining Pods of {} stop until {next} runs.",
            object.name
        ),
    );
    let cause = Cause::new(Code::PredecessorPending, State::Stuck, object, &message);
    let cause = cause.cured(Cure::Choice(vec![deletion]));
    let cause = cause.fixed(again).shown(evidence::csv(old));
    let newer = case.situation().csv(next);
    Some(cause.shown(newer.into_iter().flat_map(evidence::csv)))
}

fn message(case: Case<'_>, [old, reason, next]: [&str; 3], plan: Option<&Review>) -> String {
    let namespace = case.situation().name();
    let warning = plan.map_or_else(String::new, |plan| {
        format!(
            " Do this before you approve InstallPlan {namespace}/{}.",
            plan.plan
        )
    });
    format!(
        "{old} is Pending ({reason}), so OLM never replaces this version with {next}. Provide the \
         missing requirements of the old version, or delete its ClusterServiceVersion.{warning} \
         While both versions are Pending, OLM installs and upgrades nothing in namespace {namespace}."
    )
}

/// Returns the operator to which a ClusterServiceVersion belongs.
fn owner<'a>(case: Case<'a>, csv: &Csv) -> Case<'a> {
    let is_owner = |one: &Case<'_>| one.has_csv(&csv.observed.object.name);
    let others = case.findings.cases().into_iter();
    let mut all = [case].into_iter().chain(others);
    all.find(is_owner).unwrap_or(case)
}

/// Returns the InstallPlan that installs the next version, if this InstallPlan waits for approval.
fn waiting<'a>(case: Case<'a>, own: &Item<Subscription>, next: &str) -> Option<&'a Review> {
    let mut reviews = case.findings.reviews.iter();
    let review = reviews.find(|review| review.plan == own.plan() && review.waits)?;
    let mut bundles = review.bundles.iter();
    bundles.any(|bundle| bundle.name == next).then_some(review)
}

/// Returns the end of a sentence about a deletion. It describes when OLM installs the next version
/// after the deletion.
fn continuation(namespace: &str, review: Option<&Review>, next: &str) -> String {
    let Some(review) = review else {
        return format!(". OLM then installs {next}.");
    };
    let plan = format!("InstallPlan {namespace}/{}", review.plan);
    let has_policy = !review.policies.is_empty();
    if has_policy && review.verdict.state == approval::State::Yes {
        format!(
            ". A policy allows {plan}, so the controller then approves this InstallPlan, and OLM \
             installs {next}."
        )
    } else if !has_policy && plan::is_approvable(review) {
        format!(", then approve {plan}: OLM installs {next} only after the approval.")
    } else {
        format!(". OLM installs {next} only after an InstallPlan with {next} is approved.")
    }
}

/// Returns true if a requirement is certainly missing. Returns false for requirements that OLM
/// checked a long time ago, because OLM notices changes only in its next check.
fn lacks_for_sure(owner: Case<'_>, csv: &Csv) -> bool {
    let told = owner.facts();
    let mut facts = told.iter().map(|told| told.fact);
    is_about_cluster_version(csv)
        || facts.any(|fact| {
            let is_looked_up = matches!(
                fact.code,
                HealthCode::CrdMissing
                    | HealthCode::CrdNamesConflict
                    | HealthCode::CrdTerminating
                    | HealthCode::CrdNotEstablished
                    | HealthCode::CrdVersionNotServed
                    | HealthCode::ApiServiceMissing
                    | HealthCode::ApiServiceUnavailable
            );
            is_looked_up && fact.state == health::State::No
        })
}
