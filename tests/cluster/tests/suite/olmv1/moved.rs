//! An operator moves from OLM v1 to an Operator without a restart.
//!
//! OLM v1 1.2 installs no bundle with webhooks, so the operator has a CRD with a conversion webhook
//! of its own.

use std::collections::BTreeMap;
use std::process::Command;

use kube::api::ListParams;
use portolan_kit::{Catalog, catalog};
use portolan_rig::{Component, Failure, PATIENCE, Seen, World, until, until_gone};
use serde_json::{Value, json};

use super::published::publish;
use super::stage::{DOCKS, INSTALLER, Stage, stage};
use crate::objects::api;
use crate::operators::stage::{Harbor, harbor_of};
use crate::program::{output, portolan};

const CRD: &str = "barges.barge.example.test";
const EXTENSION: [&str; 3] = ["olm.operatorframework.io/v1", "ClusterExtension", ""];
/// The objects that must stay the same.
const OBJECTS: [[&str; 4]; 4] = [
    ["apps/v1", "Deployment", DOCKS, "barge"],
    ["v1", "ServiceAccount", DOCKS, "barge"],
    [
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        "",
        CRD,
    ],
    ["barge.example.test/v1", "Barge", DOCKS, "dover"],
];

/// A cluster with an operator of OLM v1 that has a custom resource, and the controller of Operators.
struct Quay {
    harbor: Harbor,
}

#[tokio::test]
async fn operator_of_cluster_extension_is_adopted_and_released() -> Result<(), Failure> {
    let Some(quay) = quay("adopted-v1").await? else {
        return Ok(());
    };
    let before = quay.identities().await?;
    let extension = ["adopt", "extension/barge"];
    let (message, is_well) = quay
        .portolan(&[extension[0], extension[1], "--dry-run"])
        .await?;
    assert!(is_well, "{message}");
    for line in [
        "barge 1.0.0\n",
        "  create  InstallPlan barge-1 of the existing objects\n",
        "  hold    ClusterExtension barge at version 0.0.0-held-by-portolan\n",
        "  keep    Deployment docks/barge\n",
        "  keep    CustomResourceDefinition barges.barge.example.test\n",
        "  delete  ClusterExtension barge\n",
        "  delete  Secret olmv1-system/sh.helm.release.v1.barge.v1\n",
    ] {
        assert!(message.contains(line), "{message}");
    }
    assert_eq!(quay.identities().await?, before);
    let (message, is_well) = quay.portolan(&extension).await?;
    assert!(is_well, "{message}");
    quay.until_step("Adopted").await?;
    quay.is_left_by_olm().await?;
    assert_eq!(quay.identities().await?, before);

    // A restarted OLM v1 changes nothing.
    let cluster = quay.harbor.world().cluster();
    cluster.restart(Component::OperatorController).await?;
    quay.is_left_by_olm().await?;
    assert_eq!(quay.identities().await?, before);

    let (message, is_well) = quay.portolan(&["release", "barge"]).await?;
    assert!(is_well, "{message}");
    assert!(
        message.contains("/barge installed at version 1.0.0"),
        "{message}"
    );
    let operators = quay.harbor.operators();
    assert!(operators.get_opt("barge").await?.is_none());
    assert_eq!(quay.identities().await?, before);
    for [version, kind, namespace, name] in &OBJECTS[..3] {
        let objects = api(quay.harbor.client(), [*version, *kind, *namespace]);
        let owners = objects.get(name).await?.metadata.owner_references;
        let owners = owners.unwrap_or_default();
        assert!(
            owners.iter().any(|it| it.kind == "ClusterExtension"),
            "{kind} {name}"
        );
    }
    Ok(())
}

/// The next version comes from the Operator, and keeps the custom resources. OLM v1 cannot install
/// another version of the package, so the release changes nothing.
#[tokio::test]
async fn operator_of_cluster_extension_is_upgraded_after_its_adoption() -> Result<(), Failure> {
    let Some(quay) = quay("upgraded-v1").await? else {
        return Ok(());
    };
    let before = quay.identities().await?;
    let (message, is_well) = quay.portolan(&["adopt", "extension/barge"]).await?;
    assert!(is_well, "{message}");
    quay.until_step("Adopted").await?;
    quay.request("1.1.0").await?;
    quay.harbor.until_installed("barge", "1.1.0").await?;
    let after = quay.identities().await?;
    for object in [
        format!("CustomResourceDefinition {CRD}"),
        "Barge dover".to_owned(),
    ] {
        assert_eq!(after.get(&object), before.get(&object), "{object}");
    }

    // OLM v1 reports that the ServiceAccount is missing.
    let refused = ["release", "barge", "--to", "clusterextension"];
    let refused = [&refused[..], &["--service-account", "missing"]].concat();
    let (message, is_well) = quay.portolan(&refused).await?;
    assert!(!is_well, "{message}");
    assert!(
        message.contains("OLM v1 cannot take over the objects"),
        "{message}"
    );
    until_gone(&api(quay.harbor.client(), EXTENSION), "barge").await?;
    assert_eq!(quay.identities().await?, after);
    quay.harbor.until_installed("barge", "1.1.0").await
}

/// While OLM v1 does not run, the adoption waits and can be undone. Then OLM v1 manages the same
/// objects as before.
#[tokio::test]
async fn adoption_from_olm_v1_is_undone_while_olm_is_stopped() -> Result<(), Failure> {
    let Some(quay) = quay("undone-v1").await? else {
        return Ok(());
    };
    let before = quay.identities().await?;
    let cluster = quay.harbor.world().cluster();
    cluster.freeze(Component::OperatorController)?;
    let (message, is_well) = quay.portolan(&["adopt", "extension/barge"]).await?;
    assert!(is_well, "{message}");
    quay.until_step("Held").await?;
    let extensions = api(quay.harbor.client(), EXTENSION);
    let held = extensions.get("barge").await?;
    assert!(held.metadata.deletion_timestamp.is_none());

    let (message, is_well) = quay.portolan(&["adopt", "barge", "--undo"]).await?;
    assert!(is_well, "{message}");
    quay.harbor
        .until(
            "barge",
            ["Installing", "False", "InstalledByClusterExtension"],
        )
        .await?;
    cluster.thaw(Component::OperatorController)?;
    until("OLM v1 to manage its objects", PATIENCE, async || {
        let extension = extensions.get("barge").await?;
        let conditions = extension.data["status"]["conditions"].as_array().cloned();
        let mut conditions = conditions.unwrap_or_default().into_iter();
        let progressing = conditions.find(|it| it["type"] == "Progressing");
        let progressing = progressing.unwrap_or_default();
        let is_current =
            progressing["observedGeneration"].as_i64() == extension.metadata.generation;
        Ok(if is_current && progressing["reason"] == "Succeeded" {
            Seen::Yes(())
        } else {
            Seen::NotYet(progressing.to_string())
        })
    })
    .await?;
    let extension = extensions.get("barge").await?;
    assert_eq!(
        extension.data["spec"]["source"]["catalog"]["version"],
        "1.0.0"
    );
    assert_eq!(quay.identities().await?, before);
    Ok(())
}

/// Returns a catalog whose CRD has a conversion webhook in each version of the operator.
fn offered() -> Catalog {
    let mut offered = catalog("barge: 1.0.0 -> 1.1.0").installable();
    let bundles = offered.packages.iter_mut().flat_map(|it| &mut it.bundles);
    for definition in bundles.flat_map(|it| &mut it.objects) {
        if definition["kind"] == "CustomResourceDefinition" {
            definition["spec"]["conversion"] = json!({
                "strategy": "Webhook",
                "webhook": {
                    "clientConfig": {"url": "https://barge.example.test/convert"},
                    "conversionReviewVersions": ["v1"],
                },
            });
        }
    }
    offered
}

async fn quay(test: &str) -> Result<Option<Quay>, Failure> {
    let Some(stage) = stage().await? else {
        return Ok(None);
    };
    stage.docks().await?;
    let image = publish(&stage.cluster, "harbor", offered(), &[]).await?;
    stage.catalog("harbor", &image).await?;
    stage
        .extension("barge", INSTALLER, "barge", json!({"version": "1.0.0"}))
        .await?;
    stage
        .until_diagnosed(&[("ClusterExtension barge", "WELL")])
        .await?;
    let Stage { cluster, .. } = stage;
    let registry = cluster.registry().unwrap_or_default();
    let mut flags = vec![format!("--catalog=harbor=oci://{image}")];
    flags.extend(["--registries", "--plain-http"].map(|flag| format!("{flag}={registry}")));
    let world = World::on(cluster, test).await?;
    let harbor = harbor_of(world, flags).await?;
    let cluster = harbor.world().cluster();
    // The ClusterExtension is deleted with the account that adopts its objects.
    cluster.allow_foreign_deletes(harbor.home());
    harbor
        .make(&json!({
            "apiVersion": "barge.example.test/v1", "kind": "Barge",
            "metadata": {"name": "dover", "namespace": DOCKS}, "spec": {"seats": 12},
        }))
        .await?;
    let quay = Quay { harbor };
    quay.until_rolled_out().await?;
    Ok(Some(quay))
}

// === impl Quay ===

impl Quay {
    /// Returns the output of `portolan`, and true if it succeeds.
    async fn portolan(&self, words: &[&str]) -> Result<(String, bool), Failure> {
        let mut command = Command::new(portolan().await?);
        let kubeconfig = self.harbor.world().cluster().kubeconfig();
        command.args(words).arg("--kubeconfig").arg(kubeconfig);
        let typed = output(command).await?;
        let text =
            [&typed.stdout, &typed.stderr].map(|it| String::from_utf8_lossy(it).into_owned());
        Ok((text.concat(), typed.status.success()))
    }

    async fn request(&self, version: &str) -> Result<(), Failure> {
        let patch = json!({"spec": {"version": version, "settleSeconds": 0}}).to_string();
        let operator = "operators.operators.operatorframework.io/barge";
        self.harbor
            .kubectl(&["patch", operator, "--type=merge", "-p", &patch])
            .await
            .map(drop)
    }

    async fn until_step(&self, step: &str) -> Result<(), Failure> {
        until(format!("the adoption to be {step}"), PATIENCE, async || {
            let status = self.harbor.status("barge").await?;
            Ok(if status["adoption"]["step"] == step {
                Seen::Yes(())
            } else {
                Seen::NotYet(status.to_string())
            })
        })
        .await
    }

    async fn until_rolled_out(&self) -> Result<(), Failure> {
        let deployments = api(self.harbor.client(), ["apps/v1", "Deployment", DOCKS]);
        until("the Deployment to be ready", PATIENCE, async || {
            let deployment = deployments.get("barge").await?;
            let status = &deployment.data["status"];
            Ok(if status["readyReplicas"] == 1 {
                Seen::Yes(())
            } else {
                Seen::NotYet(status.to_string())
            })
        })
        .await
    }

    /// Returns the uids of the objects and Pods, and the generation and spec of the Deployment.
    async fn identities(&self) -> Result<BTreeMap<String, String>, Failure> {
        let client = self.harbor.client();
        let mut found = BTreeMap::new();
        for [version, kind, namespace, name] in OBJECTS {
            let object = api(client, [version, kind, namespace]).get(name).await?;
            let uid = object.metadata.uid.clone().unwrap_or_default();
            found.insert(format!("{kind} {name}"), uid);
            if kind == "Deployment" {
                let runs = json!([object.metadata.generation, object.data["spec"]]);
                found.insert("what runs".to_owned(), runs.to_string());
            }
        }
        let pods = api(client, ["v1", "Pod", DOCKS]);
        let pods = pods.list(&ListParams::default()).await?.items.into_iter();
        let uids = pods.filter_map(|pod| pod.metadata.uid);
        found.extend(uids.map(|uid| (format!("Pod {uid}"), uid)));
        Ok(found)
    }

    /// Checks that OLM v1 owns nothing of the operator any more.
    async fn is_left_by_olm(&self) -> Result<(), Failure> {
        let client = self.harbor.client();
        until_gone(&api(client, EXTENSION), "barge").await?;
        let releases = api(client, ["v1", "Secret", "olmv1-system"]);
        let labels = ListParams::default().labels("name=barge");
        assert_eq!(releases.list(&labels).await?.items.len(), 0);
        for [version, kind, namespace, name] in &OBJECTS[..3] {
            let object = api(client, [*version, *kind, *namespace]).get(name).await?;
            let metadata: Value = json!(object.metadata);
            assert_eq!(metadata["ownerReferences"], Value::Null, "{kind} {name}");
            for key in ["labels", "annotations"] {
                let marks = metadata[key].to_string();
                assert!(!marks.contains("olm.operatorframework.io"), "{marks}");
                assert!(!marks.contains("meta.helm.sh"), "{marks}");
            }
        }
        Ok(())
    }
}
