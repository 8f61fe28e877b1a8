//! Diagnoses OperatorPolicies, Policies and PolicyBindings.

mod contested;
pub(super) mod removal;
mod rule;
#[cfg(test)]
mod tests;
mod trouble;

use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use portolan_api::policy::{self, Policy, PolicyBinding};
use portolan_api::status::ConditionTypes;
use portolan_api::{Compliance, ConditionType, OperatorPolicy, OperatorPolicyStatus, Reason};
use portolan_core_olm::Subscription;

use self::trouble::trouble;
use super::{OwnKind, not_observed, outdated, subject};
use crate::command::Target;
use crate::cure::Cure;
use crate::diagnose::of_status;
use crate::headline::Impact;
use crate::webhook::FailingWebhook;
use crate::{Cause, Code, Confidence, Diagnosis, Evidence, Object, State, Step, Workloads, words};

/// Diagnoses an OperatorPolicy from its status. A policy that is not Compliant has causes for its
/// violated conditions.
///
/// # Guarantees
///
/// The diagnosis uses only the status. The diagnosis of a policy without a status is `NotObserved`.
/// A NonCompliant policy is never healthy.
pub fn diagnose_operator_policy(policy: &OperatorPolicy) -> Diagnosis {
    among(policy, &Workloads::default(), &[])
}

/// An OperatorPolicy, with the other objects that explain it.
#[derive(Debug, Clone, Copy)]
struct PolicyCase<'a> {
    policy: &'a OperatorPolicy,
    object: &'a Object,
    status: &'a OperatorPolicyStatus,
    workloads: &'a Workloads,
    subscriptions: &'a [Arc<Subscription>],
}

/// Diagnoses an OperatorPolicy like [`diagnose_operator_policy`]. In addition, uses the workloads
/// of the operator that the policy removes, the workloads that serve a webhook, and the
/// Subscription of the policy.
pub(super) fn among(
    policy: &OperatorPolicy,
    workloads: &Workloads,
    subscriptions: &[Arc<Subscription>],
) -> Diagnosis {
    let metadata = &policy.metadata;
    let object = Object::new(
        OwnKind::OperatorPolicy.as_str(),
        metadata.namespace.as_deref().unwrap_or_default(),
        metadata.name.as_deref().unwrap_or_default(),
    );
    let written = policy.status.as_ref();
    let written = written.filter(|it| it.compliant.is_some() || !it.conditions.is_empty());
    let Some(status) = written else {
        return unwritten(OwnKind::OperatorPolicy, object);
    };
    let case = |status| PolicyCase {
        policy,
        object: &object,
        status,
        workloads,
        subscriptions,
    };
    let causes = match status.compliant {
        Some(Compliance::Compliant) => Vec::new(),
        Some(Compliance::NonCompliant | Compliance::Pending | Compliance::Terminating) | None => {
            violations(case(status))
        }
    };
    let unknown = outdated(status.observed_generation, metadata.generation);
    let told = (Impact::of(&object), &*status.conditions);
    let mut diagnosis = of_status(subject(object.clone(), ""), causes, unknown, told);
    let root = diagnosis.cause.as_ref();
    if root.is_some_and(|it| it.code == Code::DriftContested) {
        diagnosis.headline = contested::headline(case(status));
    }
    diagnosis.made_plain()
}

/// Diagnoses a Policy of `operators.operatorframework.io` from its status.
pub fn diagnose_policy(policy: &Policy) -> Diagnosis {
    let name = policy.metadata.name.as_deref().unwrap_or_default();
    let status = policy.status.as_ref();
    let conditions = status.map_or(&[][..], |it| &it.conditions);
    let seen = status.and_then(|it| it.observed_generation);
    let unknown = outdated(seen, policy.metadata.generation);
    let doubt = rule::doubt(policy, name);
    of_conditions(OwnKind::Policy, name, conditions, doubt, unknown)
}

/// Diagnoses a PolicyBinding of `operators.operatorframework.io` from its status.
pub fn diagnose_binding(binding: &PolicyBinding) -> Diagnosis {
    let name = binding.metadata.name.as_deref().unwrap_or_default();
    let status = binding.status.as_ref();
    let conditions = status.map_or(&[][..], |it| &it.conditions);
    let seen = status.and_then(|it| it.observed_generation);
    let unknown = outdated(seen, binding.metadata.generation);
    of_conditions(OwnKind::PolicyBinding, name, conditions, None, unknown)
}

fn unwritten(kind: OwnKind, object: Object) -> Diagnosis {
    let cause = not_observed(&object, kind.unwritten_cure());
    let told = (Impact::of(&object), &[][..]);
    of_status(subject(object, ""), vec![cause], None, told)
}

fn of_conditions(
    kind: OwnKind,
    name: &str,
    conditions: &[Condition],
    doubt: Option<Cause>,
    unknown: Option<String>,
) -> Diagnosis {
    let object = Object::new(kind.as_str(), "", name);
    if conditions.is_empty() {
        return unwritten(kind, object);
    }
    let causes = conditions
        .iter()
        .filter_map(|said| condition_cause(kind, &object, said));
    let causes = causes.chain(doubt).collect();
    let told = (Impact::of(&object), conditions);
    of_status(subject(object, ""), causes, unknown, told)
}

fn condition_cause(kind: OwnKind, object: &Object, said: &Condition) -> Option<Cause> {
    let (code, beginning, who, action) = match policy::ConditionType::of(said)? {
        policy::ConditionType::Accepted if said.status != "True" => (
            Code::PolicyInvalid,
            "The policy is invalid",
            "the author of the policy",
            "Correct the field that the message names.",
        ),
        policy::ConditionType::Broken if said.status != "False" => (
            Code::ReferenceMissing,
            "The PolicyBinding has no effect",
            "the author of the PolicyBinding",
            "Create the missing objects, or correct the references to these objects.",
        ),
        policy::ConditionType::Accepted | policy::ConditionType::Broken => return None,
    };
    let message = format!("{beginning}: {}", said.message);
    Some(told(kind, object, said, code, State::Stuck, &message).cured(Cure::external(who, action)))
}

/// Returns a cause with the condition as evidence, and with the command that shows the object.
fn told(
    kind: OwnKind,
    object: &Object,
    said: &Condition,
    code: Code,
    state: State,
    message: &str,
) -> Cause {
    let cause = Cause::new(code, state, object.clone(), &words::sentence(message));
    let target = Target::new(kind.resource(), &object.namespace, &object.name);
    let look = Step::new(&format!("Show {object}"), target.get());
    cause
        .shown([Evidence::reported(object.clone(), said)])
        .looked([look])
}

/// Returns the causes of a policy that is not Compliant. There is a cause for each violated
/// condition that the compliance depends on. If no such condition is violated, returns causes for
/// the other violated conditions, or for the summary condition.
fn violations(case: PolicyCase<'_>) -> Vec<Cause> {
    let PolicyCase {
        object,
        status,
        workloads,
        ..
    } = case;
    let held = removal::held(status);
    let violated = |said: &&Condition| is_violated(said);
    let of = |is_meant: fn(ConditionType) -> bool| {
        let conditions = status.conditions.iter().filter(violated);
        let meant = conditions
            .filter(|said| ConditionType::of(said).is_some_and(is_meant))
            .map(|said| violation(case, said));
        meant.collect::<Vec<_>>()
    };
    let required = of(ConditionType::is_required);
    let is_stuck = required.iter().any(|cause| cause.state >= State::Stuck);
    if let Some(said) = held.filter(|_| is_stuck) {
        let others = status.conditions.iter().filter(violated);
        let others =
            others.filter(|it| ConditionType::of(it).is_some_and(ConditionType::is_required));
        let others = others.filter(|it| it.type_ != said.type_ && !removal::is_later(it));
        let others = others.map(|said| violation(case, said)).collect();
        return vec![removal::cause(object, status, said, (others, workloads))];
    }
    if !required.is_empty() {
        return merged(required);
    }
    let others = of(|it| it != ConditionType::Compliant);
    if !others.is_empty() {
        return merged(others);
    }
    match &of(|it| it == ConditionType::Compliant)[..] {
        [] => vec![unexplained(object, status.compliant)],
        summary => summary.to_vec(),
    }
}

/// Merges causes with the same code, so that the root of the diagnosis contains the messages and
/// the evidence of each.
fn merged(causes: Vec<Cause>) -> Vec<Cause> {
    let mut merged: Vec<Cause> = Vec::new();
    for cause in causes {
        match merged.iter_mut().find(|it| it.code == cause.code) {
            Some(first) => {
                first.state = first.state.max(cause.state);
                first.message = format!("{} {}", first.message, cause.message);
                first.evidence.extend(cause.evidence);
            }
            None => merged.push(cause),
        }
    }
    merged
}

fn unexplained(object: &Object, compliant: Option<Compliance>) -> Cause {
    let (code, state, message) = match compliant {
        Some(Compliance::NonCompliant) => (
            Code::PolicyNonCompliant,
            State::Stuck,
            "The policy is NonCompliant, but no condition shows the reason.",
        ),
        Some(Compliance::Terminating) => (
            Code::InProgress,
            State::Working,
            "The policy is being deleted.",
        ),
        Some(Compliance::Compliant | Compliance::Pending) | None => (
            Code::NotObserved,
            State::Working,
            "The compliance of the policy is not known yet.",
        ),
    };
    let evidence = Evidence::at(
        object.clone(),
        "status.compliant",
        &format!("{compliant:?}"),
    );
    Cause::new(code, state, object.clone(), message).shown([evidence])
}

fn is_violated(said: &Condition) -> bool {
    let is_of_trouble = ConditionType::of(said).is_some_and(ConditionType::is_of_trouble);
    let good = if is_of_trouble { "False" } else { "True" };
    said.status != good
}

/// The JSON text before the value of a variable, in a message that quotes a list of variables.
const QUOTED: &str = "\"value\":\"";

/// Removes the quoted values of variables from a message. The reader of a diagnosis may have no
/// permission to read these values.
fn without_values(text: &str) -> String {
    let mut parts = text.split(QUOTED);
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        kept.push_str(QUOTED);
        kept.push_str("(left out)");
        kept.push_str(&part[end_of_quotation(part)..]);
    }
    kept
}

/// Returns the position of the quotation mark that ends a JSON string. If the text is truncated
/// before this mark, returns the end of the text.
fn end_of_quotation(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.find(|char| {
        let ends = char == '"' && !is_escaped;
        is_escaped = char == '\\' && !is_escaped;
        ends
    });
    end.unwrap_or(text.len())
}

fn violation(case: PolicyCase<'_>, said: &Condition) -> Cause {
    let object = case.object;
    let said = &Condition {
        message: without_values(&said.message),
        ..said.clone()
    };
    let (code, state) = match Reason::parse(&said.reason) {
        Some(reason) => trouble(reason),
        // A newer version of the controller, or another controller, has written this reason.
        None => (Code::PolicyNonCompliant, State::Stuck),
    };
    let beginning = if code == Code::PolicyInvalid {
        "The policy is invalid"
    } else {
        &said.type_
    };
    let message = format!("{beginning}: {}", said.message);
    let is_summary = ConditionType::of(said) == Some(ConditionType::Compliant);
    if Reason::parse(&said.reason) == Some(Reason::Contested) && !is_summary {
        return contested::cause(case, said);
    }
    let cause = told(OwnKind::OperatorPolicy, object, said, code, state, &message);
    if let Some(webhook) = FailingWebhook::of(&said.message) {
        let innocent = format!("{object} needs no change: the controller retries by itself.");
        let webhook = webhook.refusing("a change of the policy".to_owned(), &innocent);
        return webhook.explain(cause, case.workloads);
    }
    let cause = if code == Code::PolicyNonCompliant {
        Cause {
            confidence: Confidence::likely(SYMPTOM),
            ..cause
        }
    } else {
        cause
    };
    let cure = match (code, state) {
        (Code::InProgress | Code::NotObserved, _) => Cure::Time,
        (Code::PolicyInvalid, _) => Cure::external(
            "the author of the policy",
            "Correct the field that the message names.",
        ),
        (_, State::Waiting) => Cure::external(
            "the author of the policy",
            "Allow the version in the policy, or wait. `portolan review` shows what the policies \
             allow.",
        ),
        _ => Cure::external("the owner of the operator", &case.action()),
    };
    cause.cured(cure)
}

/// The reason why the cause is uncertain if the condition reports only a deviation.
const SYMPTOM: &str =
    "The controller reports this deviation. The cause of the deviation was not checked.";

// === impl PolicyCase ===

impl PolicyCase<'_> {
    /// Returns the action for a deviation whose cause is in the operator that the policy manages.
    fn action(&self) -> String {
        let find = match self.subscription_name() {
            Some((namespace, name)) => format!(
                "Run `portolan diagnose sub/{name} -n {namespace}` to find the cause in the operator \
                 itself."
            ),
            None => {
                "Run `portolan diagnose` without a name to find the cause in the operator itself."
                    .to_owned()
            }
        };
        let action = self.policy.spec.as_json()["remediationAction"].as_str();
        if action.is_some_and(|it| it.eq_ignore_ascii_case("inform")) {
            format!("{find} remediationAction is inform, so the controller changes nothing.")
        } else {
            find
        }
    }

    /// Returns the namespace and the name of the Subscription that the status of the policy names.
    fn subscription_name(&self) -> Option<(&str, &str)> {
        subscription_name(self.status)
    }
}

/// Returns the namespace of the Subscription if another client reverts the changes of the policy.
pub(super) fn contested_namespace(status: &OperatorPolicyStatus) -> Option<&str> {
    let mut said = status.conditions.iter();
    said.find(|it| Reason::parse(&it.reason) == Some(Reason::Contested))?;
    subscription_name(status).map(|(namespace, _)| namespace)
}

/// Returns the namespace and the name of the Subscription that the status of a policy names.
fn subscription_name(status: &OperatorPolicyStatus) -> Option<(&str, &str)> {
    let mut related = status.related_objects.iter();
    let object = &related.find(|it| it.object.kind == "Subscription")?.object;
    let metadata = &object.metadata;
    let namespace = metadata.namespace.as_deref()?;
    let is_name = |it: &str| !it.is_empty() && it != "-";
    is_name(&metadata.name).then_some((namespace, metadata.name.as_str()))
}
