//! Tests that a folder with the output of kubectl gives the same reviews as the cluster.

use std::path::Path;
use std::time::{Duration, Instant};

use portolan_kit::{TempFolder, assert_same, catalog};
use portolan_proto::approval::v1 as pb;
use portolan_rig::{Failure, PATIENCE, Seen, until};
use serde_json::json;

use super::policy::policy;
use super::serving::Serving;
use super::stage::{Stage, stage};
use crate::kubectl::kubectl_get;

/// The maximum time to wait. It is long because the machine may be busy. Reading a folder is fast.
const SOON: Duration = Duration::from_secs(10);

/// The kinds that approval reads.
const KINDS: &str = "clusterserviceversions.operators.coreos.com,\
    installplans.operators.coreos.com,subscriptions.operators.coreos.com,\
    operatorpolicies.policy.open-cluster-management.io";

#[tokio::test]
async fn review_of_dump_equals_review_of_its_cluster() -> Result<(), Failure> {
    let Some(mut stage) = stage("dump").await? else {
        return Ok(());
    };
    let offered = catalog("tender: 1.0.0 requires hull >=1.0.0; hull: 1.0.0; mast: 1.0.0");
    let _served = stage.serve(&offered.installable().by_image()).await?;
    stage.subscribe(&["mast", "tender"], "Manual").await?;
    stage.author.editor.group("group").await?;
    let plan = stage
        .plan(&["hull.v1.0.0", "mast.v1.0.0", "tender.v1.0.0"])
        .await?;
    stage.author.write(&policy("tender")).await?;
    stage.author.write(&policy("mast").informs()).await?;
    let forbidden = [
        "RequiresApproval, waits: No, PolicyInforms of mast",
        "hull.v1.0.0 of hull: Yes, by tender: *, needed by tender.v1.0.0",
        "mast.v1.0.0 of mast for mast: No, PolicyInforms of mast; \
         fix mast: spec.remediationAction enforce",
        "tender.v1.0.0 of tender for tender: Yes, by tender: *",
    ];
    stage.watcher.until(&plan, &forbidden).await;
    folder_matches_cluster(&stage).await?;

    let allowed = [
        "RequiresApproval, waits: Yes",
        "hull.v1.0.0 of hull: Yes, by tender: *, needed by tender.v1.0.0",
        "mast.v1.0.0 of mast for mast: Yes, by mast: *",
        "tender.v1.0.0 of tender for tender: Yes, by tender: *",
    ];
    let enforced = stage
        .author
        .rewrite("mast", json!({"remediationAction": "enforce"}));
    stage.watcher.reports(&plan, &allowed, enforced).await?;
    folder_matches_cluster(&stage).await
}

async fn folder_matches_cluster(stage: &Stage) -> Result<(), Failure> {
    let namespace = stage.world.namespace();
    let folder = TempFolder::empty();
    let live = dump(stage, &folder).await?;
    let serving = Serving::of_folder(&folder).await?;
    let mut dumped = pb::ReviewNamespaceResponse::default();
    let begun = Instant::now();
    while dumped != live && begun.elapsed() < SOON {
        dumped = output(&serving, namespace).await?;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_same!(dumped, live);
    Ok(())
}

/// Writes the output of kubectl into a folder. Returns the reviews at the same time.
async fn dump(stage: &Stage, folder: &Path) -> Result<pb::ReviewNamespaceResponse, Failure> {
    let namespace = stage.world.namespace();
    until("a moment in which nothing changes", PATIENCE, async || {
        let before = output(&stage.serving, namespace).await?;
        kubectl_get(stage.world.cluster(), KINDS, folder).await?;
        let after = output(&stage.serving, namespace).await?;
        Ok(if before == after {
            Seen::Yes(after)
        } else {
            Seen::NotYet(format!("{after:?}"))
        })
    })
    .await
}

async fn output(
    serving: &Serving,
    namespace: &str,
) -> Result<pb::ReviewNamespaceResponse, Failure> {
    let output = serving.namespace(namespace).await;
    output.map_err(Failure::read("the reviews of a namespace"))
}
