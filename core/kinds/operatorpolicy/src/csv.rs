//! The condition about the installed ClusterServiceVersion, as OLM reports it.

#[cfg(test)]
mod tests;
mod upgrade;

use portolan_api::{ConditionType, Reason, RelatedObject};
use portolan_core_names::trouble;
use portolan_core_olm::{ClusterServiceVersion, CsvPhase, HealthCode, HealthTopic};

use crate::case::Case;
use crate::contribution::{Contribution, known, related};
use crate::desired::{Condition, ConditionReason, Status};
use crate::kinds::CSV;
use crate::phrase::clause;
use crate::plan::{UNMET, allows, field};
use crate::{Answer, Operator, words};
use upgrade::{Upgrade, stalled, successor};

pub(crate) use upgrade::{is_leaving, is_upgrading};

const TYPE: ConditionType = ConditionType::ClusterServiceVersionCompliant;

/// Judges the installed ClusterServiceVersion.
pub(crate) fn judge(case: &Case<'_>) -> Contribution {
    match case.installed() {
        None => missing(case),
        Some(csv) => one(case, csv),
    }
}

/// Reports that no ClusterServiceVersion is installed, even if other objects of the operator exist.
fn missing(case: &Case<'_>) -> Contribution {
    let package = &case.intent.subscription.package;
    let named = case.subscription().map(|each| &each.status.installed_csv);
    let named = named.filter(|name| !name.is_empty());
    let message = match named {
        Some(name) => match original(case, name) {
            Some(original) => copied(case, original),
            None => trouble::operator_gone(&case.namespace.name, name),
        },
        None => format!("No ClusterServiceVersion of {package} is installed"),
    };
    let mut objects = labeled(case);
    if objects.is_empty() {
        let name = (Some(case.namespace.name.as_str()), package.as_str());
        let reason = "Resource not found but should exist";
        objects.push(related(CSV, name, Some("NonCompliant"), reason));
    }
    Contribution::of(Condition::bad(
        TYPE,
        Reason::ClusterServiceVersionMissing,
        message,
    ))
    .add_related(TYPE, objects)
}

/// Returns the original of the ClusterServiceVersion with this name, if the ClusterServiceVersion
/// in this namespace is only a copy. OLM copies ClusterServiceVersions to the namespaces that their
/// operators watch. Returns None otherwise.
fn original<'a>(case: &Case<'a>, name: &str) -> Option<&'a ClusterServiceVersion> {
    let mut all = case.namespace.elsewhere.iter();
    all.find(|each| each.metadata.name.as_deref() == Some(name))
        .map(|each| &**each)
}

/// Returns the message for a namespace that contains only a copy of the ClusterServiceVersion. OLM
/// cannot install the same version in this namespace.
fn copied(case: &Case<'_>, original: &ClusterServiceVersion) -> String {
    let (name, here) = (name(original), &case.namespace.name);
    let there = original.metadata.namespace.as_deref().unwrap_or_default();
    let remedy = match case.intent.operator_group {
        Some(_) => "remove spec.operatorGroup and delete the OperatorGroup",
        None => "delete the OperatorGroup",
    };
    format!(
        "Namespace {here} has only a copy of ClusterServiceVersion {there}/{name}, whose operator \
         watches all namespaces. OLM cannot install the same version in namespace {here} again; \
         {remedy} of namespace {here} to use the existing operator, or remove the existing operator"
    )
}

/// Returns the ClusterServiceVersions with OLM's label of the operator.
fn labeled(case: &Case<'_>) -> Vec<RelatedObject> {
    let package = case.intent.subscription.package.as_str();
    let csvs = case.namespace.csvs.iter();
    let own = csvs.filter(|csv| csv.package().as_deref() == Some(package));
    own.map(|csv| object(csv, is_well(csv), &word(csv)))
        .collect()
}

fn one(case: &Case<'_>, csv: &ClusterServiceVersion) -> Contribution {
    let name = name(csv);
    if !allows(case.intent, name, &csv.spec.version) {
        let field = field(case.intent);
        let message = format!(
            "{name} is installed, but {field} does not allow this version. Add this version to \
             {field}; the installed version is kept"
        );
        return Contribution::of(Condition::bad(TYPE, Reason::UnapprovedVersion, message))
            .add_related(TYPE, vec![object(csv, false, "The version is not allowed")]);
    }
    let upgrade = upgrade::progress(case, csv);
    let condition = Condition {
        type_: TYPE,
        status: if is_well(csv) {
            Status::True
        } else {
            Status::False
        },
        reason: ConditionReason::Olm(word(csv)),
        message: message(case, csv, &upgrade),
        violates: !is_well(csv) && !upgrade.is_under_way(),
        since: None,
    };
    let objects = vec![object(csv, is_well(csv), &word(csv))];
    let part = Contribution::of(condition).add_related(TYPE, objects);
    match upgrade {
        Upgrade::UnderWay(Some(later)) => part.requeue_at(later),
        Upgrade::UnderWay(None) | Upgrade::Stalled(_) | Upgrade::Counted => part,
    }
}

/// Returns OLM's message about the ClusterServiceVersion, with details that OLM does not report.
fn message(case: &Case<'_>, csv: &ClusterServiceVersion, upgrade: &Upgrade<'_>) -> String {
    let claim = claim(case, csv);
    let condition = match clause(&csv.status.message).as_str() {
        "" => claim,
        message => format!("{claim}: {message}"),
    };
    if let Some(stuck) = stuck(case, csv) {
        return format!("{condition}. {stuck}");
    }
    if let Upgrade::Stalled(next) = upgrade {
        return format!("{condition}{}", stalled(case, csv, next));
    }
    match (although(case, csv), lacking(case, csv)) {
        (Some(although), _) => format!("{condition}, although health says: {although}"),
        (None, Some(lacking)) => format!("{condition}: {lacking}"),
        (None, None) => condition,
    }
}

/// Returns the remedy for an operator that OLM will never start. OLM never starts a version that
/// replaces a Pending version with a missing requirement. Returns None in all other cases. `csv`
/// may be either of the two versions.
fn stuck(case: &Case<'_>, csv: &ClusterServiceVersion) -> Option<String> {
    let (old, next) = match case.csv(&csv.spec.replaces) {
        Some(replaced) => (replaced, csv),
        None => (csv, successor(case, csv)?),
    };
    let is_pending = |csv: &ClusterServiceVersion| csv.status.phase == CsvPhase::Pending;
    let is_stuck = is_pending(next) && is_pending(old) && old.status.reason == UNMET;
    let (namespace, next, old) = (&case.namespace.name, name(next), name(old));
    is_stuck.then(|| {
        format!(
            "OLM does not start {next} while the replaced {old} is Pending. Meanwhile, OLM blocks \
             all operators of namespace {namespace}. Delete ClusterServiceVersion \
             {namespace}/{old}; OLM then installs {next}"
        )
    })
}

/// Returns the missing requirement that the operator waits for. Returns None if the name of the
/// requirement is unknown, because OLM reports only that a requirement is missing.
fn lacking(case: &Case<'_>, csv: &ClusterServiceVersion) -> Option<String> {
    if csv.status.phase != CsvPhase::Pending {
        return None;
    }
    let requirement = operator(case, csv)?.first_about(HealthTopic::Requirement);
    requirement.map(clause)
}

fn claim(case: &Case<'_>, csv: &ClusterServiceVersion) -> String {
    let (namespace, name) = (&case.namespace.name, name(csv));
    let claim = match &csv.status.phase {
        CsvPhase::Failed => trouble::operator_failed(namespace, name),
        CsvPhase::Pending => trouble::operator_waits(namespace, name),
        CsvPhase::Other(word) if word.is_empty() => {
            return format!("ClusterServiceVersion {name} has not been checked by OLM yet");
        }
        phase @ (CsvPhase::InstallReady
        | CsvPhase::Installing
        | CsvPhase::Succeeded
        | CsvPhase::Replacing
        | CsvPhase::Deleting
        | CsvPhase::Unknown
        | CsvPhase::Other(_)) => return format!("ClusterServiceVersion {name} is {phase}"),
    };
    match csv.status.reason.as_str() {
        reason if words::is_reason(reason) => format!("{claim} ({reason})"),
        _ => claim,
    }
}

/// Returns the problem that the health service reports for an operator that OLM reports as healthy.
/// Returns None if there is no problem, or if another condition reports the problem.
fn although(case: &Case<'_>, csv: &ClusterServiceVersion) -> Option<String> {
    let operator = operator(case, csv)?;
    let message = unwell(operator).or_else(|| unwilling(operator));
    message.filter(|_| is_well(csv)).map(clause)
}

/// Returns the operator from the health service's report. Returns None if the report does not
/// contain the operator.
fn operator<'a>(case: &Case<'a>, csv: &ClusterServiceVersion) -> Option<&'a Operator> {
    match &case.answers.operator {
        Answer::Found(operator) if operator.csv == name(csv) => Some(operator),
        Answer::Found(_) | Answer::NotAsked | Answer::NotFound(_) | Answer::Unavailable(_) => None,
    }
}

fn unwell(operator: &Operator) -> Option<&str> {
    let mut reasons = operator.verdict.reasons.iter();
    let worst = reasons.find(|reason| !reason.code.known().is_some_and(is_elsewhere))?;
    Some(&worst.message)
}

/// Returns true if another condition reports a problem with this code. Other conditions report
/// Deployments and their Pods, the catalog, the Subscription, and the phase of the
/// ClusterServiceVersion.
fn is_elsewhere(code: HealthCode) -> bool {
    match code.topic() {
        HealthTopic::Catalog
        | HealthTopic::PodFailure
        | HealthTopic::PodProgress
        | HealthTopic::Deployment
        | HealthTopic::Subscription
        | HealthTopic::Phase => true,
        HealthTopic::Observation
        | HealthTopic::OperatorGroup
        | HealthTopic::Requirement
        | HealthTopic::OperatorCondition
        | HealthTopic::Presence
        | HealthTopic::Installation
        | HealthTopic::Fine => false,
    }
}

/// Returns the message of an operator that blocks its own upgrades. Returns None if the operator
/// allows upgrades. An operator can block upgrades even if it is healthy.
fn unwilling(operator: &Operator) -> Option<&str> {
    let mut facts = operator.facts.iter();
    let fact = facts.find(|fact| fact.code.known() == Some(HealthCode::NotUpgradeable))?;
    Some(&fact.message)
}

fn is_well(csv: &ClusterServiceVersion) -> bool {
    csv.status.phase == CsvPhase::Succeeded
}

/// Returns the reason that OLM reports. If a condition cannot contain this reason, returns the
/// phase instead.
fn word(csv: &ClusterServiceVersion) -> String {
    let phase = csv.status.phase.to_string();
    let words = [csv.status.reason.clone(), phase];
    let mut words = words.into_iter();
    words
        .find(|word| words::is_reason(word))
        .unwrap_or_else(|| "Unknown".to_owned())
}

fn object(csv: &ClusterServiceVersion, is_content: bool, reason: &str) -> RelatedObject {
    let compliant = if is_content {
        "Compliant"
    } else {
        "NonCompliant"
    };
    let metadata = &csv.metadata;
    let at = (metadata.namespace.as_deref(), name(csv));
    let object = related(CSV, at, Some(compliant), reason);
    known(object, metadata.uid.as_deref(), false)
}

fn name(csv: &ClusterServiceVersion) -> &str {
    csv.metadata.name.as_deref().unwrap_or_default()
}
