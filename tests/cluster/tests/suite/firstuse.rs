//! Tests the first steps of a new user, on a real control plane with OLM.

mod chart;
pub(crate) mod console;
mod dump;
mod explain;
mod forwarded;
mod go_client;
mod installed;
pub(crate) mod manifests;
mod plugin;
mod setup;
mod trial;
mod up;

use std::path::Path;
use std::process::Command;

use kube::Client;
use portolan_rig::Failure;
use serde_json::Value;

use crate::objects::api;
use crate::operatorpolicy::fleet::kubeconfig_flag;
use crate::program::portolan;

/// Returns the command `portolan up` for a cluster, with free ports.
async fn up(kubeconfig: &Path, words: &[&str]) -> Result<Command, Failure> {
    let mut command = Command::new(portolan().await?);
    command
        .arg("up")
        .arg(kubeconfig_flag(kubeconfig))
        .args(["--listen=127.0.0.1:0", "--probes-listen=127.0.0.1:0"])
        .args(words);
    Ok(command)
}

/// Returns the holder of a Lease. Returns an empty text if there is no holder.
async fn holder(client: &Client, namespace: &str, name: &str) -> Result<String, Failure> {
    let leases = api(client, ["coordination.k8s.io/v1", "Lease", namespace]);
    let lease = leases.get(name).await?;
    let holder = lease.data["spec"]["holderIdentity"].as_str();
    Ok(holder.unwrap_or_default().to_owned())
}

/// Returns the objects that kustomize or Helm renders.
fn documents(rendered: &str) -> Vec<Value> {
    let documents = rendered.trim_start_matches("---\n").split("\n---\n");
    let read = documents.map(serde_saphyr::from_str);
    read.map(|object| object.expect("it is YAML")).collect()
}

fn text(value: &Value) -> String {
    value.as_str().expect("text").to_owned()
}
