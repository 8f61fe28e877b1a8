//! The steps of a report.

use portolan_api::inventory::InstalledOperator;
use portolan_core_route::readiness::{Goal, When};
use portolan_proto::diagnosis::v1 as pb;
use portolan_proto::diagnosis::v1::readiness_step::When as PbWhen;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A step of a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Step {
    #[serde(with = "when")]
    pub(super) when: When,
    /// The operator, as `NAMESPACE/NAME`.
    pub(super) operator: String,
    /// The required change, with its reason.
    pub(super) message: String,
    /// The person or program that must act.
    pub(super) who: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) command: String,
    /// True if only wide reports show the step, because a program does the step without a user.
    #[serde(skip)]
    pub(super) is_detail: bool,
    /// The program that updates the operator. Empty for a remark about the cluster.
    #[serde(skip)]
    pub(super) manager: String,
    /// The fields of an object that the step sets. None if the step is not a change of one object.
    #[serde(skip)]
    pub(super) manifest: Option<Value>,
    #[serde(skip)]
    pub(super) goal: StepGoal,
}

/// The goal of a step: the state of the operator after the step. Empty fields require nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct StepGoal {
    /// The bundles that must no longer be installed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    leaves: Vec<String>,
    /// The only channel that the operator may follow.
    #[serde(skip_serializing_if = "String::is_empty")]
    channel: String,
    /// The catalog that the operator must no longer follow.
    #[serde(skip_serializing_if = "String::is_empty")]
    catalog: String,
}

// === impl Step ===

impl Step {
    /// Creates a step of an operator.
    pub(super) fn of(operator: &str, manager: &str, step: pb::ReadinessStep) -> Self {
        let when = decode_when(step.when());
        let pb::ReadinessStep {
            when: _,
            message,
            who,
            command,
            is_detail,
            manifest,
            goal,
        } = step;
        Self {
            when,
            operator: operator.to_owned(),
            message,
            who,
            command,
            is_detail,
            manager: manager.to_owned(),
            manifest: serde_json::from_str(&manifest).ok(),
            goal: goal.map(StepGoal::from).unwrap_or_default(),
        }
    }

    /// Creates a remark about an object of the cluster. A remark is not an action.
    pub(super) fn note(object: String, message: String) -> Self {
        Self {
            when: When::Note,
            operator: object,
            message,
            who: String::new(),
            command: String::new(),
            is_detail: false,
            manager: String::new(),
            manifest: None,
            goal: StepGoal::default(),
        }
    }
}

/// Decodes the phase of a step. A phase that this version does not know is shown as "not checked".
fn decode_when(when: PbWhen) -> When {
    match when {
        PbWhen::Before => When::Before,
        PbWhen::Blocks => When::Blocks,
        PbWhen::Between => When::Between,
        PbWhen::After => When::After,
        PbWhen::Note => When::Note,
        PbWhen::NotChecked | PbWhen::Unspecified => When::NotChecked,
    }
}

// === impl StepGoal ===

impl StepGoal {
    /// Returns true if the operator has reached this goal.
    pub(super) fn is_reached_by(&self, operator: &InstalledOperator) -> bool {
        let Self {
            leaves,
            channel,
            catalog,
        } = self.clone();
        let goal = Goal {
            leaves,
            channel,
            catalog,
        };
        let channels = operator.channels.iter().map(String::as_str);
        goal.is_reached(&operator.bundle, channels, &operator.catalog)
    }
}

impl From<pb::ReadinessGoal> for StepGoal {
    fn from(goal: pb::ReadinessGoal) -> Self {
        let pb::ReadinessGoal {
            leaves,
            channel,
            catalog,
        } = goal;
        Self {
            leaves,
            channel,
            catalog,
        }
    }
}

/// Serializes the phase of a step as one word.
pub(super) mod when {
    use portolan_core_route::readiness::When;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(in super::super) fn serialize<S: Serializer>(
        when: &When,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(when.as_str())
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<When, D::Error> {
        let word = String::deserialize(deserializer)?;
        let found = When::ALL.into_iter().find(|when| when.as_str() == word);
        found.ok_or_else(|| D::Error::custom(format!("{word:?} is not a time of a step")))
    }
}
