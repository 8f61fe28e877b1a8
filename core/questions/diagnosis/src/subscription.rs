//! Explains why OLM cannot resolve the Subscriptions of a namespace, which it resolves together.

mod clash;
mod missing;
pub(crate) mod needs;
mod neighbor;

use portolan_core_health::{Csv, CsvPhase, HealthCode, Item};
use portolan_core_names::text::cite;
use portolan_core_olm::Subscription;
use serde_json::json;

use crate::case::Case;
use crate::command::{CSVS, SUBSCRIPTIONS, Target};
use crate::cure::Cure;
use crate::deletion;
use crate::outlook::{Culprit, Matter, Trouble};
use crate::trouble::Clause;
use crate::{Cause, Code, Object, Procedure, State, Step, catalog, evidence, required, upgrades};

pub(crate) use self::neighbor::blocked;

/// Returns the causes for which this operator makes the resolution of the namespace fail.
pub(crate) fn causes(case: Case<'_>) -> Vec<Cause> {
    let troubles = case.findings.outlook.troubles.iter();
    let own = troubles.filter(|trouble| is_own(case, trouble));
    let mut causes: Vec<Cause> = own.filter_map(|trouble| cause(case, trouble)).collect();
    causes.extend(resolution(case));
    causes
}

/// Returns true if this operator causes the problem. Returns false if the operator is only affected
/// by the problem.
pub(crate) fn is_own(case: Case<'_>, trouble: &Trouble) -> bool {
    match &trouble.culprit {
        Culprit::Subscription(name) => {
            let subscription = case.subscription;
            subscription.is_some_and(|subscription| subscription.observed.object.name == *name)
        }
        Culprit::Csv(name) => case.has_csv(name),
        Culprit::Catalog(key) => case.subscription.is_some_and(|subscription| {
            let own = [
                subscription.spec.source_namespace.as_str(),
                "/",
                &subscription.spec.source,
            ];
            let is_said_of_it = if let Matter::Unusable { package, .. } = &trouble.matter {
                package.is_empty() || *package == subscription.spec.package
            } else {
                true
            };
            own.concat() == *key && is_said_of_it
        }),
    }
}

/// Returns the cause for the operator that has the problem. Returns None if a different function
/// reports the problem.
fn cause(case: Case<'_>, trouble: &Trouble) -> Option<Cause> {
    match &trouble.matter {
        Matter::Nothing(lacking) => missing::cause(case, lacking),
        Matter::Needs { bundle, what } => Some(needs::cause(case, bundle, what)),
        Matter::Clash { what, rivals } => Some(clash::cause(case, what, rivals)),
        Matter::Orphan => orphan(case),
        Matter::Forbidden { bundle } => upgrades::forbidden(case, bundle),
        Matter::Unusable { what, .. } => unusable(case, what),
        Matter::Catalog { why } => catalog::as_olm_says(case, why),
        // The diagnosis of the operator whose upgrade has failed reports this problem.
        Matter::Upgrade { .. } => None,
    }
}

/// Returns the cause for an installed operator without a Subscription. OLM cannot resolve the
/// namespace while such an operator exists.
fn orphan(case: Case<'_>) -> Option<Cause> {
    let csv = case.newest()?;
    let object = Object::from(&csv.observed.object);
    let message = match case.fact(HealthCode::Orphaned) {
        Some(fact) => fact.message.clone(),
        None => format!(
            "{object} is installed, but no Subscription has this ClusterServiceVersion in \
             status.installedCSV. OLM does not adopt the ClusterServiceVersion, and resolves \
             nothing in the namespace while it exists."
        ),
    };
    let anew = deletion::delete(
        &format!("Delete {object}. OLM then installs the operator that a Subscription requests."),
        &[Target::of(CSVS, &csv.observed)],
        resolve_again(case, ""),
        &format!(
            "{} stops{}.",
            csv.observed.object.name,
            until_anew(case, csv)
        ),
    );
    let fixes = [anew].into_iter().chain(adopt(case, csv)).collect();
    let cause = Cause::new(Code::BlockedByOrphan, State::Stuck, object, &message);
    let cause = cause.cured(Cure::Choice(fixes));
    Some(cause.shown(evidence::csv(csv)))
}

/// Returns the end of a sentence about the time for which the operator is down after its deletion.
fn until_anew(case: Case<'_>, csv: &Csv) -> String {
    let package = csv.package();
    let subscriptions = case.situation().namespace.subscriptions.objects.iter();
    let mut own = subscriptions.filter(|one| Some(&one.spec.package) == package.as_ref());
    let head = own.next().map(|own| case.situation().head(own));
    match head {
        Some(Some((_, head))) => format!(" until OLM has installed {head}"),
        Some(None) => " until OLM has installed the version of the Subscription".to_owned(),
        None => " permanently, because no Subscription requests its package".to_owned(),
    }
}

/// Returns the command that writes the operator as installed into the status of the only
/// Subscription for its package. The controller of a policy makes the same change. OLM may
/// overwrite the status again, so this alternative is never the first. The command contains a test,
/// because OLM would return to an older version if the Subscription already had an operator.
fn adopt(case: Case<'_>, csv: &Csv) -> Option<Procedure> {
    let works = csv.status.phase == CsvPhase::Succeeded && !csv.is_deleting();
    let package = csv.package()?;
    let subscriptions = case.situation().namespace.subscriptions.objects.iter();
    let mut subscriptions =
        subscriptions.filter(|subscription| subscription.spec.package == package);
    let (Some(subscription), None) = (subscriptions.next().filter(|_| works), subscriptions.next())
    else {
        return None;
    };
    // The patch fails if OLM has not written a status yet.
    let status = &subscription.status;
    let is_begun = !status.conditions.is_empty() || !status.state.is_empty();
    if !is_begun || !status.installed_csv.is_empty() || !status.current_csv.is_empty() {
        return None;
    }
    let (object, name) = (&subscription.observed.object, &csv.observed.object.name);
    let field = "/status/currentCSV";
    let patch = json!([
        {"op": "test", "path": field, "value": null},
        {"op": "add", "path": field, "value": name},
    ]);
    Some(Procedure::command(
        &format!(
            "Set {name} in the status of {object}. OLM then treats {name} as the operator of \
                  this Subscription."
        ),
        Target::of(SUBSCRIPTIONS, &subscription.observed).patch_status(&patch),
        "The operator keeps running. If OLM overwrites this status, portolan diagnose reports the \
         same cause again. OLM then installs the next version of the Subscription, if one exists. \
         If the approval is Automatic, OLM installs the next version immediately.",
    ))
}

/// Returns the cause for a channel or a requirement in the catalog that OLM cannot process.
fn unusable(case: Case<'_>, what: &str) -> Option<Cause> {
    let subscription = case.subscription?;
    let catalog = Object::new(
        "CatalogSource",
        &subscription.spec.source_namespace,
        &subscription.spec.source,
    );
    let message = format!(
        "OLM cannot process the content of {catalog} for package {}: {}",
        subscription.spec.package,
        cite(what)
    );
    let who = format!("the publisher of {catalog}");
    let cause = Cause::new(Code::CatalogBroken, State::Stuck, catalog, &message);
    let cause = cause.cured(Cure::external(&who, "Correct the content of the package."));
    Some(
        cause
            .shown(evidence::subscription(subscription))
            .shown(evidence::condition_evidence(
                subscription,
                Subscription::RESOLUTION_FAILED,
            )),
    )
}

/// Returns the cause if OLM reports a resolution failure that no longer applies, or a message that
/// Portolan cannot parse.
fn resolution(case: Case<'_>) -> Option<Cause> {
    let (subscription, outlook) = (case.subscription?, case.findings.outlook);
    let shown = evidence::condition_evidence(subscription, Subscription::RESOLUTION_FAILED);
    let is_resolved = case.situation().namespace.groups.objects.len() == 1;
    if !has_failed(subscription) || !is_resolved || !outlook.troubles.is_empty() {
        return None;
    }
    let object = Object::from(&subscription.observed.object);
    if outlook.is_stale && is_unpacking(case) {
        return None;
    }
    if outlook.is_stale {
        let message = format!(
            "OLM reports that it cannot resolve {object}, but the reported reasons no longer \
             apply. OLM may not check the Subscription again by itself."
        );
        let fix = required::retry(SUBSCRIPTIONS, &subscription.observed);
        let cause = Cause::new(Code::ResolutionStale, State::Stuck, object, &message);
        return Some(cause.cured(Cure::Safe(fix)).shown(shown));
    }
    let message = format!(
        "OLM reports that it cannot resolve {object}, with an unknown message: {}",
        cite(&outlook.words)
    );
    let cure = Cure::external(
        &format!("the owner of namespace {}", case.situation().name()),
        "Change the Subscriptions that the message of OLM names, so that OLM can install all of \
         their operators together.",
    );
    let cause = Cause::new(Code::ResolutionFailed, State::Stuck, object, &message);
    Some(cause.cured(cure).shown(shown))
}

/// Returns the cause if another operator blocks the next version and OLM does not report this
/// problem.
pub(crate) fn kept_out(case: Case<'_>, next: &str, rival: &Clause) -> Cause {
    let namespace = case.situation().name();
    let (code, what) = if let Clause::OneProvider { api } = rival {
        (Code::ApiProvidedTwice, format!("also provides {api}"))
    } else {
        (
            Code::DuplicateSubscription,
            "is of the same package".to_owned(),
        )
    };
    let object = case.subject();
    let message = format!(
        "Another operator in namespace {namespace} {what}. Because of this, OLM does not install {next}, the next \
         version after {} for {object}. OLM does not report this problem.",
        case.operator.csv
    );
    let cure = Cure::external(
        &format!("the owner of namespace {namespace}"),
        "Move one of the two operators to another namespace.",
    );
    let cause = Cause::new(code, State::Stuck, object, &message).cured(cure);
    cause.shown(
        case.subscription
            .into_iter()
            .flat_map(evidence::subscription),
    )
}

/// Returns the steps that make OLM resolve the namespace again. OLM does this only if a
/// Subscription with a resolution failure changes, so a step annotates such a Subscription. `gone`
/// is the name of a deleted Subscription, which is not used. The deletion of a Subscription does
/// not make OLM resolve again.
pub(crate) fn resolve_again(case: Case<'_>, gone: &str) -> Vec<Step> {
    let subscriptions = case.situation().namespace.subscriptions.objects.iter();
    let failed = subscriptions.filter(|subscription| {
        has_failed(subscription) && subscription.observed.object.name != gone
    });
    let again = failed
        .min()
        .map(|subscription| Target::of(SUBSCRIPTIONS, &subscription.observed).retried());
    let again = again.map(|again| [deletion::noticed(), again]);
    again.into_iter().flatten().collect()
}

/// Returns true if OLM reports a resolution failure for the Subscription.
pub(crate) fn has_failed(subscription: &Item<Subscription>) -> bool {
    subscription
        .true_condition(Subscription::RESOLUTION_FAILED)
        .is_some()
}

/// Returns true if OLM has resolved the namespace and is unpacking bundles. After the bundles are
/// unpacked, OLM removes an older resolution failure from the status.
fn is_unpacking(case: Case<'_>) -> bool {
    let mut subscriptions = case.situation().namespace.subscriptions.objects.iter();
    subscriptions.any(|one| one.true_condition(Subscription::UNPACKING).is_some())
}

/// Returns the steps that delete a Subscription.
fn delete(case: Case<'_>, subscription: &Item<Subscription>) -> Procedure {
    let object = &subscription.observed.object;
    let procedure = deletion::delete(
        &format!("Delete {object}."),
        &[Target::of(SUBSCRIPTIONS, &subscription.observed)],
        resolve_again(case, &object.name),
        &match subscription.status.installed_csv.as_str() {
            "" => "None: the Subscription has installed nothing.".to_owned(),
            csv => format!("{csv} stays installed, but gets no further updates."),
        },
    );
    match subscription.status.installed_csv.as_str() {
        "" => Procedure {
            keeps: "All other objects. The Subscription has installed nothing.".to_owned(),
            ..procedure
        },
        _ => procedure,
    }
}
