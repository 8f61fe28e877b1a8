//! The components of an Operator, and the content that the controller reads from them.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use portolan_api::installs::ConditionType;
use portolan_core_names::{Gvk, ObjectRef};
use serde_json::{Value, json};

use crate::csv::Csv;
use crate::fleet::Held;
use crate::kind::CustomKind;
use crate::source::{BUNDLES, Record};

/// A component: an object with the component label of an Operator.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Component {
    pub id: ObjectRef<Gvk>,
    pub uid: String,
    pub resource_version: String,
    /// The creation timestamp, in the format of API servers.
    pub created: String,
    /// True if an InstallPlan of Portolan manages the object and its labels.
    pub is_planned: bool,
    /// The content of the object. The default value if the content was not read.
    pub reading: Reading,
}

/// Compares objects by kind, then by namespace and name. Statuses and output list components in
/// this order.
pub fn by_kind(one: &ObjectRef<Gvk>, other: &ObjectRef<Gvk>) -> Ordering {
    let kinds = one.kind.kind.cmp(&other.kind.kind);
    kinds.then_with(|| one.cmp(other))
}

/// The content that was read from an object.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reading {
    /// The conditions of the object, in the form in which the Operator's status lists them.
    pub conditions: Vec<Value>,
    pub facts: Facts,
}

/// The content that is read only from objects of this kind.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Facts {
    #[default]
    None,
    Subscription(Subscription),
    Plan(Vec<PlanStep>),
    Csv(Box<Csv>),
    Install(Install),
    /// The kind that the CRD defines, and its singular name. None if the CRD is not served.
    Definition {
        singular: String,
        kind: Option<CustomKind>,
    },
}

/// The fields that are read from an Install.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Install {
    /// The `spec.content` of the Install.
    pub content: Value,
    /// The uids of the owners of the Install.
    pub owners: BTreeSet<String>,
    pub is_deleting: bool,
    pub held: Held,
    /// The name of the first bundle in the content, and the ClusterServiceVersion of this bundle.
    /// The bundle is installed or being installed.
    pub bundle: Option<(String, Csv)>,
}

/// The fields that are read from a Subscription of OLM.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subscription {
    pub package: String,
    pub channel: String,
    /// The CatalogSource, as `NAMESPACE/NAME`.
    pub catalog: String,
    /// The InstallPlan that the Subscription waits for, or the InstallPlan that OLM executed last.
    pub plan: Option<String>,
    /// The ClusterServiceVersions that the Subscription has installed or is installing.
    pub csvs: BTreeSet<String>,
}

/// A step of an InstallPlan. OLM creates one object in each step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanStep {
    pub kind: String,
    pub name: String,
    /// The ClusterServiceVersion for which OLM creates the object.
    pub resolving: String,
}

// === impl Component ===

impl Component {
    /// Returns the Subscription if the component is one. Returns None otherwise.
    pub fn subscription(&self) -> Option<&Subscription> {
        match &self.reading.facts {
            Facts::Subscription(it) => Some(it),
            Facts::None
            | Facts::Plan(_)
            | Facts::Csv(_)
            | Facts::Install(_)
            | Facts::Definition { .. } => None,
        }
    }

    /// Returns the steps if the component is an InstallPlan. Returns None otherwise.
    pub fn plan(&self) -> Option<&[PlanStep]> {
        match &self.reading.facts {
            Facts::Plan(steps) => Some(steps),
            Facts::None
            | Facts::Subscription(_)
            | Facts::Csv(_)
            | Facts::Install(_)
            | Facts::Definition { .. } => None,
        }
    }

    /// Returns the kind that the component defines if it is a served CustomResourceDefinition.
    /// Returns None otherwise.
    pub fn defined(&self) -> Option<&CustomKind> {
        match &self.reading.facts {
            Facts::Definition { kind, .. } => kind.as_ref(),
            Facts::None
            | Facts::Subscription(_)
            | Facts::Plan(_)
            | Facts::Csv(_)
            | Facts::Install(_) => None,
        }
    }

    /// Returns the Install if the component is one. Returns None otherwise.
    pub fn install(&self) -> Option<&Install> {
        match &self.reading.facts {
            Facts::Install(install) => Some(install),
            Facts::None
            | Facts::Subscription(_)
            | Facts::Plan(_)
            | Facts::Csv(_)
            | Facts::Definition { .. } => None,
        }
    }

    /// Returns the ClusterServiceVersion if the component is one. Returns None otherwise.
    pub fn csv(&self) -> Option<&Csv> {
        match &self.reading.facts {
            Facts::Csv(csv) => Some(csv),
            Facts::None
            | Facts::Subscription(_)
            | Facts::Plan(_)
            | Facts::Install(_)
            | Facts::Definition { .. } => None,
        }
    }
}

// === impl Reading ===

impl Reading {
    /// Reads the content of an object of this kind.
    pub fn of(kind: &str, object: &Value) -> Self {
        let facts = match kind {
            "Subscription" => Facts::Subscription(Subscription::of(object)),
            "InstallPlan" => Facts::Plan(steps(object)),
            "Install" => Facts::Install(Install::of(object)),
            "ClusterServiceVersion" => Facts::Csv(Box::new(Csv::of(object))),
            "CustomResourceDefinition" => Facts::Definition {
                singular: text(&object["spec"]["names"]["singular"]),
                kind: CustomKind::of(object),
            },
            _ => Facts::None,
        };
        Self {
            conditions: conditions(kind, object),
            facts,
        }
    }
}

// === impl Install ===

impl Install {
    /// Reads an Install from its JSON object.
    pub fn of(object: &Value) -> Self {
        let metadata = &object["metadata"];
        let owners = metadata["ownerReferences"].as_array();
        let owners = owners.into_iter().flatten();
        let content = &object["spec"]["content"];
        let status = &object["status"];
        let is_seen = status["observedGeneration"] == metadata["generation"];
        let conditions = status["conditions"].as_array();
        let is = |type_: ConditionType, word: &str| {
            let mut conditions = conditions.into_iter().flatten();
            is_seen && conditions.any(|it| it["type"] == type_.as_str() && it["status"] == word)
        };
        let bundle = &status["resolved"][0]["bundle"];
        let is_begun = is(ConditionType::PendingApproval, "False") && bundle.is_object();
        Self {
            content: content.clone(),
            owners: owners.map(|it| text(&it["uid"])).collect(),
            is_deleting: !metadata["deletionTimestamp"].is_null(),
            bundle: is_begun.then(|| (text(&bundle["name"]), Csv::of_resolved(bundle))),
            held: Held {
                record: Record::read(metadata["annotations"][BUNDLES].as_str(), content),
                is_settled: is(ConditionType::Ready, "True"),
            },
        }
    }
}

// === impl Subscription ===

impl Subscription {
    /// Reads a Subscription from its JSON object.
    pub fn of(object: &Value) -> Self {
        let (spec, status) = (&object["spec"], &object["status"]);
        let catalog = [&spec["sourceNamespace"], &spec["source"]].map(text);
        let csvs = [&status["installedCSV"], &status["currentCSV"]].map(text);
        let plan = text(&status["installPlanRef"]["name"]);
        Self {
            package: text(&spec["name"]),
            channel: text(&spec["channel"]),
            catalog: catalog.join("/"),
            plan: Some(plan).filter(|name| !name.is_empty()),
            csvs: csvs.into_iter().filter(|name| !name.is_empty()).collect(),
        }
    }
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn steps(object: &Value) -> Vec<PlanStep> {
    let steps = object["status"]["plan"].as_array().into_iter().flatten();
    let steps = steps.map(|step| PlanStep {
        kind: text(&step["resource"]["kind"]),
        name: text(&step["resource"]["name"]),
        resolving: text(&step["resolving"]),
    });
    steps.collect()
}

/// The maximum length of a condition message that is copied to the Operator's status.
const MESSAGE: usize = 1000;

/// Returns the conditions of an object. For a ClusterServiceVersion, the phase is listed as a
/// condition, as OLM does.
fn conditions(kind: &str, object: &Value) -> Vec<Value> {
    let status = &object["status"];
    if kind == "ClusterServiceVersion" {
        let phase = text(&status["phase"]);
        let of_phase = json!({
            "type": phase, "status": "True", "reason": status["reason"],
            "message": status["message"], "lastTransitionTime": status["lastTransitionTime"],
        });
        let is_known = !phase.is_empty();
        return is_known.then(|| shown(&of_phase)).into_iter().collect();
    }
    let conditions = status["conditions"].as_array().into_iter().flatten();
    conditions.map(shown).collect()
}

/// Returns a condition with only the fields that all conditions have. Empty fields are omitted.
fn shown(condition: &Value) -> Value {
    let mut shown = json!({});
    for field in ["type", "status", "reason", "message", "lastTransitionTime"] {
        let said = condition[field].as_str().filter(|it| !it.is_empty());
        if let Some(said) = said {
            shown[field] = json!(portolan_core_names::text::cut(said, MESSAGE));
        }
    }
    shown
}
