//! The ways to a registry: over the network, or around it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::io::DuplexStream;
use tokio::time::timeout;
use tower::BoxError;

use crate::Address;

/// How long the other way may take until it is open: with what the network takes, it is less than
/// what people wait for.
const PATIENCE: Duration = Duration::from_millis(2500);

/// Where a Service of a cluster listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServicePort {
    /// The namespace of the Service.
    pub namespace: String,
    /// Its name.
    pub service: String,
    /// The port, as the address has it.
    pub port: u16,
}

/// A way to a Service that is not the network.
pub trait Detour: Send + Sync {
    /// Opens it. Whether somebody listens at its end is seen when it is used.
    fn open<'a>(&'a self, to: &'a ServicePort) -> BoxFuture<'a, Result<DuplexStream, BoxError>>;
}

/// How registries are reached. They have names that only their cluster knows: where the network does
/// not lead to one, there may be a detour.
#[derive(Clone, Default)]
pub struct Roads {
    detour: Option<Arc<dyn Detour>>,
}

// === impl Roads ===

impl Roads {
    /// Over the network, and where that does not lead there, by this detour.
    pub fn with(detour: impl Detour + 'static) -> Self {
        Self {
            detour: Some(Arc::new(detour)),
        }
    }

    pub(crate) fn have_a_detour_to(&self, address: &Address) -> bool {
        self.detour.is_some() && address.service().is_some()
    }

    /// The detour to an address; None where there is none, as it names no Service.
    pub(crate) async fn detour(&self, to: &Address) -> Option<Result<DuplexStream, BoxError>> {
        let detour = self.detour.as_ref()?;
        let to = to.service()?;
        let opened = timeout(PATIENCE, detour.open(&to)).await;
        Some(opened.unwrap_or_else(|_| Err("it was not open in time".into())))
    }
}

impl fmt::Debug for Roads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut roads = f.debug_struct("Roads");
        roads.field("detour", &self.detour.is_some()).finish()
    }
}

// === impl ServicePort ===

/// Its namespace and name, as people write them.
impl fmt::Display for ServicePort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace, self.service)
    }
}
