//! Decides which steps a policy needs and which status it has.
//!
//! ```text
//! gate       checks before any judgment ------------\
//! judge      each condition, or the whole removal ---+-- NotJudged: the report without a judgment
//! hold back  steps while writes are forbidden, conditions of kinds that are out of date
//! ```

#[cfg(test)]
mod tests;

use jiff::Timestamp;
use portolan_api::{ConditionType, Form, Intent, Presence, Reason, Refusals, Remediation};
use portolan_core_olm::component;

use crate::case::{Case, DesiredSubscription};
use crate::contribution::Contribution;
use crate::defaults::{self, Unresolved};
use crate::desired::{Action, Condition, Desired, Step};
use crate::gate::{self, Subject};
use crate::not_judged::{NotJudged, without_olm};
use crate::{
    Answers, Observed, WriteMode, catalog, crd, csv, deployment, deprecation, existing, group,
    managed, minor, offered, plan, removal, subscription, upgrades, valid,
};
use subscription::Subscribed;

/// Decides which steps the controller executes for a policy, and which status it reports.
pub fn decide(
    parsed: &Result<Intent, Refusals>,
    observed: &Observed,
    answers: &Answers,
    now: Timestamp,
) -> Desired {
    match gate::subject(parsed, observed, answers, now) {
        Err(why) => why.into_desired(observed),
        Ok(Subject::Leaving(removal)) => removal::leaving(&removal),
        Ok(Subject::Staying(case)) => {
            let judged = judge(&case).unwrap_or_else(|why| why.into_desired(observed));
            hold_back(observed, labeled(&case, judged))
        }
    }
}

/// Judges a policy that is not being deleted.
fn judge(case: &Case<'_>) -> Result<Desired, NotJudged> {
    valid::contradiction(case)?;
    let mut desired = match case.intent.presence {
        Presence::MustNotHave => removal::must_not_have(case)?,
        Presence::MustHave => must_have(case)?,
    };
    desired.steps.splice(0..0, finalizer(case));
    Ok(desired)
}

/// Adds the value of the label that contains the package and the namespace, if the namespace is
/// known.
fn labeled(case: &Case<'_>, mut desired: Desired) -> Desired {
    let namespace = &case.namespace.name;
    if !namespace.is_empty() {
        let package = case.intent.subscription.package.as_str();
        desired.report.label = Some(component(package, namespace));
    }
    desired
}

/// Removes all steps if writes are forbidden or if the observed objects of a kind may be stale. If
/// objects may be stale, the report contains only the condition about the validity of the policy.
/// The other conditions keep their previous state.
fn hold_back(observed: &Observed, mut desired: Desired) -> Desired {
    let stale = observed.stale.iter().min_by_key(|stale| stale.since);
    if stale.is_some() || observed.write_mode != WriteMode::ReadWrite {
        desired.steps.clear();
    }
    let Some(stale) = stale else {
        return desired;
    };
    let report = &mut desired.report;
    let (of_policy, seen): (Vec<_>, Vec<_>) = report.conditions.drain(..).partition(|each| {
        each.type_ == ConditionType::ValidPolicySpec
            || each.reason == Reason::InvalidPolicySpec.into()
    });
    report.conditions = of_policy;
    for condition in seen {
        report
            .related
            .retain(|(type_, _)| *type_ != condition.type_);
        report.kept.push((condition.type_, stale.to_string()));
    }
    desired
}

/// Returns the step that adds Portolan's finalizer before the first write for a policy. If the
/// deletion of the policy does not remove its operator, returns the step that removes the
/// finalizer.
pub(crate) fn finalizer(case: &Case<'_>) -> Option<Step> {
    let Intent {
        form, remediation, ..
    } = case.intent;
    let has_finalizer = managed::has_finalizer(&case.observed.policy);
    let action = match (form, remediation, has_finalizer) {
        (Form::Design, Remediation::Enforce, false) => Action::AddFinalizer,
        (Form::Design, Remediation::Inform, true) | (Form::Established, _, true) => {
            Action::RemoveFinalizer
        }
        (Form::Design, Remediation::Enforce, true)
        | (Form::Design, Remediation::Inform, false)
        | (Form::Established, _, false) => return None,
    };
    let type_ = ConditionType::ValidPolicySpec;
    let done = Condition::good(type_, Reason::PolicyValidated, valid::valid(case));
    let is_free = case.observed.write_mode == WriteMode::ReadWrite;
    is_free.then_some(Step {
        action,
        type_,
        done,
        related: Vec::new(),
    })
}

/// Decides the steps and the status of a policy that requires an installed operator.
fn must_have(case: &Case<'_>) -> Result<Desired, NotJudged> {
    if !case.observed.has_olm {
        let all = valid::namespace(case).merge(without_olm(case));
        return Ok(all.into_desired());
    }
    let wanted = defaults::wanted(case);
    if let Some(existing) = existing::judge(case) {
        let all = existing.merge(advice(case, wanted.as_ref()));
        return Ok(finished(case, all, wanted.as_ref().ok()));
    }
    match wanted {
        Err(Unresolved::Invalid(sentence)) => Err(NotJudged::invalid(vec![sentence])),
        wanted @ (Err(Unresolved::Unavailable(_)) | Ok(_)) => Ok(installed(case, &wanted)),
    }
}

/// Judges all aspects of the operator, from its namespace to its Deployments.
fn installed(case: &Case<'_>, wanted: &Result<DesiredSubscription, Unresolved>) -> Desired {
    let group = group::judge(case);
    let is_right = group::is_right(&group);
    let subscription = match wanted {
        Ok(wanted) => subscription::judge(case, wanted, is_right),
        Err(unresolved) => Subscribed {
            is_right: true,
            ..unresolved
                .keep(&[ConditionType::SubscriptionCompliant])
                .into()
        },
    };
    let obstacle = match (is_right, subscription.settles()) {
        (false, _) => Some("the OperatorGroup"),
        (true, true) => Some("the Subscription"),
        (true, false) => None,
    };
    let plan = plan::judge(case);
    let catalog = match wanted {
        Ok(wanted) => catalog::judge(case, wanted),
        Err(unresolved) => unresolved.keep(&[ConditionType::CatalogSourcesUnhealthy]),
    };
    let all = valid::namespace(case)
        .merge(group)
        .merge(subscription.contribution)
        .merge(match obstacle {
            None => plan,
            Some(what) => withheld(plan, what),
        })
        .merge(csv::judge(case))
        .merge(crd::judge(case))
        .merge(deployment::judge(case))
        .merge(catalog)
        .merge(advice(case, wanted.as_ref()));
    let mut desired = finished(case, all, wanted.as_ref().ok());
    desired.report.intervention = subscription.intervention;
    let lacking = wanted.as_ref().ok();
    desired.report.lacking = lacking.and_then(|wanted| offered::lacking(case, wanted));
    if desired.report.lacking.is_some() {
        desired.report.upgrades = Some(upgrades::without_way(case));
    }
    desired
}

/// Removes the step that approves an InstallPlan. `what` names the object that does not match the
/// policy yet, such as the Subscription. Until it matches, the InstallPlan may contain unwanted
/// changes.
fn withheld(mut plan: Contribution, what: &str) -> Contribution {
    if plan.steps.is_empty() {
        return plan;
    }
    plan.steps.clear();
    for condition in &mut plan.conditions {
        let why = format!("; the InstallPlan is not approved until {what} is correct");
        condition.message.push_str(&why);
    }
    plan
}

/// Judges the catalog's information about the package: deprecations, and channels with a later
/// minor version.
fn advice(case: &Case<'_>, wanted: Result<&DesiredSubscription, &Unresolved>) -> Contribution {
    match wanted {
        Ok(wanted) => deprecation::judge(case, wanted).merge(minor::judge(case, wanted)),
        Err(unresolved) => unresolved.keep(&[
            ConditionType::NoDeprecations,
            ConditionType::MinorChannelUpgradeAvailable,
        ]),
    }
}

fn finished(case: &Case<'_>, all: Contribution, wanted: Option<&DesiredSubscription>) -> Desired {
    let mut desired = all.into_desired();
    desired.report.olm = subscription::olm_conditions(case);
    desired.report.upgrades = wanted.and_then(|_| upgrades::of(case));
    desired
}
