//! Installs Portolan from its manifests with all components, as Pods on a node with OLM.

use std::fs;
use std::path::Path;
use std::process::Command;

use kube::Client;
use kube::api::{DynamicObject, ListParams};
use portolan_kit::TempFolder;
use portolan_rig::{
    Cluster, Failure, Kind, PATIENCE, Parts, Seen, is_node_left_out, overlay, until,
};
use serde_json::{Value, json};

use super::stage::portolan_image;
use crate::kubectl::{Kubectl, ROOT};
use crate::objects::make;
use crate::program::{output, portolan};
use crate::{SUPERVISOR, begin};

/// The namespace of Portolan.
pub(super) const NAMESPACE: &str = "portolan";
/// The image of this build. Its tag is the default tag of the chart.
const IMAGE: &str = concat!("portolan:", env!("CARGO_PKG_VERSION"));
/// The components of `deploy/overlays`. A component comes after the components that it requires.
/// Components for cert-manager, OpenShift and Prometheus are omitted.
pub(super) const COMPONENTS: [&str; 11] = [
    "plans",
    "certificates",
    "operators",
    "updater",
    "webhook",
    "v2alpha1",
    "installs",
    "approvals",
    "apiserver",
    "diagnosis",
    "console",
];
/// The services for which an administrator creates certificates.
const SERVED: [&str; 5] = ["resolver", "health", "approval", "diagnosis", "console"];
/// The Deployments, and their numbers of replicas. The API server for Installed has two replicas:
/// the second one waits two minutes if the first one is ready.
pub(super) const REPLICAS: [(&str, u64); 9] = [
    ("apiserver", 1),
    ("approval", 1),
    ("console", 1),
    ("controller", 2),
    ("diagnosis", 1),
    ("health", 1),
    ("resolver", 2),
    ("updater", 1),
    ("webhook", 2),
];

/// A cluster with a node and OLM, on which Portolan is installed.
pub(super) struct Deployed {
    pub(super) cluster: Cluster,
    pub(super) client: Client,
    pub(super) kubectl: Kubectl,
    /// The image of this build, with its digest.
    pub(super) image: String,
    /// The folder with the overlay, as an administrator writes it.
    overlay: TempFolder,
    path: String,
}

// === impl Deployed ===

impl Deployed {
    /// Starts the cluster, and pushes the image. Returns `None` if these tests are skipped.
    pub(super) async fn prepare() -> Result<Option<Self>, Failure> {
        if is_node_left_out() || !begin() {
            return Ok(None);
        }
        let parts = Parts {
            olm: true,
            node: true,
            ..Parts::default()
        };
        let (cluster, image) =
            tokio::try_join!(Cluster::with(parts, SUPERVISOR), portolan_image())?;
        let image = cluster.push(image, IMAGE).await?;
        let program = portolan().await?;
        let program = program.parent().expect("a folder").display().to_string();
        let binaries = cluster.binaries().folder().display().to_string();
        let path = std::env::var("PATH").unwrap_or_default();
        Ok(Some(Self {
            client: cluster.client()?,
            kubectl: Kubectl::of(&cluster),
            image,
            overlay: TempFolder::empty(),
            path: format!("{program}:{binaries}:{path}"),
            cluster,
        }))
    }

    /// Applies the base and all components, as docs/operations.md describes. The resolver pulls
    /// bundles from the registry of the node.
    pub(super) async fn apply(&self) -> Result<(), Failure> {
        let real = |path: &Path| path.canonicalize().map_err(Failure::touch("find a folder"));
        let (deploy, folder) = (real(&Path::new(ROOT).join("deploy"))?, real(&self.overlay)?);
        let (name, digest) = self.image.split_once('@').expect("a digest");
        let registry = self.cluster.registry().unwrap_or_default();
        let operations = ["registries", "plain-http"].map(|flag| {
            let args = "/spec/template/spec/containers/0/args/-";
            json!({"op": "add", "path": args, "value": format!("--{flag}={registry}")})
        });
        let target = json!({"kind": "Deployment", "name": "portolan-resolver"});
        let patch = json!(operations).to_string();
        let image = json!([{"name": "portolan", "newName": name, "digest": digest}]);
        let patches = json!([{"target": target, "patch": patch}]);
        let own = overlay(&deploy, &folder, &COMPONENTS);
        let own = format!("{own}images: {image}\npatches: {patches}\n");
        fs::write(folder.join("kustomization.yaml"), own)
            .map_err(Failure::touch("write an overlay"))?;
        let folder = folder.display().to_string();
        self.kubectl.run(&["apply", "-f", "deploy/crds"]).await?;
        self.kubectl
            .run(&["apply", "--server-side", "-k", &folder])
            .await?;
        self.certificates().await
    }

    /// Creates certificates as an administrator does without cert-manager.
    pub(super) async fn certificates(&self) -> Result<(), Failure> {
        let mut authority = String::new();
        for service in SERVED {
            let name = format!("portolan-{service}.{NAMESPACE}.svc");
            let whole = format!("{name}.cluster.local");
            let identity = self.cluster.server_identity(service, &[&name, &whole])?;
            authority = identity.authority;
            let secret = json!({
                "apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/tls",
                "metadata": {"name": format!("portolan-{service}-tls"), "namespace": NAMESPACE},
                "stringData": {"tls.crt": identity.certificate, "tls.key": identity.key},
            });
            make(&self.client, &secret).await?;
        }
        self.trust(NAMESPACE, &authority).await
    }

    /// Creates a ConfigMap with the certificate of the authority in a namespace.
    pub(super) async fn trust(&self, namespace: &str, authority: &str) -> Result<(), Failure> {
        let map = json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": "portolan-ca", "namespace": namespace},
            "data": {"ca.crt": authority},
        });
        make(&self.client, &map).await
    }

    /// Waits until all replicas of these Deployments are ready.
    pub(super) async fn until_ready(&self, replicas: &[(&str, u64)]) -> Result<(), Failure> {
        let deployments = Kind::Deployment.within(&self.client, NAMESPACE);
        until("all Deployments to be ready", PATIENCE, async || {
            let all = deployments.list(&ListParams::default()).await?.items;
            let find = |component: &str| {
                let mut all = all.iter();
                let name = format!("portolan-{component}");
                all.find(|it| it.metadata.name.as_ref() == Some(&name))
            };
            let mut waiting = Vec::new();
            for (component, count) in replicas {
                if !find(component).is_some_and(|it| is_ready(it, *count)) {
                    waiting.push(*component);
                }
            }
            Ok(if waiting.is_empty() {
                Seen::Yes(())
            } else {
                Seen::NotYet(format!("{waiting:?} are not ready"))
            })
        })
        .await
    }

    /// Returns the Pods of a component.
    pub(super) async fn pods(&self, component: &str) -> Result<Vec<DynamicObject>, Failure> {
        let selector = format!("app.kubernetes.io/component={component}");
        let pods = Kind::Pod.within(&self.client, NAMESPACE);
        let all = pods.list(&ListParams::default().labels(&selector)).await?;
        Ok(all.items)
    }

    /// Runs a command line of the documentation in a shell, and returns its output.
    pub(super) async fn types(&self, line: &str) -> Result<String, Failure> {
        let mine = self.overlay.display().to_string();
        let mut command = Command::new("sh");
        command
            .args(["-euc", &line.replace("deploy/overlays/mine", &mine)])
            .env("PATH", &self.path)
            .env("KUBECONFIG", self.cluster.kubeconfig())
            .env("KUBECACHEDIR", self.cluster.folder().join("discovery"))
            .current_dir(ROOT);
        let output = output(command).await?;
        let texts = [&output.stdout, &output.stderr];
        let printed = texts.map(|text| String::from_utf8_lossy(text).into_owned());
        let printed = printed.concat();
        assert!(output.status.success(), "{line}\n{printed}");
        Ok(printed)
    }
}

fn is_ready(deployment: &DynamicObject, count: u64) -> bool {
    let (spec, status) = (&deployment.data["spec"], &deployment.data["status"]);
    let at_least = |field: &str| status[field].as_u64().is_some_and(|ready| ready >= count);
    status["observedGeneration"].as_i64() == deployment.metadata.generation
        && at_least("readyReplicas")
        && at_least("updatedReplicas")
        && status["replicas"] == spec["replicas"]
}

/// Returns the status of the only container of a Pod.
pub(super) fn container(pod: &DynamicObject) -> &Value {
    &pod.data["status"]["containerStatuses"][0]
}

/// Returns the ID of the only container of a Pod, in the form that cgroups use.
pub(super) fn container_id(pod: &DynamicObject) -> String {
    let id = container(pod)["containerID"].as_str().unwrap_or_default();
    id.trim_start_matches("containerd://").to_owned()
}
