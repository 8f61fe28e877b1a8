//! Tests the rules for versions, and the order of updates.

use portolan_rig::Failure;
use serde_json::json;

use super::stage::{
    CONDITION, condition, configure, frozen, install, lone, turn_off, until_silent, wanted,
};
use crate::operators::stage::version;

/// The updater upgrades all Operators with a rule at the same time, each to the version of its
/// rule. It does not change an Operator with the rule `never`. It removes its conditions when it is
/// turned off.
#[tokio::test]
async fn each_rule_upgrades_to_its_version() -> Result<(), Failure> {
    let names = ["buoy", "dock", "ferry", "pier", "rope"];
    let first = names.map(|name| version(name, "1.0.0"));
    let Some(harbor) = frozen("updater-rules", &first).await? else {
        return Ok(());
    };
    let all = ["1.0.0", "1.0.1", "1.1.0", "2.0.0"];
    let all = names
        .iter()
        .flat_map(|name| all.map(|it| version(name, it)));
    harbor.publish(&all.collect::<Vec<_>>())?;
    let rules = [
        ("buoy", "latest-z-stream"),
        ("dock", "latest-y-stream"),
        ("rope", "never"),
        ("ferry", ">=1.0.0 <1.1.0"),
        ("*", "latest"),
    ];
    configure(
        &harbor,
        &json!({"operators": install(&rules), "dryRun": true}),
    )
    .await?;
    let (_, _running) = lone(&harbor).await?;
    let preview = harbor.until("pier", [CONDITION, "False", "DryRun"]).await?;
    let expected = "it would go from 1.0.0 to 2.0.0 over 1.0.1 and 1.1.0, in a dry run";
    assert_eq!(preview, expected);
    assert_eq!(wanted(&harbor, "pier").await?, "");

    configure(&harbor, &json!({"operators": install(&rules)})).await?;
    let ends = [
        ("buoy", "1.0.1"),
        ("dock", "1.1.0"),
        ("ferry", "1.0.1"),
        ("pier", "2.0.0"),
    ];
    for (name, end) in ends {
        harbor.until_installed(name, end).await?;
        harbor.until(name, [CONDITION, "True", "UpToDate"]).await?;
        assert_eq!(wanted(&harbor, name).await?, end);
    }
    assert_eq!(wanted(&harbor, "rope").await?, "");
    assert_eq!(condition(&harbor, "rope").await?, None);

    turn_off(&harbor).await?;
    for (name, end) in ends {
        until_silent(&harbor, name).await?;
        assert_eq!(wanted(&harbor, name).await?, end);
    }
    Ok(())
}

/// The second Operator waits while the first Operator is not ready.
#[tokio::test]
async fn serial_mode_upgrades_only_one_operator_at_a_time() -> Result<(), Failure> {
    let first = ["ferry", "rope"].map(|name| version(name, "1.0.0"));
    let Some(harbor) = frozen("updater-serial", &first).await? else {
        return Ok(());
    };
    let ill = [
        version("ferry", "1.0.0"),
        version("ferry", "1.1.0"),
        version("rope", "1.0.0"),
        version("rope", "1.1.0").ill(),
    ];
    harbor.publish(&ill)?;
    let serial = |rope| {
        let rules = [("rope", rope), ("ferry", "latest")];
        json!({"mode": "Serial", "operators": install(&rules)})
    };
    configure(&harbor, &serial("latest")).await?;
    let (_, _running) = lone(&harbor).await?;
    harbor
        .until("rope", [CONDITION, "True", "Updating"])
        .await?;
    let waits = harbor
        .until("ferry", [CONDITION, "False", "WaitsForTurn"])
        .await?;
    assert_eq!(waits, "it would go from 1.0.0 to 1.1.0, once rope is ready");
    assert_eq!(wanted(&harbor, "rope").await?, "1.1.0");
    assert_eq!(wanted(&harbor, "ferry").await?, "");

    configure(&harbor, &serial("never")).await?;
    harbor.until_installed("ferry", "1.1.0").await?;
    until_silent(&harbor, "rope").await
}
