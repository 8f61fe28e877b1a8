//! Tests a version that fails, and the revert to the previous version.

use std::time::Instant;

use portolan_rig::{Failure, PATIENCE, Seen, until};
use serde_json::json;

use super::stage::{harbor, version};

/// A version that never becomes ready is reverted. It is installed when the bundle is fixed and a
/// user requests it again.
#[tokio::test]
async fn failing_version_is_reverted_and_retried_on_demand() -> Result<(), Failure> {
    let ill = [version("ferry", "1.0.0"), version("ferry", "1.1.0").ill()];
    let Some(harbor) = harbor("operators-reverted", &ill).await? else {
        return Ok(());
    };
    let spec_at =
        |version: &str| json!({"version": version, "settleSeconds": 0, "onFailure": "Revert"});
    harbor.operator("ferry", spec_at("1.0.0")).await?;
    harbor.until_installed("ferry", "1.0.0").await?;
    harbor.operator("ferry", spec_at("1.1.0")).await?;
    let message = harbor
        .until("ferry", ["Installing", "False", "Reverted"])
        .await?;
    assert!(
        message.starts_with("the installation of ferry.v1.1.0 failed and was reverted: "),
        "{message}"
    );
    harbor.until_installed("ferry", "1.0.0").await?;
    assert_eq!(harbor.runs("ferry").await?.as_deref(), Some("1.0.0"));
    let plans = harbor.plan_names().await?;
    assert_eq!(plans, [("ferry-1".to_owned(), false)]);

    // The resolver watches the files of catalogs, but not the files of bundles. So a change of the
    // catalog is needed.
    harbor.publish(&["1.0.0", "1.1.0", "1.2.0"].map(|it| version("ferry", it)))?;
    until("the catalog to be read", PATIENCE, async || {
        let versions = harbor.status("ferry").await?["versions"].clone();
        Ok(if versions["available"][0] == "1.2.0" {
            Seen::Yes(())
        } else {
            Seen::NotYet(versions.to_string())
        })
    })
    .await?;
    harbor.operator("ferry", spec_at(">=1.1.0 <1.2.0")).await?;
    harbor.until_installed("ferry", "1.1.0").await
}

/// The status of an Operator contains the name of a Pod that crash-loops. The plan of the Operator
/// has a deadline and readiness rules.
#[tokio::test]
async fn pod_that_crash_loops_is_named_by_the_operator() -> Result<(), Failure> {
    let ill = [version("ferry", "1.0.0").ill()];
    let Some(harbor) = harbor("operators-crashing", &ill).await? else {
        return Ok(());
    };
    harbor
        .operator(
            "ferry",
            json!({"version": "1.0.0", "progressDeadlineSeconds": 1800}),
        )
        .await?;
    let begun = Instant::now();
    let named = until("the Pod to be named", PATIENCE, async || {
        let status = harbor.status("ferry").await?;
        let conditions = status["conditions"].as_array().cloned().unwrap_or_default();
        let installing = conditions.iter().find(|it| it["type"] == "Installing");
        let message = installing
            .and_then(|it| it["message"].as_str())
            .unwrap_or_default();
        Ok(if message.contains("crash-loops") {
            Seen::Yes(message.to_owned())
        } else {
            Seen::NotYet(status.to_string())
        })
    })
    .await?;
    println!(
        "operators: the Pod is named after {:?}: {named}",
        begun.elapsed()
    );
    assert!(named.contains("with exit code 1"), "{named}");
    let plan = harbor.plans().get("ferry-1").await?;
    let stages = plan.data["spec"]["stages"].as_array().expect("stages");
    assert!(
        stages.iter().all(|stage| stage["deadlineSeconds"] == 1800),
        "{stages:?}"
    );
    Ok(())
}
