//! Tests an API server that freezes and restarts while OLM installs the operator of a policy.

use std::time::Duration;

use kube::api::DynamicObject;
use portolan_kit::{assert_same, catalog};
use portolan_rig::{Component, Failure, Kind, until_object};

use super::breakable::breakable;
use crate::approval::policy::design;

const PACKAGE: &str = "xebec";
const BUNDLE: &str = "xebec.v1.0.0";
const FROZEN: Duration = Duration::from_secs(5);

/// The API server freezes while OLM creates an InstallPlan. It restarts while OLM carries out the
/// InstallPlan.
#[tokio::test]
async fn install_continues_after_api_server_outage() -> Result<(), Failure> {
    let offered = catalog("xebec: 1.0.0").installable();
    let Some(broken) = breakable("interrupted", &offered).await? else {
        return Ok(());
    };
    let stage = &broken.stage;
    let cluster = stage.world.cluster();
    let exists = |_: &DynamicObject| true;

    stage
        .write(&stage.at_home(design(PACKAGE, &[BUNDLE])))
        .await?;
    let subscriptions = stage.editor.objects(Kind::Subscription);
    until_object(&subscriptions, PACKAGE, "there", exists).await?;
    cluster.freeze(Component::ApiServer)?;
    tokio::time::sleep(FROZEN).await;
    cluster.thaw(Component::ApiServer)?;

    let versions = stage.editor.objects(Kind::ClusterServiceVersion);
    until_object(&versions, BUNDLE, "there", exists).await?;
    cluster.restart(Component::ApiServer).await?;
    let installed = [
        "installed: xebec.v1.0.0",
        "compliant: Compliant",
        "InstallPlanCompliant True NoInstallPlansRequiringApproval",
        "ClusterServiceVersionCompliant True InstallSucceeded",
        "DeploymentsAvailable True DeploymentsAvailable",
    ];
    stage.until_status(PACKAGE, &installed).await?;
    // The controller writes the ownership of fields once for each outage of the API server.
    let is_owning =
        |deed: &String| ["patch operatorgroups", "patch subscriptions"].contains(&deed.as_str());
    let mut olm_writes = stage.olm_writes()?;
    olm_writes.retain(|deed| !is_owning(deed));
    let once = [
        "create operatorgroups",
        "create subscriptions",
        "patch installplans",
    ];
    assert_same!(olm_writes, once.map(str::to_owned).to_vec());
    Ok(())
}
