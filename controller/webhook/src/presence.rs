//! Checks whether API servers can call the webhook: continuously in the controller, or once.

mod judged;

use std::pin::pin;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::{self, BoxStream};
use jiff::Timestamp;
use k8s_openapi::api::admissionregistration::v1::ValidatingWebhookConfiguration;
use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::api::discovery::v1::EndpointSlice;
use kube::api::{ListParams, ObjectMeta};
use kube::runtime::watcher::Config;
use kube::{Api, Client};
use portolan_core_certificate::Service;
use portolan_runtime::certificates::{changes, named};
use portolan_runtime::{FencedClient, News, Recorder, reference};
use portolan_shell::with_causes;
use portolan_world::Cluster;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use tokio::time::timeout;

use self::judged::{Judged, Presence, WebhookFacts};

/// The time for which the webhook must be unavailable before this is reported. Pods can be replaced
/// in this time.
const GRACE: Duration = Duration::from_secs(10);
/// The maximum pause before the next check if nothing changes. `AGAIN` is the pause after a
/// failure.
const LONGEST: Duration = Duration::from_secs(3600);
const AGAIN: Duration = Duration::from_secs(15);

/// The maximum time of a single check.
const PATIENCE: Duration = Duration::from_secs(3);

/// The label with the name of the Service to which an EndpointSlice belongs.
const OF_SERVICE: &str = "kubernetes.io/service-name";

/// The metric that shows if the webhook is available. It has no value if this is unknown, or if the
/// webhook is not installed.
#[derive(Debug, Clone, Default)]
pub struct PresenceMetrics {
    available: Family<WebhookLabels, Gauge>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct WebhookLabels {
    configuration: String,
}

/// Reports when API servers cannot call the webhook. Checks that the webhook has ready endpoints
/// and that its configuration has a valid certificate.
#[expect(missing_debug_implementations, reason = "it is run, and nothing else")]
pub struct Watch {
    client: Client,
    /// The name of the webhook configuration.
    configuration: String,
    metrics: PresenceMetrics,
    /// The client and the recorder of events. None if no events are created.
    events: Option<(FencedClient, Recorder)>,
}

/// The results of earlier checks.
#[derive(Debug, Default)]
struct PresenceMemory {
    /// The time since which the webhook has been unavailable. None if it is available.
    away: Option<Timestamp>,
    /// The presence that was logged last.
    logged: Option<Presence>,
    /// The presence that was reported last in an event.
    reported: Option<Presence>,
}

// === impl PresenceMetrics ===

impl PresenceMetrics {
    /// Registers the metrics.
    pub fn register(&self, registry: &mut Registry) {
        registry.register(
            "portolan_webhook_available",
            "1 if API servers can call the webhook",
            self.available.clone(),
        );
    }

    fn set(&self, configuration: &str, presence: Option<&Presence>) {
        let labels = WebhookLabels {
            configuration: configuration.to_owned(),
        };
        let available = match presence {
            Some(Presence::Here) => 1,
            Some(Presence::Away(_)) => 0,
            Some(Presence::NotInstalled) | None => {
                self.available.remove(&labels);
                return;
            }
        };
        self.available.get_or_create(&labels).set(available);
    }
}

// === impl Watch ===

impl Watch {
    /// Creates a watch of the webhook with this configuration. `events` contains the client that
    /// creates events, and the name of this process in events. None turns off events.
    pub fn new(
        client: Client,
        configuration: &str,
        metrics: PresenceMetrics,
        events: Option<(FencedClient, &str)>,
    ) -> Self {
        let events = events.map(|(client, identity)| {
            let recorder = Recorder::new("portolan-webhook", identity);
            (client, recorder)
        });
        Self {
            client,
            configuration: configuration.to_owned(),
            metrics,
            events,
        }
    }

    /// Checks the webhook after each change, until the future is dropped.
    pub async fn run(self) {
        let mine = Api::all(self.client.clone());
        let mine = changes::<ValidatingWebhookConfiguration>(mine, named(&self.configuration));
        let mut mine = pin!(mine);
        let mut slices: (Option<Service>, BoxStream<'static, ()>) = (None, none());
        let mut memory = PresenceMemory::default();
        loop {
            let wait = match look(&self.client, &self.configuration).await {
                Ok(Judged {
                    presence,
                    service,
                    metadata,
                    next,
                }) => {
                    if slices.0 != service {
                        slices = (service.clone(), self.slices(service.as_ref()));
                    }
                    let next = next.map(|next| next.duration_since(Timestamp::now()));
                    let next = next.map(|next| Duration::try_from(next).unwrap_or_default());
                    let again = self.report(presence, &metadata, &mut memory).await;
                    let waits = [next, again].into_iter().flatten();
                    waits.min().unwrap_or(LONGEST).min(LONGEST)
                }
                Err(error) => {
                    self.metrics.set(&self.configuration, None);
                    tracing::debug!(
                        error = with_causes(&error),
                        "cannot read the webhook configuration"
                    );
                    AGAIN
                }
            };
            tokio::select! {
                Some(()) = mine.next() => {}
                Some(()) = slices.1.next() => {}
                () = tokio::time::sleep(wait) => {}
            }
        }
    }

    fn slices(&self, service: Option<&Service>) -> BoxStream<'static, ()> {
        let Some(Service { namespace, name }) = service else {
            return none();
        };
        let slices = Api::namespaced(self.client.clone(), namespace);
        let of = Config::default().labels(&format!("{OF_SERVICE}={name}"));
        changes::<EndpointSlice>(slices, of).boxed()
    }

    /// Updates the metric, and reports the presence if it has changed. Returns the pause after
    /// which this must be repeated. Returns None if this is not necessary.
    async fn report(
        &self,
        presence: Presence,
        metadata: &ObjectMeta,
        memory: &mut PresenceMemory,
    ) -> Option<Duration> {
        self.metrics.set(&self.configuration, Some(&presence));
        let now = Timestamp::now();
        let Presence::Away(_) = presence else {
            memory.away = None;
            return self.report_change(presence, metadata, now, memory).await;
        };
        let since = *memory.away.get_or_insert(now);
        let left = GRACE.saturating_sub(now.duration_since(since).unsigned_abs());
        if !left.is_zero() {
            return Some(left);
        }
        self.report_change(presence, metadata, since, memory).await
    }

    async fn report_change(
        &self,
        presence: Presence,
        metadata: &ObjectMeta,
        since: Timestamp,
        memory: &mut PresenceMemory,
    ) -> Option<Duration> {
        log(&presence, memory);
        let was_away = matches!(memory.reported, Some(Presence::Away(_)));
        let is_news = match &presence {
            Presence::Away(_) => memory.reported.as_ref() != Some(&presence),
            Presence::Here => was_away,
            Presence::NotInstalled => false,
        };
        if is_news
            && let Some((client, recorder)) = &self.events
            && let Some(news) = news(&presence, metadata, since)
            && recorder.record(client, metadata, news).await.is_err()
        {
            // Only the leader can create events. This replica tries again, because it may become
            // the leader.
            return Some(AGAIN);
        }
        memory.reported = Some(presence);
        None
    }
}

/// Checks once if API servers continue without the webhook, and returns the reason. Returns None if
/// the webhook is available or not installed, or if the check fails.
pub async fn absence(cluster: &Cluster, configuration: &str) -> Option<String> {
    let client = cluster.client();
    let judged = timeout(PATIENCE, look(&client, configuration)).await;
    match judged.ok()?.ok()?.presence {
        Presence::Away(why) => Some(why),
        Presence::Here | Presence::NotInstalled => None,
    }
}

async fn look(client: &Client, configuration: &str) -> Result<Judged, kube::Error> {
    let configurations = Api::<ValidatingWebhookConfiguration>::all(client.clone());
    let mut found = WebhookFacts::of(configurations.get_opt(configuration).await?);
    if let Some(Service { namespace, name }) = found.service() {
        let slices = Api::<EndpointSlice>::namespaced(client.clone(), &namespace);
        let of = ListParams::default().labels(&format!("{OF_SERVICE}={name}"));
        found.slices = slices.list(&of).await?.items;
    }
    Ok(found.judged(configuration, Timestamp::now()))
}

/// Logs the presence if it has changed since the last log.
fn log(presence: &Presence, memory: &mut PresenceMemory) {
    if memory.logged.as_ref() == Some(presence) {
        return;
    }
    match presence {
        Presence::Away(why) => tracing::warn!("{why}"),
        Presence::Here => tracing::info!("API servers can call the webhook"),
        Presence::NotInstalled => tracing::info!("the webhook is not installed"),
    }
    memory.logged = Some(presence.clone());
}

fn news(presence: &Presence, metadata: &ObjectMeta, at: Timestamp) -> Option<News> {
    let (is_warning, reason, message) = match presence {
        Presence::Away(why) => (true, "WebhookAway", why.clone()),
        Presence::Here => {
            let message = "API servers are answered by the webhook again";
            (false, "WebhookBack", message.to_owned())
        }
        Presence::NotInstalled => return None,
    };
    let kind = "ValidatingWebhookConfiguration";
    let about: ObjectReference = reference("admissionregistration.k8s.io/v1", kind, metadata);
    Some(News {
        about,
        related: None,
        is_warning,
        reason: reason.to_owned(),
        action: "Watch".to_owned(),
        mark: message.clone(),
        message,
        at,
    })
}

fn none() -> BoxStream<'static, ()> {
    stream::pending().boxed()
}
