//! `OperatorPolicy`: an operator that a cluster must have, and its allowed versions.

pub(crate) mod claim;
pub(crate) mod condition;
pub(crate) mod intent;
mod rendered;
mod schema;
pub(crate) mod standing;
mod status;

use std::collections::BTreeSet;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry;
use kube_derive::CustomResource;
use portolan_core_names::text::pointer_step;
use portolan_core_olm::{Annotation, Label, Reads, Subscription, TOOL_ANNOTATIONS};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::Form;
use crate::place::{ManifestPlace, TEMPLATE};
use crate::refusal::Refusal;
use crate::written::written_schema;

pub use rendered::Rendered;
pub use status::{
    Blocked, BlockingObject, Bundle, Compliance, HistoryEvent, Installed, Metadata, Next, Object,
    OperatorPolicyStatus, Properties, RelatedObject, RemainingObject, RemovalRecord, RemovedObject,
    RemovedState, Upgrades,
};

/// The label of a policy with the name of the cluster for which the policy is intended.
pub const CLUSTER_NAME: Label = Label::new("policy.open-cluster-management.io/cluster-name");
/// The label of a policy with the namespace of the cluster for which the policy is intended.
pub const CLUSTER_NAMESPACE: Label =
    Label::new("policy.open-cluster-management.io/cluster-namespace");
/// The annotation of a policy that turns templates off. `{{` is then ordinary text.
pub const DISABLE_TEMPLATES: Annotation =
    Annotation::new("policy.open-cluster-management.io/disable-templates");

/// The metadata of policies and of their objects that this crate reads.
pub const READS: &[Reads] = &[
    Reads::of::<OperatorPolicy>()
        .annotations(&[DISABLE_TEMPLATES])
        .labels(&[CLUSTER_NAME, CLUSTER_NAMESPACE, ANY]),
    Reads::of::<OperatorPolicy>().annotations(TOOL_ANNOTATIONS),
    Reads::of::<Subscription>().annotations(&[MARK]),
];

/// Every label of an object. The rules of users can read any label.
const ANY: Label = Label::beginning("");

/// The label of a Subscription that a policy manages. An annotation with the same key has the value
/// `NAMESPACE.NAME` of the policy.
pub const MANAGED: &str = "operatorpolicy.policy.open-cluster-management.io/managed";
/// The annotation of an object that a policy manages. Its value is `NAMESPACE.NAME` of the policy.
pub const MARK: Annotation = Annotation::new(MANAGED);
/// The annotation of an object that a policy created. Its value is the UID of the policy.
pub const CREATED_BY: &str = "portolan.dev/created-by";
/// The finalizer of a policy whose operator is removed before the policy.
pub const FINALIZER: &str = "portolan.dev/removal";
/// The field manager with which Portolan writes the objects of policies.
pub const MANAGER: &str = "portolan";

/// The texts that Go's `strconv.ParseBool` reads as true.
const TRUE: &[&str] = &["1", "t", "T", "true", "True", "TRUE"];

/// The spec of a policy as its author wrote it: JSON, which only
/// [`Intent::parse`](crate::Intent::parse) interprets. A spec that is missing is null.
#[derive(CustomResource, Debug, Clone, Default, PartialEq, Serialize)]
#[kube(
    group = "policy.open-cluster-management.io",
    version = "v1beta1",
    kind = "OperatorPolicy",
    plural = "operatorpolicies",
    namespaced,
    status = "OperatorPolicyStatus",
    derive = "Default",
    derive = "PartialEq",
    doc = "OperatorPolicy declares an operator that must or must not be on a cluster, and its \
           allowed versions.",
    label("policy.open-cluster-management.io/policy-type", "template"),
    printcolumn = r#"{
        "name": "Compliant",
        "type": "string",
        "description": "The compliance of the cluster: Compliant, NonCompliant, Pending or Terminating.",
        "jsonPath": ".status.compliant"
    }"#,
    printcolumn = r#"{
        "name": "Installed",
        "type": "string",
        "description": "The installed bundle.",
        "jsonPath": ".status.upgrades.installed.name"
    }"#,
    printcolumn = r#"{
        "name": "Next",
        "type": "string",
        "description": "The bundle that the next upgrade installs.",
        "jsonPath": ".status.upgrades.next.name"
    }"#,
    printcolumn = r#"{
        "name": "Age",
        "type": "date",
        "jsonPath": ".metadata.creationTimestamp"
    }"#,
    crates(kube_core = "::kube_core")
)]
#[serde(transparent)]
pub struct OperatorPolicySpec {
    json: Value,
    /// The outcome of resolving the templates, if that was tried. It is not serialized.
    #[serde(skip)]
    rendered: Option<Arc<Rendered>>,
}

// === impl OperatorPolicySpec ===

impl OperatorPolicySpec {
    /// Returns the spec with resolved templates. If the templates were not resolved, returns the
    /// spec as its author wrote it.
    pub fn as_json(&self) -> &Value {
        &self.json
    }

    /// Returns the result of resolving the templates. Returns None if the spec has no templates, or
    /// if they were not resolved.
    pub fn rendered(&self) -> Option<&Rendered> {
        self.rendered.as_deref()
    }

    /// Returns the spec as its author wrote it, including templates.
    pub fn written(&self) -> &Value {
        self.rendered().map_or(&self.json, |it| &it.written)
    }

    /// Returns the JSON pointers of all fields in the spec that the author wrote. Omits fields
    /// inside lists.
    pub fn paths(&self) -> BTreeSet<String> {
        let mut paths = BTreeSet::new();
        add_paths("/spec", self.written(), &mut paths);
        paths
    }

    /// Returns the spec with the resolved templates of `known`, if the authors of both specs wrote
    /// the same text. Otherwise, returns the spec unchanged.
    #[must_use]
    pub fn rendered_as(self, known: &Self) -> Self {
        if self.rendered.is_none() && self.json == *known.written() {
            known.clone()
        } else {
            self
        }
    }

    /// Returns the reasons why templates could not be resolved. Returns nothing if all templates
    /// were resolved, or if there are no templates.
    pub(crate) fn unresolved(&self) -> &[Refusal] {
        self.rendered().map_or(&[], |it| &it.refused)
    }

    /// Returns a field of `spec.subscription` if it is a string.
    pub(crate) fn subscription_text(&self, name: &str) -> Option<&str> {
        self.json.get("subscription")?.get(name)?.as_str()
    }
}

impl From<Value> for OperatorPolicySpec {
    fn from(json: Value) -> Self {
        Self {
            json,
            rendered: None,
        }
    }
}

/// Deserializes any JSON, or a missing spec, without an error. The parser reports errors later.
impl<'de> Deserialize<'de> for OperatorPolicySpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Option::<Value>::deserialize(deserializer)?;
        Ok(json.unwrap_or_default().into())
    }
}

written_schema!(OperatorPolicySpec = schema::spec());

// === impl OperatorPolicy ===

portolan_core_olm::from_json!(OperatorPolicy);

impl OperatorPolicy {
    /// Returns the form of the policy, even if the policy is invalid.
    pub fn form(&self) -> Form {
        Form::of(&ManifestPlace::new("spec", self.spec.as_json()))
    }

    /// Returns true if `{{` begins a template in the texts of the policy. In resolved texts, `{{`
    /// is ordinary text.
    pub fn has_templates(&self) -> bool {
        let disabled = DISABLE_TEMPLATES.of(&self.metadata);
        let is_done = self.spec.rendered().is_some_and(Rendered::is_whole);
        !is_done && !disabled.is_some_and(|word| TRUE.contains(&word))
    }

    /// Returns the policy with this resolved spec.
    #[must_use]
    pub fn with_rendered(&self, json: Value, rendered: Rendered) -> Self {
        let mut policy = self.clone();
        policy.spec = OperatorPolicySpec {
            json,
            rendered: Some(Arc::new(rendered)),
        };
        policy
    }

    /// Returns true if the text contains a template that is not resolved.
    pub(crate) fn is_template(&self, text: &str) -> bool {
        self.has_templates() && text.contains(TEMPLATE)
    }
}

fn add_paths(at: &str, value: &Value, paths: &mut BTreeSet<String>) {
    for (name, below) in value.as_object().into_iter().flatten() {
        let path = format!("{at}/{}", pointer_step(name));
        add_paths(&path, below, paths);
        paths.insert(path);
    }
}

/// The field manager of Open Cluster Management's controller for policies.
pub const ESTABLISHED: &str = "config-policy-controller";

/// Returns true if this entry of an object's managed fields owns the field at `path`.
pub fn owns<N: AsRef<str>>(entry: &ManagedFieldsEntry, path: &[N]) -> bool {
    let Some(fields) = &entry.fields_v1 else {
        return false;
    };
    let mut fields = &fields.0;
    for (depth, name) in path.iter().enumerate() {
        match fields.get(format!("f:{}", name.as_ref())) {
            Some(below) => fields = below,
            // If an entry owns a field but no subfields, it owns the whole field.
            None => return depth > 0 && fields.as_object().is_some_and(Map::is_empty),
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[test]
    fn spec_contains_the_paths_of_its_fields() {
        let spec = OperatorPolicySpec::from(json!({
            "allowedCSVs": [{"a": 1}],
            "subscription": {"config": {"nodeSelector": {"a.test/b~c": "d"}}},
        }));
        let paths = [
            "/spec/allowedCSVs",
            "/spec/subscription",
            "/spec/subscription/config",
            "/spec/subscription/config/nodeSelector",
            "/spec/subscription/config/nodeSelector/a.test~1b~0c",
        ];
        assert_eq!(spec.paths(), paths.map(str::to_owned).into());
    }

    #[rstest]
    #[case::it_names_the_field(&["spec", "channel"], true)]
    #[case::it_owns_all_that_is_above(&["spec", "config", "env"], true)]
    #[case::it_names_another_field(&["spec", "source"], false)]
    #[case::field_missing_in_the_managed_fields_entry(&["metadata", "labels"], false)]
    fn detects_field_in_managed_fields_entry(#[case] path: &[&str], #[case] expected: bool) {
        let fields = json!({"f:spec": {"f:channel": {}, "f:config": {}}});
        let entry = json!({"manager": "olm", "operation": "Update", "fieldsV1": fields});
        let entry = serde_json::from_value(entry).expect("an entry");
        assert_eq!(owns(&entry, path), expected);
    }
}
