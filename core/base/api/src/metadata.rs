//! Reads metadata of objects: fields that an API server sets, and annotations with which users
//! instruct a controller.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// The metadata fields that only API servers set, for all kinds.
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

/// Returns true if the annotation is set. Any value except `false` counts as set.
pub(crate) fn is_on(metadata: &ObjectMeta, name: &str) -> bool {
    annotation(metadata, name).is_some_and(|value| value != "false")
}
