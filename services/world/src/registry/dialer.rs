//! Opens connections to registries: over the network, or through the API server.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::io::DuplexStream;
use tokio::time::timeout;
use tower::BoxError;

use crate::registry::Address;

/// The maximum time to open a forwarded connection. This time and the time for the network are
/// together shorter than users wait.
const PATIENCE: Duration = Duration::from_millis(2500);

/// A port of a Service in a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServicePort {
    pub namespace: String,
    pub service: String,
    /// The port in the address.
    pub port: u16,
}

/// Opens connections to a Service without using the network directly, as `kubectl port-forward`
/// does.
pub trait PortForward: Send + Sync {
    /// Opens a stream to the Service. If no server listens at the other end, only the use of the
    /// stream fails.
    fn open<'a>(&'a self, to: &'a ServicePort) -> BoxFuture<'a, Result<DuplexStream, BoxError>>;
}

/// Opens connections to registries. Often, only DNS inside the cluster can resolve their host
/// names. If the network does not reach a registry, the API server may forward the connection.
#[derive(Clone, Default)]
pub struct Dialer {
    forward: Option<Arc<dyn PortForward>>,
}

// === impl Dialer ===

impl Dialer {
    /// Creates a dialer that uses the network, and this forwarder for addresses that the network
    /// does not reach.
    pub fn with(forward: impl PortForward + 'static) -> Self {
        Self {
            forward: Some(Arc::new(forward)),
        }
    }

    /// Returns true if the dialer has a forwarder and the address names a Service.
    pub fn can_forward_to(&self, address: &Address) -> bool {
        self.forward.is_some() && address.service().is_some()
    }

    /// Opens a forwarded connection. Returns None if there is no forwarder, or if the address does
    /// not name a Service.
    pub(crate) async fn forward(&self, to: &Address) -> Option<Result<DuplexStream, BoxError>> {
        let forward = self.forward.as_ref()?;
        let to = to.service()?;
        let opened = timeout(PATIENCE, forward.open(&to)).await;
        Some(opened.unwrap_or_else(|_| Err("the connection was not open in time".into())))
    }
}

impl fmt::Debug for Dialer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut dialer = f.debug_struct("Dialer");
        dialer.field("forward", &self.forward.is_some()).finish()
    }
}

// === impl ServicePort ===

/// Formats the namespace and the name of the Service.
impl fmt::Display for ServicePort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace, self.service)
    }
}
