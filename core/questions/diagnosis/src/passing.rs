//! Finds causes for operators with work in progress, and facts that could not be read.

use portolan_core_health::{self as health, HealthCode, Kind, Sight};
use portolan_core_olm::Node;

use crate::case::Case;
use crate::code::Matter;
use crate::cure::Cure;
use crate::role::{Role, role};
use crate::{Cause, Code, Object, State, evidence, upgrades};

/// The codes of causes for which the Pod of the catalog shows more details.
const LOST: &[Code] = &[
    Code::CatalogNeverReached,
    Code::CatalogUnreachable,
    Code::CatalogNotAnswering,
];

/// Returns the cause for an operator that has no problem, but has work in progress or an unknown
/// fact.
pub(crate) fn cause(case: Case<'_>) -> Option<Cause> {
    let reasons = case.operator.verdict.reasons.iter();
    let mut reasons = reasons.filter(|reason| reason.state != health::State::Yes);
    // OLM unpacks bundles only after a successful resolution. If a bundle is being unpacked, a
    // reported resolution failure is outdated, so the unpacking is reported.
    let unpacks = |reason: &&health::Reason| reason.code == HealthCode::BundleUnpacking;
    let first = reasons.clone().find(unpacks).or_else(|| reasons.next())?;
    if first.code == HealthCode::PlanNotStarted {
        return Some(not_started(case, first));
    }
    let code = match role(first.code) {
        Role::Unseen => Code::NotObserved,
        Role::Group(_)
        | Role::Need(_)
        | Role::DeploymentCause(_)
        | Role::DeploymentSymptom
        | Role::Elsewhere
        | Role::Passing
        | Role::Silent => Code::InProgress,
    };
    let object = Object::from(&first.object);
    let cause = Cause::new(code, State::Working, object, &first.message);
    if code == Code::NotObserved {
        Some(cause.cured(Cure::external(
            "a cluster administrator",
            "Get the permission to read the object, or provide the object.",
        )))
    } else {
        Some(cause)
    }
}

/// Returns the cause for an approved InstallPlan that OLM has not started. This may be normal: the
/// crate has no clock, so it cannot detect how long ago the plan was approved.
fn not_started(case: Case<'_>, fact: &health::Reason) -> Cause {
    let object = Object::from(&fact.object);
    let plan = case.situation().plan(&object.name);
    let cause = Cause::new(Code::PlanNotStarted, State::Working, object, &fact.message);
    let cause = cause.cured(Cure::external(
        "the administrator of OLM",
        "If this lasts longer than 5 minutes, make its Deployment catalog-operator available.",
    ));
    cause.shown(plan.into_iter().flat_map(evidence::plan))
}

/// Returns sentences about unknown facts that affect the diagnosis of the operator. `causes`
/// contains the root cause first.
pub(crate) fn unknowns(case: Case<'_>, causes: &[Cause]) -> Vec<String> {
    let mut unknowns = unseen(case, causes.first());
    if is_about_next(causes.first()) {
        unknowns.extend(next(case));
    }
    unknowns.extend(beside(case, causes));
    unknowns.sort();
    unknowns.dedup();
    unknowns
}

/// Returns one sentence for each object that could not be read. Ignores the objects that an
/// installed operator would have, if nothing is installed.
fn unseen(case: Case<'_>, root: Option<&Cause>) -> Vec<String> {
    let is_nothing_there = root.is_some_and(|root| match root.code.matter() {
        Matter::Resolution | Matter::Delivery => !case.is_installed(),
        Matter::Needs | Matter::Workload | Matter::Outcome => false,
    });
    let told = case.facts();
    let facts = told.iter().map(|told| told.fact);
    let unseen = facts.filter(|fact| role(fact.code) == Role::Unseen);
    // OLM deletes the Deployments in this case, so it is no problem that they could not be read.
    let is_claimed = root.is_some_and(|root| root.code == Code::ApiClaimedByGroup);
    let unseen = unseen.filter(|fact| {
        let kind = fact.observed.object.kind;
        !((is_nothing_there && runs(kind)) || (is_claimed && kind == Kind::Deployment))
    });
    unseen.map(|fact| fact.message.clone()).collect()
}

/// Returns true if objects of this kind belong to an installed operator.
fn runs(kind: Kind) -> bool {
    match kind {
        Kind::OperatorCondition
        | Kind::CustomResourceDefinition
        | Kind::ApiService
        | Kind::ServiceAccount
        | Kind::Deployment
        | Kind::ReplicaSet
        | Kind::Pod => true,
        Kind::OperatorGroup
        | Kind::Subscription
        | Kind::CatalogSource
        | Kind::InstallPlan
        | Kind::ClusterServiceVersion
        | Kind::Operator
        | Kind::ClusterExtension
        | Kind::Install
        | Kind::Plan
        | Kind::Other => false,
    }
}

/// Returns true if facts about the next version are relevant. They are not relevant if the
/// installed version does not work, if OLM does not run, or if the catalog cannot be used.
fn is_about_next(root: Option<&Cause>) -> bool {
    let Some(root) = root else {
        return true;
    };
    let is_down = root.state == State::Broken
        && match root.code.matter() {
            Matter::Needs | Matter::Workload => true,
            Matter::Resolution | Matter::Delivery | Matter::Outcome => false,
        };
    let is_stuck = root.state == State::Stuck && root.code.matter() == Matter::Workload;
    let is_lost = LOST.contains(&root.code)
        || [Code::CatalogMissing, Code::OlmNotRunning].contains(&root.code);
    !is_down && !is_stuck && !is_lost
}

/// Returns sentences about unknown facts that affect the next version.
fn next(case: Case<'_>) -> Vec<String> {
    let mut unknowns: Vec<String> = content(case).into_iter().collect();
    let is_own = case
        .subscription
        .and_then(|subscription| case.situation().offered(subscription));
    if let Some(why) = &case.findings.outlook.unknown
        && is_own.is_some()
    {
        let name = case.situation().name();
        unknowns.push(format!(
            "The next action of OLM in namespace {name} is unknown: {why}"
        ));
    }
    unknowns.extend(upgrades::unknowns(case));
    unknowns
}

/// Returns sentences about objects that could not be read and that would be evidence for the
/// causes.
fn beside(case: Case<'_>, causes: &[Cause]) -> Vec<String> {
    let mut unknowns = Vec::new();
    let situation = case.situation();
    let has = |code: Code| causes.iter().any(|cause| cause.code == code);
    if has(Code::CrdOwnedByOther) {
        let what = "Operators of other namespaces";
        unknowns.extend(unread_sentence(what, &situation.elsewhere.sight));
    }
    if has(Code::UnpackFailing) {
        unknowns.extend(unread_sentence(
            "Jobs that unpack bundles",
            &situation.unpacks.sight,
        ));
    }
    let is_about_nodes = causes.iter().any(|cause| cause.at_fault.kind == Node::KIND);
    if is_about_nodes {
        let sight = &situation.around.cordoned.sight;
        unknowns.extend(unread_sentence("Cordoned nodes", sight));
    }
    if LOST.iter().any(|code| has(*code))
        && let Some(offer) = case
            .subscription
            .and_then(|subscription| situation.offer_of(subscription))
        && offer.has_pod()
    {
        let what = format!("Pods of {}", offer.object());
        unknowns.extend(unread_sentence(&what, &offer.pods.sight));
    }
    unknowns
}

/// Returns a sentence if some of the objects in `what` could not be read.
fn unread_sentence(what: &str, sight: &Sight) -> Option<String> {
    let why = match sight {
        Sight::Clear => return None,
        Sight::Odd(odd) => odd.values().next()?,
        Sight::Dim(why) => why,
    };
    Some(format!("{what} are not observed: {why}"))
}

/// Returns a sentence if the content of the catalog is unknown, outdated or incomplete.
fn content(case: Case<'_>) -> Option<String> {
    let offer = case.situation().offer_of(case.subscription?)?;
    if let Some(why) = offer.unavailable() {
        return Some(format!(
            "The content of {} is unknown: {why}",
            offer.object()
        ));
    }
    if let Some(why) = offer.stale() {
        return Some(format!(
            "The content of {} may be outdated, because the catalog cannot be read now: {why}",
            offer.object()
        ));
    }
    let package = case.subscription?.spec.package.as_str();
    let offered = offer.content.offered()?;
    let fault = offered.hidden_by(package);
    let known = offered.catalog.packages.get(package);
    if known.is_some_and(|package| package.channels.is_empty()) {
        let why = fault.map_or_else(String::new, |fault| format!(": {fault}"));
        return Some(format!(
            "Package {package} of {} has no channels, so OLM cannot install an operator from this \
             package{why}",
            offer.object()
        ));
    }
    Some(format!(
        "The content of {} has an error that may hide the next version: {}",
        offer.object(),
        fault?
    ))
}
