//! Serves the webhooks of an operator instead of its Pods, and sends requests that call these
//! webhooks.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kube::Client;
use kube::api::{Api, DynamicObject, PostParams};
use portolan_kit::TempFolder;
use portolan_rig::{Cluster, Failure, Guest, PATIENCE, Seen, until};
use serde_json::{Value, json};
use tokio::task::AbortHandle;

use crate::objects::api;
use crate::program::output;

const PROGRAM: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/suite/operators/standin.py"
);

/// Answers the requests that the API server sends to a Service, for webhooks and for an aggregated
/// API. Dropping this value stops it.
pub(super) struct StandIn {
    guest: Guest,
    copying: AbortHandle,
    _folder: TempFolder,
}

/// Sends requests continuously, and counts them.
pub(super) struct Traffic {
    running: AbortHandle,
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    answered: AtomicUsize,
    refused: std::sync::Mutex<Vec<String>>,
}

impl StandIn {
    /// Waits for a Service and a Secret, and serves at the address of the Service. Always uses the
    /// current certificate in the Secret.
    pub(super) async fn start(
        cluster: &Cluster,
        client: &Client,
        [namespace, service, secret]: [&str; 3],
        ports: &[&str],
    ) -> Result<Self, Failure> {
        let folder = TempFolder::empty();
        let services = api(client, ["v1", "Service", namespace]);
        let found = until_exists(&services, service).await?;
        until_exists(&api(client, ["v1", "Secret", namespace]), secret).await?;
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
                // Ignores an error: the server keeps the previous certificate, and the next attempt
                // follows soon.
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

    /// Returns the number of reviews that the API server requested for a kind.
    pub(super) fn asked(&self, kind: &str) -> Result<usize, Failure> {
        Ok(self
            .guest
            .output()?
            .matches(&format!("asked: {kind}"))
            .count())
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.copying.abort();
    }
}

impl Traffic {
    /// Creates twenty objects of a kind per second in a namespace, and alternates between the
    /// versions. Also sends requests for a path.
    pub(super) fn start(
        client: &Client,
        [kind, namespace, path]: [&'static str; 3],
        versions: [&'static str; 2],
    ) -> Self {
        let counts = Arc::<Counts>::default();
        let counted = counts.clone();
        let client = client.clone();
        let running = tokio::spawn(async move {
            for (number, version) in versions.into_iter().cycle().enumerate() {
                let objects = api(&client, [version, kind, namespace]);
                let manifest = json!({
                    "apiVersion": version, "kind": kind,
                    "metadata": {"name": format!("object-{number}")},
                });
                let object: Result<DynamicObject, _> = serde_json::from_value(manifest);
                let made = objects
                    .create(&PostParams::default(), &object.expect("an object"))
                    .await;
                counted.count(made.map(drop));
                let request = http::Request::get(path).body(Vec::new());
                let asked = client.request_text(request.expect("a request")).await;
                counted.count(asked.map(drop));
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        });
        Self {
            running: running.abort_handle(),
            counts,
        }
    }

    /// Stops the requests. Returns the number of responses, and the errors of failed requests.
    pub(super) fn stop(self) -> (usize, Vec<String>) {
        self.running.abort();
        let refused = self.counts.refused.lock().expect("a list").clone();
        (self.counts.answered.load(Ordering::Relaxed), refused)
    }
}

impl Counts {
    fn count(&self, answer: Result<(), kube::Error>) {
        match answer {
            Ok(()) => drop(self.answered.fetch_add(1, Ordering::Relaxed)),
            Err(error) => self.refused.lock().expect("a list").push(error.to_string()),
        }
    }
}

async fn until_exists(objects: &Api<DynamicObject>, name: &str) -> Result<DynamicObject, Failure> {
    until(format!("{name} to exist"), PATIENCE, async || {
        let found = objects.get_opt(name).await?;
        Ok(found.map_or(Seen::NotYet("gone".to_owned()), Seen::Yes))
    })
    .await
}

async fn copy(
    client: &Client,
    [namespace, secret]: [&str; 2],
    into: &std::path::Path,
) -> Result<(), Failure> {
    let secret = api(client, ["v1", "Secret", namespace]).get(secret).await?;
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

/// Returns the absolute path of the Python interpreter, because the rig starts programs without
/// PATH.
async fn python() -> Result<PathBuf, Failure> {
    let mut command = Command::new("python3");
    command.args(["-c", "import sys; print(sys.executable)"]);
    let message = output(command).await?;
    Ok(PathBuf::from(
        String::from_utf8_lossy(&message.stdout).trim(),
    ))
}
