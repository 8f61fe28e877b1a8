//! Collects the contents of plans, which Secrets and ResourceManifests store.

use portolan_api::plan::{GROUP, ResourceManifest};
use portolan_core_install::{Contents, SecretContent};
use portolan_core_names::ObjectRef;
use serde_json::Value;

/// Adds the content of a Secret or a ResourceManifest. Ignores an object that cannot be parsed.
pub(super) fn put(object: &Value, contents: &mut Contents) {
    let ObjectRef { kind, name, .. } = ObjectRef::of(object);
    match (kind.group.as_str(), kind.kind.as_str()) {
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
