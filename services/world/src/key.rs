//! The keys of objects.

use kube::core::ObjectMeta;
use portolan_core_names::Key;

/// Returns the key of an object.
pub(crate) fn key_of(metadata: &ObjectMeta) -> Key {
    let text = |text: &Option<String>| text.as_deref().unwrap_or_default().into();
    Key {
        namespace: text(&metadata.namespace),
        name: text(&metadata.name),
    }
}
