//! The states of operators that watchers report, and the times of these reports.

use std::collections::BTreeSet;
use std::pin::pin;
use std::time::{Duration, Instant};

use futures::{Stream, StreamExt as _, TryStreamExt as _, future};
use kube::api::DynamicObject;
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Api, ResourceExt as _};
use portolan_proto::health::v1 as pb;
use portolan_proto::health::v1::health_client::HealthClient;
use portolan_proto::health::v1::verdict::State;
use portolan_proto::health::v1::watch_response::Event as News;
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tonic::transport::Channel;

use super::fleet::key;
use crate::failure::Failure;

/// The maximum time to wait for a state.
const PATIENCE: Duration = Duration::from_secs(120);

/// The state of an object that a watcher reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    Well,
    Between,
    Ill,
}

/// The reports of one watcher, without the reports about its initial list.
#[derive(Debug)]
pub(crate) struct Sightings {
    watcher: &'static str,
    seen: UnboundedReceiver<Sighting>,
    task: JoinHandle<()>,
}

#[derive(Debug)]
struct Sighting {
    at: Instant,
    key: String,
    standing: Standing,
}

/// The channel to which a watcher sends its reports.
struct Recorder(UnboundedSender<Sighting>);

// === impl Sightings ===

impl Sightings {
    /// Watches the health service.
    pub(crate) async fn of_health(channel: Channel) -> Result<Self, Failure> {
        let failed = |status: tonic::Status| Failure::Call {
            method: "Watch",
            status: status.into(),
        };
        let mut client = HealthClient::new(channel).max_decoding_message_size(usize::MAX);
        let news = client.watch(pb::WatchRequest::default()).await;
        let mut news = news.map_err(failed)?.into_inner();
        while let Some(said) = news.message().await.map_err(failed)? {
            if let Some(News::Synced(_)) = said.event {
                break;
            }
        }
        Ok(Self::watching("Watch", async move |recorder| {
            while let Ok(Some(said)) = news.message().await {
                if let Some(News::Operator(operator)) = said.event {
                    recorder.record_operator(&operator);
                }
            }
        }))
    }

    /// Watches the Deployments of operators with the watcher of kube.
    pub(crate) async fn of_deployments(objects: Api<DynamicObject>) -> Result<Self, Failure> {
        let config = watcher::Config::default().labels("olm.owner");
        let standing = |deployment: &DynamicObject| {
            if is_available(deployment) {
                Standing::Well
            } else {
                Standing::Ill
            }
        };
        Self::of_objects("a watcher of Deployments", objects, config, standing).await
    }

    /// Watches the phases of ClusterServiceVersions, which OLM writes, with the watcher of kube.
    pub(crate) async fn of_csvs(objects: Api<DynamicObject>) -> Result<Self, Failure> {
        let standing = |csv: &DynamicObject| {
            if csv.data["status"]["phase"] == "Succeeded" {
                Standing::Well
            } else {
                Standing::Ill
            }
        };
        let config = watcher::Config::default();
        Self::of_objects("a watcher of OLM", objects, config, standing).await
    }

    /// Watches the statuses of policies with the watcher of kube.
    pub(crate) async fn of_policies(objects: Api<DynamicObject>) -> Result<Self, Failure> {
        let standing = |policy: &DynamicObject| match policy.data["status"]["compliant"].as_str() {
            Some("Compliant") => Standing::Well,
            Some("NonCompliant") => Standing::Ill,
            _ => Standing::Between,
        };
        let config = watcher::Config::default();
        Self::of_objects("a watcher of policies", objects, config, standing).await
    }

    /// Waits until all operators have this state. Returns the time of the last report.
    pub(crate) async fn until(
        &mut self,
        mut keys: BTreeSet<String>,
        standing: Standing,
    ) -> Result<Instant, Failure> {
        let mut last = Instant::now();
        while !keys.is_empty() {
            let seen = tokio::time::timeout(PATIENCE, self.seen.recv()).await;
            let Ok(Some(seen)) = seen else {
                return Err(Failure::Expect(format!(
                    "{} does not tell {standing:?} of {} operators, such as {:?}",
                    self.watcher,
                    keys.len(),
                    keys.first()
                )));
            };
            if seen.standing == standing && keys.remove(&seen.key) {
                last = seen.at;
            }
        }
        Ok(last)
    }

    /// Removes all reports so far.
    pub(crate) fn forget(&mut self) {
        while self.seen.try_recv().is_ok() {}
    }

    async fn of_objects(
        name: &'static str,
        objects: Api<DynamicObject>,
        config: watcher::Config,
        standing: impl Fn(&DynamicObject) -> Standing + Send + 'static,
    ) -> Result<Self, Failure> {
        let mut events = Box::pin(watcher(objects, config));
        until_synced(name, events.as_mut()).await?;
        Ok(Self::watching(name, async move |recorder| {
            let applied = events.filter_map(|event| future::ready(applied(event)));
            let mut applied = pin!(applied);
            while let Some(object) = applied.next().await {
                let namespace = object.namespace().unwrap_or_default();
                recorder.record(key(&namespace, &object.name_any()), standing(&object));
            }
        }))
    }

    fn watching<W>(watcher: &'static str, watch: impl FnOnce(Recorder) -> W) -> Self
    where
        W: Future<Output = ()> + Send + 'static,
    {
        let (sender, seen) = unbounded_channel();
        Self {
            watcher,
            seen,
            task: tokio::spawn(watch(Recorder(sender))),
        }
    }
}

impl Drop for Sightings {
    fn drop(&mut self) {
        self.task.abort();
    }
}

// === impl Recorder ===

impl Recorder {
    fn record_operator(&self, operator: &pb::Operator) {
        let Some(subject) = &operator.subject else {
            return;
        };
        let state = operator.verdict.as_ref().map(pb::Verdict::state);
        let standing = match state.unwrap_or_default() {
            State::Yes => Standing::Well,
            State::No => Standing::Ill,
            State::NotYet | State::Unspecified => Standing::Between,
        };
        self.record(key(&subject.namespace, &subject.name), standing);
    }

    fn record(&self, key: String, standing: Standing) {
        let at = Instant::now();
        // Ignores an error: if the receiver was dropped, the report is not needed.
        let _ = self.0.send(Sighting { at, key, standing });
    }
}

async fn until_synced(
    name: &'static str,
    mut events: impl Stream<Item = Result<Event<DynamicObject>, watcher::Error>> + Unpin,
) -> Result<(), Failure> {
    let failed = |error: watcher::Error| Failure::Expect(format!("{name}: {error}"));
    while let Some(event) = events.try_next().await.map_err(failed)? {
        if let Event::InitDone = event {
            return Ok(());
        }
    }
    Err(Failure::Expect(format!("{name} ended")))
}

fn applied(event: Result<Event<DynamicObject>, watcher::Error>) -> Option<DynamicObject> {
    match event {
        Ok(Event::Apply(object)) => Some(object),
        // After an error, the watcher restarts automatically.
        Ok(Event::Delete(_) | Event::Init | Event::InitApply(_) | Event::InitDone) | Err(_) => None,
    }
}

fn is_available(deployment: &DynamicObject) -> bool {
    let conditions = deployment.data["status"]["conditions"].as_array();
    let is_it = |it: &Value| it["type"] == "Available" && it["status"] == "True";
    conditions.into_iter().flatten().any(is_it)
}
