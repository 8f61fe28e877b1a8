//! Unpacks bundles, instead of the Pods that OLM creates for this.

use std::path::{Path, PathBuf};
use std::time::Duration;

use kube::api::{DynamicObject, ListParams, Patch, PatchParams};
use kube::{Api, Client, ResourceExt as _};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::cluster::Cluster;
use crate::failure::Failure;
use crate::kind::Kind;
use crate::pods::{POD_STATE, PodState};
use crate::say;

/// The label with which OLM marks the Pods that unpack bundles.
const UNPACKS: &str = "operatorframework.io/bundle-unpack-ref";
/// The annotation that makes the Pod of a Job end with this exit code.
const EXIT: &str = "rig.test/exit-code";
const PAUSE: Duration = Duration::from_millis(200);

/// A task that unpacks bundles in one namespace, instead of the Pods of OLM. It runs `opm alpha
/// bundle extract` on a folder with the content of the image. If there is no folder for an image,
/// the image cannot be pulled. Dropping this value ends the task.
#[derive(Debug)]
pub struct Unpacking {
    running: JoinHandle<()>,
}

struct Unpacker {
    cluster: Cluster,
    pods: Api<DynamicObject>,
    namespace: String,
    images: PathBuf,
}

impl Unpacking {
    pub(crate) fn from(cluster: &Cluster, client: &Client, namespace: &str, images: &Path) -> Self {
        let unpacker = Unpacker {
            cluster: cluster.clone(),
            pods: Kind::Pod.within(client, namespace),
            namespace: namespace.to_owned(),
            images: images.to_owned(),
        };
        let running = tokio::spawn(async move {
            loop {
                // Only prints the error. A test that waits for the InstallPlan fails later.
                if let Err(failure) = unpacker.look().await {
                    say!("unpacking: {failure:?}");
                }
                tokio::time::sleep(PAUSE).await;
            }
        });
        Self { running }
    }
}

impl Drop for Unpacking {
    fn drop(&mut self) {
        self.running.abort();
    }
}

impl Unpacker {
    async fn look(&self) -> Result<(), Failure> {
        let unpacking = ListParams::default().labels(UNPACKS);
        let pods = self.pods.list(&unpacking).await?.items;
        for pod in pods.iter().filter(|pod| is_open(pod)) {
            let annotation = self.unpack(pod).await?;
            let change = json!({"metadata": {"annotations": annotation}});
            let params = PatchParams::default();
            let name = pod.name_any();
            self.pods
                .patch(&name, &params, &Patch::Merge(&change))
                .await?;
        }
        Ok(())
    }

    /// Unpacks the bundle of a Pod. Returns the annotation that ends the Pod with the exit code of
    /// opm. If the image does not exist, returns the annotation for an image that cannot be pulled.
    async fn unpack(&self, pod: &DynamicObject) -> Result<Value, Failure> {
        let container = &pod.data["spec"]["containers"][0];
        let image = image(container);
        let folder = self.images.join(image);
        if image.is_empty() || !folder.is_dir() {
            say!("there is no image {image:?} in {}", self.images.display());
            return Ok(json!({POD_STATE: PodState::Unpullable.as_str()}));
        }
        let mut command = self.cluster.binaries().command("opm");
        command
            .args(["alpha", "bundle", "extract"])
            // Without the trailing slash, opm would treat the path as a file.
            .args(["-m", &format!("{}/", folder.display())])
            .args(["-n", &self.namespace, "-c", config_map(container), "-z"])
            .arg("-k")
            .arg(self.cluster.kubeconfig())
            .env("CONTAINER_IMAGE", image);
        let run = tokio::task::spawn_blocking(move || command.output());
        let run = run.await.map_err(Failure::read("the end of opm"))?;
        let run = run.map_err(Failure::touch("run opm"))?;
        if !run.status.success() {
            say!("opm: {}", String::from_utf8_lossy(&run.stderr));
        }
        let code = run.status.code().unwrap_or(1);
        Ok(json!({EXIT: code.to_string()}))
    }
}

fn is_open(pod: &DynamicObject) -> bool {
    let annotations = pod.annotations();
    !annotations.contains_key(EXIT) && !annotations.contains_key(POD_STATE)
}

/// Returns the image of the bundle. It differs from the image of the container.
fn image(container: &Value) -> &str {
    let env = container["env"].as_array().into_iter().flatten();
    let mut named = env.filter(|each| each["name"] == "CONTAINER_IMAGE");
    let image = named.next().and_then(|each| each["value"].as_str());
    image.unwrap_or_default()
}

/// Returns the name of the ConfigMap that the container must fill: the argument after `-c`.
fn config_map(container: &Value) -> &str {
    let words = container["command"].as_array().into_iter().flatten();
    let mut words = words
        .filter_map(Value::as_str)
        .skip_while(|word| *word != "-c");
    words.nth(1).unwrap_or_default()
}
