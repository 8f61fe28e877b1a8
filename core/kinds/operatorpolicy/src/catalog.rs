//! The condition about the catalog that the Subscription names.

#[cfg(test)]
mod tests;

use portolan_api::status::find;
use portolan_api::{ConditionType, Effect, Form, Reason, RelatedObject};
use portolan_core_names::trouble;
use portolan_core_olm::{CatalogSource, Condition as OlmCondition, HealthCode, RegistryState};

use crate::case::{Case, DesiredSubscription};
use crate::contribution::{Contribution, known, related};
use crate::desired::{Condition, ConditionReason, Status};
use crate::kinds::CATALOG_SOURCE;
use crate::phrase::{clause, uncapitalized};
use crate::{Answer, Catalog, State};

const TYPE: ConditionType = ConditionType::CatalogSourcesUnhealthy;
const READY: &str = "READY";

/// Judges the catalog of the existing or future Subscription.
pub(crate) fn judge(case: &Case<'_>, wanted: &DesiredSubscription) -> Contribution {
    let mut all = case.namespace.catalogs.iter();
    let found = all.find(|catalog| {
        catalog.metadata.name.as_deref() == Some(wanted.source.as_str())
            && catalog.metadata.namespace.as_deref() == Some(wanted.source_namespace.as_str())
    });
    match found {
        None if !is_offering(case, wanted) => missing(case, wanted),
        catalog => one(case, wanted, catalog.map(|catalog| &**catalog)),
    }
}

/// Returns true if the resolver chose the catalog because it contains the package. In this case,
/// neither the policy nor a Subscription names the catalog. The controller then does not observe
/// the CatalogSource, but the resolver reads the catalog.
fn is_offering(case: &Case<'_>, wanted: &DesiredSubscription) -> bool {
    let written = &case.intent.subscription;
    let is_named = written.source.is_some() && written.source_namespace.is_some();
    match &case.answers.offer {
        Answer::Found(offer) => {
            !is_named && case.subscription().is_none() && offer.catalog == full_name(wanted)
        }
        Answer::NotFound(_) | Answer::Unavailable(_) | Answer::NotAsked => false,
    }
}

fn missing(case: &Case<'_>, wanted: &DesiredSubscription) -> Contribution {
    let message = trouble::no_catalog(&wanted.source_namespace, &wanted.source);
    let condition = unwell(case, Reason::CatalogSourcesNotFound, message);
    let reason = "Resource not found but should exist";
    Contribution::of(condition).add_related(TYPE, vec![object(case, wanted, reason)])
}

fn one(
    case: &Case<'_>,
    wanted: &DesiredSubscription,
    catalog: Option<&CatalogSource>,
) -> Contribution {
    let name = full_name(wanted);
    let unknown = match &case.answers.catalog {
        Answer::Unavailable(unavailable) => Some(unavailable.to_string()),
        Answer::Found(judged) if judged.name == name => unasked(judged),
        Answer::Found(_) | Answer::NotAsked | Answer::NotFound(_) => None,
    };
    if let Some(why) = unknown.as_ref().filter(|_| was_judged(case)) {
        return Contribution::default().keep(TYPE, why);
    }
    let trouble = match &case.answers.catalog {
        Answer::Found(judged) if judged.name == name && unknown.is_none() => trouble(judged),
        Answer::Found(_) | Answer::NotAsked | Answer::NotFound(_) | Answer::Unavailable(_) => {
            catalog.and_then(reported_trouble)
        }
    };
    let suffix = unknown.map_or_else(String::new, |why| format!("; {why}"));
    let uid = catalog.and_then(|catalog| catalog.metadata.uid.as_deref());
    let (condition, object) = match trouble {
        None => {
            let message = format!("CatalogSource {name} is healthy{suffix}");
            let condition = Condition::good(TYPE, Reason::CatalogSourcesFound, message);
            let condition = match doubted(case) {
                Some(doubt) => against(case, condition, doubt),
                None => condition,
            };
            (condition, compliant(wanted, "Resource found as expected"))
        }
        Some(trouble) => {
            let message = format!("CatalogSource {name} is unhealthy: {trouble}{suffix}");
            let condition = unwell(case, Reason::CatalogSourcesFoundUnhealthy, message);
            let reason = "Resource found as expected but is unhealthy";
            (condition, object(case, wanted, reason))
        }
    };
    Contribution::of(condition).add_related(TYPE, vec![known(object, uid, false)])
}

/// Returns the reason why the health service has not probed the catalog's registry. Returns None if
/// it has probed the registry.
fn unasked(judged: &Catalog) -> Option<String> {
    let mut reasons = judged.verdict.reasons.iter();
    let unasked =
        reasons.find(|reason| reason.code.known() == Some(HealthCode::RegistryNotProbed))?;
    Some(uncapitalized(&clause(&unasked.message)).to_string())
}

/// Returns true if the previous status already contains the health of the catalog.
fn was_judged(case: &Case<'_>) -> bool {
    let found = [
        Reason::CatalogSourcesFound,
        Reason::CatalogSourcesFoundUnhealthy,
    ];
    let mut words = found.iter().map(|reason| reason.as_str());
    let before = find(&case.before.conditions, TYPE);
    before.is_some_and(|before| words.any(|word| word == before.reason))
}

/// Returns a sentence about the catalog problem that the health service reports. Returns None if
/// there is no problem.
fn trouble(judged: &Catalog) -> Option<String> {
    let worst = judged.verdict.reasons.first();
    let is_well = judged.verdict.state == State::Yes && judged.connection_state == READY;
    if is_well {
        return None;
    }
    let message = worst.map(|worst| clause(&worst.message));
    Some(message.unwrap_or_else(|| connection(&judged.connection_state)))
}

/// Returns a sentence about the catalog problem that OLM reports. Returns None if there is no
/// problem.
fn reported_trouble(catalog: &CatalogSource) -> Option<String> {
    let state = catalog.status.connection.as_ref().map(|each| &each.state);
    match state {
        Some(RegistryState::Ready) => None,
        Some(other) => Some(connection(&other.to_string())),
        None => Some(connection("")),
    }
}

fn connection(state: &str) -> String {
    match state {
        "" => "OLM reports no connection to the catalog".to_owned(),
        state => format!("OLM reports the connection as {state}"),
    }
}

/// Returns the Subscription condition in which OLM reports an unhealthy catalog. OLM may report
/// another catalog than the catalog of this Subscription. Returns None if OLM reports no such
/// problem, or if the policy has the established form.
///
/// A policy in the design form copies the other conditions of its Subscription. It does not copy
/// this condition, because the policy has a condition of the same type.
fn doubted<'a>(case: &Case<'a>) -> Option<&'a OlmCondition> {
    let mut conditions = match case.intent.form {
        Form::Design => case.subscription()?.status.conditions.iter(),
        Form::Established => return None,
    };
    conditions.find(|each| each.r#type == TYPE.as_str() && each.status == "True")
}

/// Builds the condition for a catalog that the health service reports as healthy and OLM reports as
/// unhealthy.
fn against(case: &Case<'_>, well: Condition, olm: &OlmCondition) -> Condition {
    let told = [&olm.reason, &olm.message].map(|text| clause(text));
    let told: Vec<_> = told.iter().filter(|text| !text.is_empty()).collect();
    let told = match told.as_slice() {
        [] => String::new(),
        [reason, message] => format!(": {message} ({reason})"),
        [one, ..] => format!(": {one}"),
    };
    let message = format!(
        "{}, but OLM reports that a catalog is unhealthy{told}",
        well.message
    );
    Condition {
        reason: ConditionReason::Olm(olm.reason.clone()),
        ..unwell(case, Reason::CatalogSourcesFoundUnhealthy, message)
    }
}

/// Builds the condition for an unhealthy catalog. If a policy in the established form ignores
/// unhealthy catalogs, the condition is False, as for a healthy catalog.
fn unwell(case: &Case<'_>, reason: Reason, message: String) -> Condition {
    let effect = case.intent.effects.catalog_source_unhealthy;
    let status = match (case.intent.form, effect) {
        (Form::Established, Effect::Condition) => Status::False,
        (Form::Design, Effect::Condition) | (_, Effect::NonCompliant) => Status::True,
    };
    Condition {
        violates: effect == Effect::NonCompliant,
        ..Condition::new(TYPE, status, reason, message)
    }
}

/// Builds the related object of the catalog. The design form reports an unhealthy catalog even if
/// the policy ignores the problem.
fn object(case: &Case<'_>, wanted: &DesiredSubscription, reason: &str) -> RelatedObject {
    let mut object = compliant(wanted, reason);
    let effect = case.intent.effects.catalog_source_unhealthy;
    if effect == Effect::NonCompliant || case.intent.form == Form::Design {
        object.compliant = Some("NonCompliant".to_owned());
    }
    object
}

fn compliant(wanted: &DesiredSubscription, reason: &str) -> RelatedObject {
    let name = (
        Some(wanted.source_namespace.as_str()),
        wanted.source.as_str(),
    );
    related(CATALOG_SOURCE, name, Some("Compliant"), reason)
}

fn full_name(wanted: &DesiredSubscription) -> String {
    format!("{}/{}", wanted.source_namespace, wanted.source)
}
