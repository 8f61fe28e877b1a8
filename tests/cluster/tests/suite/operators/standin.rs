//! What stands in for the Pods of an operator whose webhooks are called, and somebody who has them called
//! all the time.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kube::Client;
use kube::api::{DynamicObject, PostParams};
use portolan_kit::TempFolder;
use portolan_rig::{Cluster, Failure, Guest};
use serde_json::{Value, json};
use tokio::task::AbortHandle;

use super::stage::api;
use crate::program::output;

const PROGRAM: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/suite/operators/standin.py"
);

/// Answers what the API server asks the webhooks of a Service. It ends when it is dropped.
pub(super) struct StandIn {
    guest: Guest,
    copying: AbortHandle,
    _folder: TempFolder,
}

/// Creates objects all the time, and counts.
pub(super) struct Traffic {
    running: AbortHandle,
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    made: AtomicUsize,
    refused: std::sync::Mutex<Vec<String>>,
}

impl StandIn {
    /// At the address of a Service, with the certificate of a Secret, as it is at the time.
    pub(super) async fn start(
        cluster: &Cluster,
        client: &Client,
        [namespace, service, secret]: [&str; 3],
        ports: &[&str],
    ) -> Result<Self, Failure> {
        let folder = TempFolder::empty();
        let found = api(client.clone(), ["v1", "Service", namespace])
            .get(service)
            .await?;
        let address = found.data["spec"]["clusterIP"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        copy(client, [namespace, secret], &folder).await?;
        let mut args = vec![PROGRAM.to_owned(), address, folder.display().to_string()];
        args.extend(ports.iter().map(|port| (*port).to_owned()));
        let guest = cluster.guest("stand-in", &python().await?, args)?;
        let (client, into) = (client.clone(), folder.to_path_buf());
        let names = [namespace.to_owned(), secret.to_owned()];
        let copying = tokio::spawn(async move {
            loop {
                // What cannot be read now is as it was.
                let names = [names[0].as_str(), names[1].as_str()];
                let _ = copy(&client, names, &into).await;
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        });
        Ok(Self {
            guest,
            copying: copying.abort_handle(),
            _folder: folder,
        })
    }

    /// How often it was asked.
    pub(super) fn asked(&self) -> Result<usize, Failure> {
        Ok(self.guest.said()?.matches("asked").count())
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.copying.abort();
    }
}

impl Traffic {
    /// Objects of a kind in a namespace, twenty a second.
    pub(super) fn start(client: &Client, [version, kind, namespace]: [&str; 3]) -> Self {
        let objects = api(client.clone(), [version, kind, namespace]);
        let manifest = json!({"apiVersion": version, "kind": kind});
        let counts = Arc::<Counts>::default();
        let counted = counts.clone();
        let running = tokio::spawn(async move {
            for number in 0.. {
                let mut manifest = manifest.clone();
                manifest["metadata"] = json!({"name": format!("object-{number}")});
                let object: Result<DynamicObject, _> = serde_json::from_value(manifest);
                let made = objects
                    .create(&PostParams::default(), &object.expect("an object"))
                    .await;
                match made {
                    Ok(_) => drop(counted.made.fetch_add(1, Ordering::Relaxed)),
                    Err(error) => counted
                        .refused
                        .lock()
                        .expect("a list")
                        .push(error.to_string()),
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        });
        Self {
            running: running.abort_handle(),
            counts,
        }
    }

    /// How many were made, and what was said of those that were not.
    pub(super) fn stop(self) -> (usize, Vec<String>) {
        self.running.abort();
        let refused = self.counts.refused.lock().expect("a list").clone();
        (self.counts.made.load(Ordering::Relaxed), refused)
    }
}

async fn copy(
    client: &Client,
    [namespace, secret]: [&str; 2],
    into: &std::path::Path,
) -> Result<(), Failure> {
    let secret = api(client.clone(), ["v1", "Secret", namespace])
        .get(secret)
        .await?;
    for name in ["tls.crt", "tls.key"] {
        let data: &Value = &secret.data["data"][name];
        let bytes = STANDARD.decode(data.as_str().unwrap_or_default());
        let bytes = bytes.map_err(Failure::read(name))?;
        let (file, part) = (into.join(name), into.join(format!("{name}.part")));
        let written = fs::write(&part, bytes).and_then(|()| fs::rename(&part, &file));
        written.map_err(Failure::touch("write a certificate"))?;
    }
    Ok(())
}

/// The interpreter itself, as a rig has no PATH.
async fn python() -> Result<PathBuf, Failure> {
    let mut command = Command::new("python3");
    command.args(["-c", "import sys; print(sys.executable)"]);
    let told = output(command).await?;
    Ok(PathBuf::from(String::from_utf8_lossy(&told.stdout).trim()))
}
