//! Finds statements of OLM that mislead users about an operator with a problem.

use portolan_core_health::{self as health, CsvPhase};
use portolan_core_olm::Subscription;

use crate::case::Case;
use crate::code::Matter;
use crate::trouble::{self, Clause};
use crate::{Cause, Code, Evidence, Saying, State};

/// Returns the statements of OLM that mislead users about an operator that is stuck or broken.
pub(crate) fn sayings(case: Case<'_>, state: State, cause: Option<&Cause>) -> Vec<Saying> {
    let is_bad = state == State::Stuck || state == State::Broken;
    let Some(cause) = cause.filter(|_| is_bad) else {
        return Vec::new();
    };
    let sayings = [
        // Both statements mean only that OLM has executed an InstallPlan, so one statement is
        // enough.
        at_latest(case, state, cause).or_else(|| complete(case, cause)),
        succeeded(case, cause),
        ready(case, cause),
        blamed(case, state, cause),
        unpulled(case, cause),
    ];
    sayings.into_iter().flatten().collect()
}

fn saying(object: &health::Object, field: &str, value: &str, message: &str) -> Saying {
    Saying {
        said: Evidence::new(object, field, value),
        message: message.to_owned(),
    }
}

fn at_latest(case: Case<'_>, state: State, cause: &Cause) -> Option<Saying> {
    let subscription = case
        .subscription
        .filter(|subscription| subscription.status.state == "AtLatestKnown")?;
    let is_of_workload = cause.code.matter() == Matter::Workload;
    let message = if state == State::Broken || is_of_workload {
        "AtLatestKnown only means that OLM starts no upgrade now, and not that the operator works."
    } else {
        "AtLatestKnown only means that OLM starts no upgrade now. A newer version may still be blocked."
    };
    let object = &subscription.observed.object;
    Some(saying(
        object,
        "status.state",
        &subscription.status.state,
        message,
    ))
}

fn succeeded(case: Case<'_>, cause: &Cause) -> Option<Saying> {
    let csv = case
        .newest()
        .filter(|csv| csv.status.phase == CsvPhase::Succeeded)?;
    let message = if cause.code == Code::ScaledToZero {
        "OLM still shows the status from before the operator was scaled to 0."
    } else if cause.state == State::Broken {
        "OLM has not noticed that the running operator does not work."
    } else {
        "Succeeded describes the installed version, and not the next version."
    };
    let object = &csv.observed.object;
    Some(saying(
        object,
        "status.phase",
        csv.status.phase.as_str(),
        message,
    ))
}

/// Returns the phase Complete of an InstallPlan. It does not mean that the installed operator
/// works.
fn complete(case: Case<'_>, cause: &Cause) -> Option<Saying> {
    let is_coming = case
        .newest()
        .is_some_and(|csv| csv.status.phase != CsvPhase::Succeeded);
    let is_delivered = match cause.code.matter() {
        Matter::Resolution | Matter::Delivery => false,
        Matter::Needs | Matter::Workload | Matter::Outcome => true,
    };
    let subscription = case.subscription.filter(|_| is_coming && is_delivered)?;
    let plan = case.situation().plan(subscription.plan())?;
    let is_complete = plan.status.phase == health::InstallPlanPhase::Complete;
    let message = "Complete means that the objects of the InstallPlan were created, and not that \
                   the operator has started.";
    let object = &plan.observed.object;
    is_complete.then(|| saying(object, "status.phase", "Complete", message))
}

/// Returns the connection state of a registry that does not answer, although OLM reports it as
/// ready.
fn ready(case: Case<'_>, cause: &Cause) -> Option<Saying> {
    let offer = case.situation().offer_of(case.subscription?)?;
    let is_dead = cause.code == Code::CatalogNotAnswering;
    let message = "The registry was ready when OLM last checked it, but does not answer now.";
    let field = "status.connectionState.lastObservedState";
    let object = &offer.registry.source.observed.object;
    is_dead.then(|| saying(object, field, offer.registry.source.connection(), message))
}

/// Returns the resolution failure that OLM reports for a broken operator. It misleads users,
/// because it is a consequence of the broken operator.
fn blamed(case: Case<'_>, state: State, cause: &Cause) -> Option<Saying> {
    let said = case
        .subscription?
        .true_condition(Subscription::RESOLUTION_FAILED)?;
    if let Some(saying) = unreferenced(case, &said.message) {
        return Some(saying);
    }
    let subscription = case.subscription.filter(|_| state == State::Broken)?;
    let is_of_resolution = cause.code.matter() == Matter::Resolution;
    let message = "The operator does not fail because of this message. OLM reports the message \
                   because the operator fails.";
    let object = &subscription.observed.object;
    let field = "status.conditions[ResolutionFailed]";
    (!is_of_resolution).then(|| saying(object, field, &said.message, message))
}

/// Returns true if OLM cannot upgrade other operators of the namespace until the newest version of
/// this operator works.
pub(crate) fn blocks_namespace(case: Case<'_>) -> bool {
    let said = case
        .subscription
        .and_then(|it| it.true_condition(Subscription::RESOLUTION_FAILED));
    said.is_some_and(|said| unreferenced(case, &said.message).is_some())
}

/// Returns OLM's statement that an older version of the operator has no Subscription. OLM reports
/// this until the newest version works. A user who believes the statement deletes the version that
/// works.
fn unreferenced(case: Case<'_>, words: &str) -> Option<Saying> {
    let newest = case.newest()?;
    let old = trouble::of_words(words).into_iter().find_map(|clause| {
        if let Clause::Unreferenced { csv } = clause {
            Some(csv)
        } else {
            None
        }
    });
    let old = old.filter(|old| case.has_csv(old) && *old != newest.observed.object.name)?;
    let value =
        format!("clusterserviceversion {old} exists and is not referenced by a subscription");
    let message = format!(
        "Do not delete {old}. OLM reports this until {} works, and removes {old} itself afterwards.",
        newest.observed.object.name
    );
    let object = &case.subscription?.observed.object;
    Some(saying(
        object,
        "status.conditions[ResolutionFailed]",
        &value,
        &message,
    ))
}

/// Returns the unpacking failure of a bundle whose Pods the API server rejects. It misleads users,
/// because OLM's message gives advice about images.
fn unpulled(case: Case<'_>, cause: &Cause) -> Option<Saying> {
    let is_refused = cause.code == Code::UnpackFailing && cause.at_fault.kind == "ResourceQuota";
    let subscription = case.subscription.filter(|_| is_refused)?;
    let said = subscription.true_condition(Subscription::UNPACK_FAILED)?;
    let message = "The message of OLM gives advice about images and registries, but no image was \
                   pulled.";
    let object = &subscription.observed.object;
    let field = "status.conditions[BundleUnpackFailed]";
    Some(saying(object, field, &said.reason, message))
}
