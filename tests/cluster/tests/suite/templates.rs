//! Tests policies with templates that read objects.

mod denied;
mod followed;
mod framework;
mod secret;

use portolan_rig::{Failure, Kind};
use serde_json::{Value, json};

use crate::objects::make;
use crate::operatorpolicy::stage::Stage;

const INVALID: &str = "ValidPolicySpec False InvalidPolicySpec";
const VALID: &str = "ValidPolicySpec True PolicyValidated";

/// Creates a ConfigMap in the namespace of the test.
async fn config_map(stage: &Stage, name: &str, data: Value) -> Result<(), Failure> {
    let kind = Kind::ConfigMap;
    stage.editor.create(kind, name, json!({"data": data})).await
}

/// Creates a Secret in the namespace of the test.
async fn secret(stage: &Stage, name: &str, data: Value) -> Result<(), Failure> {
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "stringData": data,
        "metadata": {"name": name, "namespace": stage.world.namespace()},
    });
    make(stage.world.client(), &secret).await
}
