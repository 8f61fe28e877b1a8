//! Tests API servers that freeze and restart during an installation, and a CRD that is deleted.

use std::time::Duration;

use kube::api::DynamicObject;
use portolan_kit::assert_same;
use portolan_rig::{Component, Failure, Kind, PATIENCE, Seen, until, until_gone, until_object};

use super::fake_olm::{FIRST, PACKAGE, SECOND, fake_olm, plan};
use super::stage::lines;
use crate::editor::Editor;

const POLICIES: &str = "operatorpolicies.policy.open-cluster-management.io";
const FROZEN: Duration = Duration::from_secs(5);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn install_survives_outage_and_operator_survives_crd_deletion() -> Result<(), Failure> {
    let Some(fake_olm) = fake_olm("storm").await? else {
        return Ok(());
    };
    let cluster = &fake_olm.bare.cluster;
    let namespace = fake_olm.namespace("storm").await?;
    let _olm = fake_olm.olm(&namespace);
    let _fleet = fake_olm.fleet(&namespace).await;
    let editor = fake_olm.editor(&namespace);

    fake_olm.begins(&namespace).await?;
    let exists = |_: &DynamicObject| true;
    until_object(
        &editor.objects(Kind::Subscription),
        PACKAGE,
        "there",
        exists,
    )
    .await?;
    cluster.freeze(Component::ApiServer)?;
    tokio::time::sleep(FROZEN).await;
    cluster.thaw(Component::ApiServer)?;
    installs(&editor, FIRST).await?;

    fake_olm.allows_more(&namespace).await?;
    cluster.restart(Component::ApiServer).await?;
    installs(&editor, SECOND).await?;
    assert_same!(
        fake_olm.approvals(&namespace)?,
        vec![plan(FIRST), plan(SECOND)]
    );

    let kind = Kind::CustomResourceDefinition;
    editor.delete(kind, POLICIES).await?;
    until_gone(&editor.objects(kind), POLICIES).await?;
    for (kind, name) in [
        (Kind::Subscription, PACKAGE),
        (Kind::ClusterServiceVersion, SECOND),
        (Kind::OperatorGroup, "own"),
    ] {
        let left = editor.objects(kind).get_opt(name).await?;
        let left = left.is_some_and(|left| left.metadata.deletion_timestamp.is_none());
        assert!(left, "{name} must outlive the CRD of policies");
    }
    Ok(())
}

async fn installs(editor: &Editor, bundle: &str) -> Result<(), Failure> {
    let wanted = [
        format!("installed: {bundle}"),
        "compliant: Compliant".to_owned(),
    ];
    let policies = editor.objects(Kind::OperatorPolicy);
    until(format!("{bundle} to be installed"), PATIENCE, async || {
        let status = policies.get(PACKAGE).await?.data["status"].clone();
        let output = lines(&status);
        Ok(if wanted.iter().all(|line| output.contains(line)) {
            Seen::Yes(())
        } else {
            Seen::NotYet(format!("{status:#}"))
        })
    })
    .await
}
