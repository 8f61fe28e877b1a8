//! The observed policy and its objects.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use portolan_api::{OperatorPolicy, Standing};
use portolan_core_olm::{
    CatalogSource, ClusterServiceVersion, CustomResourceDefinition, InstallPlan, Namespace,
    OperatorGroup, Subscription,
};
use serde_json::Value;

/// The observed policy and its objects.
#[derive(Debug, Clone, PartialEq)]
pub struct Observed {
    /// The stored policy, with its status.
    pub policy: Arc<OperatorPolicy>,
    /// Its standing among all policies; None if it names no package.
    pub standing: Option<Standing>,
    /// The other policies that work on its namespace, or may, by namespace and name.
    pub neighbors: Vec<Standing>,
    /// True if a PolicyBinding names this policy or another one of its namespace. InstallPlans then
    /// wait for approval, even if the policies allow everything.
    pub is_bound: bool,
    /// The write mode for this policy.
    pub write_mode: WriteMode,
    /// The fields that another field manager keeps reverting.
    pub contested: Vec<Contest>,
    /// The fields that were written last and that the API server did not keep.
    pub pruned: Vec<PrunedField>,
    /// The kinds whose objects may be out of date.
    pub stale: Vec<StaleKind>,
    /// True if the cluster has the CRDs of OLM.
    pub has_olm: bool,
    /// True if the CRD of policies is being deleted or is gone.
    pub is_crd_terminating: bool,
    /// The default namespace for operators whose policy and catalog name none.
    pub default_namespace: Option<String>,
    /// The Subscriptions that the policy created before it named another one.
    pub abandoned: Vec<Arc<Subscription>>,
    /// The namespace that the policy works on; None while it is unknown.
    pub namespace: Option<NamespaceState>,
}

/// The permission to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteMode {
    /// Writes are allowed.
    ReadWrite,
    /// Writes are not allowed. Holds the reason, as a full sentence.
    ReadOnly(String),
}

/// A field that another field manager keeps reverting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contest {
    /// The kind of the object.
    pub kind: &'static str,
    /// The name of the object.
    pub name: String,
    /// The field, such as `spec.channel`.
    pub field: String,
    /// The field manager that changed it.
    pub manager: String,
}

/// A field that was written whole and that the API server stored with other content. It drops
/// fields that a CRD does not declare.
#[derive(Debug, Clone, PartialEq)]
pub struct PrunedField {
    /// The kind of the object.
    pub kind: &'static str,
    /// The name of the object.
    pub name: String,
    /// The field, such as `spec.config`.
    pub field: String,
    /// The value that was written.
    pub wrote: Value,
    /// The value that the API server kept; None if it kept nothing.
    pub kept: Option<Value>,
}

/// A kind whose objects may be out of date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaleKind {
    /// The kind, such as `Subscription`.
    pub kind: &'static str,
    /// The time since when its objects were not observed; None if they never were.
    pub since: Option<Timestamp>,
    /// The reason.
    pub why: String,
}

/// A namespace and the observed objects of its operators.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NamespaceState {
    /// Its name.
    pub name: String,
    /// The Namespace itself; None if it does not exist.
    pub object: Option<Arc<Namespace>>,
    /// Its OperatorGroups, by name.
    pub groups: Vec<Arc<OperatorGroup>>,
    /// Its Subscriptions, by name.
    pub subscriptions: Vec<Arc<Subscription>>,
    /// Its InstallPlans, by name.
    pub plans: Vec<Arc<InstallPlan>>,
    /// Its ClusterServiceVersions by name, without copies.
    pub csvs: Vec<Arc<ClusterServiceVersion>>,
    /// The ClusterServiceVersions of the same package in other namespaces that serve all
    /// namespaces, by namespace and name.
    pub elsewhere: Vec<Arc<ClusterServiceVersion>>,
    /// For each of the CRDs, the first ClusterServiceVersion of another namespace that also owns
    /// it, by namespace and name.
    pub owners: Vec<Arc<ClusterServiceVersion>>,
    /// The CRDs with OLM's label of this operator, and those that its
    /// ClusterServiceVersions own, by name.
    pub crds: Vec<Arc<CustomResourceDefinition>>,
    /// The CatalogSources that the policy and its Subscription name.
    pub catalogs: Vec<Arc<CatalogSource>>,
    /// The custom resources of CRDs that will be removed; empty unless a removal needs them.
    pub instances: Vec<Instances>,
}

/// The custom resources of one CRD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instances {
    /// The name of the CRD.
    pub crd: String,
    /// The existing custom resources, or the reason why they are unknown.
    pub found: Result<Vec<Instance>, String>,
    /// True if there are more than were listed.
    pub has_more: bool,
}

/// A custom resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// Its group and version.
    pub api_version: String,
    /// Its kind.
    pub kind: String,
    /// Its namespace; None if it is cluster-scoped.
    pub namespace: Option<String>,
    /// Its name.
    pub name: String,
    /// The finalizers that delay its deletion.
    pub finalizers: Vec<String>,
}

// === impl Observed ===

impl Observed {
    /// Returns the state of a policy without neighbors, on a cluster with OLM, before other objects
    /// are observed.
    pub fn alone(policy: Arc<OperatorPolicy>) -> Self {
        Self {
            policy,
            standing: None,
            neighbors: Vec::new(),
            is_bound: false,
            write_mode: WriteMode::ReadWrite,
            contested: Vec::new(),
            pruned: Vec::new(),
            stale: Vec::new(),
            has_olm: true,
            is_crd_terminating: false,
            default_namespace: None,
            abandoned: Vec::new(),
            namespace: None,
        }
    }
}

// === impl StaleKind ===

impl fmt::Display for StaleKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, since, why } = self;
        match since {
            Some(since) => write!(
                f,
                "the API server has not shown any {kind} since {since:.0}: {why}"
            ),
            None => write!(f, "the API server has not shown any {kind} yet: {why}"),
        }
    }
}

// === impl PrunedField ===

impl PrunedField {
    /// Returns the parts of the field that are missing or differ from what was written, such as
    /// `spec.config.env[0].name`.
    pub fn lost(&self) -> Vec<String> {
        let mut lost = Vec::new();
        compare(&self.field, &self.wrote, self.kept.as_ref(), &mut lost);
        lost
    }
}

/// Collects the lost parts of a field. Parts that were added do not count.
fn compare(field: &str, wrote: &Value, kept: Option<&Value>, lost: &mut Vec<String>) {
    match (wrote, kept) {
        (Value::Object(wrote), Some(Value::Object(kept))) => {
            for (name, value) in wrote {
                let below = if name.contains('.') {
                    format!("{field}[{name}]")
                } else {
                    format!("{field}.{name}")
                };
                compare(&below, value, kept.get(name), lost);
            }
        }
        (Value::Array(wrote), Some(Value::Array(kept))) if wrote.len() == kept.len() => {
            for (place, (value, kept)) in wrote.iter().zip(kept).enumerate() {
                compare(&format!("{field}[{place}]"), value, Some(kept), lost);
            }
        }
        (wrote, kept) if kept != Some(wrote) => lost.push(field.to_owned()),
        (_, _) => {}
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case::a_part(json!({"a": 1, "b": 2}), Some(json!({"a": 1})), &["spec.config.b"])]
    #[case::a_part_of_a_part(
        json!({"a": {"b": 1, "c.d": 2}}), Some(json!({"a": {"b": 1}})), &["spec.config.a[c.d]"]
    )]
    #[case::a_part_of_an_entry(
        json!({"env": [{"name": "A"}, {"name": "B", "x": 1}]}),
        Some(json!({"env": [{"name": "A"}, {"name": "B"}]})),
        &["spec.config.env[1].x"]
    )]
    #[case::an_entry(json!({"env": [1, 2]}), Some(json!({"env": [1]})), &["spec.config.env"])]
    #[case::a_value(json!({"a": "1000m"}), Some(json!({"a": "1"})), &["spec.config.a"])]
    #[case::all(json!({"a": 1}), None, &["spec.config"])]
    #[case::nothing_where_something_is_added(json!({"a": 1}), Some(json!({"a": 1, "b": 2})), &[])]
    fn what_is_lost(#[case] wrote: Value, #[case] kept: Option<Value>, #[case] lost: &[&str]) {
        let pruned = PrunedField {
            kind: "Subscription",
            name: "etcd".to_owned(),
            field: "spec.config".to_owned(),
            wrote,
            kept,
        };
        assert_eq!(pruned.lost(), lost);
    }
}
