//! Sets, keeps, renders and finds the conditions of a status. All kinds use this module.
//!
//! A reconcile sets the conditions that it has determined. For every other condition type,
//! [`Conditions::render`] calls one function of the kind. This function matches on all types, so
//! the compiler reports an error when a type is added. So no condition is dropped silently.
//!
//! ```
//! use portolan_api::plan::{ConditionType, Reason};
//! use portolan_api::status::{Conditions, Reconcile, Undecided, UndatedCondition, is_true};
//!
//! let valid = UndatedCondition::yes(Reason::PlanValid, "the plan is valid");
//! let conditions = Conditions::default().with(ConditionType::Valid, valid);
//! let now = "2026-01-01T00:00:00Z".parse().map(k8s_openapi::apimachinery::pkg::apis::meta::v1::Time)?;
//! let reconcile = Reconcile { before: &[], generation: Some(1), now };
//! let conditions = conditions.render(&reconcile, |type_| match type_ {
//!     ConditionType::Valid | ConditionType::Permitted | ConditionType::Applied => Undecided::Kept,
//!     ConditionType::Ready | ConditionType::Drifted | ConditionType::Replaced => Undecided::Removed,
//! });
//! assert!(is_true(&conditions, ConditionType::Valid));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use portolan_core_names::text::{cut, one_line};
use portolan_core_olm::State;
use serde::Deserialize;
use serde_json::Value;

/// The maximum number of characters in a message. API servers accept a few more.
const LONGEST_MESSAGE: usize = 32_000;

/// The condition types of a kind, in the order in which a status lists them.
pub trait ConditionTypes: Copy + Ord + 'static {
    /// The reasons of the kind.
    type Reason: Copy + Display;

    /// The types, in the order of the status.
    const ALL: &'static [Self];

    /// Returns the name of the condition type.
    fn as_str(self) -> &'static str;

    /// Returns the status of a condition of this type for a state.
    fn status(self, state: State) -> &'static str {
        match state {
            State::Yes => "True",
            State::NotYet => "Unknown",
            State::No => "False",
        }
    }

    /// Returns the type of a condition. Returns None if the kind does not define the type.
    fn of(condition: &Condition) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|type_| type_.as_str() == condition.type_)
    }
}

/// Implements [`ConditionTypes`] for an enum that [`codes`](portolan_core_names::codes) defines. A
/// function in the macro call replaces the default function of the trait.
macro_rules! condition_types {
    ($type:ty, $reason:ty $(, $status:item)?) => {
        impl $crate::status::ConditionTypes for $type {
            type Reason = $reason;

            const ALL: &'static [Self] = <$type>::ALL;

            fn as_str(self) -> &'static str {
                <$type>::as_str(self)
            }

            $($status)?
        }
    };
}

pub(crate) use condition_types;

/// A condition without its type, its times and its generation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndatedCondition<R> {
    pub state: State,
    pub reason: R,
    pub message: String,
}

/// The result for a condition type that a reconcile has not determined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Undecided<R> {
    /// The previous condition is kept. If there is no previous condition, the status has no
    /// condition of this type.
    Kept,
    /// The previous condition is kept. If there is no previous condition, this condition is set.
    KeptOr(UndatedCondition<R>),
    /// This condition is set. For example, its reason says why the facts are unknown.
    Set(UndatedCondition<R>),
    /// The status has no condition of this type.
    Removed,
}

/// The conditions that a reconcile has determined. There is at most one of each type.
#[derive(Debug, Clone)]
pub struct Conditions<T: ConditionTypes>(BTreeMap<T, UndatedCondition<T::Reason>>);

/// The facts from which the times and generations of conditions are computed.
#[derive(Debug, Clone)]
pub struct Reconcile<'c> {
    /// The conditions of the previous status.
    pub before: &'c [Condition],
    /// The generation of the object.
    pub generation: Option<i64>,
    pub now: Time,
}

/// The reason why a decision must stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Halt<A, R> {
    /// The caller must first read these facts from the cluster.
    Ask(BTreeSet<A>),
    /// The caller must report this reason.
    Say(R),
}

// === impl UndatedCondition ===

impl<R> UndatedCondition<R> {
    pub fn yes(reason: R, message: impl Into<String>) -> Self {
        Self::of(State::Yes, reason, message)
    }

    /// Returns a condition for work in progress or unknown facts.
    pub fn not_yet(reason: R, message: impl Into<String>) -> Self {
        Self::of(State::NotYet, reason, message)
    }

    pub fn no(reason: R, message: impl Into<String>) -> Self {
        Self::of(State::No, reason, message)
    }

    pub fn of(state: State, reason: R, message: impl Into<String>) -> Self {
        Self {
            state,
            reason,
            message: message.into(),
        }
    }
}

// === impl Conditions ===

impl<T: ConditionTypes> Conditions<T> {
    /// Sets a condition. Without a condition, changes nothing.
    #[must_use]
    pub fn with(
        mut self,
        type_: T,
        condition: impl Into<Option<UndatedCondition<T::Reason>>>,
    ) -> Self {
        self.extend(condition.into().map(|condition| (type_, condition)));
        self
    }

    /// Returns the conditions for a status, in the order of their types.
    ///
    /// A condition keeps its transition time if its status does not change. `undecided` returns the
    /// result for each type that was not set.
    pub fn render(
        mut self,
        reconcile: &Reconcile<'_>,
        undecided: impl Fn(T) -> Undecided<T::Reason>,
    ) -> Vec<Condition> {
        let all = T::ALL.iter().filter_map(|type_| {
            let kept = || find(reconcile.before, *type_).cloned();
            let set = |condition| Some(reconcile.dated(*type_, condition));
            match self.0.remove(type_) {
                Some(condition) => set(condition),
                None => match undecided(*type_) {
                    Undecided::Kept => kept(),
                    Undecided::KeptOr(condition) => kept().or_else(|| set(condition)),
                    Undecided::Set(condition) => set(condition),
                    Undecided::Removed => None,
                },
            }
        });
        all.collect()
    }
}

impl<T: ConditionTypes> Default for Conditions<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T: ConditionTypes> Extend<(T, UndatedCondition<T::Reason>)> for Conditions<T> {
    fn extend<I: IntoIterator<Item = (T, UndatedCondition<T::Reason>)>>(&mut self, conditions: I) {
        self.0.extend(conditions);
    }
}

// === impl Reconcile ===

impl Reconcile<'_> {
    /// Returns the condition with its type, times and generation.
    pub fn dated<T: ConditionTypes>(
        &self,
        type_: T,
        condition: UndatedCondition<T::Reason>,
    ) -> Condition {
        let status = type_.status(condition.state);
        let same = find(self.before, type_).filter(|old| old.status == status);
        Condition {
            type_: type_.as_str().to_owned(),
            status: status.to_owned(),
            reason: condition.reason.to_string(),
            message: cut(&one_line(&condition.message), LONGEST_MESSAGE),
            observed_generation: self.generation,
            last_transition_time: same
                .map_or(&self.now, |old| &old.last_transition_time)
                .clone(),
        }
    }
}

// === impl Halt ===

impl<A: Ord, R> Halt<A, R> {
    pub fn ask(ask: A) -> Self {
        Self::Ask([ask].into())
    }
}

/// Returns the condition of this type.
pub fn find<T: ConditionTypes>(conditions: &[Condition], type_: T) -> Option<&Condition> {
    let mut conditions = conditions.iter();
    conditions.find(|condition| condition.type_ == type_.as_str())
}

/// Returns true if the condition of this type exists and is True.
pub fn is_true<T: ConditionTypes>(conditions: &[Condition], type_: T) -> bool {
    find(conditions, type_).is_some_and(|condition| condition.status == "True")
}

/// Returns true if the condition of this type exists and is False.
pub fn is_false<T: ConditionTypes>(conditions: &[Condition], type_: T) -> bool {
    find(conditions, type_).is_some_and(|condition| condition.status == "False")
}

/// Returns the conditions in a JSON list. Omits invalid items.
pub fn read(conditions: &Value) -> Vec<Condition> {
    let conditions = conditions.as_array().into_iter().flatten();
    let conditions = conditions.filter_map(|it| Condition::deserialize(it).ok());
    conditions.collect()
}

/// Returns the conditions whose types the kind does not define. Other programs wrote them.
pub fn others<T: ConditionTypes>(conditions: &[Condition]) -> impl Iterator<Item = &Condition> {
    let is_other = |condition: &&Condition| T::of(condition).is_none();
    conditions.iter().filter(is_other)
}

/// Replaces the message of a condition. Also replaces the reason if `reason` is set. The status and
/// the time do not change.
pub fn explain<T: ConditionTypes>(
    conditions: &mut [Condition],
    type_: T,
    reason: Option<T::Reason>,
    message: String,
) {
    let mut conditions = conditions.iter_mut();
    if let Some(condition) = conditions.find(|condition| condition.type_ == type_.as_str()) {
        if let Some(reason) = reason {
            condition.reason = reason.to_string();
        }
        condition.message = message;
    }
}
