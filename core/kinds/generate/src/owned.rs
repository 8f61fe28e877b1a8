//! Removal of fields that the author of an object did not write.
//!
//! An object read by kubectl contains its resourceVersion. If a user applies such an object after
//! another write, kubectl rejects it. In a repository, the value is soon outdated. Therefore such
//! fields are removed. The fields of the author and the status are kept. The next program in a pipe
//! reads the installed version from the status, and an API server ignores the status.

use portolan_api::SERVER_METADATA;
use portolan_api::operator::FINALIZER;
use serde_json::{Map, Value};

/// The annotation with the last configuration that kubectl applied. kubectl updates it with each
/// apply.
const OF_KUBECTL: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Returns the object as its author would write it, plus its status.
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
            // The controller of Operators removes its own finalizer.
            let own = finalizers.iter().position(|it| it == FINALIZER)?;
            finalizers.remove(own);
            Some(finalizers.is_empty())
        });
    }
    object
}

/// Removes a value from a field. If the field is empty afterwards, removes the field.
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
