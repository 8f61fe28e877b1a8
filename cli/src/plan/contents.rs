//! The contents that lie beside a plan, out of objects.

use portolan_api::plan::{GROUP, ResourceManifest};
use portolan_core_install::{Contents, SecretContent};
use serde_json::Value;

/// Adds the content of an object for plans. Unreadable content is skipped.
pub(super) fn put(object: &Value, contents: &mut Contents) {
    let text = |pointer: &str| {
        object
            .pointer(pointer)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let name = text("/metadata/name").to_owned();
    let (group, _) = text("/apiVersion").split_once('/').unwrap_or_default();
    match (group, text("/kind")) {
        (GROUP, "ResourceManifest") => {
            if let Ok(found) = serde_json::from_value::<ResourceManifest>(object.clone()) {
                contents.resource_manifests.insert(name, Some(found));
            }
        }
        ("", "Secret") => {
            let content = SecretContent::of(object);
            contents.secrets.insert(name, Ok(Some(content)));
        }
        _ => {}
    }
}
