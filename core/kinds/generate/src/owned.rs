//! Removes the fields of an object that its author did not write.
//!
//! For example, an object that kubectl has read contains its resourceVersion. If a user applies
//! this object after another client has written it, the API server rejects the apply. In a
//! repository, such a value is soon outdated.
//!
//! The fields of the author and the status are kept. The next program in a pipe reads the installed
//! version from the status, and an API server ignores the status.

use portolan_api::SERVER_METADATA;
use portolan_api::operator::FINALIZER;
use serde_json::{Map, Value};

/// The annotation in which kubectl records the last configuration that it applied.
const OF_KUBECTL: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Returns the object with only the fields of its author, plus its status.
pub(crate) fn without(object: &Value) -> Value {
    let mut object = object.clone();
    let metadata = object.get_mut("metadata").and_then(Value::as_object_mut);
    if let Some(metadata) = metadata {
        metadata.retain(|field, _| !SERVER_METADATA.contains(&field.as_str()));
        take_out(metadata, "annotations", |annotations| {
            let annotations = annotations.as_object_mut()?;
            annotations.remove(OF_KUBECTL)?;
            Some(annotations.is_empty())
        });
        take_out(metadata, "finalizers", |finalizers| {
            let finalizers = finalizers.as_array_mut()?;
            // The controller of Operators has added this finalizer and removes it.
            let own = finalizers.iter().position(|it| it == FINALIZER)?;
            finalizers.remove(own);
            Some(finalizers.is_empty())
        });
    }
    object
}

/// Removes a value from the field with this name. If the field is empty afterwards, removes the
/// field too.
fn take_out(
    fields: &mut Map<String, Value>,
    name: &str,
    take: impl FnOnce(&mut Value) -> Option<bool>,
) {
    if fields.get_mut(name).and_then(take) == Some(true) {
        fields.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case::fields_of_the_api_server(
        json!({
            "name": "redis",
            "creationTimestamp": null,
            "generation": 3,
            "managedFields": [{"manager": "kubectl"}],
            "resourceVersion": "812",
            "uid": "5f",
        }),
        json!({"name": "redis"})
    )]
    #[case::fields_of_kubectl_and_the_controller(
        json!({
            "name": "redis",
            "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}"},
            "finalizers": ["operators.portolan.dev/plans"],
        }),
        json!({"name": "redis"})
    )]
    #[case::fields_of_other_clients_stay(
        json!({
            "name": "redis",
            "labels": {"team": "harbor"},
            "annotations": {
                "kubectl.kubernetes.io/last-applied-configuration": "{}",
                "harbor.example/paged": "yes",
            },
            "finalizers": ["harbor.example/books", "operators.portolan.dev/plans"],
            "ownerReferences": [{"name": "harbor"}],
        }),
        json!({
            "name": "redis",
            "labels": {"team": "harbor"},
            "annotations": {"harbor.example/paged": "yes"},
            "finalizers": ["harbor.example/books"],
            "ownerReferences": [{"name": "harbor"}],
        })
    )]
    fn keeps_only_metadata_of_the_author(#[case] metadata: Value, #[case] expected: Value) {
        let status = json!({"versions": {"installed": "1.5.2"}});
        let object = json!({"metadata": metadata, "status": status});
        let expected = json!({"metadata": expected, "status": status});
        assert_eq!(without(&object), expected);
    }

    #[rstest]
    #[case::without_metadata(json!({}))]
    #[case::invalid_metadata(json!({"metadata": {"annotations": [1], "finalizers": "none"}}))]
    #[case::empty_metadata(json!({"metadata": {"annotations": {}, "finalizers": []}}))]
    fn object_without_server_fields_is_unchanged(#[case] object: Value) {
        assert_eq!(without(&object), object);
    }
}
