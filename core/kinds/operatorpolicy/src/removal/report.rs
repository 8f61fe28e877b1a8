//! The report about an operator that must be absent.

use portolan_api::{ConditionType, Reason, RelatedObject};

use super::case::RemovalCase;
use super::inventory::Inventory;
use super::related::ignored;
use super::stage::Stage;
use super::summary::summarize;
use crate::case::Case;
use crate::contribution::related;
use crate::desired::{Condition, Report};
use crate::kinds::{CATALOG_SOURCE, DEPLOYMENT};
use crate::{Answer, HealthFact, valid};

/// The stages in the order of their conditions in the report.
const ORDER: &[Stage] = &[
    Stage::Groups,
    Stage::Subscriptions,
    Stage::Plans,
    Stage::Csvs,
    Stage::Crds,
];

/// Returns the report: the conditions of all stages, and good conditions for everything that a
/// removal does not check.
pub(super) fn report(
    removal: &RemovalCase<'_>,
    inventory: &Inventory,
    case: Option<&Case<'_>>,
) -> Report {
    let mut report = Report::default();
    report.conditions.push(valid(case));
    for stage in ORDER {
        let (condition, related) = summarize(removal, inventory, *stage);
        report.related.push((condition.type_, related));
        report.conditions.push(condition);
    }
    report.conditions.push(Condition::good(
        ConditionType::DeploymentCompliant,
        Reason::DeploymentNotApplicable,
        "Deployments are not checked when an operator is removed",
    ));
    if let Some(found) = deployments(removal, case) {
        report
            .related
            .push((ConditionType::DeploymentCompliant, found));
    }
    report.conditions.push(Condition::good(
        ConditionType::CatalogSourcesUnhealthy,
        Reason::CatalogSourceNotApplicable,
        "CatalogSources are not checked when an operator is removed",
    ));
    let type_ = ConditionType::CatalogSourcesUnhealthy;
    report.related.push((type_, catalogs(removal)));
    report.conditions.push(Condition::good(
        ConditionType::MinorChannelUpgradeAvailable,
        Reason::Skipped,
        "channels are not checked when an operator is removed",
    ));
    report
}

/// Builds the condition that the policy is valid. For a policy that is being deleted, no other code
/// adds this condition.
fn valid(case: Option<&Case<'_>>) -> Condition {
    let message = case.map_or("the policy is valid".to_owned(), valid::valid);
    let type_ = ConditionType::ValidPolicySpec;
    Condition::good(type_, Reason::PolicyValidated, message)
}

/// Returns the Deployments of the operator. Returns None if the health service does not know them.
fn deployments(removal: &RemovalCase<'_>, case: Option<&Case<'_>>) -> Option<Vec<RelatedObject>> {
    let facts = match &case?.answers.operator {
        Answer::Found(operator) => operator.facts.as_slice(),
        Answer::NotFound(_) => &[],
        Answer::NotAsked | Answer::Unavailable(_) => return None,
    };
    let entry = |fact: &HealthFact| {
        let reason = match fact.uid.as_str() {
            "" => "Resource not found as expected",
            _ => ignored(removal),
        };
        let name = (Some(fact.namespace.as_str()), fact.name.as_str());
        related(DEPLOYMENT, name, Some("Compliant"), reason)
    };
    let (_, kind) = DEPLOYMENT;
    let found: Vec<_> = facts
        .iter()
        .filter(|fact| fact.kind == kind)
        .map(entry)
        .collect();
    if !found.is_empty() {
        return Some(found);
    }
    let reason = "No relevant deployments found";
    Some(vec![related(
        DEPLOYMENT,
        (None, "-"),
        Some("Inapplicable"),
        reason,
    )])
}

/// Returns the related objects of the existing catalogs and of the catalog that the policy names.
fn catalogs(removal: &RemovalCase<'_>) -> Vec<RelatedObject> {
    let there = removal
        .namespace
        .catalogs
        .iter()
        .map(|catalog| catalog.identity());
    let mut there: Vec<_> = there.map(|it| (it.namespace, it.name)).collect();
    there.sort();
    let subscription = &removal.intent.subscription;
    let wanted = subscription.source.clone();
    let wanted = wanted.map(|name| (subscription.source_namespace.clone(), name));
    let missing = wanted.filter(|wanted| !there.contains(wanted));
    let entry = |(namespace, name): &(Option<String>, String), reason| {
        let name = (namespace.as_deref(), name.as_str());
        related(CATALOG_SOURCE, name, Some("Compliant"), reason)
    };
    let there = there.iter().map(|name| entry(name, ignored(removal)));
    let missing = missing
        .iter()
        .map(|name| entry(name, "Resource not found as expected"));
    there.chain(missing).collect()
}
