//! Replaces a Service with several Pods, because Services do not route connections on this cluster.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use portolan_rig::Failure;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// Routes each connection to the next port in turn. Dropping this value stops it.
pub(super) struct Balancer {
    pub(super) port: u16,
    ports: Arc<Mutex<VecDeque<u16>>>,
    running: JoinHandle<()>,
}

// === impl Balancer ===

impl Balancer {
    pub(super) async fn of<const N: usize>(ports: [u16; N]) -> Result<Self, Failure> {
        let listener = TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.map_err(Failure::touch("listen"))?;
        let address = listener.local_addr().map_err(Failure::touch("listen"))?;
        let ports = Arc::new(Mutex::new(VecDeque::from(ports)));
        let known = Arc::clone(&ports);
        let running = async move {
            while let Ok((mut from, _)) = listener.accept().await {
                // If there is no port, the connection is closed.
                let Some(next) = next(&known) else {
                    continue;
                };
                tokio::spawn(async move {
                    // Both ends of the connection notice its end, no matter how it ends.
                    if let Ok(mut to) = TcpStream::connect(("127.0.0.1", next)).await {
                        let _ = copy_bidirectional(&mut from, &mut to).await;
                    }
                });
            }
        };
        Ok(Self {
            port: address.port(),
            ports,
            running: tokio::spawn(running),
        })
    }

    /// Adds a port, to which new connections are routed.
    pub(super) fn join(&self, port: u16) {
        let mut ports = self.ports.lock().unwrap_or_else(PoisonError::into_inner);
        ports.push_back(port);
    }

    /// Removes a port, so that no new connections are routed to it. Kubernetes does this before a
    /// Pod ends.
    pub(super) fn leave(&self, port: u16) {
        let mut ports = self.ports.lock().unwrap_or_else(PoisonError::into_inner);
        ports.retain(|own| *own != port);
    }
}

impl Drop for Balancer {
    fn drop(&mut self) {
        self.running.abort();
    }
}

fn next(ports: &Mutex<VecDeque<u16>>) -> Option<u16> {
    let mut ports = ports.lock().unwrap_or_else(PoisonError::into_inner);
    let next = ports.pop_front()?;
    ports.push_back(next);
    Some(next)
}
