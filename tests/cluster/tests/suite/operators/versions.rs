//! Tests the installation of several versions of one operator, one after the other.

use portolan_rig::{Failure, PATIENCE, Seen, until};
use serde_json::json;

use super::stage::{Harbor, Version, harbor, spec_at, version};

fn ferry() -> [Version<'static>; 3] {
    ["1.0.0", "1.1.0", "1.2.0"].map(|it| version("ferry", it))
}

#[tokio::test]
async fn operator_without_a_version_installs_the_best_version_once() -> Result<(), Failure> {
    let Some(mut harbor) = harbor("operators-once", &ferry()).await? else {
        return Ok(());
    };
    harbor.operator("ferry", json!({})).await?;
    harbor.until_installed("ferry", "1.2.0").await?;
    let frozen = ["Installing", "False", "Frozen"];
    harbor.until("ferry", frozen).await?;
    assert_eq!(harbor.runs("ferry").await?.as_deref(), Some("1.2.0"));
    let plans = harbor.plan_names().await?;
    assert_eq!(plans, [("ferry-1".to_owned(), false)]);
    let before = harbor.operators().get("ferry").await?;

    // The Operator requests no version. So nothing is written after a restart of the controller.
    harbor.kill();
    harbor.start().await?;
    harbor.operator("rope", json!({})).await?;
    let unknown = ["Installing", "False", "PackageNotFound"];
    let message = harbor.until("rope", unknown).await?;
    assert_eq!(message, "no catalog has the package rope");
    let after = harbor.operators().get("ferry").await?;
    let versions = [before, after].map(|it| it.metadata.resource_version);
    assert_eq!(versions[0], versions[1]);
    Ok(())
}

#[tokio::test]
async fn operator_is_upgraded_through_requested_versions() -> Result<(), Failure> {
    let Some(harbor) = harbor("operators-hops", &ferry()).await? else {
        return Ok(());
    };
    harbor.operator("ferry", spec_at("1.0.0")).await?;
    harbor.until_installed("ferry", "1.0.0").await?;
    harbor
        .until("ferry", ["Installing", "False", "UpToDate"])
        .await?;
    assert_eq!(harbor.runs("ferry").await?.as_deref(), Some("1.0.0"));
    let status = harbor.status("ferry").await?;
    assert_eq!(status["versions"]["available"], json!(["1.2.0", "1.1.0"]));

    harbor.operator("ferry", spec_at(">=1.0.0 <2.0.0")).await?;
    harbor.until_installed("ferry", "1.2.0").await?;
    assert_eq!(harbor.runs("ferry").await?.as_deref(), Some("1.2.0"));
    let plans = harbor.plan_names().await?;
    let names: Vec<_> = plans.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        ["ferry-1", "ferry-2", "ferry-3"],
        "no version is skipped"
    );

    harbor.operator("ferry", spec_at("1.0.0")).await?;
    let message = harbor
        .until("ferry", ["Installing", "False", "NoUpgradePath"])
        .await?;
    assert!(message.contains("1.2.0"), "{message}");

    // A prerelease is installed only if requested.
    let all = ["1.0.0", "1.1.0", "1.2.0", "1.3.0-rc.1"].map(|it| version("ferry", it));
    harbor.publish(&all)?;
    harbor.operator("ferry", spec_at(">=1.0.0 <2.0.0")).await?;
    let there = ["UpgradeAvailable", "True", "HigherVersions"];
    let message = harbor.until("ferry", there).await?;
    assert!(message.ends_with("1.3.0-rc.1"), "{message}");
    harbor
        .until("ferry", ["Installing", "False", "UpToDate"])
        .await?;
    assert_eq!(harbor.runs("ferry").await?.as_deref(), Some("1.2.0"));
    harbor
        .operator("ferry", spec_at(">=1.3.0-rc.1 <2.0.0"))
        .await?;
    harbor.until_installed("ferry", "1.3.0-rc.1").await
}

#[tokio::test]
async fn manual_approval_releases_the_plan() -> Result<(), Failure> {
    let Some(harbor) = harbor("operators-manual", &ferry()).await? else {
        return Ok(());
    };
    harbor
        .operator("ferry", json!({"approval": "Manual"}))
        .await?;
    let wanted = ["Installing", "False", "ApprovalRequired"];
    let message = harbor.until("ferry", wanted).await?;
    assert_eq!(harbor.deployment("ferry").await?, None);
    let plans = harbor.plan_names().await?;
    assert_eq!(plans, [("ferry-1".to_owned(), true)]);
    harbor.run_command_of(&message).await?;
    harbor.until_installed("ferry", "1.2.0").await
}

/// Waits until exactly these plans exist, each with the ResourceManifest of its
/// ClusterServiceVersion.
async fn until_history(harbor: &Harbor, plans: &[&str]) -> Result<(), Failure> {
    until(format!("the plans {plans:?}"), PATIENCE, async || {
        let found = harbor.plan_names().await?;
        let found: Vec<_> = found.into_iter().map(|(name, _)| name).collect();
        let manifests = harbor.manifests().await?;
        Ok(if found == plans && manifests.len() == plans.len() {
            Seen::Yes(())
        } else {
            Seen::NotYet(format!("{found:?} {manifests:?}"))
        })
    })
    .await
}

#[tokio::test]
async fn replaced_plans_beyond_the_history_limit_are_deleted() -> Result<(), Failure> {
    let versions = ["1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0"];
    let all = versions.map(|it| version("ferry", it));
    let Some(harbor) = harbor("operators-history", &all).await? else {
        return Ok(());
    };
    let wished = |version: &str, limit: u32| {
        let mut spec = spec_at(version);
        spec["revisionHistoryLimit"] = json!(limit);
        spec
    };
    harbor.operator("ferry", wished("1.0.0", 2)).await?;
    harbor.until_installed("ferry", "1.0.0").await?;
    let first = harbor.deployment("ferry").await?.expect("a Deployment");
    for version in &versions[1..] {
        harbor.operator("ferry", wished(version, 2)).await?;
        harbor.until_installed("ferry", version).await?;
    }
    until_history(&harbor, &["ferry-3", "ferry-4", "ferry-5"]).await?;
    harbor.operator("ferry", wished("1.4.0", 1)).await?;
    until_history(&harbor, &["ferry-4", "ferry-5"]).await?;
    let last = harbor.deployment("ferry").await?.expect("a Deployment");
    assert_eq!(last["metadata"]["uid"], first["metadata"]["uid"]);
    assert_eq!(harbor.runs("ferry").await?.as_deref(), Some("1.4.0"));
    harbor
        .until("ferry", ["Ready", "True", "Installed"])
        .await?;
    Ok(())
}
