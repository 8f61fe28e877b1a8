//! The stories. Each story waits until a timeout of OLM expires, and then records the state.

use kube::api::{DeleteParams, DynamicObject, PostParams};
use portolan_kit::catalog;
use portolan_rig::{Failure, Kind};
use serde_json::{Value, json};

use crate::scene::Scene;

/// The image of a Deployment cannot be pulled until the timeout of OLM expires. After the timeout,
/// the image can be pulled.
pub(crate) async fn deadline(scene: &Scene) -> Result<(), Failure> {
    const CSV: &str = "dory.v1.0.0";
    const DEFINITIONS: [&str; 1] = ["dorys.dory.example.test"];
    let offered = catalog("dory: 1.0.0").installable();
    let offered = offered.with_deployment("1.0.0", |deployment| {
        deployment["template"]["metadata"]["annotations"]["rig.test/pod-state"] =
            json!("unpullable");
    });
    let served = scene.serve(offered).await?;
    let dory = scene.world.operator("dory");
    dory.subscribe(&served.catalog, "stable", None).await?;
    let plan = dory.plan(CSV).await?;
    dory.approve(&plan).await?;
    scene.judged(CSV, "Failed", "InstallCheckFailed").await?;
    scene
        .record("install-timeout", &served, &DEFINITIONS)
        .await?;

    scene.world.pods().ready("operator=dory").await?;
    let is_available = |object: &DynamicObject| {
        object.data["status"]["availableReplicas"] == object.data["spec"]["replicas"]
    };
    let kind = Kind::Deployment;
    scene
        .sees(kind, "dory", "its Deployment", is_available)
        .await?;
    scene.calm().await;
    scene.record("install-late", &served, &DEFINITIONS).await
}

/// The image of an unpack Job cannot be pulled until the timeout of OLM expires.
pub(crate) async fn unpacking(scene: &Scene) -> Result<(), Failure> {
    let offered = catalog("hoy: 1.0.0").installable().by_image();
    let nothing = portolan_kit::TempFolder::empty();
    let _unpacking = scene.world.unpacking(&nothing);
    let served = scene.serve(offered).await?;
    let hoy = scene.world.operator("hoy");
    hoy.subscribe(&served.catalog, "stable", None).await?;
    let has_failed = |object: &DynamicObject| {
        let conditions = object.data["status"]["conditions"].as_array();
        let mut conditions = conditions.into_iter().flatten();
        conditions.any(|it| it["type"] == "BundleUnpackFailed" && it["status"] == "True")
    };
    let kind = Kind::Subscription;
    scene
        .sees(kind, "hoy", "OLM to give up", has_failed)
        .await?;
    scene.record("unpack-timeout", &served, &[]).await
}

/// A CRD that an operator requires is deleted. OLM notices this much later.
pub(crate) async fn requirement(scene: &Scene) -> Result<(), Failure> {
    const CSV: &str = "raft.v1.0.0";
    const NEEDED: &str = "logs.timber.example.test";
    let mut offered = catalog("raft: 1.0.0").installable();
    let csv = &mut offered.packages[0].bundles[0].objects[0];
    csv["spec"]["customresourcedefinitions"]["required"] =
        json!([{"name": NEEDED, "version": "v1", "kind": "Log"}]);
    let definitions = Kind::CustomResourceDefinition.everywhere(scene.world.client());
    let definition = Kind::CustomResourceDefinition.object(NEEDED, logs())?;
    let params = PostParams::default();
    definitions.create(&params, &definition).await?;
    let served = scene.serve(offered).await?;
    let raft = scene.world.operator("raft");
    raft.subscribe(&served.catalog, "stable", None).await?;
    raft.install(CSV).await?;

    definitions.delete(NEEDED, &DeleteParams::default()).await?;
    let has_failed = |object: &DynamicObject| object.data["status"]["phase"] != "Succeeded";
    let kind = Kind::ClusterServiceVersion;
    scene
        .sees(kind, CSV, "OLM to check again", has_failed)
        .await?;
    scene.calm().await;
    let kept = ["rafts.raft.example.test"];
    scene.record("requirement-gone", &served, &kept).await
}

/// Returns a CRD for logs.
fn logs() -> Value {
    json!({"spec": {
        "group": "timber.example.test",
        "names": {"plural": "logs", "singular": "log", "kind": "Log", "listKind": "LogList"},
        "scope": "Namespaced",
        "versions": [{
            "name": "v1",
            "served": true,
            "storage": true,
            "schema": {"openAPIV3Schema": {"type": "object"}},
        }],
    }})
}
