//! Tests a policy that omits all fields that a catalog can supply.

use portolan_kit::catalog;
use portolan_rig::{Failure, Kind, World};
use serde_json::{Value, json};

use super::fleet::Fleet;
use super::stage::Stage;
use crate::approval::crds;
use crate::editor::Editor;
use crate::own_world;

/// The namespace of global catalogs. OLM installs from them in all namespaces.
const GLOBAL: &str = "olm";
/// The namespace that the author of the operator suggests.
const HARBOR: &str = "harbor";

/// The manifests of the bundles are in images, as in current catalogs. The catalog contains only
/// `olm.csv.metadata`. `opm` creates a ClusterServiceVersion from it when a client requests the
/// bundle.
#[tokio::test]
async fn omitted_fields_default_to_registry_metadata() -> Result<(), Failure> {
    let Some(world) = own_world("left-open").await? else {
        return Ok(());
    };
    let offered = catalog("yawl/slow: 1.0.0; yawl: 1.0.0 -> 1.1.0; default stable").installable();
    let offered = offered.with_suggested_namespace(HARBOR).by_image();
    let images = offered.images();
    let _unpacking = world.cluster().unpacking(GLOBAL, &images)?;
    let stage = globally(world, &offered).await?;

    let spec = json!({
        "remediationAction": "enforce",
        "complianceType": "musthave",
        "upgradeApproval": "Automatic",
        "subscription": {"name": "yawl"},
    });
    let kind = Kind::OperatorPolicy;
    stage
        .editor
        .create(kind, "yawl", json!({"spec": spec}))
        .await?;
    let well = [
        "compliant: Compliant",
        "ValidPolicySpec True PolicyValidated",
        "OperatorGroupCompliant True OperatorGroupMatches",
        "SubscriptionCompliant True SubscriptionMatches",
        "ClusterServiceVersionCompliant True InstallSucceeded",
        "installed: yawl.v1.1.0",
    ];
    stage.until_status("yawl", &well).await?;

    let spec = spec_of(&stage, Kind::Subscription, "yawl").await?;
    let asked = ["name", "channel", "source", "sourceNamespace"].map(|field| &spec[field]);
    assert_eq!(asked, ["yawl", "stable", "fleet", GLOBAL]);
    // The OperatorGroup targets all namespaces, and has the name of its own namespace.
    assert_eq!(
        spec_of(&stage, Kind::OperatorGroup, HARBOR).await?["targetNamespaces"],
        Value::Null
    );
    Ok(())
}

/// Returns a stage with a global catalog.
async fn globally(world: World, offered: &portolan_kit::Catalog) -> Result<Stage, Failure> {
    crds::create_policy_crd(world.client()).await?;
    let fleet = Fleet::of(&world).await?;
    let folder = offered.temp();
    let catalog = world.cluster().catalog(GLOBAL, "fleet", &folder).await?;
    Ok(Stage {
        editor: Editor::of(world.client(), world.namespace()),
        world,
        fleet,
        catalog,
        folder,
    })
}

/// Returns the spec of an object in the suggested namespace.
async fn spec_of(stage: &Stage, kind: Kind, name: &str) -> Result<Value, Failure> {
    let there = Editor::of(stage.world.client(), HARBOR).objects(kind);
    Ok(there.get(name).await?.data["spec"].clone())
}
