//! A change of one object: as a command, and as a file for review.

use portolan_core_names::text::{quoted, shell_word};
use portolan_core_names::{Gvk, Key};
use portolan_world::Kind;
use serde_json::{Value, json};

/// The fields that a step sets in one object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    kind: Gvk,
    plural: String,
    object: Key,
    /// The fields to set, as a merge patch.
    fields: Value,
}

// === impl Change ===

impl Change {
    /// Returns the change that sets these fields of an object.
    pub(super) fn of<K: Kind>(object: &Key, fields: Value) -> Self {
        Self {
            kind: Gvk::new(&K::api_version(&()), &K::kind(&())),
            plural: K::plural(&()).into_owned(),
            object: object.clone(),
            fields,
        }
    }

    /// Returns the command that makes the change.
    pub(super) fn command(&self) -> String {
        let Key { namespace, name } = &self.object;
        let namespace = match &**namespace {
            "" => String::new(),
            namespace => format!(" -n {}", shell_word(namespace)),
        };
        let object = format!("{}.{}/{name}", self.plural, self.kind.group);
        format!(
            "kubectl patch {}{namespace} --type merge -p {}",
            shell_word(&object),
            quoted(&self.fields.to_string())
        )
    }

    /// Returns the part of the object that the change sets, for a server-side apply.
    pub(super) fn manifest(&self) -> Value {
        let Key { namespace, name } = &self.object;
        let mut metadata = json!({"name": &**name});
        if !namespace.is_empty() {
            metadata["namespace"] = json!(&**namespace);
        }
        let mut object = json!({
            "apiVersion": self.kind.api_version(),
            "kind": &*self.kind.kind,
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
    use portolan_core_olm::Subscription;

    use super::*;

    #[test]
    fn foreign_text_stays_one_argument() {
        let fields = json!({"spec": {"channel": "it's; rm"}});
        let change = Change::of::<Subscription>(&Key::new("docks", "ferry"), fields);
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
