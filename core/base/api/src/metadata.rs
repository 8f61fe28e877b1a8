//! The metadata of objects except their names: the fields that an API server sets, and annotations
//! by which users instruct a controller.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// The metadata fields that only an API server sets, on objects of every kind.
pub const SERVER_METADATA: [&str; 8] = [
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// Returns the value of an annotation.
pub(crate) fn annotation<'m>(metadata: &'m ObjectMeta, name: &str) -> Option<&'m str> {
    let annotations = metadata.annotations.as_ref()?;
    annotations.get(name).map(String::as_str)
}

/// Returns true if a switch annotation is on. Every value except `false` counts.
pub(crate) fn is_on(metadata: &ObjectMeta, name: &str) -> bool {
    annotation(metadata, name).is_some_and(|value| value != "false")
}
