//! Which addresses stand behind the name in a URL.

use std::future::Future;
use std::io;
use std::net::SocketAddr;

/// Finds the addresses of all replicas of a service, again and again.
pub trait Lookup: Send + Sync + 'static {
    /// The addresses now, in any order. None at all counts as a failure.
    fn addresses(&self) -> impl Future<Output = io::Result<Vec<SocketAddr>>> + Send;
}

/// Asks the system's resolver, which for a headless Service knows every ready Pod.
#[derive(Debug, Clone)]
pub(super) struct System {
    /// A name or an address, with a port.
    pub(super) name: String,
}

impl Lookup for System {
    async fn addresses(&self) -> io::Result<Vec<SocketAddr>> {
        let found = tokio::net::lookup_host(&self.name).await?;
        Ok(found.collect())
    }
}
