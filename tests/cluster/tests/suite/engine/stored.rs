//! Tests manifests that are not in the plan itself, but in other objects.

use portolan_core_install::{digest, pack};
use portolan_rig::Failure;
use serde_json::{Value, json};

use super::stage::{config_map, engine, manifest};

fn resource_manifest(at: [&str; 2], spec: Value) -> Value {
    let mut stored = manifest("plans.portolan.dev/v1alpha1", "ResourceManifest", at);
    stored["spec"] = spec;
    stored
}

/// A plan waits for a missing manifest. It rejects a manifest whose digest does not match. A
/// confidential manifest can be in a Secret.
#[tokio::test]
async fn manifests_are_read_from_referenced_objects() -> Result<(), Failure> {
    let Some(engine) = engine("pl-stored").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let namespace = engine.namespace();
    let [plain, packed, secret] = ["plain", "packed", "secret"].map(|name| [namespace, name]);
    let resources = json!([
        {"ref": {"name": "plain"}}, {"ref": {"name": "packed"}}, {"ref": {"secret": "hidden"}},
    ]);
    engine
        .plan("ferry", json!([{"name": "all", "resources": resources}]))
        .await?;
    let message = engine
        .until("ferry", ["Valid", "Unknown", "ReferenceMissing"])
        .await?;
    for missing in ["ResourceManifest plain", "ResourceManifest packed"] {
        assert!(message.contains(missing), "{missing}: {message}");
    }

    let map = config_map(plain, "1");
    let stored = resource_manifest(plain, json!({"digest": digest(&map), "manifest": map}));
    engine.make(&stored).await?;
    let map = config_map(packed, "1");
    let stored = resource_manifest(
        packed,
        json!({"digest": digest(&map), "compressed": pack(&map)}),
    );
    engine.make(&stored).await?;
    let mut hidden = manifest("v1", "Secret", [namespace, "hidden"]);
    let map = config_map(secret, "1");
    hidden["stringData"] = json!({"manifest": map.to_string()});
    hidden["immutable"] = json!(true);
    engine.make(&hidden).await?;
    engine.until_ready("ferry").await?;
    for at in [plain, packed, secret] {
        let found = engine
            .object(&config_map(at, "1"))
            .await?
            .expect("the applied object");
        assert_eq!(found.data["data"], json!({"value": "1"}));
    }

    let other = digest(&config_map(plain, "2"));
    let lies = json!({"digest": other, "manifest": config_map(plain, "1")});
    engine
        .make(&resource_manifest([namespace, "lies"], lies))
        .await?;
    let resources = json!([{"ref": {"name": "lies"}}]);
    engine
        .plan("other", json!([{"name": "all", "resources": resources}]))
        .await?;
    let message = engine
        .until("other", ["Valid", "False", "ManifestInvalid"])
        .await?;
    assert!(message.contains("digest"), "{message}");
    Ok(())
}
