//! A registry that is read again when its connection was lost.

use std::sync::Arc;
use std::time::Duration;

use super::super::registry::{Address, ReadRegistry, Registry};
use super::{News, Origin, ReadSource, Source};

/// How long a registry may keep its connection and yet be asked again. `opm` never changes what it
/// serves; others may.
const TRUST: Duration = Duration::from_secs(900);

#[derive(Debug)]
pub(super) struct OpenRegistry {
    address: Address,
    /// None before the first connection, and after a failure.
    open: Option<Arc<Registry>>,
}

// === impl OpenRegistry ===

impl OpenRegistry {
    pub(super) fn at(address: Address) -> Self {
        Self {
            address,
            open: None,
        }
    }

    /// Over a connection of its own where the last one is lost: a registry that is back already is
    /// none that is gone.
    async fn read(&mut self) -> Result<News, ReadRegistry> {
        let registry = match self.open.take() {
            Some(registry) if !registry.is_lost() => registry,
            _ => Arc::new(Registry::connect(&self.address).await?),
        };
        let catalog = registry.read().await?;
        self.open = Some(Arc::clone(&registry));
        Ok(News::Content(Box::new(catalog), Origin::Registry(registry)))
    }
}

impl Source for OpenRegistry {
    async fn next(&mut self) -> Result<News, ReadSource> {
        if let Some(registry) = &self.open {
            // Whichever comes first; both are a reason to read.
            let _ = tokio::time::timeout(TRUST, registry.lost()).await;
        }
        Ok(self.read().await?)
    }
}
