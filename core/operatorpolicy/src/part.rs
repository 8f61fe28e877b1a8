//! What one matter comes to.

use jiff::Timestamp;
use kube_core::Resource;
use portolan_api::{ConditionType, Metadata, Object, Properties, Reason, RelatedObject};

use crate::Silence;
use crate::desired::{Desired, Report, Said, Status, Step, Target, Word};

/// What one matter comes to, or several.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Part {
    pub(crate) said: Vec<Said>,
    pub(crate) kept: Vec<(ConditionType, String)>,
    pub(crate) related: Vec<(ConditionType, Vec<RelatedObject>)>,
    pub(crate) steps: Vec<Step>,
    pub(crate) again: Option<Timestamp>,
}

// === impl Part ===

impl Part {
    pub(crate) fn say(mut self, said: Said) -> Self {
        self.said.push(said);
        self
    }

    /// Says nothing new of a matter, as nobody answers.
    pub(crate) fn keep(self, of: ConditionType, silence: &Silence) -> Self {
        self.keep_as(of, silence.to_string())
    }

    /// Says nothing new of a matter, for a reason that is half a sentence.
    pub(crate) fn keep_as(mut self, of: ConditionType, why: impl Into<String>) -> Self {
        self.kept.push((of, why.into()));
        self
    }

    pub(crate) fn relate(mut self, of: ConditionType, objects: Vec<RelatedObject>) -> Self {
        self.related.push((of, objects));
        self
    }

    pub(crate) fn step(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    pub(crate) fn look_again(mut self, at: Timestamp) -> Self {
        self.again = Some(self.again.map_or(at, |before| before.min(at)));
        self
    }

    pub(crate) fn and(mut self, other: Self) -> Self {
        let Self {
            said,
            kept,
            related,
            steps,
            again,
        } = other;
        self.said.extend(said);
        self.kept.extend(kept);
        self.related.extend(related);
        self.steps.extend(steps);
        match again {
            Some(at) => self.look_again(at),
            None => self,
        }
    }

    /// As the whole of what is to be done and said.
    pub(crate) fn into_desired(self) -> Desired {
        let Self {
            said,
            kept,
            related,
            steps,
            again,
        } = self;
        let report = Report {
            conditions: said,
            kept,
            related,
            ..Report::default()
        };
        Desired {
            report,
            steps,
            again,
        }
    }
}

// === impl Said ===

impl Said {
    pub(crate) fn new(
        of: ConditionType,
        status: Status,
        reason: Reason,
        message: impl Into<String>,
    ) -> Self {
        Self {
            of,
            status,
            reason: Word::Ours(reason),
            message: message.into(),
            violates: status != Status::good(of),
            since: None,
        }
    }

    /// The policy is content with it.
    pub(crate) fn good(of: ConditionType, reason: Reason, message: impl Into<String>) -> Self {
        Self::new(of, Status::good(of), reason, message)
    }

    /// The policy is NonCompliant because of it.
    pub(crate) fn bad(of: ConditionType, reason: Reason, message: impl Into<String>) -> Self {
        Self::new(of, Status::bad(of), reason, message)
    }
}

// === impl Status ===

impl Status {
    pub(crate) fn good(of: ConditionType) -> Self {
        match of.is_of_trouble() {
            true => Self::False,
            false => Self::True,
        }
    }

    pub(crate) fn bad(of: ConditionType) -> Self {
        match of.is_of_trouble() {
            true => Self::True,
            false => Self::False,
        }
    }
}

// === impl Target ===

impl Target {
    /// An object as it was seen.
    pub(crate) fn of<K: Resource<DynamicType = ()>>(
        api_version: &'static str,
        kind: &'static str,
        object: &K,
    ) -> Self {
        let metadata = object.meta().clone();
        Self {
            api_version,
            kind,
            namespace: metadata.namespace,
            name: metadata.name.unwrap_or_default(),
            uid: metadata.uid.unwrap_or_default(),
            resource_version: metadata.resource_version.unwrap_or_default(),
        }
    }
}

/// What lists of policies say of an object. `compliant` is `Compliant`, `NonCompliant`,
/// `Inapplicable`, or None for what was kept; `-` is the name of one that has none.
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

/// The same of one that is there: with its uid, and whether the policy had it made.
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
