//! The explanation of policies as a data structure, which `-o json` serializes.

use std::collections::BTreeMap;

use portolan_api::{
    Compliance, ConditionType, OperatorPolicyStatus, RemainingObject, RemovedObject, RemovedState,
};
use portolan_controller::{Change, Preview, PreviewedObject, Rehearsed, Verb};
use portolan_core_names::{Gvk, ObjectRef};
use serde::Serialize;
use serde_json::Value;
use similar::TextDiff;

use super::extensions::ExplainedExtension;
use super::operators::ExplainedOperator;
use super::subscriptions::ExplainedSubscription;
use crate::exit::Exit;
use crate::print::words::located;

/// The number of unchanged lines that a diff shows around each change.
const AROUND: usize = 3;

/// The complete result of the command.
#[derive(Debug, Serialize)]
pub(crate) struct Explanation {
    pub(crate) policies: Vec<Explained>,
    pub(crate) operators: Vec<ExplainedOperator>,
    pub(crate) extensions: Vec<ExplainedExtension>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) subscriptions: Vec<ExplainedSubscription>,
    /// The facts that are unknown for all policies and Operators.
    pub(crate) unknown: Vec<String>,
    /// The documents that cannot be read. Each document may contain a policy or an object that a
    /// policy manages.
    pub(crate) unread: Vec<String>,
}

/// A policy, and the changes that it would cause.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Explained {
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) compliant: Option<Compliance>,
    /// The invalid fields of the policy.
    pub(crate) refusals: Vec<String>,
    /// The catalog, the package or the channel that the policy requests but that does not exist.
    pub(crate) lacking: Option<String>,
    /// The types of the conditions that make the policy NonCompliant.
    pub(crate) violations: Vec<String>,
    /// The results of the policy's templates, one for each field with a template.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) templates: Vec<Template>,
    /// The changes that the controller would make next.
    pub(crate) changes: Vec<Diff>,
    /// The bundles of the upgrade path, from the installed bundle to the destination.
    pub(crate) path: Vec<String>,
    /// The reason why the controller would make no changes. None if the controller would make
    /// changes.
    pub(crate) withheld: Option<String>,
    /// The facts that are unknown for this policy.
    pub(crate) unknown: Vec<String>,
    /// The status that the policy would have before any change is made.
    pub(crate) status: OperatorPolicyStatus,
}

/// The result of the templates in one field.
#[derive(Debug, Serialize)]
pub(crate) struct Template {
    /// The field, such as `spec.versions`.
    pub(crate) field: String,
    pub(crate) written: Value,
    /// The value of the field after the templates are evaluated. Data of Secrets is removed.
    pub(crate) becomes: Value,
}

/// A change of one object.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Diff {
    pub(crate) change: &'static str,
    #[serde(skip)]
    verb: Verb,
    /// The changed object. None for the policy itself.
    pub(crate) object: Option<Object>,
    /// The type of the condition that explains the change.
    pub(crate) about: &'static str,
    /// A unified diff of the object as YAML. Empty if the object is deleted, or if only the
    /// finalizer of the policy changes.
    pub(crate) diff: String,
}

/// The name of an object, with its kind and namespace.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Object {
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) namespace: Option<String>,
    pub(crate) name: String,
}

// === impl Explanation ===

impl Explanation {
    /// Returns the exit code. Never returns `Answered` if a document or an object could not be
    /// read.
    pub(crate) fn exit_code(&self) -> Exit {
        let is_wrong = |each: &Explained| !each.refusals.is_empty() || each.lacking.is_some();
        let operators = &self.operators;
        let is_invalid = self.policies.iter().any(is_wrong)
            || operators.iter().any(ExplainedOperator::is_invalid);
        let (extensions, subscriptions) = (&self.extensions, &self.subscriptions);
        let is_fine = self.policies.iter().all(Explained::is_fine)
            && operators.iter().all(ExplainedOperator::is_fine)
            && extensions.iter().all(|it| it.is_fine() || it.is_unknown())
            && subscriptions
                .iter()
                .all(|it| it.is_fine() || it.is_unknown());
        let is_unknown = !self.unread.is_empty()
            || extensions.iter().any(ExplainedExtension::is_unknown)
            || subscriptions.iter().any(ExplainedSubscription::is_unknown);
        match (is_invalid, is_fine) {
            (true, _) => Exit::BadInput,
            (false, true) if is_unknown => Exit::Unknown,
            (false, is_fine) => Exit::no_if(!is_fine),
        }
    }

    /// Returns true if no object is explained.
    pub(crate) fn is_empty(&self) -> bool {
        self.policies.is_empty()
            && self.operators.is_empty()
            && self.extensions.is_empty()
            && self.subscriptions.is_empty()
    }

    /// Returns the sentences about unknown facts and unreadable documents.
    pub(crate) fn doubts(&self) -> impl Iterator<Item = &String> {
        self.unread.iter().chain(&self.unknown)
    }
}

// === impl Explained ===

impl Explained {
    /// Creates the explanation of a policy. `before` contains the current state of the objects that
    /// would change.
    pub(crate) fn of(policy: Rehearsed, before: &BTreeMap<ObjectRef<Gvk>, Value>) -> Self {
        let Rehearsed {
            namespace,
            name,
            refusals,
            status,
            lacking,
            violations,
            rendered,
            changes,
            withheld,
            mut unknown,
            removal: _,
        } = policy;
        let unseen = changes
            .iter()
            .filter_map(|each| unread_warning(each, before));
        unknown.extend(unseen);
        Self {
            withheld,
            namespace,
            name,
            compliant: status.compliant,
            refusals,
            lacking,
            violations,
            templates: rendered.into_iter().flatten().map(Template::of).collect(),
            changes: changes.iter().map(|each| Diff::of(each, before)).collect(),
            path: path(&status),
            unknown,
            status,
        }
    }

    /// Returns the policy as NAMESPACE/NAME.
    pub(crate) fn place(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }

    /// Returns true if the condition explains why the policy is not compliant. If the policy is
    /// invalid, only the condition ValidPolicySpec explains this.
    pub(crate) fn blames(&self, type_: &str) -> bool {
        if self.refusals.is_empty() {
            self.violations.iter().any(|each| each == type_)
        } else {
            type_ == ConditionType::ValidPolicySpec.as_str()
        }
    }

    /// Returns true if the table shows this condition. The condition explains why the policy is not
    /// compliant, or why the next upgrade is not approved.
    pub(crate) fn shows(&self, type_: &str) -> bool {
        let is_plan = type_ == ConditionType::InstallPlanCompliant.as_str();
        self.blames(type_) || is_plan && self.keeps_an_upgrade_waiting()
    }

    /// Returns true if an upgrade is available, but the controller would not make it.
    fn keeps_an_upgrade_waiting(&self) -> bool {
        let upgrades = self.status.upgrades.as_ref();
        self.changes.is_empty() && upgrades.is_some_and(|upgrades| upgrades.next.is_some())
    }

    /// Returns true if the policy is compliant and nothing would change.
    pub(crate) fn is_fine(&self) -> bool {
        let is_compliant = self.compliant == Some(Compliance::Compliant);
        is_compliant && self.changes.is_empty() && self.withheld.is_none()
    }

    /// Returns true if the policy needs details below its row in the table.
    pub(crate) fn needs_words(&self) -> bool {
        !self.is_fine()
            || !self.templates.is_empty()
            || !self.unknown.is_empty()
            || self.keeps_an_upgrade_waiting()
    }

    /// Returns the names of the installed bundle, the next bundle and the last bundle. Omits
    /// missing bundles.
    pub(crate) fn bundles(&self) -> [&str; 3] {
        let Some(upgrades) = &self.status.upgrades else {
            return [""; 3];
        };
        [
            upgrades.installed.as_ref().map_or("", |it| &it.name),
            upgrades.next.as_ref().map_or("", |it| &it.name),
            upgrades.target.as_ref().map_or("", |it| &it.name),
        ]
    }

    /// Returns the compliance of the policy as one word.
    pub(crate) fn word(&self) -> &'static str {
        match self.compliant {
            Some(Compliance::Compliant) => "Compliant",
            Some(Compliance::NonCompliant) => "NonCompliant",
            Some(Compliance::Pending) => "Pending",
            Some(Compliance::Terminating) => "Terminating",
            None => "-",
        }
    }
}

/// Returns the bundles from the installed bundle to the destination. Returns an empty list if there
/// is no destination.
fn path(status: &OperatorPolicyStatus) -> Vec<String> {
    let Some(upgrades) = status.upgrades.as_ref().filter(|it| !it.path.is_empty()) else {
        return Vec::new();
    };
    let installed = upgrades.installed.iter().map(|bundle| bundle.name.clone());
    let way = upgrades.path.iter().map(|bundle| bundle.name.clone());
    installed.chain(way).collect()
}

// === impl Template ===

impl Template {
    fn of((field, written, becomes): (String, Value, Value)) -> Self {
        Self {
            field,
            written,
            becomes,
        }
    }

    /// Returns the name of the field, and the change of its value.
    pub(crate) fn title(&self) -> String {
        let Self {
            field,
            written,
            becomes,
        } = self;
        format!("{field}: {} -> {}", text(written), text(becomes))
    }
}

/// Returns a string without quotes, and any other value as JSON.
fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

// === impl Diff ===

impl Diff {
    fn of(change: &Change, before: &BTreeMap<ObjectRef<Gvk>, Value>) -> Self {
        let named = change.object.as_ref();
        let now = named.and_then(|named| before.get(named));
        let diff = match change.shown(now) {
            (now, Some(after)) if named.is_some() && unread_warning(change, before).is_none() => {
                diff(now.as_ref(), after)
            }
            (_, Some(_) | None) => String::new(),
        };
        Self {
            change: change.verb.as_str(),
            verb: change.verb,
            object: named.map(Object::of),
            about: change.about,
            diff,
        }
    }

    /// Returns the kind of the change and the object as a short text.
    pub(crate) fn title(&self) -> String {
        match &self.object {
            Some(object) => format!("{} {}", self.change, object.title()),
            None => match self.verb {
                Verb::AddFinalizer => {
                    "add a finalizer to the policy, so that deleting the policy also removes the operator"
                }
                Verb::RemoveFinalizer => "remove the finalizer of the policy",
                Verb::WriteStatus => "write the objects to remove to the status of the policy",
                Verb::Create | Verb::Change | Verb::Approve | Verb::Delete => self.change,
            }
            .to_owned(),
        }
    }
}

// === impl Object ===

impl Object {
    fn of(named: &ObjectRef<Gvk>) -> Self {
        let ObjectRef {
            kind,
            namespace,
            name,
        } = named.clone();
        Self {
            api_version: kind.api_version(),
            kind: kind.kind,
            namespace,
            name,
        }
    }

    fn title(&self) -> String {
        let namespace = self.namespace.as_deref().unwrap_or_default();
        format!("{} {}", self.kind, located(namespace, &self.name))
    }
}

/// Returns a warning if the diff of a changed object is missing, because the object cannot be read.
fn unread_warning(change: &Change, before: &BTreeMap<ObjectRef<Gvk>, Value>) -> Option<String> {
    let named = change.object.as_ref()?;
    let is_changed = matches!(change.verb, Verb::Change | Verb::Approve);
    let is_unseen = is_changed && !before.contains_key(named);
    let title = Object::of(named).title();
    is_unseen.then(|| format!("the diff of {title} is missing, because the object cannot be read"))
}

/// Returns the diff between the current object and its new state. If there is no current object,
/// the diff contains the whole new object.
pub(crate) fn diff(now: Option<&Value>, after: Value) -> String {
    let texts = [now.cloned(), Some(after)].map(|object| object.map_or_else(String::new, yaml));
    TextDiff::from_lines(&texts[0], &texts[1])
        .unified_diff()
        .context_radius(AROUND)
        .to_string()
}

fn yaml(mut object: Value) -> String {
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.remove("managedFields");
    }
    // The serialization of a JSON value to YAML never fails.
    serde_saphyr::to_string(&object).unwrap_or_default()
}

/// Returns true if Portolan or OLM would delete the object.
pub(crate) fn is_removed(object: &RemovedObject) -> bool {
    match object.parsed_state() {
        Some(RemovedState::Keep | RemovedState::Gone) => false,
        Some(RemovedState::Pending | RemovedState::Deleting | RemovedState::ByOlm) => true,
        None => object.state.is_some(),
    }
}

/// Returns the object's name, with its namespace.
pub(super) fn place(object: &RemovedObject) -> String {
    located(
        object.namespace.as_deref().unwrap_or_default(),
        &object.name,
    )
}

/// The objects that would be deleted, and the objects that would be kept, in the form in which they
/// are serialized.
#[derive(Debug, Serialize)]
pub(super) struct Removal<'a> {
    #[serde(skip)]
    pub(super) policy: &'a Rehearsed,
    #[serde(skip)]
    pub(super) preview: &'a Preview,
    objects: Vec<Removed<'a>>,
    phase: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    remaining: &'a [RemainingObject],
}

/// An object, and the reason if the object would be kept.
#[derive(Debug, Serialize)]
struct Removed<'a> {
    #[serde(flatten)]
    object: &'a RemovedObject,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
}

impl<'a> Removal<'a> {
    pub(super) fn of(policy: &'a Rehearsed, preview: &'a Preview) -> Self {
        let objects = preview.objects.iter();
        let objects = objects.map(|PreviewedObject { object, stays }| Removed {
            object,
            why: stays.as_deref(),
        });
        Self {
            policy,
            preview,
            objects: objects.collect(),
            phase: preview.phase.as_deref(),
            remaining: &preview.remaining,
        }
    }
}
