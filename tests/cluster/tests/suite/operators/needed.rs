//! Tests operators that require other operators.

use portolan_rig::Failure;
use serde_json::{Value, json};

use super::stage::{harbor, version};

#[tokio::test]
async fn operator_waits_for_its_dependencies() -> Result<(), Failure> {
    let versions = [
        version("ferry", "1.0.0").requiring("rope", ">=1.0.0"),
        version("rope", "1.0.0"),
    ];
    let Some(harbor) = harbor("operators-needed", &versions).await? else {
        return Ok(());
    };
    harbor.operator("ferry", json!({})).await?;
    let waits = ["Installing", "False", "WaitingForDependencies"];
    let message = harbor.until("ferry", waits).await?;
    assert!(message.contains("rope"), "{message}");
    assert!(!message.contains(['├', '└']), "{message}");
    let needs = |more: Value| {
        let mut dependency = json!({
            "name": "rope", "bundle": "ferry.v1.0.0", "minimumVersion": "1.0.0", "range": ">=1.0.0",
        });
        let fields = dependency.as_object_mut().into_iter();
        fields.for_each(|it| it.extend(more.as_object().cloned().unwrap_or_default()));
        json!([dependency])
    };
    let status = harbor.status("ferry").await?;
    assert_eq!(status["dependencies"], needs(json!({"satisfied": false})));
    assert_eq!(harbor.plan_names().await?, []);

    harbor.operator("rope", json!({"settleSeconds": 0})).await?;
    harbor.until_installed("ferry", "1.0.0").await?;
    let status = harbor.status("ferry").await?;
    let met = json!({"satisfied": true, "installed": "1.0.0"});
    assert_eq!(status["dependencies"], needs(met));
    assert_eq!(status["versions"]["resolver"], env!("CARGO_PKG_VERSION"));

    let used = ["Installing", "False", "DeletionBlocked"];
    harbor.delete("rope").await?;
    let message = harbor.until("rope", used).await?;
    assert!(
        message.starts_with("ferry 1.0.0 needs this operator; "),
        "{message}"
    );
    assert_eq!(harbor.runs("rope").await?.as_deref(), Some("1.0.0"));
    harbor.delete("ferry").await?;
    harbor.until_gone("ferry").await?;
    harbor.until_gone("rope").await
}
