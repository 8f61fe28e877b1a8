//! Runs the updater without writes, for a process that shows pending changes.

use futures::StreamExt;
use futures::stream::BoxStream;
use portolan_runtime::{ControllerMetrics, Replica, Start};
use portolan_shell::client::Connection;

use crate::catalogs::Resolver;
use crate::changes::changes;
use crate::metrics::Metrics;
use crate::once::ran;
use crate::round::Rounds;
use crate::serve::{gather, rounds};
use crate::{RoundResult, UpdaterConfig};

/// An updater that writes nothing.
pub struct UpdaterRehearsal {
    rounds: Rounds,
    changes: BoxStream<'static, ()>,
}

// === impl UpdaterRehearsal ===

impl UpdaterRehearsal {
    /// Creates an updater with these settings that queries this resolver.
    ///
    /// # Errors
    /// Returns an error if there is no cluster.
    pub async fn of(config: UpdaterConfig, resolver: Connection) -> Result<Self, Start> {
        let resolver = Resolver::over(resolver, &config.catalog_namespaces);
        let (replica, _) = Replica::elected(config.access.config().await?, None)?;
        let (metrics, _) = Metrics::beside(ControllerMetrics::default());
        let mut rounds = rounds(&config, &replica, resolver, metrics)?;
        rounds.writer = None;
        let resolver = rounds.resolver.client();
        let changes = changes(&rounds.client, &rounds.namespace, resolver);
        Ok(Self { rounds, changes })
    }

    /// Runs a round without writes, and returns its result.
    pub async fn result(&self) -> RoundResult {
        match self.rounds.run().await {
            Ok(told) => ran(told),
            Err(failed) => RoundResult::Failed(failed.message()),
        }
    }

    /// Waits for a change that causes a round.
    ///
    /// # Cancel safety
    /// This method is cancel safe: the next round reads all objects, so a missed change has no
    /// effect.
    pub async fn changed(&mut self) {
        if self.changes.next().await.is_none() {
            std::future::pending::<()>().await;
        }
        gather(&mut self.changes).await;
    }
}

// `Client` and streams do not implement `Debug`.
impl std::fmt::Debug for UpdaterRehearsal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UpdaterRehearsal").finish_non_exhaustive()
    }
}
