//! Tests of the versions that OLM chooses. An InstallPlan is approved only if the test needs its
//! result.

use portolan_rig::Failure;
use serde_json::json;

use super::stage::{offer, stage};

#[tokio::test]
async fn required_package_is_installed_within_its_range() -> Result<(), Failure> {
    let Some(mut stage) = stage("by-package").await? else {
        return Ok(());
    };
    let text = "ferry: 1.0.0 requires anchor >=1.0.0 <2.0.0; anchor: 1.0.0 -> 1.1.0 -> 2.0.0";
    stage.serve("one", 0, &offer(text)).await?;
    stage.subscribe("ferry/stable").await?;
    let actions = stage.same().await?;
    let only = "anchor.v1.1.0 + ferry.v1.0.0 + (anchor-stable-one-here)";
    assert_eq!(actions, [only, "settled"]);
    Ok(())
}

#[tokio::test]
async fn provider_of_a_required_api_is_installed() -> Result<(), Failure> {
    let Some(mut stage) = stage("by-api").await? else {
        return Ok(());
    };
    let text = "yawl: 1.0.0 requires loft.test/v1/Sail; canvas: 1.0.0 provides loft.test/v1/Sail";
    stage.serve("one", 0, &offer(text)).await?;
    stage.subscribe("yawl").await?;
    let actions = stage.same().await?;
    let only = "canvas.v1.0.0 + yawl.v1.0.0 + (canvas-stable-one-here)";
    assert_eq!(actions, [only, "settled"]);
    Ok(())
}

#[tokio::test]
async fn single_bundle_satisfies_a_compound_constraint() -> Result<(), Failure> {
    let Some(mut stage) = stage("compound").await? else {
        return Ok(());
    };
    let oars = |range: &str| json!({"package": {"packageName": "oar", "versionRange": range}});
    let constraint = json!({
        "failureMessage": "oars, but not the newest",
        "all": {"constraints": [
            {"any": {"constraints": [oars("<0.1.0"), oars(">=1.0.0")]}},
            {"not": {"constraints": [oars(">=2.0.0")]}},
        ]},
    });
    let offered = offer("gig: 1.0.0; oar: 1.0.0 -> 1.1.0 -> 2.0.0");
    let offered = offered.with_property("gig.v1.0.0", "olm.constraint", constraint);
    stage.serve("one", 0, &offered).await?;
    stage.subscribe("gig manual").await?;
    let actions = stage.same().await?;
    let only = "gig.v1.0.0 + oar.v1.1.0 + (oar-stable-one-here)";
    assert_eq!(actions, [only, "awaits approval"]);
    Ok(())
}

#[tokio::test]
async fn cel_rule_sees_versions_and_properties() -> Result<(), Failure> {
    let Some(mut stage) = stage("cel").await? else {
        return Ok(());
    };
    let rule = "properties.exists(p, p.type == 'olm.package' && p.value.packageName == 'mast' && \
                semver_compare(p.value.version, '2.0.0') < 0) && \
                properties.exists(p, p.type == 'wood' && p.value == 'ash')";
    let constraint = json!({"failureMessage": "a mast of ash", "cel": {"rule": rule}});
    let offered = offer("sloop: 1.0.0; mast: 1.0.0 -> 1.1.0 -> 2.0.0")
        .with_property("sloop.v1.0.0", "olm.constraint", constraint)
        .with_property("mast.v1.0.0", "wood", json!("ash"))
        .with_property("mast.v1.1.0", "wood", json!("pine"))
        .with_property("mast.v2.0.0", "wood", json!("ash"));
    stage.serve("one", 0, &offered).await?;
    stage.subscribe("sloop manual").await?;
    let actions = stage.same().await?;
    let first = "mast.v1.0.0 + sloop.v1.0.0 + (mast-stable-one-here)";
    assert_eq!(actions, [first, "awaits approval"]);
    Ok(())
}

/// For a dependency, OLM prefers the catalog of the dependent operator, regardless of its priority.
/// The priority determines the order of the other catalogs.
#[tokio::test]
async fn catalog_of_the_operator_is_preferred_then_the_priority_counts() -> Result<(), Failure> {
    let Some(mut stage) = stage("priorities").await? else {
        return Ok(());
    };
    let own = offer("barge: 1.0.0 requires rope >=1.0.0; 1.0.0 requires tar >=1.0.0; tar: 1.0.0");
    stage.serve("own", -5, &own).await?;
    let low = offer("rope: 1.0.0; tar: 1.1.0");
    stage.serve("low", 1, &low).await?;
    let high = offer("rope: 1.0.0; tar: 1.2.0");
    stage.serve("zhigh", 2, &high).await?;
    stage.subscribe("barge manual").await?;
    let actions = stage.same().await?;
    let only = "barge.v1.0.0 + rope.v1.0.0 + tar.v1.0.0 + (rope-stable-zhigh-here) + \
                (tar-stable-own-here)";
    assert_eq!(actions, [only, "awaits approval"]);
    Ok(())
}

#[tokio::test]
async fn single_manual_subscription_makes_the_namespace_wait() -> Result<(), Failure> {
    let Some(mut stage) = stage("manual").await? else {
        return Ok(());
    };
    let text = "tug: 1.0.0 requires hawser >=1.0.0; hawser: 1.0.0; buoy: 1.0.0 -> 1.1.0";
    stage.serve("one", 0, &offer(text)).await?;
    stage.subscribe("tug manual").await?;
    stage.subscribe("buoy start=buoy.v1.0.0").await?;
    let actions = stage.same().await?;
    let only = "buoy.v1.0.0 + hawser.v1.0.0 + tug.v1.0.0 + (hawser-stable-one-here)";
    assert_eq!(actions, [only, "awaits approval"]);
    Ok(())
}

#[tokio::test]
async fn csv_without_subscription_satisfies_dependents() -> Result<(), Failure> {
    let Some(mut stage) = stage("freestanding").await? else {
        return Ok(());
    };
    let offered = offer("dory: 1.0.0 requires bailer >=1.0.0; bailer: 1.0.0 -> 1.1.0");
    let left = offered.package("bailer").bundle("1.0.0");
    stage.leave(left, Some("bailer")).await?;
    stage.serve("one", 0, &offered).await?;
    stage.subscribe("dory").await?;
    let actions = stage.same().await?;
    assert_eq!(actions, ["dory.v1.0.0", "settled"]);
    Ok(())
}

#[tokio::test]
async fn deprecated_version_is_installed() -> Result<(), Failure> {
    let Some(mut stage) = stage("deprecated").await? else {
        return Ok(());
    };
    let text = "cog: 1.0.0 -> 1.1.0; 1.1.0 deprecated \"mind the step\"";
    stage.serve("one", 0, &offer(text)).await?;
    stage.subscribe("cog").await?;
    let actions = stage.same().await?;
    assert_eq!(actions, ["cog.v1.1.0", "settled"]);
    Ok(())
}
