//! Tests with catalogs that are stopped, frozen, deleted or outdated.

use portolan_core_diagnosis::Code;
use portolan_kit::catalog;
use portolan_rig::{Failure, Guest, opm_serve};

use super::diagnoses::{one, root};
use super::stage::{Dumped, Stage, stage};

const FLEET: &str = "CatalogSource fleet";
/// An address with a port that no rig uses, so no process listens on it.
const NOBODY: &str = "127.0.0.1:20999";

/// Installed operators stay healthy. OLM installs no new operators, even if another catalog
/// contains them.
#[tokio::test]
#[ignore = "OLM takes its time for more than a minute: just soak"]
async fn diagnoses_stopped_and_outdated_registry() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-registry").await? else {
        return Ok(());
    };
    let new = catalog("ibis: 1.0.0 -> 1.1.0; teal: 1.0.0").installable();
    let old = catalog("ibis: 1.0.0; teal: 1.0.0").installable();
    let mut fleet = stage.serve("fleet", &new).await?;
    stage.editor.group("group").await?;
    stage.subscribe("ibis").await?;
    stage.well("ibis").await?;

    fleet.stop()?;
    let lost = root("ibis", Code::CatalogUnreachable, FLEET);
    fleet.until_state("TRANSIENT_FAILURE").await?;
    stage.external(lost, Dumped::InOtherWords).await?;
    let check = stage.later(lost, "After the repair, check").await?;

    stage.serve_again(&mut fleet, &old).await?;
    stage.types(&check).await?;
    stage
        .external(root("ibis", Code::CatalogOutdated, FLEET), Dumped::Alike)
        .await?;
    stage.serve_again(&mut fleet, &new).await?;
    stage.well("ibis").await?;
    Ok(())
}

/// The registry does not respond, but the connection stays open. So OLM does not notice the
/// problem.
#[tokio::test]
#[ignore = "OLM takes its time for more than a minute: just soak"]
async fn diagnoses_frozen_registry_that_olm_reports_ready() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-frozen").await? else {
        return Ok(());
    };
    let folder = catalog("teal: 1.0.0").installable().temp();
    let port = free_port();
    let args = opm_serve(&folder, port);
    let cluster = stage.world.cluster();
    let name = format!("opm-of-{}", stage.world.namespace());
    let opm = cluster.guest(&name, &cluster.binaries().program("opm"), args)?;
    let opm: Guest = opm;
    stage.offers("fleet", folder);
    names_a_catalog(&stage, "fleet", &format!("127.0.0.1:{port}")).await?;
    stage.editor.group("group").await?;
    stage.subscribe("teal").await?;
    stage.well("teal").await?;

    opm.freeze()?;
    let dead = root("teal", Code::CatalogNotAnswering, FLEET);
    stage.external(dead, Dumped::Unknown).await?;
    opm.thaw()?;
    stage.well("teal").await?;
    Ok(())
}

#[tokio::test]
#[ignore = "OLM takes its time for more than a minute: just soak"]
async fn deleted_catalog_is_diagnosed_although_an_equal_catalog_exists() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-deleted").await? else {
        return Ok(());
    };
    let offered = catalog("crane: 1.0.0").installable();
    let _fleet = stage.serve("fleet", &offered).await?;
    let _second = stage.serve("second", &offered).await?;
    stage.editor.group("group").await?;
    stage.subscribe("crane").await?;
    stage.well("crane").await?;
    stage
        .types("kubectl -n $NS delete catalogsources.operators.coreos.com fleet")
        .await?;
    stage
        .heals(root("crane", Code::CatalogMissing, FLEET))
        .await
}

/// OLM has never reached one catalog. This blocks the Subscriptions to this catalog and to all
/// other catalogs.
#[tokio::test]
#[ignore = "OLM takes its time for more than a minute: just soak"]
async fn unreachable_catalog_that_blocks_all_others_is_diagnosed() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-never").await? else {
        return Ok(());
    };
    let offered = catalog("smew: 1.0.0; scoter: 1.0.0").installable();
    let _fleet = stage.serve("fleet", &offered).await?;
    names_a_catalog(&stage, "lost", NOBODY).await?;
    stage.editor.group("group").await?;
    let lost = "CatalogSource lost";
    stage.subscribe("smew from lost").await?;
    stage.subscribe("scoter").await?;
    let never = root("smew", Code::CatalogUnreachable, lost);
    stage.external(never, Dumped::InOtherWords).await?;
    let blocked = root("scoter", Code::BlockedByCatalog, lost);
    stage.until_diagnosed(blocked, Dumped::InOtherWords).await?;

    stage
        .types("kubectl -n $NS delete subscriptions.operators.coreos.com smew")
        .await?;
    let fix = stage.fix(blocked, Dumped::InOtherWords).await?;
    stage.types(&fix).await?;
    stage.well("scoter").await?;
    Ok(())
}

/// OLM never connects to a catalog without an address.
#[tokio::test]
async fn diagnoses_catalog_without_address() -> Result<(), Failure> {
    let Some(stage) = stage("dx-void").await? else {
        return Ok(());
    };
    let spec = serde_json::json!({"sourceType": "grpc"});
    let body = serde_json::json!({"spec": spec});
    stage
        .editor
        .create(portolan_rig::Kind::CatalogSource, "void", body)
        .await?;
    stage.editor.group("group").await?;
    stage.subscribe("whinchat from void").await?;
    let never = root("whinchat", Code::CatalogNeverReached, "CatalogSource void");
    stage.external(never, Dumped::InOtherWords).await
}

/// OLM runs the registry in a Pod whose image does not exist.
#[tokio::test]
async fn diagnoses_catalog_image_that_cannot_be_pulled() -> Result<(), Failure> {
    let Some(stage) = stage("dx-imaged").await? else {
        return Ok(());
    };
    let spec = serde_json::json!({
        "sourceType": "grpc",
        "image": "registry.test/terns:1",
        "grpcPodConfig": {"securityContextConfig": "restricted"},
    });
    let body = serde_json::json!({"spec": spec});
    let kind = portolan_rig::Kind::CatalogSource;
    stage.editor.create(kind, "terns", body).await?;
    let pods = "olm.catalogSource=terns";
    // OLM may create an InstallPlan and replace it immediately.
    stage
        .types(&format!(
            "until kubectl -n $NS get pods -l {pods} -o name | grep -q .; do sleep 1; done; sleep 15"
        ))
        .await?;
    stage.world.pods().unpullable(pods).await?;
    stage.editor.group("group").await?;
    stage.subscribe("tern from terns").await?;
    let terns = root("tern", Code::CatalogUnreachable, "CatalogSource terns");
    stage
        .diagnoses
        .shows("why the Pod does not run", |all| {
            let root = one(all, "tern").and_then(|one| one.cause.as_ref());
            root.is_some_and(|root| root.message.contains("Image registry.test/terns:1"))
        })
        .await;
    stage.external(terns, Dumped::InOtherWords).await
}

async fn names_a_catalog(stage: &Stage, name: &str, address: &str) -> Result<(), Failure> {
    let spec = serde_json::json!({"sourceType": "grpc", "address": address});
    let body = serde_json::json!({"spec": spec});
    stage
        .editor
        .create(portolan_rig::Kind::CatalogSource, name, body)
        .await
}

/// Returns a port that is currently free.
fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind(("0.0.0.0", 0));
    let address = listener.and_then(|listener| listener.local_addr());
    address.expect("a port must be free").port()
}
