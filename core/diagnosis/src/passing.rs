//! What is under way, and what is not seen.

use portolan_core_health::{self as health, Sight};

use crate::case::Case;
use crate::role::{Role, role};
use crate::{Cause, Code, Cure, Object, State, upgrades};

/// Causes that the Pod of a catalog tells more of.
const LOST: &[Code] = &[
    Code::CatalogNeverReached,
    Code::CatalogUnreachable,
    Code::CatalogDead,
];

/// What is under way with the operator, or not known of it, where nothing is wrong.
pub(crate) fn cause(case: Case<'_>) -> Option<Cause> {
    let reasons = case.operator.verdict.reasons.iter();
    let mut reasons = reasons.filter(|reason| reason.state != health::State::Yes);
    let first = reasons.next()?;
    let code = match role(first.code) {
        Role::Unseen => Code::NotObserved,
        Role::Group(_)
        | Role::Need(_)
        | Role::Runs(_)
        | Role::Runner
        | Role::Elsewhere
        | Role::Passing
        | Role::Silent => Code::UnderWay,
    };
    let object = Object::from(&first.object);
    let cause = Cause::new(code, State::Working, object, &first.message);
    if code == Code::NotObserved {
        Some(cause.cured(Cure::external(
            "Whoever asks needs the right to see it, or has to bring it.",
        )))
    } else {
        Some(cause)
    }
}

/// What could not be known of the operator, with these causes.
pub(crate) fn unknowns(case: Case<'_>, causes: &[Code]) -> Vec<String> {
    let told = case.facts();
    let facts = told.iter().map(|told| told.fact);
    let unseen = facts.filter(|fact| role(fact.code) == Role::Unseen);
    let mut unknowns: Vec<String> = unseen.map(|fact| fact.message.clone()).collect();
    unknowns.extend(content(case));
    let is_own = case
        .subscription
        .and_then(|subscription| case.situation().offered(subscription));
    if let Some(why) = &case.findings.outlook.unknown
        && is_own.is_some()
    {
        let name = case.situation().name();
        unknowns.push(format!(
            "What OLM does next in namespace {name} cannot be told: {why}"
        ));
    }
    let situation = case.situation();
    if causes.contains(&Code::DefinitionTaken) {
        let what = "Operators of other namespaces";
        unknowns.extend(unlooked(what, &situation.elsewhere.sight));
    }
    if causes.contains(&Code::UnpackFailing) {
        unknowns.extend(unlooked(
            "Jobs that unpack bundles",
            &situation.unpacks.sight,
        ));
    }
    if causes.iter().any(|code| LOST.contains(code))
        && let Some(offer) = case
            .subscription
            .and_then(|subscription| situation.offer_of(subscription))
        && offer.has_pod()
    {
        let what = format!("Pods of {}", offer.object());
        unknowns.extend(unlooked(&what, &offer.pods.sight));
    }
    unknowns.extend(upgrades::unknowns(case));
    unknowns.sort();
    unknowns.dedup();
    unknowns
}

/// That things were not looked at, if they were not.
fn unlooked(what: &str, sight: &Sight) -> Option<String> {
    let why = match sight {
        Sight::Clear => return None,
        Sight::Odd(odd) => odd.values().next()?,
        Sight::Dim(why) => why,
    };
    Some(format!("{what} are not observed: {why}"))
}

/// That what the catalog offers is not known, or not as it is now.
fn content(case: Case<'_>) -> Option<String> {
    let offer = case.situation().offer_of(case.subscription?)?;
    if let Some(why) = offer.unavailable() {
        return Some(format!(
            "The content of {} is not available, so it is not known what it offers: {why}",
            offer.object()
        ));
    }
    let why = offer.stale()?;
    Some(format!(
        "The content of {} is what it was when it could be read last: {why}",
        offer.object()
    ))
}
