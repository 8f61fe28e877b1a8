//! The statuses of Policies and PolicyBindings.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use portolan_api::Statement;
use portolan_api::policy::{
    BindingStatus, ConditionType, PolicyStatus, Reason, Reference, WindowStatus,
};
use portolan_core_names::text::some;
use portolan_core_rules::schedule::windows;

use crate::consent::review::NAMED;
use crate::consent::{BindingFacts, Object, OperatorId, PolicyFacts};

/// The maximum number of windows in a status.
const MOST_WINDOWS: usize = 3;
/// The maximum number of names in a list.
const MOST_NAMES: usize = 100;

/// One condition without its times.
struct UndatedCondition {
    type_: ConditionType,
    status: &'static str,
    reason: Reason,
    message: String,
}

/// Returns the status of a Policy of this generation, and the time at which it may change by
/// itself.
pub fn policy_status(
    facts: &PolicyFacts,
    before: &PolicyStatus,
    generation: Option<i64>,
    now: Timestamp,
) -> (PolicyStatus, Option<Timestamp>) {
    let schedules = facts.schedules.as_deref().unwrap_or_default();
    let next: Vec<_> = windows(schedules, now).take(MOST_WINDOWS).collect();
    let until = next.first().and_then(|window| window.closes);
    let said = accepted(facts.refused.as_deref(), "Policy");
    let status = PolicyStatus {
        observed_generation: generation,
        conditions: conditions([said], &before.conditions, generation, now),
        windows: next
            .iter()
            .map(|window| WindowStatus {
                opens: Time(window.opens),
                closes: window.closes.map(Time),
            })
            .collect(),
        bindings: facts.bindings.iter().take(MOST_NAMES).cloned().collect(),
    };
    (status, until)
}

/// Returns the status of a PolicyBinding of this generation.
pub fn binding_status(
    facts: &BindingFacts,
    before: &BindingStatus,
    generation: Option<i64>,
    now: Timestamp,
) -> BindingStatus {
    let refused = facts.refused.as_deref();
    let said = [accepted(refused, "PolicyBinding"), broken(facts)];
    let operators = facts.operators.iter().take(MOST_NAMES);
    let missing = facts.missing.iter().take(MOST_NAMES);
    BindingStatus {
        observed_generation: generation,
        conditions: conditions(said, &before.conditions, generation, now),
        // The count is unknown for an invalid binding.
        operator_count: refused
            .is_none()
            .then(|| i64::try_from(facts.operators.len()).unwrap_or(i64::MAX)),
        operators: operators.map(operator).collect(),
        missing: missing.map(reference).collect(),
    }
}

fn accepted(refused: Option<&str>, kind: &str) -> UndatedCondition {
    let (status, reason, message) = match refused {
        None => ("True", Reason::Accepted, format!("the {kind} can be read")),
        Some(why) => ("False", Reason::SpecInvalid, why.to_owned()),
    };
    UndatedCondition {
        type_: ConditionType::Accepted,
        status,
        reason,
        message,
    }
}

fn broken(facts: &BindingFacts) -> UndatedCondition {
    let (status, reason, message) = if facts.refused.is_some() {
        let sentence = "nobody knows what a PolicyBinding names that cannot be read";
        ("Unknown", Reason::SpecInvalid, sentence.to_owned())
    } else if facts.missing.is_empty() {
        let sentence = "all that it names is there";
        ("False", Reason::AllFound, sentence.to_owned())
    } else {
        let sentence = format!(
            "it names what is not there: {}; make it, or take it out of the PolicyBinding",
            some(NAMED, &facts.missing)
        );
        ("True", Reason::ReferenceMissing, sentence)
    };
    UndatedCondition {
        type_: ConditionType::Broken,
        status,
        reason,
        message,
    }
}

/// Returns the conditions. Unchanged conditions keep their transition times.
fn conditions<const N: usize>(
    said: [UndatedCondition; N],
    before: &[Condition],
    generation: Option<i64>,
    now: Timestamp,
) -> Vec<Condition> {
    let conditions = said.map(|said| {
        let statement = Statement {
            type_: said.type_.as_str(),
            status: said.status,
            reason: said.reason.as_str(),
            message: &said.message,
        };
        statement.since(before, generation, Time(now))
    });
    conditions.into()
}

fn operator(operator: &OperatorId) -> Reference {
    Reference {
        kind: operator.kind.as_str().to_owned(),
        namespace: operator.namespace.clone(),
        name: operator.name.clone(),
    }
}

fn reference(object: &Object) -> Reference {
    Reference {
        kind: object.kind.to_owned(),
        namespace: object.namespace.clone(),
        name: object.name.clone(),
    }
}
