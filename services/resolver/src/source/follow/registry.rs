//! Watches a registry. The registry is read again after its connection was lost.

use std::sync::Arc;
use std::time::{Duration, Instant};

use portolan_world::registry::Dialer;

use super::super::registry::{Address, ReadRegistry, Registry};
use super::{ContentOrigin, Fetched, ReadSource, Source};
use crate::budget::Budget;

/// The time after which a registry is read again although its connection is open. `opm` never
/// changes the content that it serves, but other servers may.
const TRUST: Duration = Duration::from_secs(900);

/// The minimum duration of a normal connection. The loss of such a connection is not a failure,
/// because proxies close idle connections.
const STEADY: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(super) struct OpenRegistry {
    address: Address,
    dialer: Dialer,
    budget: Budget,
    /// The open connection. None before the first connection and after a failure.
    open: Option<Open>,
    losses: Losses,
}

#[derive(Debug)]
struct Open {
    registry: Arc<Registry>,
    since: Instant,
}

/// The time since which connections have been lost soon after they were opened. None if the last
/// connection had a normal duration.
#[derive(Debug, Default)]
struct Losses(Option<Instant>);

// === impl OpenRegistry ===

impl OpenRegistry {
    pub(super) fn at(address: Address, dialer: Dialer, budget: Budget) -> Self {
        Self {
            address,
            dialer,
            budget,
            open: None,
            losses: Losses::default(),
        }
    }

    /// Reads the registry. If the last connection is lost, opens a new connection, because the
    /// registry may be available again.
    async fn read(&mut self) -> Result<Fetched, ReadRegistry> {
        let open = match self.open.take() {
            Some(open) if !open.registry.is_lost() => open,
            _ => Open::to(&self.address, &self.dialer, &self.budget).await?,
        };
        let catalog = open.registry.read().await?;
        let origin = ContentOrigin::Registry(Arc::clone(&open.registry));
        self.open = Some(open);
        Ok(Fetched::Content(Box::new(catalog), origin))
    }
}

impl Source for OpenRegistry {
    async fn next(&mut self) -> Result<Fetched, ReadSource> {
        if let Some(Open { registry, since }) = &self.open {
            // The registry is read again when the connection is lost, or after the time limit.
            let _ = tokio::time::timeout(TRUST, registry.lost()).await;
            if let Some(since) = self.losses.after(*since, Instant::now()) {
                super::rest(since).await;
            }
        }
        Ok(self.read().await?)
    }
}

// === impl Open ===

impl Open {
    async fn to(address: &Address, dialer: &Dialer, budget: &Budget) -> Result<Self, ReadRegistry> {
        let registry = Registry::connect(address, dialer).await?;
        let registry = Arc::new(registry.sharing(budget.clone()));
        let since = Instant::now();
        Ok(Self { registry, since })
    }
}

// === impl Losses ===

impl Losses {
    /// Returns the time since which connections have been lost too soon, including this connection.
    /// Returns None if this connection had a normal duration.
    fn after(&mut self, opened: Instant, lost: Instant) -> Option<Instant> {
        self.0 = if lost.duration_since(opened) < STEADY {
            Some(self.0.unwrap_or(lost))
        } else {
            None
        };
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_short_lived_connections_are_reopened_with_a_delay() {
        let begin = Instant::now();
        let at = |seconds| begin + Duration::from_secs(seconds);
        let mut losses = Losses::default();
        assert_eq!(losses.after(at(0), at(600)), None, "it lasted");
        assert_eq!(losses.after(at(600), at(601)), Some(at(601)));
        assert_eq!(losses.after(at(602), at(604)), Some(at(601)), "it grows");
        assert_eq!(losses.after(at(610), at(620)), None, "it lasted");
        assert_eq!(losses.after(at(620), at(621)), Some(at(621)), "a new loss");
    }
}
