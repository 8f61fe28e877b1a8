//! Annotations by which people tell a controller something about one object.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// What an annotation says.
pub(crate) fn annotation<'m>(metadata: &'m ObjectMeta, name: &str) -> Option<&'m str> {
    let annotations = metadata.annotations.as_ref()?;
    annotations.get(name).map(String::as_str)
}

/// Whether an annotation that is a switch is on. Only the value `false` is not.
pub(crate) fn is_on(metadata: &ObjectMeta, name: &str) -> bool {
    annotation(metadata, name).is_some_and(|value| value != "false")
}
