//! The contribution of one condition module to the decision. A condition module is a module with a
//! function `judge`.

use std::fmt::Display;

use jiff::Timestamp;
use portolan_api::{ConditionType, Metadata, Object, Properties, RelatedObject};

use crate::desired::{Condition, Desired, Report, Step};

/// The conditions, related objects and steps that one or more condition modules create.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Contribution {
    pub(crate) conditions: Vec<Condition>,
    /// The conditions that keep their previous state. Each has a clause that explains why.
    pub(crate) kept: Vec<(ConditionType, String)>,
    pub(crate) related: Vec<(ConditionType, Vec<RelatedObject>)>,
    pub(crate) steps: Vec<Step>,
    pub(crate) requeue_at: Option<Timestamp>,
}

// === impl Contribution ===

impl Contribution {
    /// Returns a contribution with one condition.
    pub(crate) fn of(condition: Condition) -> Self {
        Self::default().add_condition(condition)
    }

    pub(crate) fn add_condition(mut self, condition: Condition) -> Self {
        self.conditions.push(condition);
        self
    }

    /// Keeps the condition of this type in its previous state. `why` is a clause with the reason.
    pub(crate) fn keep(mut self, type_: ConditionType, why: impl Display) -> Self {
        self.kept.push((type_, why.to_string()));
        self
    }

    pub(crate) fn add_related(mut self, type_: ConditionType, objects: Vec<RelatedObject>) -> Self {
        self.related.push((type_, objects));
        self
    }

    pub(crate) fn add_step(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    pub(crate) fn requeue_at(mut self, at: Timestamp) -> Self {
        self.requeue_at = Some(self.requeue_at.map_or(at, |before| before.min(at)));
        self
    }

    pub(crate) fn merge(mut self, other: Self) -> Self {
        let Self {
            conditions,
            kept,
            related,
            steps,
            requeue_at,
        } = other;
        self.conditions.extend(conditions);
        self.kept.extend(kept);
        self.related.extend(related);
        self.steps.extend(steps);
        match requeue_at {
            Some(at) => self.requeue_at(at),
            None => self,
        }
    }

    /// Returns the decision that consists of this contribution.
    pub(crate) fn into_desired(self) -> Desired {
        let Self {
            conditions,
            kept,
            related,
            steps,
            requeue_at,
        } = self;
        let report = Report {
            conditions,
            kept,
            related,
            ..Report::default()
        };
        Desired {
            report,
            steps,
            requeue_at,
        }
    }
}

/// Returns the entry of an object in the list of related objects. `compliant` is `Compliant`,
/// `NonCompliant` or `Inapplicable`. None means that the object was kept. An object without a name
/// gets the name `-`.
pub(crate) fn related(
    (api_version, kind): (&str, &str),
    (namespace, name): (Option<&str>, &str),
    compliant: Option<&str>,
    reason: impl Into<String>,
) -> RelatedObject {
    RelatedObject {
        compliant: compliant.map(str::to_owned),
        object: Object {
            api_version: api_version.to_owned(),
            kind: kind.to_owned(),
            metadata: Metadata {
                name: name.to_owned(),
                namespace: namespace.map(str::to_owned),
            },
        },
        properties: None,
        reason: Some(reason.into()),
    }
}

/// Adds two properties to the entry of a related object: its uid, and true if the policy created
/// the object.
pub(crate) fn known(
    mut related: RelatedObject,
    uid: Option<&str>,
    is_created: bool,
) -> RelatedObject {
    related.properties = Some(Properties {
        created_by_policy: Some(is_created),
        uid: uid.map(str::to_owned),
    });
    related
}
