//! Finds Operators that cannot be upgraded in any time window.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::jiff::Timestamp;
use portolan_api::operator::{Operator, Reason};
use portolan_api::policy::{Binding, Policy, PolicyBinding, Subject, SubjectKind};
use portolan_api::qualified;
use portolan_core_approval::consent::{OperatorId, PolicySet, TimeLimit, never_overlap};
use portolan_core_names::text::listed;

use crate::command::{OWN_BINDINGS, OWN_POLICIES, Target};
use crate::cure::Cure;
use crate::{Cause, Code, Confidence, Evidence, Object, State, Step};

/// The Policies of one Operator whose time windows are never open at the same time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NeverOpen {
    limits: Vec<Limit>,
}

/// A Policy that restricts an Operator to time windows, in the form for messages.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Limit {
    binding: String,
    /// True if the PolicyBinding selects all Operators.
    is_wide: bool,
    policy: String,
    /// The crontab lines of the time windows.
    lines: String,
    /// The end of a sentence with the next window. Empty if there is no next window.
    next: String,
}

/// The parsed Policies and PolicyBindings, with the ids of all Operators that they can select.
#[derive(Debug)]
pub(crate) struct Windows {
    policies: PolicySet,
    operators: BTreeSet<OperatorId>,
    /// The open or next window of each Policy, from its status.
    reported: BTreeMap<String, Opening>,
    /// The PolicyBindings that select all Operators.
    wide: BTreeSet<String>,
    /// The time at which the search for overlapping windows starts.
    since: Timestamp,
    /// The results that were already calculated, by the names of the bindings and Policies. Many
    /// Operators share the same bindings and Policies.
    known: BTreeMap<Vec<(String, String)>, Option<NeverOpen>>,
}

/// The opening and closing time of a window.
type Opening = (Timestamp, Timestamp);

// === impl Windows ===

impl Windows {
    /// Parses the Policies and PolicyBindings. Returns None if no Operator waits for a time window.
    pub(crate) fn of<'a>(
        operators: impl Iterator<Item = &'a Operator> + Clone,
        policies: impl Iterator<Item = &'a Policy> + Clone,
        bindings: impl Iterator<Item = &'a PolicyBinding> + Clone,
        others: impl Iterator<Item = OperatorId>,
    ) -> Option<Self> {
        let since = operators.clone().filter_map(waits_since).max()?;
        let operators = operators.map(id).chain(others);
        Some(Self {
            reported: policies.clone().filter_map(reported).collect(),
            wide: bindings.clone().filter_map(wide).collect(),
            policies: PolicySet::of(policies, bindings),
            operators: operators.collect(),
            since,
            known: BTreeMap::new(),
        })
    }

    /// Returns the Policies whose windows never allow an upgrade of this Operator. Returns None if
    /// the Operator does not wait for a window, or if a time exists at which all windows are open.
    pub(crate) fn never_open(&mut self, operator: &Operator) -> Option<NeverOpen> {
        waits_since(operator)?;
        let limits = self.policies.time_limits(&self.operators, &id(operator));
        let names = limits
            .iter()
            .map(|it| (it.binding.to_owned(), it.policy.to_owned()));
        let names: Vec<_> = names.collect();
        let (since, reported, wide) = (self.since, &self.reported, &self.wide);
        let result = self.known.entry(names).or_insert_with(|| {
            let is_never = !limits.is_empty() && never_overlap(&limits, since);
            is_never.then(|| NeverOpen {
                limits: limits
                    .iter()
                    .map(|limit| Limit {
                        is_wide: wide.contains(limit.binding),
                        ..Limit::of(limit, reported.get(limit.policy), since)
                    })
                    .collect(),
            })
        });
        result.clone()
    }
}

fn id(operator: &Operator) -> OperatorId {
    let name = operator.metadata.name.as_deref().unwrap_or_default();
    OperatorId::of(SubjectKind::Operator, "", name)
}

/// Returns the name of a Policy, with the open or next window from its status.
fn reported(policy: &Policy) -> Option<(String, Opening)> {
    let window = policy.status.as_ref()?.windows.first()?;
    let closes = window.closes.as_ref()?;
    Some((policy.metadata.name.clone()?, (window.opens.0, closes.0)))
}

/// Returns the name of a PolicyBinding that selects all Operators.
fn wide(binding: &PolicyBinding) -> Option<String> {
    let parsed = Binding::parse(binding).ok()?;
    let mut subjects = parsed.subjects.iter();
    let is_wide = subjects.any(|subject| {
        let Subject::All { kind, .. } = subject else {
            return false;
        };
        *kind == SubjectKind::Operator
    });
    binding.metadata.name.clone().filter(|_| is_wide)
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
    /// Returns the cause with its cure. `next` is the name of the next bundle.
    pub(super) fn cause(&self, operator: &Object, next: Option<&str>) -> Cause {
        let message = self.message(next.unwrap_or("the next version"));
        let mut bindings: BTreeSet<_> = self.limits.iter().map(Limit::binding).collect();
        let last = bindings.pop_last().unwrap_or_else(|| operator.clone());
        let cause = Cause::new(Code::WindowsNeverOverlap, State::Stuck, last, &message);
        let shown = self.limits.iter().flat_map(Limit::evidence);
        let looks = self.limits.iter().flat_map(Limit::looks);
        let cause = cause.cured(self.cure(&operator.name));
        let reason = "According to the schedules of the Policies, no window opens for the upgrade within a year.";
        Cause {
            confidence: Confidence::proved(reason),
            also_at_fault: bindings.into_iter().collect(),
            ..cause.shown(shown).looked(looks)
        }
    }

    fn message(&self, next: &str) -> String {
        let limits: Vec<_> = self.limits.iter().map(Limit::in_words).collect();
        let why = match self.limits.len() {
            1 => "the windows of its Policy do not open within a year",
            _ => {
                "the windows of all its Policies must be open at the same time, but these windows \
                  never overlap"
            }
        };
        let has_next = self.limits.iter().any(|limit| !limit.next.is_empty());
        let nothing = match self.limits.len() {
            _ if !has_next => "",
            1 => " No upgrade starts at these times.",
            2 => {
                " No upgrade starts in either window, because the other window is closed at that \
                  time."
            }
            _ => {
                " No upgrade starts in any of these windows, because another window is closed at \
                  that time."
            }
        };
        format!(
            "{next} can never start: {why}. {}.{nothing}",
            limits.join(". ")
        )
    }

    fn cure(&self, operator: &str) -> Cure {
        let bindings: BTreeSet<_> = self.limits.iter().map(|it| it.binding.as_str()).collect();
        let who = match bindings.len() {
            1 => format!("the owner of PolicyBinding {}", listed(&bindings)),
            _ => format!("the owners of PolicyBindings {}", listed(&bindings)),
        };
        let wide = self.limits.iter().filter(|it| it.is_wide);
        let wide: BTreeSet<_> = wide.map(|it| it.binding.as_str()).collect();
        let wide = wide.into_iter().map(|binding| {
            format!(
                " PolicyBinding {binding} selects all Operators (*): instead, list the Operators \
                 by name, without {operator}."
            )
        });
        let wide: String = wide.collect();
        let action = format!(
            "The Policies of Operator {operator} have no common window. Either remove {operator} \
             from one of the PolicyBindings, or add a window to one Policy so that the windows \
             overlap.{wide} The \
             upgrade then starts by itself in the window."
        );
        Cure::external(&who, &action)
    }
}

// === impl Limit ===

impl Limit {
    fn of(limit: &TimeLimit<'_>, reported: Option<&Opening>, since: Timestamp) -> Self {
        let lines = limit.schedules.iter().map(|schedule| {
            let (start, end) = (schedule.start().as_str(), schedule.end().as_str());
            format!("\"{start}\" to \"{end}\"")
        });
        let first = limit
            .first(since)
            .and_then(|window| Some((window.opens, window.closes?)));
        let (window, when) = match reported {
            Some(reported) => (Some(*reported), "opens next"),
            None => (first, "opens, for example,"),
        };
        let next = window.map(|(opens, closes)| {
            let format = "%a %Y-%m-%d %H:%M";
            format!(
                "{when} from {} to {} UTC",
                opens.strftime(format),
                closes.strftime(format)
            )
        });
        Self {
            binding: limit.binding.to_owned(),
            policy: limit.policy.to_owned(),
            is_wide: false,
            lines: listed(lines),
            next: next.unwrap_or_default(),
        }
    }

    fn in_words(&self) -> String {
        let Self {
            binding,
            policy,
            lines,
            next,
            is_wide: _,
        } = self;
        let opens = match next.as_str() {
            "" => "does not open",
            next => next,
        };
        format!("Policy {policy} (by PolicyBinding {binding}) {opens}, by its schedule {lines}")
    }

    fn binding(&self) -> Object {
        Object::new(qualified::POLICY_BINDING, "", self.binding.as_str())
    }

    fn evidence(&self) -> [Evidence; 2] {
        let policy = Object::new(qualified::POLICY, "", self.policy.as_str());
        let binding = self.binding();
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
