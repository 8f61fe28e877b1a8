//! The running containers of an operator. Tests compare them to prove that no container was
//! restarted.

use kube::Client;
use kube::api::{DynamicObject, ListParams};
use portolan_rig::{Failure, Kind, PATIENCE, Seen, until};
use serde_json::Value;

/// A running container. A restart changes all fields except the Pod.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Container {
    pub(super) pod: String,
    pub(super) image: String,
    id: String,
    restarts: u64,
    started_at: String,
}

impl Container {
    /// Returns the container of a Pod. Returns None if the Pod is not ready or is being deleted.
    fn of(pod: &DynamicObject) -> Option<Self> {
        let status = pod.data.pointer("/status/containerStatuses/0")?;
        let is_running = status["ready"] == true && pod.metadata.deletion_timestamp.is_none();
        let text = |at: &str| {
            status
                .pointer(at)
                .and_then(Value::as_str)
                .map(str::to_owned)
        };
        is_running.then_some(Self {
            pod: pod.metadata.name.clone()?,
            image: pod
                .data
                .pointer("/spec/containers/0/image")?
                .as_str()?
                .to_owned(),
            id: text("/containerID")?,
            restarts: status["restartCount"].as_u64()?,
            started_at: text("/state/running/startedAt")?,
        })
    }
}

/// Returns the ready containers of the operator.
pub(super) async fn containers(
    client: &Client,
    namespace: &str,
) -> Result<Vec<Container>, Failure> {
    let pods = Kind::Pod.within(client, namespace);
    let pods = pods
        .list(&ListParams::default().labels("app=ferry"))
        .await?;
    let mut found: Vec<_> = pods.iter().filter_map(Container::of).collect();
    found.sort();
    Ok(found)
}

/// Waits until exactly one Pod of the operator exists and is ready. Returns its container.
pub(super) async fn only_container(client: &Client, namespace: &str) -> Result<Container, Failure> {
    let pods = Kind::Pod.within(client, namespace);
    until("one Pod of the operator", PATIENCE, async || {
        let pods = pods
            .list(&ListParams::default().labels("app=ferry"))
            .await?;
        let states = || pods.iter().map(|pod| pod.data["status"].to_string());
        Ok(match pods.items.as_slice() {
            [pod] => Container::of(pod).map_or_else(|| Seen::NotYet(states().collect()), Seen::Yes),
            pods => Seen::NotYet(format!("{} Pods", pods.len())),
        })
    })
    .await
}
