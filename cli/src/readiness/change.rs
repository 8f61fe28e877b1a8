//! A change of one object: as a command, and as a file for review.

use portolan_core_names::text::{quoted, shell_word};
use serde_json::{Value, json};

/// The fields that a step sets in one object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) target: Target,
    /// Empty for a cluster-scoped object.
    pub(super) namespace: String,
    pub(super) name: String,
    /// The fields to set, as a merge patch.
    pub(super) fields: Value,
}

/// A kind of object that steps change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Target {
    group: &'static str,
    version: &'static str,
    kind: &'static str,
    plural: &'static str,
}

pub(super) const SUBSCRIPTION: Target = Target {
    group: "operators.coreos.com",
    version: "v1alpha1",
    kind: "Subscription",
    plural: "subscriptions",
};
pub(super) const EXTENSION: Target = Target {
    group: "olm.operatorframework.io",
    version: "v1",
    kind: "ClusterExtension",
    plural: "clusterextensions",
};
pub(super) const OPERATOR: Target = Target {
    group: "operators.operatorframework.io",
    version: "v1alpha1",
    kind: "Operator",
    plural: "operators",
};
pub(super) const POLICY: Target = Target {
    group: "policy.open-cluster-management.io",
    version: "v1beta1",
    kind: "OperatorPolicy",
    plural: "operatorpolicies",
};

// === impl Change ===

impl Change {
    /// Returns the command that makes the change.
    pub(super) fn command(&self) -> String {
        let Target { group, plural, .. } = self.target;
        let namespace = match self.namespace.as_str() {
            "" => String::new(),
            namespace => format!(" -n {}", shell_word(namespace)),
        };
        format!(
            "kubectl patch {}{namespace} --type merge -p {}",
            shell_word(&format!("{plural}.{group}/{}", self.name)),
            quoted(&self.fields.to_string())
        )
    }

    /// Returns the part of the object that the change sets, for a server-side apply.
    pub(super) fn manifest(&self) -> Value {
        let Target {
            group,
            version,
            kind,
            ..
        } = self.target;
        let mut metadata = json!({"name": self.name});
        if !self.namespace.is_empty() {
            metadata["namespace"] = json!(self.namespace);
        }
        let mut object = json!({
            "apiVersion": format!("{group}/{version}"),
            "kind": kind,
            "metadata": metadata,
        });
        for (field, value) in self.fields.as_object().into_iter().flatten() {
            object[field] = value.clone();
        }
        object
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_stays_one_argument() {
        let change = Change {
            target: SUBSCRIPTION,
            namespace: "docks".to_owned(),
            name: "ferry".to_owned(),
            fields: json!({"spec": {"channel": "it's; rm"}}),
        };
        assert_eq!(
            change.command(),
            r#"kubectl patch subscriptions.operators.coreos.com/ferry -n docks --type merge -p '{"spec":{"channel":"it'\''s; rm"}}'"#
        );
        assert_eq!(
            change.manifest(),
            json!({
                "apiVersion": "operators.coreos.com/v1alpha1",
                "kind": "Subscription",
                "metadata": {"name": "ferry", "namespace": "docks"},
                "spec": {"channel": "it's; rm"},
            })
        );
    }
}
