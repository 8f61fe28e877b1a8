//! Tests that a folder with the output of kubectl gives the same health as the cluster.

use std::path::Path;
use std::time::{Duration, Instant};

use portolan_core_health::HealthCode;
use portolan_kit::{TempFolder, assert_same, catalog};
use portolan_proto::health::v1::verdict::State;
use portolan_proto::health::v1::{Fact, Operator};
use portolan_rig::{Failure, Kind, PATIENCE, Seen, until};

use super::news::{Wanted, operator};
use super::serving::Serving;
use super::stage::{Stage, stage};
use crate::kubectl::kubectl_get;

/// The maximum time to wait. It is long because the machine may be busy. Reading a folder is fast.
const SOON: Duration = Duration::from_secs(10);

/// The kinds that health reads.
const KINDS: &str = "catalogsources.operators.coreos.com,\
    clusterserviceversions.operators.coreos.com,installplans.operators.coreos.com,\
    operatorconditions.operators.coreos.com,operatorgroups.operators.coreos.com,\
    subscriptions.operators.coreos.com,customresourcedefinitions.apiextensions.k8s.io,\
    apiservices.apiregistration.k8s.io,serviceaccounts,deployments.apps,replicasets.apps,pods,\
    events";

#[tokio::test]
async fn health_of_dump_equals_health_of_its_cluster() -> Result<(), Failure> {
    let Some(mut stage) = stage("dump").await? else {
        return Ok(());
    };
    let folder = catalog("brig: 1.0.0").installable().temp();
    let served = stage.world.catalog("fleet", &folder).await?;
    stage.install(&served, "brig", "brig.v1.0.0").await?;
    folder_matches_cluster(&stage, State::Yes, HealthCode::Healthy).await?;

    let (of, pods) = (operator("brig"), stage.world.pods());
    let crashing = Wanted::no(HealthCode::CrashLooping);
    let crashed = pods.crash_looping("operator=brig");
    stage.watcher.reports(&of, crashing, crashed).await?;
    // OLM retries before it waits, and reports each retry.
    let brig = stage.world.operator("brig");
    brig.until_phase("brig.v1.0.0", "Installing").await?;
    folder_matches_cluster(&stage, State::No, HealthCode::CrashLooping).await?;

    let ready = pods.ready("operator=brig");
    stage.watcher.reports(&of, Wanted::Well, ready).await?;
    let missing = Wanted::no(HealthCode::OperatorGroupMissing);
    let editor = stage.editor();
    let deleted = editor.delete(Kind::OperatorGroup, "group");
    stage.watcher.reports(&of, missing, deleted).await?;
    folder_matches_cluster(&stage, State::No, HealthCode::OperatorGroupMissing).await
}

/// Checks that the folder and the cluster give the same health. `code` is the first reason.
async fn folder_matches_cluster(
    stage: &Stage,
    state: State,
    code: HealthCode,
) -> Result<(), Failure> {
    let namespace = stage.world.namespace();
    let folder = TempFolder::empty();
    let live = dump(stage, &folder).await?;
    let serving = Serving::of_folder(&folder).await?;
    // The service also reads a folder step by step. It reads objects below a Deployment last.
    let mut dumped = Vec::new();
    let begun = Instant::now();
    while dumped != live && begun.elapsed() < SOON {
        dumped = serving.operators(namespace).await;
        dumped.iter_mut().for_each(without_catalogs);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_same!(dumped, live);
    let verdict = live[0].verdict.as_ref().expect("it was judged");
    assert_eq!(verdict.state(), state);
    let first = verdict.reasons.first();
    let first = first.map_or(HealthCode::Healthy.as_str(), |reason| reason.code.as_str());
    assert_eq!(first, code.as_str());
    Ok(())
}

/// Writes the output of kubectl into a folder. Returns the health at the same time.
async fn dump(stage: &Stage, folder: &Path) -> Result<Vec<Operator>, Failure> {
    let output = async || {
        let mut output = stage.serving.operators(stage.world.namespace()).await;
        output.iter_mut().for_each(without_catalogs);
        output
    };
    until("a moment in which nothing changes", PATIENCE, async || {
        let before = output().await;
        kubectl_get(stage.world.cluster(), KINDS, folder).await?;
        let after = output().await;
        Ok(if before == after {
            Seen::Yes(after)
        } else {
            Seen::NotYet(format!("{after:?}"))
        })
    })
    .await
}

/// Removes the facts about CatalogSources. With a folder, the service does not contact registries,
/// so these facts may differ.
fn without_catalogs(operator: &mut Operator) {
    let is_of_catalog = |fact: &Fact| {
        let observed = fact.observed.as_ref();
        let object = observed.and_then(|observed| observed.object.as_ref());
        object.is_some_and(|object| object.kind == "CatalogSource")
    };
    operator.facts.retain(|fact| !is_of_catalog(fact));
    for fact in &mut operator.facts {
        fact.facts.retain(|fact| !is_of_catalog(fact));
    }
}
