//! Checks of a policy that need other objects in addition to its spec.

use portolan_api::{CREATED_BY, ConditionType, Form, Reason, Says, Standing, Withheld};
use portolan_core_names::text::some;
use serde_json::json;

use crate::case::Case;
use crate::contribution::Contribution;
use crate::desired::{Action, Condition, Step};
use crate::not_judged::NotJudged;
use crate::phrase::{INFORMS, READ_ONLY};
use crate::{Observed, WriteMode, kinds};

/// The maximum number of policies in a message. The status lists all policies.
const MOST_NAMED: usize = 10;

/// Returns an error if a policy with a valid spec cannot be judged. This is the case if it
/// contradicts another policy, its namespace, or the Subscription that it created.
pub(crate) fn contradiction(case: &Case<'_>) -> Result<(), NotJudged> {
    let overlapping = overlapping(case);
    if !overlapping.is_empty() {
        return Err(NotJudged::Invalid {
            sentences: vec![overlap_sentence(case, &overlapping)],
            overlapping,
        });
    }
    match group_elsewhere(case).or_else(|| moved(case)) {
        Some(sentence) => Err(NotJudged::invalid(vec![sentence])),
        None => Ok(()),
    }
}

/// Returns the enforced policies that manage the same Subscription, as `name.namespace`. The result
/// includes this policy. Empty if no other enforced policy manages the Subscription.
fn overlapping(case: &Case<'_>) -> Vec<String> {
    let Some(own) = case.observed.standing.as_ref() else {
        return Vec::new();
    };
    let mut ids: Vec<_> = match &own.says {
        Says::Withholds(Withheld::Overlaps(overlap)) => overlap.all().to_vec(),
        Says::Withholds(Withheld::MustNotHave) => {
            let neighbors = case.observed.neighbors.iter();
            let others = neighbors.filter(|other| is_against(own, other));
            others.map(|other| other.id.clone()).collect()
        }
        Says::Withholds(Withheld::Leaving | Withheld::Invalid(_) | Withheld::Inform)
        | Says::Allows(_) => Vec::new(),
    };
    if ids.is_empty() {
        return Vec::new();
    }
    ids.push(own.id.clone());
    let names = ids.iter().map(|id| format!("{}.{}", id.name, id.namespace));
    let mut names: Vec<_> = names.collect();
    names.sort();
    names.dedup();
    names
}

/// Returns true if another policy conflicts with this policy, which removes the Subscription. The
/// other policy overlaps with this policy, or also removes the Subscription.
fn is_against(own: &Standing, other: &Standing) -> bool {
    let is_same = own.package == other.package && own.namespace == other.namespace;
    is_same
        && match &other.says {
            Says::Withholds(Withheld::Overlaps(overlap)) => overlap
                .all()
                .iter()
                .any(|id| (&id.namespace, &id.name) == (&own.id.namespace, &own.id.name)),
            Says::Withholds(Withheld::MustNotHave) => true,
            Says::Withholds(Withheld::Leaving | Withheld::Invalid(_) | Withheld::Inform)
            | Says::Allows(_) => false,
        }
}

fn overlap_sentence(case: &Case<'_>, all: &[String]) -> String {
    format!(
        "several enforced policies manage Subscription {}/{}: {}; enforce only one of these \
         policies",
        case.namespace.name,
        case.intent.subscription.package,
        some(MOST_NAMED, all)
    )
}

/// Returns a message if the policy sets another namespace for its OperatorGroup than for its
/// operator. Returns None otherwise.
fn group_elsewhere(case: &Case<'_>) -> Option<String> {
    let group = case.intent.operator_group.as_ref()?;
    let namespace = group.namespace.as_deref()?;
    let is_foreign = namespace != case.namespace.name && !case.namespace.name.is_empty();
    is_foreign.then(|| {
        format!(
            "spec.operatorGroup.namespace is {namespace:?}, but the operator belongs to namespace \
             {:?}; set that namespace, or remove the field",
            case.namespace.name
        )
    })
}

/// Returns a message if an enforced policy in the design form no longer names the Subscription that
/// it created. Returns None otherwise. In the established form, such a policy is valid, and the
/// controller abandons the old Subscription.
fn moved(case: &Case<'_>) -> Option<String> {
    let is_held = case.intent.form == Form::Design && case.intent.is_enforced();
    abandoned(case.observed).filter(|_| is_held)
}

/// Returns a message if the policy created a Subscription and no longer names it. The message
/// explains how a user resolves this. Returns None if there is no such Subscription.
pub(crate) fn abandoned(observed: &Observed) -> Option<String> {
    let metadata = &observed.abandoned.first()?.metadata;
    let name = metadata.name.as_deref().unwrap_or_default();
    let namespace = metadata.namespace.as_deref().unwrap_or_default();
    Some(format!(
        "this policy created Subscription {namespace}/{name}, but spec.subscription no longer \
         names this Subscription. To remove the operator, name this Subscription again, and then \
         delete the \
         policy. To keep the operator, release this Subscription with: kubectl annotate \
         subscriptions.operators.coreos.com {name} -n {namespace} {CREATED_BY}-"
    ))
}

/// Builds the condition about the validity of the policy and the existence of its namespace. Adds a
/// step that creates a missing namespace.
pub(crate) fn namespace(case: &Case<'_>) -> Contribution {
    let type_ = ConditionType::ValidPolicySpec;
    let name = case.namespace.name.as_str();
    let good = Condition::good(type_, Reason::PolicyValidated, valid(case));
    let Some(namespace) = &case.namespace.object else {
        return if case.acts() && case.observed.has_olm {
            Contribution::of(missing_yet(case)).add_step(create(name, good))
        } else {
            let message = format!(
                "namespace {name} does not exist; create this namespace, or set another namespace"
            );
            Contribution::of(Condition::bad(type_, Reason::InvalidPolicySpec, message))
        };
    };
    if namespace.metadata.deletion_timestamp.is_some() {
        let message = format!(
            "namespace {name} is being deleted; wait until the namespace is deleted, or set \
             another namespace"
        );
        return Contribution::of(Condition::bad(type_, Reason::InvalidPolicySpec, message));
    }
    Contribution::of(good)
}

/// Builds the condition of a valid policy whose namespace does not exist yet. The controller
/// creates the namespace before all other objects.
fn missing_yet(case: &Case<'_>) -> Condition {
    let message = format!(
        "{}; namespace {} does not exist yet, and will be created",
        valid(case),
        case.namespace.name
    );
    Condition::good(
        ConditionType::ValidPolicySpec,
        Reason::PolicyValidated,
        message,
    )
}

fn create(name: &str, done: Condition) -> Step {
    let (api_version, kind) = kinds::NAMESPACE;
    Step {
        action: Action::Create(json!({
            "apiVersion": api_version,
            "kind": kind,
            "metadata": {"name": name},
        })),
        type_: ConditionType::ValidPolicySpec,
        done,
        related: Vec::new(),
    }
}

/// Returns the reason why the controller creates no objects in the namespace, as a clause. Returns
/// None if the controller creates objects.
pub(crate) fn cannot_create(case: &Case<'_>) -> Option<String> {
    if !case.intent.is_enforced() {
        return Some(format!("nothing is created because {INFORMS}"));
    }
    if !case.acts() {
        return Some(format!("nothing is created because {READ_ONLY}"));
    }
    let namespace = case.namespace.object.as_ref();
    let is_going = namespace.is_some_and(|all| all.metadata.deletion_timestamp.is_some());
    is_going.then(|| "nothing is created because the namespace is being deleted".to_owned())
}

/// Returns the message for a valid policy.
pub(crate) fn valid(case: &Case<'_>) -> String {
    match &case.observed.write_mode {
        WriteMode::ReadWrite => "the policy is valid".to_owned(),
        WriteMode::ReadOnly(why) => {
            format!("the policy is valid, but it has no effect: {why}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_ten_policies_and_the_number_of_others() {
        let names: Vec<_> = (0..12).map(|number| format!("p{number}.a")).collect();
        assert_eq!(some(MOST_NAMED, &names[..2]), "p0.a, p1.a");
        let listed = "p0.a, p1.a, p2.a, p3.a, p4.a, p5.a, p6.a, p7.a, p8.a, p9.a and 2 more";
        assert_eq!(some(MOST_NAMED, &names), listed);
    }
}
