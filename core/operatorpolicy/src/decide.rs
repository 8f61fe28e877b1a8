//! The way from what is known to what is wanted.

#[cfg(test)]
mod tests;

use jiff::Timestamp;
use portolan_api::{ConditionType, Form, Intent, OperatorPolicyStatus, Presence, Refusals};
use portolan_core_olm::component;

use crate::case::{Case, DesiredSubscription};
use crate::contribution::{Contribution, related};
use crate::defaults::{self, Unresolved};
use crate::desired::{Desired, Report};
use crate::valid::{self, Place};
use crate::{
    Answer, Answers, NamespaceState, Observed, WriteMode, catalog, crd, csv, deployment,
    deprecation, existing, group, kinds, minor, plan, removal, subscription, unknown, upgrades,
};

/// Of a Subscription whose namespace alone is known so far.
pub(crate) const LOOKED_AT_NEXT: &str =
    "The namespace of the Subscription is known, and is looked at next";

/// What is to be done about a policy, and how it is with it.
pub fn decide(
    parsed: &Result<Intent, Refusals>,
    observed: &Observed,
    answers: &Answers,
    now: Timestamp,
) -> Desired {
    let form = observed.policy.form();
    if observed.policy.metadata.deletion_timestamp.is_some() {
        return removal::leave(parsed.as_ref().ok(), observed, now);
    }
    let intent = match parsed {
        Ok(intent) => intent,
        Err(refusals) => return unknown::invalid(observed, &refusals.sentences()),
    };
    if let Some(never) = observed.stale.iter().find(|stale| stale.since.is_none()) {
        return unknown::kept(form, &unknown::not_seen(never));
    }
    let mut desired = placed(intent, observed, answers, now);
    if let WriteMode::ReadOnly(_) = observed.write_mode {
        desired.steps.clear();
    }
    match observed.stale.iter().min_by_key(|stale| stale.since) {
        Some(stale) => unknown::frozen(desired, &unknown::not_seen(stale)),
        None => desired,
    }
}

/// The policy in its namespace, if that is known.
fn placed(intent: &Intent, observed: &Observed, answers: &Answers, now: Timestamp) -> Desired {
    let form = observed.policy.form();
    let judge = |namespace: &NamespaceState| {
        let untold = OperatorPolicyStatus::default();
        let case = Case {
            intent,
            observed,
            namespace,
            answers,
            before: observed.policy.status.as_ref().unwrap_or(&untold),
            now,
        };
        judged(&case, form)
    };
    match &observed.namespace {
        Some(namespace) => judge(namespace),
        None => match valid::place(intent, observed, answers) {
            Place::Known(namespace) => resolved(intent, &namespace),
            // There is nothing to look for, wherever that may be.
            Place::Nowhere(_) if is_absent(intent, observed, answers) => {
                judge(&NamespaceState::default())
            }
            Place::Nowhere(sentence) => unknown::invalid(observed, &[sentence]),
            Place::Unasked(why) => unknown::kept(form, &why),
        },
    }
}

/// Whether an operator must not be there and cannot be: there is no OLM, or no catalog has it, and
/// the policy never had it anywhere.
fn is_absent(intent: &Intent, observed: &Observed, answers: &Answers) -> bool {
    let is_nowhere = match &answers.offer {
        Answer::NotFound(_) => true,
        Answer::Found(_) | Answer::NotAsked | Answer::Unavailable(_) => !observed.has_olm,
    };
    intent.presence == Presence::MustNotHave && is_nowhere
}

/// Tells the namespace, so that the next round sees it.
fn resolved(intent: &Intent, namespace: &str) -> Desired {
    let package = intent.subscription.package.as_str();
    let subscription = related(
        kinds::SUBSCRIPTION,
        (Some(namespace), package),
        None,
        LOOKED_AT_NEXT,
    );
    let report = Report {
        is_partial: true,
        related: vec![(ConditionType::SubscriptionCompliant, vec![subscription])],
        label: Some(component(package, namespace)),
        ..Report::default()
    };
    Desired {
        report,
        ..Desired::default()
    }
}

fn judged(case: &Case<'_>, form: Form) -> Desired {
    let mut desired = match valid::overlapping(case) {
        others if !others.is_empty() => {
            let mut desired =
                unknown::invalid(case.observed, &[valid::overlap_sentence(case, &others)]);
            desired.report.overlapping = others;
            desired
        }
        _ => sound(case, form),
    };
    if !case.namespace.name.is_empty() {
        let package = case.intent.subscription.package.as_str();
        desired.report.label = Some(component(package, &case.namespace.name));
    }
    desired
}

/// A policy that nobody contradicts.
fn sound(case: &Case<'_>, form: Form) -> Desired {
    if let Some(sentence) = valid::foreign_group(case).or_else(|| valid::moved(case, form)) {
        return unknown::invalid(case.observed, &[sentence]);
    }
    let desired = match case.intent.presence {
        Presence::MustNotHave => Ok(removal::must_not_have(case)),
        Presence::MustHave => must_have(case, form),
    };
    match desired {
        Ok(mut desired) => {
            desired.steps.splice(0..0, removal::hold(case));
            desired
        }
        Err(sentence) => unknown::invalid(case.observed, &[sentence]),
    }
}

/// The operator where it belongs, or why that cannot be.
fn must_have(case: &Case<'_>, form: Form) -> Result<Desired, String> {
    if !case.observed.has_olm {
        return Ok(unknown::without_olm(case, form));
    }
    let wanted = defaults::wanted(case);
    if let Some(part) = existing::judge(case, form) {
        let part = part.merge(advice(case, wanted.as_ref()));
        return Ok(finished(case, part, wanted.as_ref().ok()));
    }
    match wanted {
        Err(Unresolved::Invalid(sentence)) => Err(sentence),
        wanted @ (Err(Unresolved::Unavailable(_)) | Ok(_)) => Ok(installed(case, &wanted)),
    }
}

/// The operator from its namespace to what runs of it.
fn installed(case: &Case<'_>, wanted: &Result<DesiredSubscription, Unresolved>) -> Desired {
    let group = group::judge(case);
    let is_right = group::is_right(&group);
    let mut part = valid::namespace(case).merge(group);
    let mut intervention = None;
    let mut obstacle = (!is_right).then_some("the OperatorGroup");
    match wanted {
        Ok(wanted) => {
            let subscription = subscription::judge(case, wanted, is_right);
            intervention = subscription.intervention;
            let settles = !subscription.is_right || !subscription.part.steps.is_empty();
            obstacle = obstacle.or(settles.then_some("the Subscription"));
            part = part.merge(subscription.part);
        }
        Err(unresolved) => part.kept.push((
            ConditionType::SubscriptionCompliant,
            unresolved.sentence().to_owned(),
        )),
    }
    let plan = plan::judge(case);
    part = part.merge(match obstacle {
        None => plan,
        Some(what) => withheld(plan, what),
    });
    let part = part
        .merge(csv::judge(case))
        .merge(crd::judge(case))
        .merge(deployment::judge(case));
    let part = part.merge(match wanted {
        Ok(wanted) => catalog::judge(case, wanted),
        Err(unresolved) => unknown::unasked(unresolved, &[ConditionType::CatalogSourcesUnhealthy]),
    });
    let part = part.merge(advice(case, wanted.as_ref()));
    let mut desired = finished(case, part, wanted.as_ref().ok());
    desired.report.intervention = intervention;
    desired
}

/// What OLM planned may not be what is wanted before all that it plans by is.
fn withheld(mut plan: Contribution, what: &str) -> Contribution {
    if plan.steps.is_empty() {
        return plan;
    }
    plan.steps.clear();
    for condition in &mut plan.conditions {
        let why = format!("; it is not approved before {what} is as it should be");
        condition.message.push_str(&why);
    }
    plan
}

/// What the catalog says of what is wanted.
fn advice(case: &Case<'_>, wanted: Result<&DesiredSubscription, &Unresolved>) -> Contribution {
    let type_ = [
        ConditionType::NoDeprecations,
        ConditionType::MinorChannelUpgradeAvailable,
    ];
    match wanted {
        Ok(wanted) => deprecation::judge(case, wanted).merge(minor::judge(case, wanted)),
        Err(unresolved) => unknown::unasked(unresolved, &type_),
    }
}

fn finished(case: &Case<'_>, part: Contribution, wanted: Option<&DesiredSubscription>) -> Desired {
    let mut desired = part.into_desired();
    desired.report.olm = subscription::told_by_olm(case);
    desired.report.upgrades = wanted.and_then(|_| upgrades::of(case));
    desired
}
