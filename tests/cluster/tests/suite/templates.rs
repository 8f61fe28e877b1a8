//! What becomes of policies with templates, and of what these read.

mod denied;
mod followed;
mod framework;
mod secret;

use kube::Api;
use kube::api::{ApiResource, DynamicObject, PostParams};
use kube::core::GroupVersionKind;
use portolan_rig::{Failure, Kind};
use serde_json::{Value, json};

use crate::operatorpolicy::stage::Stage;

const INVALID: &str = "ValidPolicySpec False InvalidPolicySpec";
const VALID: &str = "ValidPolicySpec True PolicyValidated";

/// Makes a ConfigMap of the story.
async fn config_map(stage: &Stage, name: &str, data: Value) -> Result<(), Failure> {
    let kind = Kind::ConfigMap;
    stage.editor.create(kind, name, json!({"data": data})).await
}

/// Makes a Secret of the story.
async fn secret(stage: &Stage, name: &str, data: Value) -> Result<(), Failure> {
    let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", "Secret"));
    let here = stage.world.namespace();
    let secrets: Api<DynamicObject> =
        Api::namespaced_with(stage.world.client().clone(), here, &kind);
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "stringData": data,
    });
    let secret = serde_json::from_value(secret).map_err(Failure::read("a Secret"))?;
    secrets.create(&PostParams::default(), &secret).await?;
    Ok(())
}
