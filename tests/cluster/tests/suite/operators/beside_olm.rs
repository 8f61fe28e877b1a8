//! Tests a package that OLM v0 installs before or after an Operator of this package.

use kube::api::{DeleteParams, DynamicObject, PostParams};
use portolan_rig::{Failure, Kind, PATIENCE, Seen, World, until};
use serde_json::{Value, json};

use super::stage::{Harbor, harbor_on, spec_at, version};
use crate::own_world;

/// If OLM has already installed the package, the Operator installs nothing. If OLM installs the
/// package later, the Operator does not upgrade. The controller never writes an object of OLM.
#[tokio::test]
async fn package_installed_by_olm_is_unchanged() -> Result<(), Failure> {
    let Some(world) = own_world("operators-olm").await? else {
        return Ok(());
    };
    let both = ["1.0.0", "1.1.0"].map(|it| version("ferry", it));
    let olm = world.cluster().namespace("with-olm").await?;
    install(&world, &olm).await?;
    let harbor = harbor_on(world, &both).await?;
    harbor.operator("ferry", spec_at("1.0.0")).await?;
    let message = harbor
        .until("ferry", ["Installing", "False", "InstalledByOlm"])
        .await?;
    let object = format!(
        "OLM installed ClusterServiceVersion {}/ferry.v0.9.0; ",
        &*olm
    );
    assert!(message.starts_with(&object), "{message}");
    assert_eq!(harbor.plan_names().await?, []);

    let csvs = Kind::ClusterServiceVersion.within(harbor.world().client(), &olm);
    csvs.delete("ferry.v0.9.0", &DeleteParams::default())
        .await?;
    harbor.until_installed("ferry", "1.0.0").await?;

    install_csv(harbor.world(), &olm).await?;
    harbor.operator("ferry", spec_at("1.1.0")).await?;
    harbor
        .until("ferry", ["Installing", "False", "AlsoInstalledByOlm"])
        .await?;
    assert_eq!(harbor.runs("ferry").await?.as_deref(), Some("1.0.0"));
    writes_nothing_of_olm(&harbor)
}

fn writes_nothing_of_olm(harbor: &Harbor) -> Result<(), Failure> {
    let written = harbor.world().cluster().audit()?.by("controller").writes();
    let of_olm = ["clusterserviceversions", "operatorgroups", "subscriptions"];
    let written = written.only(|record| of_olm.contains(&&*record.resource));
    assert!(written.is_empty(), "{:?}", written.records());
    Ok(())
}

/// Installs the operator with OLM in a namespace.
async fn install(world: &World, namespace: &str) -> Result<(), Failure> {
    let group = json!({"spec": {"targetNamespaces": [namespace]}});
    let groups = Kind::OperatorGroup.within(world.client(), namespace);
    let group = Kind::OperatorGroup.object("group", group)?;
    groups.create(&PostParams::default(), &group).await?;
    install_csv(world, namespace).await
}

async fn install_csv(world: &World, namespace: &str) -> Result<(), Failure> {
    let properties = json!([{
        "type": "olm.package", "value": {"packageName": "ferry", "version": "0.9.0"},
    }]);
    let labels = json!({"app": "ferry"});
    let template = json!({
        "metadata": {"labels": labels},
        "spec": {"containers": [{"name": "main", "image": "registry.test/ferry:0.9.0"}]},
    });
    let csv = json!({
        "apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
        "metadata": {
            "name": "ferry.v0.9.0",
            "annotations": {
                "operatorframework.io/properties": json!({"properties": properties}).to_string(),
            },
        },
        "spec": {
            "version": "0.9.0", "displayName": "Ferry",
            "installModes": [
                {"type": "OwnNamespace", "supported": true},
                {"type": "SingleNamespace", "supported": true},
                {"type": "MultiNamespace", "supported": false},
                {"type": "AllNamespaces", "supported": false},
            ],
            "install": {"strategy": "deployment", "spec": {"deployments": [{
                "name": "ferry",
                "spec": {"replicas": 1, "selector": {"matchLabels": labels}, "template": template},
            }]}},
        },
    });
    let csv: DynamicObject = serde_json::from_value(csv).map_err(Failure::read("a manifest"))?;
    let csvs = Kind::ClusterServiceVersion.within(world.client(), namespace);
    until(
        "the ClusterServiceVersion to be accepted",
        PATIENCE,
        async || {
            Ok(match csvs.create(&PostParams::default(), &csv).await {
                Ok(_) => Seen::Yes(()),
                // A deleted object with this name may still exist for a moment.
                Err(kube::Error::Api(status)) if status.code == 409 => {
                    Seen::NotYet(status.message.clone())
                }
                Err(error) => return Err(error.into()),
            })
        },
    )
    .await?;
    until("OLM to install the operator", PATIENCE, async || {
        let csv = csvs.get("ferry.v0.9.0").await?;
        let phase: &Value = &csv.data["status"]["phase"];
        Ok(if *phase == "Succeeded" {
            Seen::Yes(())
        } else {
            Seen::NotYet(csv.data["status"].to_string())
        })
    })
    .await
}
