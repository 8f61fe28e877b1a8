//! Detects possible changes: any message of a service.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures::{Stream, StreamExt};
use portolan_api::operator::Operator;
use portolan_api::policy::Policy;
use portolan_proto::approval::v1::approval_client::ApprovalClient;
use portolan_proto::health::v1::health_client::HealthClient;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_proto::{approval, health, resolver};
use portolan_world::{AnyWorld, Kind, World as _};
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;
use tonic::{Response, Status, Streaming};

use super::Connections;

/// The pause before a service that has hung up is asked again.
const REST: Duration = Duration::from_secs(3);

/// Counts all news from now on, as long as the handles are held.
pub(super) fn follow(
    connections: &Connections,
    world: &AnyWorld,
) -> (Vec<AbortOnDropHandle<()>>, watch::Receiver<u64>) {
    let (count, changes) = watch::channel(beginning());
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
    let handles = [
        tokio::spawn(of_health),
        tokio::spawn(of_approval),
        tokio::spawn(of_catalogs),
        tokio::spawn(count_changes::<Operator>(count.clone(), world.clone())),
        tokio::spawn(count_changes::<Policy>(count, world.clone())),
    ];
    (handles.map(AbortOnDropHandle::new).into(), changes)
}

/// Returns the first number to count from. It differs from the numbers of previous processes, which
/// a reconnecting page may send.
fn beginning() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map(|now| now.as_micros()).unwrap_or_default();
    u64::try_from(now).unwrap_or_default()
}

/// Distinguishes heartbeats from other messages of a stream.
trait News {
    fn is_heartbeat(&self) -> bool;
}

/// Counts the news of a stream, and begins again when it ends.
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

/// Counts the changes of a kind.
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
