//! Tests OperatorConditions of operators, and ClusterExtensions of OLM v1.

use std::fs;
use std::process::Command;

use kube::Client;
use kube::api::{Patch, PatchParams};
use portolan_kit::TempFolder;
use portolan_rig::{Failure, Kind, PATIENCE, Seen, until};
use serde_json::{Value, json};

use super::stage::{Harbor, harbor_on, spec_at, version};
use crate::approval::crds::create_crd_from;
use crate::objects::api;
use crate::operatorpolicy::fleet::kubeconfig_flag;
use crate::own_world;
use crate::program::{output, portolan};

const CONDITION: [&str; 3] = ["operators.coreos.com/v2", "OperatorCondition", "ferry"];

/// An operator may write its OperatorCondition, and the controller uses its value. This is also
/// true if OLM manages OperatorConditions.
#[tokio::test]
async fn operator_condition_and_cluster_extension_stop_operators() -> Result<(), Failure> {
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
    harbor.operator("ferry", spec_at("1.0.0")).await?;
    harbor.until_installed("ferry", "1.0.0").await?;
    let deployment = harbor.deployment("ferry").await?.expect("a Deployment");
    let variable = &deployment["spec"]["template"]["spec"]["containers"][0]["env"];
    let name = json!({"name": "OPERATOR_CONDITION_NAME", "value": "ferry.v1.0.0"});
    let known = variable.as_array().into_iter().flatten();
    assert!(known.into_iter().any(|it| *it == name), "{variable}");

    write_condition(&harbor, "False").await?;
    harbor.operator("ferry", spec_at("1.1.0")).await?;
    let message = harbor
        .until("ferry", ["Installing", "False", "NotUpgradeable"])
        .await?;
    assert_eq!(
        message,
        "the operator reports in OperatorCondition ferry/ferry.v1.0.0 that the operator must not be \
         upgraded: it migrates (Busy)"
    );
    assert_eq!(harbor.runs("ferry").await?.as_deref(), Some("1.0.0"));
    write_condition(&harbor, "True").await?;
    harbor.until_installed("ferry", "1.1.0").await?;

    harbor.operator("rope", spec_at("1.0.0")).await?;
    let message = harbor
        .until(
            "rope",
            ["Installing", "False", "InstalledByClusterExtension"],
        )
        .await?;
    assert!(
        message.starts_with("ClusterExtension rope already installs the package"),
        "{message}"
    );
    harbor.make(&suspended()).await?;
    dump_knows_every_installer(&harbor).await
}

/// Returns an InstallPlan that a user created and that belongs to no Operator.
fn suspended() -> Value {
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "chart"}});
    json!({
        "apiVersion": "plans.portolan.dev/v1alpha1", "kind": "InstallPlan",
        "metadata": {"name": "chart-1", "namespace": "default"},
        "spec": {
            "serviceAccountName": "default", "suspend": true,
            "stages": [{"name": "all", "resources": [{"manifest": map}]}],
        },
    })
}

/// A dump and its cluster give the same responses about the operators of all installers. The dump
/// contains the workloads of these operators.
async fn dump_knows_every_installer(harbor: &Harbor) -> Result<(), Failure> {
    let cluster = kubeconfig_flag(&harbor.world().cluster().kubeconfig());
    let dumps = TempFolder::empty();
    let mut number = 0;
    let (folder, listed) = until("a dump to answer as its cluster", PATIENCE, async || {
        number += 1;
        let folder = dumps.join(number.to_string());
        let live = answer(&["health"], &cluster).await?;
        answer(&["dump", &folder.display().to_string()], &cluster).await?;
        let after = answer(&["health"], &cluster).await?;
        let dumped = answer(&["health"], &format!("--world={}", folder.display())).await?;
        Ok(if live == after && dumped == after {
            Seen::Yes((folder, dumped))
        } else {
            Seen::NotYet(format!("{live}{after}{dumped}"))
        })
    })
    .await?;
    for row in ["ferry ", "rope ", "chart-1 "] {
        assert!(listed.contains(row), "{listed}");
    }
    for manager in [" Operator ", " ClusterExtension ", " InstallPlan "] {
        assert!(listed.contains(manager), "{listed}");
    }
    assert!(
        !listed.contains("ferry-1"),
        "a plan of an Operator: {listed}"
    );
    let deployments = folder.join("objects/deployments.apps.json");
    let deployments = fs::read_to_string(deployments).map_err(Failure::touch("read a dump"))?;
    assert!(deployments.contains(r#""name":"ferry""#), "{deployments}");
    Ok(())
}

/// Runs `portolan`. Returns its output and the exit code.
async fn answer(words: &[&str], world: &str) -> Result<String, Failure> {
    let mut command = Command::new(portolan().await?);
    command.args(words).arg(world);
    let typed = output(command).await?;
    let text = [typed.stdout, typed.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    Ok(format!("{text}{:?}\n", typed.status.code()))
}

/// Writes the condition Upgradeable, with the account of the operator.
async fn write_condition(harbor: &Harbor, status: &str) -> Result<(), Failure> {
    let cluster = harbor.world().cluster();
    let operator = "system:serviceaccount:ferry:ferry";
    cluster.admit(operator, None)?;
    let condition = json!({"spec": {"conditions": [{
        "type": "Upgradeable", "status": status, "reason": "Busy", "message": "it migrates",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }]}});
    let conditions = api(&cluster.client_of(operator)?, CONDITION);
    let params = PatchParams::default();
    conditions
        .patch("ferry.v1.0.0", &params, &Patch::Merge(condition))
        .await?;
    Ok(())
}

/// Installs the CRD of ClusterExtensions with the fields that Portolan reads.
async fn extensions_are_served(client: &Client) -> Result<(), Failure> {
    let crd = json!({"spec": {
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
    let crd = Kind::CustomResourceDefinition.object(name, crd)?;
    create_crd_from(client, &crd).await
}
