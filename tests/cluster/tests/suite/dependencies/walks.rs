//! Tests of upgrades by OLM. OLM upgrades each operator by one version at a time.

use portolan_rig::Failure;
use serde_json::json;

use super::stage::{offer, stage};

#[tokio::test]
async fn upgrades_begin_at_the_starting_csv() -> Result<(), Failure> {
    let Some(mut stage) = stage("pinned").await? else {
        return Ok(());
    };
    let text = "brig: 1.0.0 -> 1.1.0";
    stage.serve("one", 0, &offer(text)).await?;
    stage.subscribe("brig start=brig.v1.0.0").await?;
    let actions = stage.same().await?;
    let passes = ["brig.v1.0.0", "brig.v1.1.0", "settled"];
    assert_eq!(actions, passes);
    Ok(())
}

#[tokio::test]
async fn skip_ranges_upgrade_from_channel_head_to_channel_head() -> Result<(), Failure> {
    let Some(mut stage) = stage("skip-range").await? else {
        return Ok(());
    };
    let text = "
        hoy: 1.0.0 -> 1.1.0 -> 2.0.0 -> 2.1.0 -> 3.0.0
        2.0.0 covers >=1.0.0 <2.0.0
        3.0.0 covers >=2.0.0 <3.0.0
    ";
    stage.serve("one", 0, &offer(text)).await?;
    stage.subscribe("hoy start=hoy.v1.0.0").await?;
    let actions = stage.same().await?;
    let passes = ["hoy.v1.0.0", "hoy.v2.0.0", "hoy.v3.0.0", "settled"];
    assert_eq!(actions, passes);
    Ok(())
}

#[tokio::test]
async fn version_with_deprecated_property_is_silently_skipped() -> Result<(), Failure> {
    let Some(mut stage) = stage("prohibited").await? else {
        return Ok(());
    };
    let offered = offer("junk: 1.0.0 -> 1.1.0 -> 1.2.0");
    let offered = offered.with_property("junk.v1.1.0", "olm.deprecated", json!({}));
    stage.serve("one", 0, &offered).await?;
    stage.subscribe("junk start=junk.v1.0.0").await?;
    let actions = stage.same().await?;
    assert_eq!(actions, ["junk.v1.0.0", "settled"]);
    Ok(())
}

#[tokio::test]
async fn dependency_is_upgraded_together_with_the_operator_that_limits_it() -> Result<(), Failure> {
    let Some(mut stage) = stage("together").await? else {
        return Ok(());
    };
    let text = "
        ketch: 1.0.0 -> 1.1.0; 1.0.0 requires jib <1.1.0; 1.1.0 requires jib >=1.1.0
        jib: 1.0.0 -> 1.1.0
    ";
    stage.serve("one", 0, &offer(text)).await?;
    stage.subscribe("ketch start=ketch.v1.0.0").await?;
    let actions = stage.same().await?;
    let passes = [
        "jib.v1.0.0 + ketch.v1.0.0 + (jib-stable-one-here)",
        "jib.v1.1.0 + ketch.v1.1.0",
        "settled",
    ];
    assert_eq!(actions, passes);
    Ok(())
}
