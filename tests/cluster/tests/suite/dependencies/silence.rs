//! Tests with namespaces in which OLM does nothing and reports nothing.

use std::fs;

use portolan_rig::{Component, Failure, Kind, PATIENCE, Seen, until};
use serde_json::Value;

use super::stage::{Stage, offer, stage};
use super::{Course, End, seen};

/// Checks that OLM has reconciled the namespace and changed nothing, as the Forecast predicts. Only
/// the log of OLM shows that it has reconciled.
async fn silent(stage: &Stage, groups: usize) -> Result<(), Failure> {
    let silence = Course {
        passes: Vec::new(),
        end: End::Silent,
    };
    assert_eq!(stage.forecast([]).await?, silence);
    let world = stage.world();
    let log = world.cluster().log(Component::OlmCatalog);
    let found = format!("found {groups} operatorGroups, expected 1");
    until("a reconcile by OLM", PATIENCE, async || {
        let log = fs::read_to_string(&log).map_err(Failure::touch("read the log of OLM"))?;
        let mut lines = log.lines();
        let is_reported =
            lines.any(|line| line.contains(&found) && line.contains(world.namespace()));
        Ok(if is_reported {
            Seen::Yes(())
        } else {
            Seen::NotYet("other lines of its log".to_owned())
        })
    })
    .await?;
    assert_eq!(seen::passes(world).await?, []);
    for subscription in seen::listed(world, Kind::Subscription).await? {
        let status = &subscription.data["status"];
        assert!(status["currentCSV"].is_null(), "{status}");
        let conditions = status["conditions"].as_array();
        let failed = |it: &&Value| it["type"] == "ResolutionFailed";
        assert_eq!(conditions.into_iter().flatten().find(failed), None);
    }
    Ok(())
}

#[tokio::test]
async fn olm_does_nothing_without_an_operator_group() -> Result<(), Failure> {
    let Some(mut stage) = stage("no-group").await? else {
        return Ok(());
    };
    stage.serve("one", 0, &offer("cutter: 1.0.0")).await?;
    stage.subscribe("cutter").await?;
    silent(&stage, 0).await?;
    let actions = stage.same().await?;
    assert_eq!(actions, ["cutter.v1.0.0", "settled"]);
    Ok(())
}

#[tokio::test]
async fn olm_does_nothing_with_two_operator_groups() -> Result<(), Failure> {
    let Some(mut stage) = stage("two-groups").await? else {
        return Ok(());
    };
    stage.serve("one", 0, &offer("clipper: 1.0.0")).await?;
    stage.group("first").await?;
    stage.group("second").await?;
    stage.subscribe("clipper").await?;
    silent(&stage, 2).await
}
