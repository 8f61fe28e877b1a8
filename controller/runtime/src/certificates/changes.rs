//! A stream of changes to objects.

use futures::{Stream, StreamExt, TryStreamExt};
use kube::Api;
use kube::api::PartialObjectMeta;
use kube::core::Resource;
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher::{Config, watcher};
use portolan_shell::with_causes;

/// Returns a stream with one item for each change of the objects that match `config`. A failed
/// watch is restarted after a backoff.
pub fn changes<K>(
    api: Api<PartialObjectMeta<K>>,
    of: Config,
) -> impl Stream<Item = ()> + Send + 'static
where
    K: Resource<DynamicType = ()> + Clone + std::fmt::Debug + Send + 'static,
{
    let events = watcher(api, of).default_backoff();
    let events = events.inspect_err(|error| {
        tracing::debug!(error = with_causes(error), "restarting a watch");
    });
    events.filter_map(async |event| event.ok().map(drop))
}

/// Returns the configuration of a watch that observes only the object with this name.
pub fn named(name: &str) -> Config {
    Config::default().fields(&format!("metadata.name={name}"))
}
