//! A cluster with OLM v1, and a user of this cluster.

use std::process::Command;

use kube::Client;
use portolan_kit::Catalog;
use portolan_rig::{Cluster, Failure, PATIENCE, Parts, Seen, until};
use serde_json::{Value, json};

use super::published::publish;
use crate::kubectl::Kubectl;
use crate::objects::make;
use crate::program::{output, portolan};
use crate::{SUPERVISOR, begin};

const API: &str = "olm.operatorframework.io/v1";
/// The label with which catalogd marks each ClusterCatalog with its name.
const NAME: &str = "olm.operatorframework.io/metadata.name";
/// The namespace of the operators.
pub(super) const DOCKS: &str = "docks";
/// The ServiceAccount that may install everything.
pub(super) const INSTALLER: &str = "installer";

pub(super) struct Stage {
    pub(super) cluster: Cluster,
    pub(super) client: Client,
}

/// Returns a separate cluster with OLM v1, or `None` if tests with a cluster are skipped.
pub(super) async fn stage() -> Result<Option<Stage>, Failure> {
    if !begin() {
        return Ok(None);
    }
    let parts = Parts {
        olm_v1: true,
        ..Parts::default()
    };
    let cluster = Cluster::with(parts, SUPERVISOR).await?;
    let client = cluster.client()?;
    Ok(Some(Stage { cluster, client }))
}

// === impl Stage ===

impl Stage {
    /// Creates the namespace of the operators and its ServiceAccount.
    pub(super) async fn docks(&self) -> Result<(), Failure> {
        let account = json!({"name": INSTALLER, "namespace": DOCKS});
        let all = [
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": DOCKS}}),
            json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": account}),
            json!({
                "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
                "metadata": {"name": INSTALLER},
                "roleRef": {
                    "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                    "name": "cluster-admin",
                },
                "subjects": [{"kind": "ServiceAccount", "name": INSTALLER, "namespace": DOCKS}],
            }),
        ];
        for object in &all {
            make(&self.client, object).await?;
        }
        Ok(())
    }

    /// Creates an object.
    pub(super) async fn create(&self, object: &Value) -> Result<(), Failure> {
        make(&self.client, object).await
    }

    /// Returns the explanation of a ClusterExtension as JSON. Reads the bundles from the registry.
    pub(super) async fn explain(&self, name: &str) -> Result<String, Failure> {
        let object = format!("extension/{name}");
        let authority = self.cluster.folder().join("pki/ca.crt");
        let authority = format!("--catalogd-ca={}", authority.display());
        let registry = self.cluster.registry().unwrap_or_default();
        let flags = ["--registries", "--plain-http"].map(|flag| format!("{flag}={registry}"));
        let [pulled, plain] = &flags;
        let words = ["explain", &object, "-o", "json", &authority, pulled, plain];
        self.portolan(&words).await
    }

    /// Pushes the images of a catalog, and creates its ClusterCatalog.
    pub(super) async fn serve(
        &self,
        name: &str,
        catalog: Catalog,
        lost: &[&str],
    ) -> Result<(), Failure> {
        let image = publish(&self.cluster, name, catalog, lost).await?;
        self.catalog(name, &image).await
    }

    /// Creates a ClusterCatalog that uses this image.
    pub(super) async fn catalog(&self, name: &str, image: &str) -> Result<(), Failure> {
        let source = json!({"type": "Image", "image": {"ref": image}});
        let object = json!({
            "apiVersion": API, "kind": "ClusterCatalog",
            "metadata": {"name": name}, "spec": {"source": source},
        });
        make(&self.client, &object).await
    }

    /// Creates a ClusterExtension. The fields of `more` replace those of the catalog source.
    pub(super) async fn extension(
        &self,
        name: &str,
        account: &str,
        package: &str,
        more: Value,
    ) -> Result<(), Failure> {
        let mut catalog = json!({
            "packageName": package,
            "selector": {"matchLabels": {NAME: "harbor"}},
        });
        for (field, value) in more.as_object().into_iter().flatten() {
            catalog[field] = value.clone();
        }
        let object = json!({
            "apiVersion": API, "kind": "ClusterExtension", "metadata": {"name": name},
            "spec": {
                "namespace": DOCKS, "serviceAccount": {"name": account},
                "source": {"sourceType": "Catalog", "catalog": catalog},
            },
        });
        make(&self.client, &object).await
    }

    /// Waits until `portolan diagnose` reports these states, causes and objects at fault. Returns
    /// the diagnoses.
    pub(super) async fn until_diagnosed(
        &self,
        expected: &[(&str, &str)],
    ) -> Result<Vec<Value>, Failure> {
        until("the diagnoses", PATIENCE, async || {
            let all = self.diagnoses().await?;
            let mut wrong = expected.iter().filter_map(|(object, verdict)| {
                let seen = named(&all, object).map(verdict_of);
                let is_seen = seen.as_deref() == Some(*verdict);
                (!is_seen).then(|| format!("{object} is {seen:?}, not {verdict:?}"))
            });
            Ok(match wrong.next() {
                None => Seen::Yes(all),
                Some(wrong) => Seen::NotYet(wrong),
            })
        })
        .await
    }

    /// Waits until the causes for these objects have these codes. Returns the diagnoses.
    pub(super) async fn until_codes(
        &self,
        expected: &[(&str, &str)],
    ) -> Result<Vec<Value>, Failure> {
        until("the causes", PATIENCE, async || {
            let all = self.diagnoses().await?;
            let mut wrong = expected.iter().filter_map(|(object, code)| {
                let seen = named(&all, object).map(|it| &it["cause"]["code"]);
                let is_seen = seen.is_some_and(|seen| seen == code);
                (!is_seen).then(|| format!("{object} is {seen:?}, not {code:?}"))
            });
            Ok(match wrong.next() {
                None => Seen::Yes(all),
                Some(wrong) => Seen::NotYet(wrong),
            })
        })
        .await
    }

    /// Returns the diagnoses that `portolan diagnose` prints.
    async fn diagnoses(&self) -> Result<Vec<Value>, Failure> {
        let text = self.portolan(&["diagnose", "-o", "json"]).await?;
        let all: Value = serde_json::from_str(&text).map_err(Failure::read("the diagnoses"))?;
        Ok(all["diagnoses"].as_array().cloned().unwrap_or_default())
    }

    /// Returns the output of a command of Portolan.
    pub(super) async fn portolan(&self, words: &[&str]) -> Result<String, Failure> {
        let mut command = Command::new(portolan().await?);
        command.args(words).env_remove("PORTOLAN_SERVER");
        command.arg("--kubeconfig").arg(self.cluster.kubeconfig());
        let printed = output(command).await?;
        let errors = String::from_utf8_lossy(&printed.stderr);
        assert!(!printed.stdout.is_empty(), "{words:?}: {errors}");
        Ok(String::from_utf8_lossy(&printed.stdout).into_owned())
    }

    /// Runs a command of kubectl.
    pub(super) async fn kubectl(&self, words: &[&str]) -> Result<(), Failure> {
        Kubectl::of(&self.cluster).run(words).await.map(drop)
    }

    /// Runs the steps of a procedure, as a user does.
    pub(super) async fn follow(&self, procedure: &Value) -> Result<(), Failure> {
        let steps = procedure["steps"].as_array().expect("steps");
        for step in steps {
            let line = step["command"].as_str().expect("a command");
            let path = std::env::var("PATH").unwrap_or_default();
            let binaries = self.cluster.binaries().folder().display();
            let mut command = Command::new("sh");
            command
                .args(["-e", "-c", line])
                .env("PATH", format!("{binaries}:{path}"))
                .env("KUBECONFIG", self.cluster.kubeconfig())
                .current_dir(self.cluster.folder());
            let printed = output(command).await?;
            let errors = String::from_utf8_lossy(&printed.stderr);
            assert!(printed.status.success(), "{line}: {errors}");
        }
        Ok(())
    }
}

/// Returns the diagnosis of an object. `object` has the form `KIND NAME`.
pub(super) fn named<'d>(all: &'d [Value], object: &str) -> Option<&'d Value> {
    let (kind, name) = object.split_once(' ').unwrap_or((object, ""));
    let is_subject = |it: &&Value| it["subject"]["kind"] == kind && it["subject"]["name"] == name;
    all.iter().find(is_subject)
}

/// Returns the state, the cause and the object at fault.
fn verdict_of(diagnosis: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let state = text(&diagnosis["state"]).replace("STATE_", "");
    let cause = &diagnosis["cause"];
    if cause.is_null() {
        return state;
    }
    let object = &cause["atFault"];
    let mut at_fault = text(&object["namespace"]);
    if !at_fault.is_empty() {
        at_fault.push('/');
    }
    at_fault += &text(&object["name"]);
    let kind = text(&object["kind"]);
    format!("{state} {} {kind} {at_fault}", text(&cause["code"]))
}
