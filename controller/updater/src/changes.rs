//! The changes that cause a round: changes of the configuration, of an Operator or of a catalog.

use std::fmt::Debug;
use std::time::Duration;

use futures::stream::{self, BoxStream};
use futures::{Stream, StreamExt, TryStreamExt, future};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::PartialObjectMeta;
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher::{Config, watcher};
use kube::{Api, Client, Resource};
use portolan_api::operator::{Operator, UPDATER};
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_proto::resolver::v1::watch_catalogs_response::Event;
use portolan_shell::client::Connection;
use portolan_shell::with_causes;

/// The first and the maximum pause before the watch of the resolver is opened again.
const PAUSES: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(30));

/// Returns a stream with one item for each change. A watch that fails is opened again after a
/// pause.
pub(crate) fn changes(
    client: &Client,
    namespace: &str,
    resolver: ResolverClient<Connection>,
) -> BoxStream<'static, ()> {
    let named = Config::default().fields(&format!("metadata.name={UPDATER}"));
    let config_maps = Api::namespaced(client.clone(), namespace);
    let operators = Api::all(client.clone());
    let all = [
        objects::<ConfigMap>(config_maps, named).boxed(),
        objects::<Operator>(operators, Config::default()).boxed(),
        catalogs(resolver).boxed(),
    ];
    stream::select_all(all).boxed()
}

fn objects<K>(api: Api<PartialObjectMeta<K>>, of: Config) -> impl Stream<Item = ()> + Send + 'static
where
    K: Resource<DynamicType = ()> + Clone + Debug + Send + 'static,
{
    let events = watcher(api, of).default_backoff();
    let events = events.inspect_err(|error| {
        tracing::debug!(error = with_causes(error), "restarting a watch");
    });
    events.filter_map(async |event| event.ok().map(drop))
}

fn catalogs(resolver: ResolverClient<Connection>) -> impl Stream<Item = ()> + Send + 'static {
    let followed = stream::unfold((resolver, PAUSES.0), async |(mut resolver, pause)| {
        let request = pb::WatchCatalogsRequest::default();
        match resolver.watch_catalogs(request).await {
            Ok(begun) => {
                let events = begun.into_inner();
                let events = events.filter_map(|event| {
                    let news = event.ok().filter(is_news);
                    future::ready(news.map(drop))
                });
                // This pause is necessary because the next watch may end immediately as well.
                let rest = stream::once(tokio::time::sleep(PAUSES.0));
                let rest = rest.filter_map(|()| future::ready(None));
                Some((events.chain(rest).boxed(), (resolver, PAUSES.0)))
            }
            Err(status) => {
                tracing::debug!(error = status.message(), "reconnecting to the resolver");
                tokio::time::sleep(pause).await;
                let next = (pause * 2).min(PAUSES.1);
                Some((stream::empty().boxed(), (resolver, next)))
            }
        }
    });
    followed.flatten()
}

fn is_news(response: &pb::WatchCatalogsResponse) -> bool {
    match &response.event {
        Some(Event::Changed(_) | Event::Gone(_) | Event::Synced(_)) => true,
        Some(Event::Reset(_) | Event::Heartbeat(_)) | None => false,
    }
}
