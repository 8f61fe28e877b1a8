//! The ways to a registry: over the network, or through an API server.

mod forward;

use std::fmt;
use std::time::Duration;

use kube::Client;
use tokio::io::DuplexStream;
use tokio::time::timeout;

pub use self::forward::Forward;
use crate::Address;

/// How long the other way may take until it is open.
const PATIENCE: Duration = Duration::from_secs(4);

/// How registries are reached. They have names that only their cluster knows: where the network does
/// not lead to one, somebody who asks from outside may get there as `kubectl port-forward` does.
#[derive(Clone, Default)]
pub struct Roads {
    /// The API server that forwards; None for the network alone.
    through: Option<Client>,
}

// === impl Roads ===

impl Roads {
    /// Over the network, and where that does not lead there, through this API server.
    pub fn through(client: Client) -> Self {
        Self {
            through: Some(client),
        }
    }

    /// Whether there is another way than the network.
    pub(crate) fn is_forwarding(&self) -> bool {
        self.through.is_some()
    }

    /// The other way to an address; None where there is none, as it names no Service.
    pub(crate) async fn forward(&self, address: &Address) -> Option<Result<DuplexStream, Forward>> {
        let client = self.through.as_ref()?;
        let at = address.service()?;
        let opened = timeout(PATIENCE, forward::open(client, &at)).await;
        Some(opened.unwrap_or(Err(Forward::Silent)))
    }
}

impl fmt::Debug for Roads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut roads = f.debug_struct("Roads");
        roads.field("is_forwarding", &self.is_forwarding()).finish()
    }
}
