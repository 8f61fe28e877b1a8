//! Operators that no time window ever lets move.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::jiff::Timestamp;
use portolan_api::operator::{Operator, Reason};
use portolan_api::policy::{Policy, PolicyBinding, SubjectKind};
use portolan_api::qualified;
use portolan_core_approval::consent::{OperatorId, PolicySet, TimeLimit, never_overlap};
use portolan_core_names::text::listed;

use crate::command::{OWN_BINDINGS, OWN_POLICIES, Target};
use crate::cure::Cure;
use crate::{Cause, Code, Confidence, Evidence, Object, State, Step};

/// The Policies whose windows are never open together for an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NeverOpen {
    limits: Vec<Limit>,
}

/// A Policy with its windows in words.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Limit {
    binding: String,
    policy: String,
    /// The crontab lines.
    lines: String,
    /// The next window as an example; empty without one.
    example: String,
}

/// The Policies and PolicyBindings, parsed, with all Operators.
#[derive(Debug)]
pub(crate) struct Windows {
    policies: PolicySet,
    operators: BTreeSet<OperatorId>,
    /// The time from which windows are searched.
    since: Timestamp,
    /// The results so far, by the names of bindings and Policies. Many Operators have the same.
    known: BTreeMap<Vec<(String, String)>, Option<NeverOpen>>,
}

// === impl Windows ===

impl Windows {
    /// Parses the policies if an Operator waits for a time window.
    pub(crate) fn of<'a>(
        operators: impl Iterator<Item = &'a Operator> + Clone,
        policies: impl Iterator<Item = &'a Policy>,
        bindings: impl Iterator<Item = &'a PolicyBinding>,
        others: impl Iterator<Item = OperatorId>,
    ) -> Option<Self> {
        let since = operators.clone().filter_map(waits_since).max()?;
        let operators = operators.map(id).chain(others);
        Some(Self {
            policies: PolicySet::of(policies, bindings),
            operators: operators.collect(),
            since,
            known: BTreeMap::new(),
        })
    }

    /// Returns the Policies that never let this Operator move, if that is so.
    pub(crate) fn never_open(&mut self, operator: &Operator) -> Option<NeverOpen> {
        waits_since(operator)?;
        let limits = self.policies.time_limits(&self.operators, &id(operator));
        let names = limits
            .iter()
            .map(|it| (it.binding.to_owned(), it.policy.to_owned()));
        let names: Vec<_> = names.collect();
        let since = self.since;
        let result = self.known.entry(names).or_insert_with(|| {
            let is_never = !limits.is_empty() && never_overlap(&limits, since);
            is_never.then(|| NeverOpen {
                limits: limits.iter().map(|limit| Limit::of(limit, since)).collect(),
            })
        });
        result.clone()
    }
}

fn id(operator: &Operator) -> OperatorId {
    let name = operator.metadata.name.as_deref().unwrap_or_default();
    OperatorId::of(SubjectKind::Operator, "", name)
}

/// Returns the time since which the Operator has waited for a time window.
fn waits_since(operator: &Operator) -> Option<Timestamp> {
    let conditions = operator.status.iter().flat_map(|status| &status.conditions);
    let mut waits =
        conditions.filter(|said| Reason::parse(&said.reason) == Some(Reason::TimeRestricted));
    waits.next().map(|said| said.last_transition_time.0)
}

// === impl NeverOpen ===

impl NeverOpen {
    /// Returns the cause, with the cure.
    pub(super) fn cause(&self, operator: &Object, next: Option<&str>) -> Cause {
        let next = next.unwrap_or("the next version");
        let limits = listed(self.limits.iter().map(Limit::in_words));
        let why = match self.limits.len() {
            1 => "its windows do not open within a year",
            _ => "their windows never overlap, and all of them must be open",
        };
        let message = format!("Policies never allow {next} to start, because {why}: {limits}.");
        let at_fault = match self.limits.last() {
            Some(limit) => Object::new(qualified::POLICY_BINDING, "", limit.binding.as_str()),
            None => operator.clone(),
        };
        let cause = Cause::new(Code::WindowsNeverOverlap, State::Stuck, at_fault, &message);
        let bindings: BTreeSet<_> = self.limits.iter().map(|it| it.binding.as_str()).collect();
        let cure = Cure::external(
            &format!("the owners of PolicyBinding {}", listed(&bindings)),
            &format!(
                "Agree on one Policy for Operator {}: take the Operator out of the other binding, or add a \
                 common window to a Policy. The upgrade then starts by itself in the window.",
                operator.name
            ),
        );
        let shown = self.limits.iter().flat_map(Limit::evidence);
        let looks = self.limits.iter().flat_map(Limit::looks);
        let cause = cause.cured(cure).shown(shown).looked(looks);
        let reason = "The schedules of the Policies show it for a whole year.";
        Cause {
            confidence: Confidence::proved(reason),
            ..cause
        }
    }
}

// === impl Limit ===

impl Limit {
    fn of(limit: &TimeLimit<'_>, since: Timestamp) -> Self {
        let lines = limit.schedules.iter().map(|schedule| {
            let (start, end) = (schedule.start().as_str(), schedule.end().as_str());
            format!("from \"{start}\" to \"{end}\"")
        });
        let window = limit
            .first(since)
            .and_then(|window| Some((window.opens, window.closes?)));
        let example = window.map(|(opens, closes)| {
            let format = "%a %Y-%m-%d %H:%M";
            format!(
                ", such as {} to {} UTC",
                opens.strftime(format),
                closes.strftime(format)
            )
        });
        Self {
            binding: limit.binding.to_owned(),
            policy: limit.policy.to_owned(),
            lines: listed(lines),
            example: example.unwrap_or_default(),
        }
    }

    fn in_words(&self) -> String {
        let Self {
            binding,
            policy,
            lines,
            example,
        } = self;
        format!("Policy {policy} (by PolicyBinding {binding}) is open {lines}{example}")
    }

    fn evidence(&self) -> [Evidence; 2] {
        let policy = Object::new(qualified::POLICY, "", self.policy.as_str());
        let binding = Object::new(qualified::POLICY_BINDING, "", self.binding.as_str());
        [
            Evidence::at(policy, "spec.schedule", &self.lines),
            Evidence::at(binding, "spec.policyRef", &self.policy),
        ]
    }

    fn looks(&self) -> [Step; 2] {
        let policy = Target::new(OWN_POLICIES, "", &self.policy);
        let binding = Target::new(OWN_BINDINGS, "", &self.binding);
        [
            Step::new(&format!("Show Policy {}", self.policy), policy.get()),
            Step::new(
                &format!("Show PolicyBinding {}", self.binding),
                binding.get(),
            ),
        ]
    }
}
