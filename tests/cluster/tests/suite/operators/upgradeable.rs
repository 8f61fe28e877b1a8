//! What operators say of themselves by OperatorConditions, and what OLM v1 has.

use kube::Client;
use kube::api::{Patch, PatchParams};
use portolan_rig::{Failure, Kind};
use serde_json::json;

use super::stage::{Harbor, harbor_on, version, wish};
use crate::approval::definition::define_as;
use crate::objects::api;
use crate::own_world;

const CONDITION: [&str; 3] = ["operators.coreos.com/v2", "OperatorCondition", "ferry"];

/// The operator may write what it thinks, and is heard, where OLM looks after the same kind.
#[tokio::test]
async fn an_operator_says_that_it_is_not_to_be_upgraded() -> Result<(), Failure> {
    let Some(world) = own_world("operators-say").await? else {
        return Ok(());
    };
    let all = [
        version("ferry", "1.0.0"),
        version("ferry", "1.1.0"),
        version("rope", "1.0.0"),
    ];
    extensions_are_served(world.client()).await?;
    let harbor = harbor_on(world, &all).await?;
    let extension = json!({
        "apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterExtension",
        "metadata": {"name": "rope"},
        "spec": {"source": {"catalog": {"packageName": "rope"}}},
    });
    harbor.make(&extension).await?;
    harbor.operator("ferry", wish("1.0.0")).await?;
    harbor.until_installed("ferry", "1.0.0").await?;
    let deployment = harbor.deployment("ferry").await?.expect("a Deployment");
    let variable = &deployment["spec"]["template"]["spec"]["containers"][0]["env"];
    let name = json!({"name": "OPERATOR_CONDITION_NAME", "value": "ferry.v1.0.0"});
    let known = variable.as_array().into_iter().flatten();
    assert!(known.into_iter().any(|it| *it == name), "{variable}");

    say(&harbor, "False").await?;
    harbor.operator("ferry", wish("1.1.0")).await?;
    let said = harbor
        .until("ferry", ["Installing", "False", "NotUpgradeable"])
        .await?;
    assert_eq!(
        said,
        "the operator says in OperatorCondition ferry/ferry.v1.0.0 that it is not to be upgraded: it \
         migrates (Busy)"
    );
    assert_eq!(harbor.runs("ferry").await?.as_deref(), Some("1.0.0"));
    say(&harbor, "True").await?;
    harbor.until_installed("ferry", "1.1.0").await?;

    harbor.operator("rope", wish("1.0.0")).await?;
    let said = harbor
        .until(
            "rope",
            ["Installing", "False", "InstalledByClusterExtension"],
        )
        .await?;
    assert!(
        said.starts_with("ClusterExtension rope has the package"),
        "{said}"
    );
    Ok(())
}

/// Writes, as the operator does, whether it may be upgraded.
async fn say(harbor: &Harbor, status: &str) -> Result<(), Failure> {
    let cluster = harbor.world().cluster();
    let operator = "system:serviceaccount:ferry:ferry";
    cluster.admit(operator, None)?;
    let condition = json!({"spec": {"conditions": [{
        "type": "Upgradeable", "status": status, "reason": "Busy", "message": "it migrates",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }]}});
    let conditions = api(&cluster.client_of(operator)?, CONDITION);
    let as_told = PatchParams::default();
    conditions
        .patch("ferry.v1.0.0", &as_told, &Patch::Merge(condition))
        .await?;
    Ok(())
}

/// Brings the kind ClusterExtension, as far as it is read.
async fn extensions_are_served(client: &Client) -> Result<(), Failure> {
    let definition = json!({"spec": {
        "group": "olm.operatorframework.io",
        "names": {
            "kind": "ClusterExtension", "listKind": "ClusterExtensionList",
            "plural": "clusterextensions", "singular": "clusterextension",
        },
        "scope": "Cluster",
        "versions": [{
            "name": "v1", "served": true, "storage": true,
            "schema": {"openAPIV3Schema": {
                "type": "object", "x-kubernetes-preserve-unknown-fields": true,
            }},
        }],
    }});
    let name = "clusterextensions.olm.operatorframework.io";
    let definition = Kind::CustomResourceDefinition.object(name, definition)?;
    define_as(client, &definition).await
}
