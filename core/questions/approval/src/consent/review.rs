//! Reviews one requested move of an operator at a given time.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp, Unit};
use portolan_api::policy::{Binding, Intent, unknown_inputs};
use portolan_core_names::text::some;
use portolan_core_rules::rego::{Rule, Ruling};
use portolan_core_rules::schedule::{State, state};
use serde_json::Value;

use crate::consent::world::{BoundPolicy, Fallback, PolicySet, names};
use crate::consent::{Code, Move, Object, OperatorId, Reason, document};

/// The cluster settings for operators without a usable PolicyBinding.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Terms {
    /// The decision for an operator that no usable PolicyBinding selects.
    pub unbound: Fallback,
    /// The effect of a broken or invalid PolicyBinding. `Allow` ignores the binding, and `Deny`
    /// denies the upgrade.
    pub broken: Fallback,
}

/// A function that evaluates a rule. An error contains the reason why the rule has no result. Rules
/// are untrusted, so the function may run each rule in isolation.
pub type Evaluate<'a> = dyn Fn(&Rule, &Value, Timestamp) -> Result<Ruling, String> + 'a;

/// The decision about one requested move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpgradeReview {
    /// True if the move is allowed.
    pub allows: bool,
    /// The reasons for the decision. If the move is denied, the list contains only the reasons for
    /// the denial.
    pub reasons: Vec<Reason>,
    /// Remarks about PolicyBindings that have no effect.
    pub remarks: Vec<Reason>,
    /// The next time at which the decision may change, even if no object changes. None if the
    /// decision depends on objects only.
    pub next: Option<Timestamp>,
}

/// The answer of one Policy to a requested move.
struct Answer {
    reason: Reason,
    allows: bool,
    next: Option<Timestamp>,
}

/// Evaluates a rule in the current thread.
///
/// # Errors
///
/// Returns an error if the rule has no result.
pub fn in_process(rule: &Rule, input: &Value, at: Timestamp) -> Result<Ruling, String> {
    rule.judge(input, at).map_err(|why| why.to_string())
}

/// Decides if an operator may start a move at the given time. `operators` contains all existing
/// operators.
pub fn review(
    world: &PolicySet,
    operators: &BTreeSet<OperatorId>,
    asked: &Move,
    at: Timestamp,
    terms: Terms,
    evaluate: &Evaluate<'_>,
) -> UpgradeReview {
    let (mut denials, mut allowances, mut remarks) = (Vec::new(), Vec::new(), Vec::new());
    let mut next = Vec::new();
    let mut rules = Rules {
        input: document(asked, at),
        at,
        evaluate,
        ruled: BTreeMap::new(),
    };
    for (name, binding) in world.bindings() {
        let effect = effect(world, operators, name, binding, &asked.operator);
        let policies = match effect {
            Effect::None => continue,
            Effect::Broken(reason) if terms.broken == Fallback::Deny => {
                denials.push(reason);
                continue;
            }
            Effect::Broken(reason) => {
                remarks.push(reason);
                continue;
            }
            Effect::Policies(policies) => policies,
        };
        for policy in policies {
            let answer = ask(policy, &mut rules);
            next.extend(answer.next);
            if answer.allows {
                &mut allowances
            } else {
                &mut denials
            }
            .push(answer.reason);
        }
    }
    if denials.is_empty() && allowances.is_empty() {
        let reason = unbound(&asked.operator, terms.unbound);
        match terms.unbound {
            Fallback::Allow => allowances.push(reason),
            Fallback::Deny => denials.push(reason),
        }
    }
    let allows = denials.is_empty();
    UpgradeReview {
        allows,
        reasons: if allows { allowances } else { denials },
        remarks,
        next: next.into_iter().min(),
    }
}

/// The evaluated rules for one move. Each rule is evaluated only once, even if several bindings
/// refer to its Policy.
struct Rules<'w, 'e> {
    input: Value,
    at: Timestamp,
    evaluate: &'e Evaluate<'e>,
    /// The results of the rules that were evaluated so far, by Policy name.
    ruled: BTreeMap<&'w str, Result<Ruling, String>>,
}

impl<'w> Rules<'w, '_> {
    fn ruling(&mut self, policy: &'w str, rule: &Rule) -> Result<Ruling, String> {
        let ruled = self.ruled.entry(policy);
        ruled
            .or_insert_with(|| (self.evaluate)(rule, &self.input, self.at))
            .clone()
    }
}

/// The effect of a binding on one operator.
enum Effect<'a> {
    None,
    Broken(Reason),
    Policies(Vec<BoundPolicy<'a>>),
}

fn effect<'a>(
    world: &'a PolicySet,
    operators: &BTreeSet<OperatorId>,
    name: &'a str,
    binding: &'a Result<Binding, String>,
    operator: &OperatorId,
) -> Effect<'a> {
    let binding = match binding {
        Ok(binding) if !names(binding, operator) => return Effect::None,
        Ok(binding) => binding,
        Err(why) => {
            let message = format!("PolicyBinding {name} cannot be read: {why}");
            return Effect::Broken(reason(Code::BindingInvalid, message, Object::binding(name)));
        }
    };
    let missing = world.missing(binding, operators);
    if missing.is_empty() {
        return Effect::Policies(world.bound(name, binding).collect());
    }
    let message = format!(
        "PolicyBinding {name} names missing objects: {}; create these objects, or remove them from \
         the PolicyBinding",
        some(NAMED, &missing)
    );
    Effect::Broken(reason(Code::BindingBroken, message, Object::binding(name)))
}

/// The maximum number of missing objects that a message names.
pub(crate) const NAMED: usize = 5;

fn ask<'w>(bound: BoundPolicy<'w>, rules: &mut Rules<'w, '_>) -> Answer {
    let at = rules.at;
    let BoundPolicy {
        binding,
        name,
        policy,
    } = bound;
    let answer = |code, message: String, allows, next| Answer {
        reason: reason(code, message, Object::policy(name)),
        allows,
        next,
    };
    let by = format!("Policy {name} (by PolicyBinding {binding})");
    let policy = match policy {
        Ok(policy) => policy,
        Err(why) => {
            let message = format!("{by} cannot be read, so this Policy allows no change: {why}");
            return answer(Code::PolicyInvalid, message, false, None);
        }
    };
    let window = match window(policy, at) {
        State::Open { closes } => closes,
        State::Closed { opens } => {
            let message = match opens {
                Some(opens) => format!("{by} opens its next time window at {opens}"),
                None => format!("{by} has no further time window"),
            };
            return answer(Code::TimeRestricted, message, false, opens);
        }
    };
    let Some(rule) = &policy.rule else {
        let message = match window {
            Some(closes) => format!("{by} allows the change until {closes}"),
            None => format!("{by} allows the change"),
        };
        return answer(Code::Allowed, message, true, window);
    };
    match rules.ruling(name, rule) {
        Ok(Ruling {
            allows,
            asks_for_time,
        }) => {
            let again = asks_for_time.then(|| next_minute(at)).flatten();
            let next = window.into_iter().chain(again).min();
            let doubt = doubt(rule);
            let (code, message) = if allows {
                (
                    Code::Allowed,
                    format!("{by} allows the change, because its rule is true{doubt}"),
                )
            } else {
                (
                    Code::DeniedByRule,
                    format!("{by} has a rule that does not allow the change{doubt}"),
                )
            };
            answer(code, message, allows, next)
        }
        Err(why) => {
            let message = format!(
                "{by} has a rule that cannot be evaluated, so the Policy allows no change: the \
                 rule {why}"
            );
            // The failed evaluation does not show if the rule depends on the time. Therefore the
            // next minute may change the result.
            answer(Code::RuleFailed, message, false, next_minute(at))
        }
    }
}

/// Returns the end of a sentence that lists the fields that the rule reads and that do not exist.
/// Empty if all fields exist.
fn doubt(rule: &Rule) -> String {
    let unknown = unknown_inputs(rule);
    if unknown.is_empty() {
        return String::new();
    }
    format!(
        " ({}); correct the rule, and test it with `portolan policy test`",
        some(NAMED, &unknown)
    )
}

/// Returns the current state of a Policy's schedules: open or closed. A Policy without schedules is
/// always open.
fn window(policy: &Intent, at: Timestamp) -> State {
    match &policy.schedules {
        Some(schedules) => state(schedules, at),
        None => State::Open { closes: None },
    }
}

/// Returns the start of the next minute. The result of a rule that depends on the time may change
/// at any moment, and checking once a minute is precise enough for users.
fn next_minute(at: Timestamp) -> Option<Timestamp> {
    let next = at.checked_add(SignedDuration::from_secs(60)).ok()?;
    let floor = jiff::TimestampRound::new()
        .smallest(Unit::Minute)
        .mode(jiff::RoundMode::Floor);
    next.round(floor).ok()
}

fn unbound(operator: &OperatorId, unbound: Fallback) -> Reason {
    let OperatorId {
        kind,
        namespace,
        name,
    } = operator;
    let message = match unbound {
        Fallback::Allow => "no PolicyBinding names the operator, so it can be upgraded at any time",
        Fallback::Deny => {
            "no PolicyBinding names the operator, but this cluster allows upgrades only with a \
             PolicyBinding"
        }
    };
    let object = Object {
        kind: kind.as_str(),
        namespace: namespace.clone(),
        name: name.clone(),
    };
    reason(Code::NoPolicyBinding, message.to_owned(), object)
}

fn reason(code: Code, message: String, object: Object) -> Reason {
    Reason {
        code,
        message,
        object,
    }
}
