//! The condition about the operator's Deployments, as the health service reports them.

#[cfg(test)]
mod tests;

use portolan_api::{ConditionType, Effect, Form, Reason, RelatedObject};
use portolan_core_olm::{ClusterServiceVersion, CsvPhase, HealthCode, HealthTopic};

use crate::case::Case;
use crate::contribution::{Contribution, known, related};
use crate::desired::{Condition, Status};
use crate::kinds::{DEPLOYMENT, SERVICE_ACCOUNT};
use crate::phrase::clause;
use crate::{Answer, HealthFact, Operator, State, csv};

const TYPE: ConditionType = ConditionType::DeploymentCompliant;
const DESIGN: ConditionType = ConditionType::DeploymentsAvailable;

/// The verdict on the Deployments. It does not depend on the form of the policy.
struct DeploymentVerdict {
    is_available: bool,
    reason: Reason,
    message: String,
}

/// A Deployment of the operator.
struct WantedDeployment<'a> {
    name: &'a str,
    /// The worst fact of the health service about the Deployment. None if the health service
    /// reports no fact.
    fact: Option<&'a HealthFact>,
    /// True if the unavailable Deployment does not violate the policy. This requires three facts:
    /// an upgrade rolls out the Deployment, the minimum number of replicas is available, and
    /// `effects` in the policy do not count unavailable Deployments as a violation.
    is_excused: bool,
}

/// Judges the Deployments of the installed operator.
pub(crate) fn judge(case: &Case<'_>) -> Contribution {
    let Some(csv) = case.installed() else {
        return none_matter(case);
    };
    match installed_operator(case, csv) {
        Ok(operator) => available(case, csv, operator),
        Err(why) => keep(case, &why),
    }
}

/// Builds the contribution if no operator is installed.
fn none_matter(case: &Case<'_>) -> Contribution {
    let condition = |type_, status| Condition {
        violates: false,
        ..Condition::new(
            type_,
            status,
            Reason::NoRelevantDeployments,
            "Operator is not installed; there are no Deployments to check",
        )
    };
    let name = (Some(case.namespace.name.as_str()), "-");
    let reason = "No relevant deployments found";
    let none = related(DEPLOYMENT, name, Some("Inapplicable"), reason);
    let part = Contribution::of(condition(TYPE, Status::True)).add_related(TYPE, vec![none]);
    match case.intent.form {
        Form::Established => part,
        // A client that waits until this condition is True must not stop before the operator is
        // installed.
        Form::Design => part
            .add_condition(condition(DESIGN, Status::False))
            .add_related(DESIGN, Vec::new()),
    }
}

fn keep(case: &Case<'_>, why: &str) -> Contribution {
    let part = Contribution::default().keep(TYPE, why);
    match case.intent.form {
        Form::Established => part,
        Form::Design => part.keep(DESIGN, why),
    }
}

/// Returns the installed operator from the health service's report. Returns the reason if its
/// health is unknown.
fn installed_operator<'a>(
    case: &Case<'a>,
    csv: &ClusterServiceVersion,
) -> Result<&'a Operator, String> {
    let operator = match &case.answers.operator {
        Answer::Found(operator) => operator,
        Answer::NotAsked => return Err("the health service was not asked".to_owned()),
        Answer::NotFound(why) => return Err(format!("health says: {}", clause(why))),
        Answer::Unavailable(unavailable) => return Err(unavailable.to_string()),
    };
    let installed = csv.metadata.name.as_deref().unwrap_or_default();
    if operator.csv != installed {
        let other = match operator.csv.as_str() {
            "" => "no ClusterServiceVersion",
            other => other,
        };
        return Err(format!(
            "health reports {other}, and {installed} is installed"
        ));
    }
    let mut facts = operator.facts.iter();
    let unseen = facts.find(|fact| {
        fact.kind == DEPLOYMENT.1 && fact.code.known() == Some(HealthCode::NotObserved)
    });
    match unseen {
        Some(fact) => Err(format!("health says: {}", clause(&fact.message))),
        None => Ok(operator),
    }
}

fn available(case: &Case<'_>, csv: &ClusterServiceVersion, operator: &Operator) -> Contribution {
    let mut names: Vec<_> = csv
        .deployments()
        .iter()
        .map(|each| each.name.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    let is_upgrading = csv::is_upgrading(case, csv);
    let wanted: Vec<_> = names
        .into_iter()
        .map(|name| WantedDeployment {
            name,
            fact: worst(operator, name),
            is_excused: is_upgrading && has_minimum(operator, name),
        })
        .collect();
    let verdict = verdict(csv, &wanted, operator);
    let objects = wanted.iter().map(|each| deployment(case, each)).collect();
    let part = Contribution::of(established(case, &verdict));
    let part = part.add_related(TYPE, objects);
    match case.intent.form {
        Form::Established => part,
        Form::Design => part
            .add_condition(design(case, &verdict))
            .add_related(DESIGN, accounts(case, csv, operator)),
    }
}

/// Returns the facts of the health service about a Deployment.
fn facts<'a>(operator: &'a Operator, name: &str) -> impl Iterator<Item = &'a HealthFact> {
    let facts = operator.facts.iter();
    facts.filter(move |fact| fact.kind == DEPLOYMENT.1 && fact.name == name)
}

/// Returns true if the minimum number of replicas is available and no fact about the Deployment has
/// the state No.
fn has_minimum(operator: &Operator, name: &str) -> bool {
    let is_minimum =
        |fact: &HealthFact| fact.code.known() == Some(HealthCode::DeploymentMinimumAvailable);
    facts(operator, name).any(is_minimum)
        && facts(operator, name).all(|fact| fact.state != State::No)
}

/// Returns the worst fact of the health service about a Deployment. Returns None if there is no
/// fact.
fn worst<'a>(operator: &'a Operator, name: &str) -> Option<&'a HealthFact> {
    facts(operator, name).min_by_key(|fact| match fact.state {
        State::No => 0,
        State::NotYet => 1,
        State::Yes => 2,
    })
}

fn verdict(
    csv: &ClusterServiceVersion,
    wanted: &[WantedDeployment<'_>],
    operator: &Operator,
) -> DeploymentVerdict {
    let bad: Vec<_> = wanted.iter().filter(|each| !each.is_available()).collect();
    if bad.is_empty() {
        return content(csv, wanted);
    }
    let mut sentences: Vec<_> = bad.iter().map(|each| each.sentence()).collect();
    let cause = cause(operator);
    // Avoids repeating a cause that the sentence about the Deployment already contains.
    let is_told = |cause: &String| sentences.iter().any(|told| told.contains(cause.as_str()));
    let cause = cause.filter(|cause| !is_told(cause));
    sentences.extend(cause);
    let reason = if wanted.iter().all(WantedDeployment::is_missing) {
        Reason::NoExistingDeployments
    } else {
        Reason::DeploymentsUnavailable
    };
    DeploymentVerdict {
        is_available: false,
        reason,
        message: sentences.join("; "),
    }
}

fn content(csv: &ClusterServiceVersion, wanted: &[WantedDeployment<'_>]) -> DeploymentVerdict {
    let name = csv.metadata.name.as_deref().unwrap_or_default();
    let excused = wanted.iter().filter(|each| each.is_excused);
    let excused: Vec<_> = excused.map(WantedDeployment::sentence).collect();
    let reason = if wanted.is_empty() {
        Reason::NoExistingDeployments
    } else {
        Reason::DeploymentsAvailable
    };
    let message = match (wanted.len(), excused.as_slice()) {
        (0, _) => format!("{name} has no Deployments"),
        (1, []) => format!("The Deployment of {name} is available"),
        (count, []) => format!("All {count} Deployments of {name} are available"),
        (_, excused) => format!(
            "During the upgrade to {name}, the minimum number of replicas is available: {}",
            excused.join("; ")
        ),
    };
    DeploymentVerdict {
        is_available: true,
        reason,
        message,
    }
}

/// Returns one sentence about why the Deployments are unavailable. Returns None if the cause is
/// unknown.
fn cause(operator: &Operator) -> Option<String> {
    operator.first_about(HealthTopic::PodFailure).map(clause)
}

/// Builds the condition for the established form. The condition stays True for unavailable
/// Deployments if the policy does not count them as a violation.
fn established(case: &Case<'_>, verdict: &DeploymentVerdict) -> Condition {
    let status = match (verdict.is_available, effect(case)) {
        (true, _) | (false, Effect::Condition) => Status::True,
        (false, Effect::NonCompliant) => Status::False,
    };
    Condition::new(TYPE, status, verdict.reason, verdict.message.as_str())
}

/// Builds the condition for the design form. Its status always shows the real state of the
/// Deployments.
fn design(case: &Case<'_>, verdict: &DeploymentVerdict) -> Condition {
    let (status, reason) = if verdict.is_available {
        (Status::True, Reason::DeploymentsAvailable)
    } else {
        (Status::False, Reason::DeploymentsUnavailable)
    };
    let violates = match effect(case) {
        Effect::Condition => false,
        Effect::NonCompliant => !verdict.is_available,
    };
    Condition {
        violates,
        ..Condition::new(DESIGN, status, reason, verdict.message.as_str())
    }
}

fn effect(case: &Case<'_>) -> Effect {
    case.intent.effects.deployments_unavailable
}

fn deployment(case: &Case<'_>, wanted: &WantedDeployment<'_>) -> RelatedObject {
    let compliant = match (wanted.is_available(), effect(case)) {
        (true, _) | (false, Effect::Condition) => "Compliant",
        (false, Effect::NonCompliant) => "NonCompliant",
    };
    let reason = if wanted.is_missing() {
        "Resource not found but should exist".to_owned()
    } else if wanted.is_available() {
        "Deployment Available".to_owned()
    } else {
        format!("Deployment Unavailable: {}", wanted.sentence())
    };
    let name = (Some(case.namespace.name.as_str()), wanted.name);
    let uid = wanted.fact.map_or("", |fact| &fact.uid);
    with_uid(related(DEPLOYMENT, name, Some(compliant), reason), uid)
}

/// Returns the ServiceAccounts that the operator installs, with the facts of the health service
/// about them. ServiceAccounts do not affect the verdict on the Deployments.
fn accounts(
    case: &Case<'_>,
    csv: &ClusterServiceVersion,
    operator: &Operator,
) -> Vec<RelatedObject> {
    let facts = operator.facts.iter().filter(|fact| {
        fact.kind == SERVICE_ACCOUNT.1 && fact.code.known() != Some(HealthCode::NotObserved)
    });
    let mut facts: Vec<_> = facts.collect();
    // Sorts the worst fact of each ServiceAccount to the front, so that only this fact is kept.
    facts.sort_by_key(|fact| (&fact.namespace, &fact.name, fact.state == State::Yes));
    facts.dedup_by_key(|fact| (&fact.namespace, &fact.name));
    let strategy = &csv.spec.install.spec;
    let permissions = strategy
        .permissions
        .iter()
        .chain(&strategy.cluster_permissions);
    let mut names: Vec<_> = permissions
        .map(|each| each.service_account.as_str())
        .collect();
    names.retain(|name| !name.is_empty() && facts.iter().all(|fact| fact.name != *name));
    names.sort_unstable();
    names.dedup();
    let installed = names
        .into_iter()
        .map(|name| installed_account(case, csv, name));
    installed.chain(facts.into_iter().map(account)).collect()
}

/// Returns the entry of a ServiceAccount about which the health service reports no fact. This
/// ServiceAccount is healthy, because OLM creates ServiceAccounts before the operator succeeds.
fn installed_account(case: &Case<'_>, csv: &ClusterServiceVersion, name: &str) -> RelatedObject {
    let (compliant, reason) = match csv.status.phase {
        CsvPhase::Succeeded => (Some("Compliant"), "Resource found as expected"),
        CsvPhase::Pending
        | CsvPhase::InstallReady
        | CsvPhase::Installing
        | CsvPhase::Failed
        | CsvPhase::Replacing
        | CsvPhase::Deleting
        | CsvPhase::Unknown
        | CsvPhase::Other(_) => (None, "The operator requires this Deployment"),
    };
    let at = (Some(case.namespace.name.as_str()), name);
    related(SERVICE_ACCOUNT, at, compliant, reason)
}

fn account(fact: &HealthFact) -> RelatedObject {
    let (compliant, reason) = match (fact.state, fact.uid.is_empty()) {
        (State::Yes, _) => ("Compliant", "Resource found as expected".to_owned()),
        (State::No | State::NotYet, true) => {
            let reason = "Resource not found but should exist";
            ("NonCompliant", reason.to_owned())
        }
        (State::No | State::NotYet, false) => ("NonCompliant", clause(&fact.message)),
    };
    let name = (Some(fact.namespace.as_str()), fact.name.as_str());
    let object = related(SERVICE_ACCOUNT, name, Some(compliant), reason);
    with_uid(object, &fact.uid)
}

fn with_uid(object: RelatedObject, uid: &str) -> RelatedObject {
    match uid {
        "" => object,
        uid => known(object, Some(uid), false),
    }
}

// === impl WantedDeployment ===

impl WantedDeployment<'_> {
    fn is_available(&self) -> bool {
        self.is_excused || self.fact.is_some_and(|fact| fact.state == State::Yes)
    }

    fn is_missing(&self) -> bool {
        self.fact.is_none_or(|fact| fact.uid.is_empty())
    }

    fn sentence(&self) -> String {
        match self.fact {
            Some(fact) => clause(&fact.message),
            None => format!("Deployment {} does not exist yet", self.name),
        }
    }
}
