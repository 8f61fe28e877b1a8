//! The statuses of Policies and PolicyBindings.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use portolan_api::policy::{
    BindingStatus, ConditionType, PolicyStatus, Reason, Reference, WindowStatus,
};
use portolan_api::status::{self, Conditions, Reconcile, Undecided};
use portolan_core_names::text::some;
use portolan_core_rules::schedule::windows;

use crate::consent::review::NAMED;
use crate::consent::{BindingFacts, Object, OperatorId, PolicyFacts};

/// The maximum number of time windows in the status.
const MOST_WINDOWS: usize = 3;
/// The maximum number of names in a list of the status.
const MOST_NAMES: usize = 100;

/// A condition without transition times. The status sets these times.
type UndatedCondition = status::UndatedCondition<Reason>;

/// Returns the status of a Policy with this generation. Also returns the time at which the status
/// may change although the Policy does not change.
pub fn policy_status(
    facts: &PolicyFacts,
    before: &PolicyStatus,
    generation: Option<i64>,
    now: Timestamp,
) -> (PolicyStatus, Option<Timestamp>) {
    let schedules = facts.schedules.as_deref().unwrap_or_default();
    let next: Vec<_> = windows(schedules, now).take(MOST_WINDOWS).collect();
    let until = next.first().and_then(|window| window.closes);
    let accepted = accepted(facts.refused.as_deref(), "Policy");
    let decided = Conditions::default().with(ConditionType::Accepted, accepted);
    let reconcile = Reconcile {
        before: &before.conditions,
        generation,
        now: Time(now),
    };
    let status = PolicyStatus {
        observed_generation: generation,
        conditions: decided.render(&reconcile, undecided),
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

/// Returns the status of a PolicyBinding with this generation.
pub fn binding_status(
    facts: &BindingFacts,
    before: &BindingStatus,
    generation: Option<i64>,
    now: Timestamp,
) -> BindingStatus {
    let refused = facts.refused.as_deref();
    let decided = Conditions::default()
        .with(ConditionType::Accepted, accepted(refused, "PolicyBinding"))
        .with(ConditionType::Broken, broken(facts));
    let reconcile = Reconcile {
        before: &before.conditions,
        generation,
        now: Time(now),
    };
    let operators = facts.operators.iter().take(MOST_NAMES);
    let missing = facts.missing.iter().take(MOST_NAMES);
    BindingStatus {
        observed_generation: generation,
        conditions: decided.render(&reconcile, undecided),
        // An invalid binding does not show which operators it selects, so their number is unknown.
        operator_count: refused
            .is_none()
            .then(|| i64::try_from(facts.operators.len()).unwrap_or(i64::MAX)),
        operators: operators.map(operator).collect(),
        missing: missing.map(reference).collect(),
    }
}

fn accepted(refused: Option<&str>, kind: &str) -> UndatedCondition {
    match refused {
        None => UndatedCondition::yes(Reason::Accepted, format!("the {kind} can be read")),
        Some(why) => UndatedCondition::no(Reason::SpecInvalid, why),
    }
}

fn broken(facts: &BindingFacts) -> UndatedCondition {
    if facts.refused.is_some() {
        let sentence = "the PolicyBinding cannot be read, so the objects that it names are unknown";
        UndatedCondition::not_yet(Reason::SpecInvalid, sentence)
    } else if facts.missing.is_empty() {
        UndatedCondition::no(
            Reason::AllFound,
            "all objects that the PolicyBinding names exist",
        )
    } else {
        let sentence = format!(
            "the PolicyBinding names missing objects: {}; create these objects, or remove them \
             from the PolicyBinding",
            some(NAMED, &facts.missing)
        );
        UndatedCondition::yes(Reason::ReferenceMissing, sentence)
    }
}

/// Decides if a condition that the reconciliation has not decided is kept or removed.
fn undecided(type_: ConditionType) -> Undecided<Reason> {
    match type_ {
        // Every reconciliation decides this condition, so this case does not occur.
        ConditionType::Accepted => Undecided::Kept,
        // Only PolicyBindings have this condition, so it is removed from other objects.
        ConditionType::Broken => Undecided::Removed,
    }
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
