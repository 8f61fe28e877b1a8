//! Dialing a registry: over the network, or forwarded by the API server.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::io::DuplexStream;
use tokio::time::timeout;
use tower::BoxError;

use crate::registry::Address;

/// The longest time for a forward to open: together with what the network takes, it is less than
/// what people wait for.
const PATIENCE: Duration = Duration::from_millis(2500);

/// The address of a Service in its cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServicePort {
    pub namespace: String,
    pub service: String,
    /// The port, as the address has it.
    pub port: u16,
}

/// A way to a Service through something else than the network, as `kubectl port-forward` has.
pub trait PortForward: Send + Sync {
    /// Opens a stream. An absent listener at the other end is noticed when the stream is used.
    fn open<'a>(&'a self, to: &'a ServicePort) -> BoxFuture<'a, Result<DuplexStream, BoxError>>;
}

/// A dialer for registries. They have names that only their cluster knows: where the network does
/// not lead to one, the API server may forward to it.
#[derive(Clone, Default)]
pub struct Dialer {
    forward: Option<Arc<dyn PortForward>>,
}

// === impl Dialer ===

impl Dialer {
    /// Creates a dialer that uses the network, and this forwarder for unreachable addresses.
    pub fn with(forward: impl PortForward + 'static) -> Self {
        Self {
            forward: Some(Arc::new(forward)),
        }
    }

    /// Returns true if the API server may forward to an address.
    pub fn can_forward_to(&self, address: &Address) -> bool {
        self.forward.is_some() && address.service().is_some()
    }

    /// Opens a forward to an address. Returns None without a forwarder, or if the address is not
    /// that of a Service.
    pub(crate) async fn forward(&self, to: &Address) -> Option<Result<DuplexStream, BoxError>> {
        let forward = self.forward.as_ref()?;
        let to = to.service()?;
        let opened = timeout(PATIENCE, forward.open(&to)).await;
        Some(opened.unwrap_or_else(|_| Err("it was not open in time".into())))
    }
}

impl fmt::Debug for Dialer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut dialer = f.debug_struct("Dialer");
        dialer.field("forward", &self.forward.is_some()).finish()
    }
}

// === impl ServicePort ===

/// Its namespace and name, as people write them.
impl fmt::Display for ServicePort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace, self.service)
    }
}
