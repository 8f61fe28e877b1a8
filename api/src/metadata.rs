//! What the metadata of an object tell besides its names: what a server writes, and annotations by which
//! people tell a controller something about it.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// What an API server writes into the metadata of every object, and nobody else.
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

/// What an annotation says.
pub(crate) fn annotation<'m>(metadata: &'m ObjectMeta, name: &str) -> Option<&'m str> {
    let annotations = metadata.annotations.as_ref()?;
    annotations.get(name).map(String::as_str)
}

/// Whether an annotation that is a switch is on. Only the value `false` is not.
pub(crate) fn is_on(metadata: &ObjectMeta, name: &str) -> bool {
    annotation(metadata, name).is_some_and(|value| value != "false")
}
