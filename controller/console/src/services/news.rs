//! Counts possible changes to pages. Any message of a service counts as a possible change, except
//! heartbeats.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures::{Stream, StreamExt};
use portolan_api::OperatorPolicy;
use portolan_api::installs::Install;
use portolan_api::operator::Operator;
use portolan_api::plan::InstallPlan;
use portolan_api::policy::{Policy, PolicyBinding};
use portolan_proto::approval::v1::approval_client::ApprovalClient;
use portolan_proto::health::v1::health_client::HealthClient;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_proto::{approval, health, resolver};
use portolan_world::{AnyWorld, Kind, World as _};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::task::AbortOnDropHandle;
use tonic::{Response, Status, Streaming};

use super::Connections;

/// The delay after which the console opens the stream of a service again.
const REST: Duration = Duration::from_secs(3);
/// The minimum time from a change until it is reported, and between two reports.
const PACE: Duration = Duration::from_secs(1);

/// Starts tasks that count all possible changes. The tasks run until the returned handles are
/// dropped. All pages receive a report at
/// the same time, so that they share the content that is computed for it.
pub(super) fn follow(
    connections: &Connections,
    world: &AnyWorld,
) -> (Vec<AbortOnDropHandle<()>>, watch::Receiver<u64>) {
    let (count, counted) = watch::channel(beginning());
    let (report, changes) = watch::channel(*counted.borrow());
    let health = HealthClient::new(connections.health.clone());
    let approval = ApprovalClient::new(connections.approval.clone());
    let resolver = ResolverClient::new(connections.resolver.clone());
    let of_health = watched(count.clone(), move || {
        let mut health = health.clone();
        async move { health.watch(health::v1::WatchRequest::default()).await }
    });
    let of_approval = watched(count.clone(), move || {
        let mut approval = approval.clone();
        async move { approval.watch(approval::v1::WatchRequest::default()).await }
    });
    let of_catalogs = watched(count.clone(), move || {
        let mut resolver = resolver.clone();
        let request = resolver::v1::WatchCatalogsRequest {};
        async move { resolver.watch_catalogs(request).await }
    });
    let mut handles = vec![
        tokio::spawn(of_health),
        tokio::spawn(of_approval),
        tokio::spawn(of_catalogs),
    ];
    handles.extend(own_kinds(&count, world));
    handles.push(tokio::spawn(reported(counted, report)));
    let handles = handles.into_iter().map(AbortOnDropHandle::new);
    (handles.collect(), changes)
}

/// Reports the number of changes at a limited pace. Changes during the pause are in the same report.
async fn reported(mut count: watch::Receiver<u64>, report: watch::Sender<u64>) {
    while count.changed().await.is_ok() {
        tokio::time::sleep(PACE).await;
        report.send_replace(*count.borrow_and_update());
    }
}

/// Starts tasks that count the changes to objects of Portolan's kinds, which the Diagnose page
/// shows.
fn own_kinds(count: &watch::Sender<u64>, world: &AnyWorld) -> [JoinHandle<()>; 6] {
    [
        tokio::spawn(count_changes::<Operator>(count.clone(), world.clone())),
        tokio::spawn(count_changes::<InstallPlan>(count.clone(), world.clone())),
        tokio::spawn(count_changes::<Install>(count.clone(), world.clone())),
        tokio::spawn(count_changes::<OperatorPolicy>(
            count.clone(),
            world.clone(),
        )),
        tokio::spawn(count_changes::<Policy>(count.clone(), world.clone())),
        tokio::spawn(count_changes::<PolicyBinding>(count.clone(), world.clone())),
    ]
}

/// Returns the start value of the counter. A page that reconnects after a restart sends the counter
/// of the earlier process, so the values must differ.
fn beginning() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map(|now| now.as_micros()).unwrap_or_default();
    u64::try_from(now).unwrap_or_default()
}

/// Distinguishes heartbeats from other messages of a stream.
trait News {
    fn is_heartbeat(&self) -> bool;
}

/// Counts the messages of a stream. When the stream ends, opens it again after a delay.
async fn watched<T, F>(count: watch::Sender<u64>, open: impl Fn() -> F + Send)
where
    T: News,
    F: Future<Output = Result<Response<Streaming<T>>, Status>> + Send,
{
    loop {
        if let Ok(stream) = open().await {
            counted(&count, stream.into_inner()).await;
            count.send_modify(|count| *count += 1);
        }
        tokio::time::sleep(REST).await;
    }
}

async fn counted<T: News>(
    count: &watch::Sender<u64>,
    mut stream: impl Stream<Item = Result<T, Status>> + Unpin,
) {
    while let Some(Ok(message)) = stream.next().await {
        if !message.is_heartbeat() {
            count.send_modify(|count| *count += 1);
        }
    }
}

/// Counts the changes to objects of a kind.
async fn count_changes<K: Kind>(count: watch::Sender<u64>, world: AnyWorld) {
    let mut objects = world.objects::<K>();
    while objects.changed().await.is_ok() {
        objects.now();
        count.send_modify(|count| *count += 1);
    }
}

impl News for health::v1::WatchResponse {
    fn is_heartbeat(&self) -> bool {
        matches!(
            self.event,
            Some(health::v1::watch_response::Event::Heartbeat(_))
        )
    }
}

impl News for approval::v1::WatchResponse {
    fn is_heartbeat(&self) -> bool {
        matches!(
            self.event,
            Some(approval::v1::watch_response::Event::Heartbeat(_))
        )
    }
}

impl News for resolver::v1::WatchCatalogsResponse {
    fn is_heartbeat(&self) -> bool {
        matches!(
            self.event,
            Some(resolver::v1::watch_catalogs_response::Event::Heartbeat(_))
        )
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use portolan_kit::TempFolder;
    use portolan_shell::client;
    use portolan_world::Files;
    use serde_json::json;
    use tokio::time::timeout;
    use tonic::service::Routes;

    use super::*;

    /// The time after which the test fails if no change is counted.
    const PATIENCE: Duration = Duration::from_secs(30);

    #[tokio::test(start_paused = true)]
    async fn changes_of_a_second_are_one_report() {
        let (count, counted) = watch::channel(0);
        let (report, mut changes) = watch::channel(0);
        let _handle = AbortOnDropHandle::new(tokio::spawn(reported(counted, report)));
        let mut reports = Vec::new();
        for _ in 0..3 {
            // Ten changes take a third of the pause.
            for _ in 0..10 {
                count.send_modify(|count| *count += 1);
                tokio::time::sleep(PACE / 30).await;
            }
            changes.changed().await.expect("a report");
            reports.push(*changes.borrow_and_update());
        }
        assert_eq!(reports, [10, 20, 30]);
    }

    /// No service reports changes to these objects, so the console must watch them.
    #[tokio::test]
    async fn new_plan_of_portolan_is_a_change() {
        let folder = TempFolder::empty();
        let nobody = || client::local(Routes::default());
        let connections = Connections {
            resolver: nobody(),
            health: nobody(),
            approval: nobody(),
            diagnosis: nobody(),
        };
        let world = AnyWorld::Files(Files::at(&folder));
        let (_handles, mut changes) = follow(&connections, &world);
        let first = *changes.borrow_and_update();
        // The first list of each of the six kinds counts as a change.
        let listed = changes.wait_for(|count| *count >= first + 6);
        let listed = timeout(PATIENCE, listed).await.map(|it| it.map(|it| *it));
        let listed = listed.expect("a list of each kind").expect("a counter");
        let plan = json!({
            "apiVersion": "plans.portolan.dev/v1alpha1", "kind": "InstallPlan",
            "metadata": {"name": "ferry-1", "namespace": "harbor"}, "spec": {},
        });
        fs::write(folder.join("plan.json"), plan.to_string()).expect("a file");
        let changed = timeout(PATIENCE, changes.wait_for(|count| *count > listed)).await;
        assert!(changed.is_ok(), "the plan must be counted");
    }
}
