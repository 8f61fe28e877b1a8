//! The cache of the policy controller: the watched kinds, the changes in the responses of the
//! services, and the schema of the OperatorPolicy CRD.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use portolan_api::{Compliance, OperatorPolicyStatus};
use portolan_core_operatorpolicy::WriteMode;
use portolan_runtime::{Cache, Cached, PendingWrite, Warning};
use portolan_world::{Ended, Key};

use crate::metrics::{Metrics, Severity};
use crate::observe::{Informers, POLICY_CRD, PolicySnapshot, Schema, ServiceChange};

/// The minimum time between two refreshes. Changes in this time are applied together.
const LOOK: Duration = Duration::from_millis(2);

/// The pause before the CRD is read again if access was denied.
const UNREAD: Duration = Duration::from_secs(30);

/// The pause before the CRD is read again if the API server did not respond.
const UNANSWERED: Duration = Duration::from_secs(5);

/// The number of failed attempts to read the CRD after which the controller becomes read-only, if
/// the CRD was never read.
const TRIES: u32 = 3;

/// A function that reads an object once, without a watch.
pub(crate) type Fetch<T> = Box<dyn Fn() -> BoxFuture<'static, T> + Send>;

/// The cache of the policy controller.
pub(crate) struct PolicyCache {
    informers: Informers,
    /// Reports changes in the responses of the services.
    news: Feed,
    /// Reads the schema of the OperatorPolicy CRD. An error means that the schema is temporarily
    /// unknown.
    schema: Fetch<Result<Schema, String>>,
    metrics: Arc<Metrics>,
    /// The changes that the next refresh must apply.
    fresh: Fresh,
    /// The resource version of the CRD when it was read last. None if it was not read yet.
    /// Some(None) if the CRD did not exist.
    read: Option<Option<String>>,
    reading: Option<BoxFuture<'static, Result<Schema, String>>>,
    /// The number of consecutive failed attempts to read the CRD.
    unanswered: u32,
    /// The write mode that was logged last.
    write_mode: WriteMode,
}

struct Feed {
    fetch: Fetch<Vec<ServiceChange>>,
    next: BoxFuture<'static, Vec<ServiceChange>>,
}

#[derive(Default)]
struct Fresh {
    has_world: bool,
    news: Vec<ServiceChange>,
    schema: Option<Result<Schema, String>>,
}

/// The result of a reconciliation, for the cache.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct PolicyReport {
    /// The status that the policy would have if it could be written. None if the policy was
    /// written.
    pub(crate) supposed: Option<OperatorPolicyStatus>,
    /// The compliance of the policy.
    pub(crate) compliance: Option<Compliance>,
}

// === impl PolicyCache ===

impl PolicyCache {
    pub(crate) fn new(
        informers: Informers,
        news: Fetch<Vec<ServiceChange>>,
        schema: Fetch<Result<Schema, String>>,
        metrics: Arc<Metrics>,
    ) -> Self {
        Self {
            informers,
            news: Feed {
                next: news(),
                fetch: news,
            },
            schema,
            metrics,
            // Objects that exist at the start cause no change event, so the first refresh is
            // requested here.
            fresh: Fresh {
                has_world: true,
                ..Fresh::default()
            },
            read: None,
            reading: None,
            unanswered: 0,
            write_mode: WriteMode::ReadWrite,
        }
    }

    /// Applies the changes of watched objects.
    async fn look(&mut self) -> BTreeSet<Key> {
        // The pause collects all changes of a burst.
        tokio::time::sleep(LOOK).await;
        let touched = self.informers.look().await;
        let version = Some(self.informers.crd().map(str::to_owned));
        if version != self.read && self.informers.is_known() {
            self.read_after(Duration::ZERO);
            self.read = version;
        }
        touched
    }

    fn read_after(&mut self, pause: Duration) {
        let reading = (self.schema)();
        self.reading = Some(Box::pin(async move {
            tokio::time::sleep(pause).await;
            reading.await
        }));
    }

    fn learn(&mut self, read: Result<Schema, String>) -> BTreeSet<Key> {
        let schema = match read {
            Ok(schema) => schema,
            Err(why) => {
                self.unanswered += 1;
                let is_unknown = *self.informers.schema() == Schema::Unread;
                if !is_unknown || self.unanswered < TRIES {
                    // Until the API server responds, the known schema is used.
                    tracing::warn!(
                        error = why,
                        name = POLICY_CRD,
                        "the CRD could not be read; retrying"
                    );
                    self.read_after(UNANSWERED);
                    return BTreeSet::new();
                }
                Schema::Unreadable(why)
            }
        };
        self.unanswered = 0;
        if let Schema::Unreadable(error) = &schema {
            tracing::warn!(error, name = POLICY_CRD, "the CRD cannot be read");
            self.read_after(UNREAD);
        }
        self.informers.learn(schema)
    }

    /// Logs if policies are enforced. Logs this only if it has changed.
    fn log_write_mode(&mut self) {
        let write_mode = self.informers.write_mode();
        if write_mode != self.write_mode {
            match &write_mode {
                WriteMode::ReadWrite => tracing::info!("policies are enforced"),
                WriteMode::ReadOnly(reason) => {
                    tracing::warn!(reason, "nothing is written for policies")
                }
            }
        }
        self.metrics
            .is_read_only(write_mode != WriteMode::ReadWrite);
        self.write_mode = write_mode;
    }

    fn ours(&self, mut keys: BTreeSet<Key>) -> BTreeSet<Key> {
        keys.retain(|key| self.informers.is_ours(key));
        keys
    }
}

impl Cache for PolicyCache {
    type Snapshot = PolicySnapshot;
    type Report = PolicyReport;

    async fn changed(&mut self) -> Result<(), Ended> {
        tokio::select! {
            changed = self.informers.changed() => {
                changed?;
                self.fresh.has_world = true;
            }
            news = &mut self.news.next => {
                self.news.next = (self.news.fetch)();
                self.fresh.news.extend(news);
            }
            schema = read(&mut self.reading) => {
                self.reading = None;
                self.fresh.schema = Some(schema);
            }
        }
        Ok(())
    }

    async fn refresh(&mut self) -> BTreeSet<Key> {
        let Fresh {
            has_world,
            news,
            schema,
        } = std::mem::take(&mut self.fresh);
        let mut touched = BTreeSet::new();
        if has_world {
            touched = self.look().await;
        }
        for topic in &news {
            touched.append(&mut self.informers.affected_by(topic));
        }
        if let Some(schema) = schema {
            touched.append(&mut self.learn(schema));
        }
        self.log_write_mode();
        self.ours(touched)
    }

    fn is_synced(&self) -> bool {
        let is_unlearned = self.reading.is_some() && *self.informers.schema() == Schema::Unread;
        self.informers.is_known() && !is_unlearned
    }

    fn snapshot(&mut self, key: &Key) -> Option<PolicySnapshot> {
        self.informers.observe(key)
    }

    fn cached(&self, write: &PendingWrite) -> Option<Cached> {
        self.informers.shown(&write.kind, &write.key())
    }

    fn reconciled(&mut self, key: &Key, report: PolicyReport) -> BTreeSet<Key> {
        let PolicyReport {
            supposed,
            compliance,
        } = report;
        let touched = supposed.map(|status| self.informers.suppose(key, status));
        if let Some(policy) = self.informers.policy(key) {
            self.metrics.is(key, Severity::of(policy), compliance);
        }
        self.ours(touched.unwrap_or_default())
    }

    fn warn(&self, policy: &Key, warning: Warning<'_>) {
        match warning {
            Warning::Failed(error) => {
                tracing::warn!(%policy, error, "reconciling a policy failed; retrying");
            }
            Warning::Unseen(PendingWrite { kind, name, .. }) => {
                tracing::warn!(%policy, kind, name, "the written object is not observed yet");
            }
        }
    }
}

// The functions of type `Fetch` do not implement `Debug`.
impl fmt::Debug for PolicyCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PolicyCache").finish_non_exhaustive()
    }
}

async fn read(
    reading: &mut Option<BoxFuture<'static, Result<Schema, String>>>,
) -> Result<Schema, String> {
    match reading {
        Some(reading) => reading.await,
        None => std::future::pending().await,
    }
}
