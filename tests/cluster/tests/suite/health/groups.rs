//! Tests namespaces in which OLM does nothing and reports almost nothing.

use portolan_core_health::HealthCode;
use portolan_kit::catalog;
use portolan_proto::health::v1::verdict::State;
use portolan_rig::{Failure, Kind};
use serde_json::json;

use super::news::{Wanted, operator};
use super::stage::{Stage, stage};
use super::witness::Witness;
use crate::editor::Editor;

const KETCH: &str = "ketch.v1.0.0";

#[tokio::test]
async fn reports_missing_and_surplus_operator_groups() -> Result<(), Failure> {
    let Some(mut stage) = stage("groups").await? else {
        return Ok(());
    };
    let folder = catalog("ketch: 1.0.0").installable().temp();
    let served = stage.world.catalog("fleet", &folder).await?;
    let witness = Witness::of(&stage.world);
    stage.install(&served, "ketch", KETCH).await?;

    a_group_comes_and_goes(&mut stage).await?;
    a_second_one_is_too_many(&mut stage).await?;
    nothing_happens_without_one(&stage).await?;
    reports_missing_package(&stage).await?;

    witness
        .confirms(&stage.watcher.well(&operator("ketch")))
        .await;
    stage.watcher.agrees(&stage.serving).await;
    Ok(())
}

/// OLM does not react when the OperatorGroup is deleted, and when it is created again.
async fn a_group_comes_and_goes(stage: &mut Stage) -> Result<(), Failure> {
    let editor = stage.editor();
    let (of, watcher) = (operator("ketch"), &mut stage.watcher);
    let deleted = editor.delete(Kind::OperatorGroup, "group");
    let missing = Wanted::no(HealthCode::OperatorGroupMissing);
    watcher.reports(&of, missing, deleted).await?;
    watcher
        .reports(&of, Wanted::Well, editor.group("group"))
        .await?;
    Ok(())
}

/// With two OperatorGroups, OLM marks the operator as failed. It does not react when one group is
/// deleted.
async fn a_second_one_is_too_many(stage: &mut Stage) -> Result<(), Failure> {
    let editor = stage.editor();
    let (of, watcher) = (operator("ketch"), &mut stage.watcher);
    let conflict = Wanted::no(HealthCode::OperatorGroupsConflict);
    watcher
        .reports(&of, conflict, editor.group("second"))
        .await?;
    let failed = Wanted::Among(State::No, HealthCode::CsvFailed);
    watcher.until(&of, failed).await;

    let deleted = editor.delete(Kind::OperatorGroup, "second");
    let failed = Wanted::no(HealthCode::CsvFailed);
    watcher.reports(&of, failed, deleted).await?;
    watcher
        .reports(&of, Wanted::Well, editor.touch(KETCH))
        .await?;
    Ok(())
}

/// A namespace has a Subscription, but no OperatorGroup. OLM does not report this in the status of
/// the Subscription.
async fn nothing_happens_without_one(stage: &Stage) -> Result<(), Failure> {
    let cluster = stage.world.cluster();
    let namespace = cluster.namespace("groupless").await?;
    let mut watcher = stage.serving.watch(&namespace).await;
    let editor = Editor::of(stage.world.client(), &namespace);
    let missing = Wanted::no(HealthCode::OperatorGroupMissing);
    let asked = subscribe(&editor, stage, "ketch");
    watcher.reports(&operator("ketch"), missing, asked).await?;
    watcher.agrees(&stage.serving).await;
    Ok(())
}

async fn reports_missing_package(stage: &Stage) -> Result<(), Failure> {
    let cluster = stage.world.cluster();
    let namespace = cluster.namespace("misspelled").await?;
    let mut watcher = stage.serving.watch(&namespace).await;
    let editor = Editor::of(stage.world.client(), &namespace);
    editor.group("group").await?;
    let of = operator("kecth");
    let failed = Wanted::no(HealthCode::ResolutionFailed);
    let asked = subscribe(&editor, stage, "kecth");
    watcher.reports(&of, failed, asked).await?;
    let deleted = editor.delete(Kind::Subscription, "kecth");
    watcher.reports(&of, Wanted::Gone, deleted).await?;
    watcher.agrees(&stage.serving).await;
    Ok(())
}

/// Subscribes to a package in another namespace, from the catalog of the test.
async fn subscribe(editor: &Editor, stage: &Stage, package: &str) -> Result<(), Failure> {
    let spec = json!({
        "name": package,
        "channel": "stable",
        "source": "fleet",
        "sourceNamespace": stage.world.namespace(),
        "installPlanApproval": "Manual",
    });
    let body = json!({"spec": spec});
    editor.create(Kind::Subscription, package, body).await
}
