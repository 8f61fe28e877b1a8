//! A version that does not work, and the way back from it.

use std::time::Instant;

use portolan_rig::{Failure, PATIENCE, Seen, until};
use serde_json::json;

use super::stage::{harbor, version};

/// What never became ready is taken back, and tried again once it is another one and somebody says so.
#[tokio::test]
async fn a_version_that_never_works_is_taken_back() -> Result<(), Failure> {
    let ill = [version("ferry", "1.0.0"), version("ferry", "1.1.0").ill()];
    let Some(harbor) = harbor("operators-reverted", &ill).await? else {
        return Ok(());
    };
    let wish =
        |version: &str| json!({"version": version, "settleSeconds": 0, "onFailure": "Revert"});
    harbor.operator("ferry", wish("1.0.0")).await?;
    harbor.until_installed("ferry", "1.0.0").await?;
    harbor.operator("ferry", wish("1.1.0")).await?;
    let said = harbor
        .until("ferry", ["Installing", "False", "Reverted"])
        .await?;
    assert!(
        said.starts_with("ferry.v1.1.0 did not come to its end, and was taken back: "),
        "{said}"
    );
    harbor.until_installed("ferry", "1.0.0").await?;
    assert_eq!(harbor.runs("ferry").await?.as_deref(), Some("1.0.0"));
    let plans = harbor.plan_names().await?;
    assert_eq!(plans, [("ferry-1".to_owned(), false)]);

    // Nobody watches the files of bundles, but those of catalogs.
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
    harbor.operator("ferry", wish(">=1.1.0 <1.2.0")).await?;
    harbor.until_installed("ferry", "1.1.0").await
}

/// A Pod that crash-loops is named by the Operator, whose deadline and readiness rules its plan has.
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
    let said = until("the Pod to be named", PATIENCE, async || {
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
        "operators: the Pod is named after {:?}: {said}",
        begun.elapsed()
    );
    assert!(said.contains("with exit code 1"), "{said}");
    let plan = harbor.plans().get("ferry-1").await?;
    let stages = plan.data["spec"]["stages"].as_array().expect("stages");
    assert!(
        stages.iter().all(|stage| stage["deadlineSeconds"] == 1800),
        "{stages:?}"
    );
    Ok(())
}
