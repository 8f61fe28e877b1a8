//! A change of one field of an object, as a kubectl command and as a manifest for review.

use serde_json::{Value, json};

use crate::object::{Gvk, Key};
use crate::text::{quoted, shell_word};

/// An object, with the plural of its kind, which kubectl needs to address it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddressedObject {
    pub kind: Gvk,
    /// The plural of the kind in lower case, such as `subscriptions`.
    pub plural: String,
    pub key: Key,
}

/// The new value of one field of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldChange {
    pub object: AddressedObject,
    /// The path of the field, such as `spec.channel`.
    pub field: String,
    pub value: FieldValue,
}

/// The value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldValue {
    Text(String),
    List(Vec<String>),
}

// === impl AddressedObject ===

impl AddressedObject {
    /// Returns the object as a quoted argument of kubectl, such as
    /// `subscriptions.operators.coreos.com/ferry`.
    pub fn argument(&self) -> String {
        let Self { kind, plural, key } = self;
        let name = &key.name;
        shell_word(&match kind.group.as_str() {
            "" => format!("{plural}/{name}"),
            group => format!("{plural}.{group}/{name}"),
        })
    }
}

// === impl FieldChange ===

impl FieldChange {
    /// Returns the `kubectl patch` command that makes the change.
    pub fn command(&self) -> String {
        let namespace = match &*self.object.key.namespace {
            "" => String::new(),
            namespace => format!(" -n {}", shell_word(namespace)),
        };
        format!(
            "kubectl patch {}{namespace} --type merge -p {}",
            self.object.argument(),
            quoted(&self.fields().to_string())
        )
    }

    /// Returns a manifest with the changed field only, for a server-side apply.
    pub fn manifest(&self) -> Value {
        let AddressedObject { kind, key, .. } = &self.object;
        let mut metadata = json!({"name": &*key.name});
        if !key.namespace.is_empty() {
            metadata["namespace"] = json!(&*key.namespace);
        }
        let mut object = json!({
            "apiVersion": kind.api_version(),
            "kind": kind.kind,
            "metadata": metadata,
        });
        for (field, value) in self.fields().as_object().into_iter().flatten() {
            object[field] = value.clone();
        }
        object
    }

    /// Returns the field below its parents, as a merge patch such as
    /// `{"spec":{"channel":"alpha"}}`.
    fn fields(&self) -> Value {
        let value = match &self.value {
            FieldValue::Text(text) => json!(text),
            FieldValue::List(texts) => json!(texts),
        };
        let parents = self.field.rsplit('.');
        parents.fold(value, |value, name| json!({ name: value }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(namespace: &str, field: &str, value: FieldValue) -> FieldChange {
        FieldChange {
            object: AddressedObject {
                kind: Gvk::new("operators.coreos.com/v1alpha1", "Subscription"),
                plural: "subscriptions".to_owned(),
                key: Key::new(namespace, "ferry"),
            },
            field: field.to_owned(),
            value,
        }
    }

    #[test]
    fn quotes_field_value_as_one_shell_argument() {
        let text = FieldValue::Text("it's; rm".to_owned());
        let change = change("docks", "spec.channel", text);
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

    #[test]
    fn cluster_scoped_object_has_no_namespace() {
        let list = FieldValue::List(vec!["alpha".to_owned()]);
        let change = change("", "spec.source.channels", list);
        assert_eq!(
            change.command(),
            r#"kubectl patch subscriptions.operators.coreos.com/ferry --type merge -p '{"spec":{"source":{"channels":["alpha"]}}}'"#
        );
        assert_eq!(change.manifest()["metadata"], json!({"name": "ferry"}));
    }
}
