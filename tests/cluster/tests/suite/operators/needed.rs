//! Operators that need others.

use portolan_rig::Failure;
use serde_json::json;

use super::stage::{harbor, version};

#[tokio::test]
async fn it_waits_until_what_it_requires_is_there() -> Result<(), Failure> {
    let versions = [
        version("ferry", "1.0.0").requiring("rope", ">=1.0.0"),
        version("rope", "1.0.0"),
    ];
    let Some(harbor) = harbor("operators-needed", &versions).await? else {
        return Ok(());
    };
    harbor.operator("ferry", json!({})).await?;
    let waits = ["Installing", "False", "WaitingForDependencies"];
    let said = harbor.until("ferry", waits).await?;
    assert!(said.contains("rope"), "{said}");
    assert_eq!(harbor.plan_names().await?, []);

    harbor.operator("rope", json!({"settleSeconds": 0})).await?;
    harbor.until_installed("ferry", "1.0.0").await?;
    let status = harbor.status("ferry").await?;
    let needs = json!([{"name": "rope", "minimumVersion": "1.0.0", "range": ">=1.0.0"}]);
    assert_eq!(status["dependencies"], needs);

    let used = ["Installing", "False", "DeletionBlocked"];
    harbor.delete("rope").await?;
    let said = harbor.until("rope", used).await?;
    assert!(said.starts_with("ferry 1.0.0 needs it; "), "{said}");
    assert_eq!(harbor.runs("rope").await?.as_deref(), Some("1.0.0"));
    harbor.delete("ferry").await?;
    harbor.until_gone("ferry").await?;
    harbor.until_gone("rope").await
}
