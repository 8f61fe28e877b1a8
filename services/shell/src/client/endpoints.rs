//! The endpoints of a service. Each lookup updates the endpoints, and calls wait for an available
//! endpoint.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use http::uri::Authority;
use tokio::sync::{Notify, watch};
use tokio_util::task::AbortOnDropHandle;

use super::balancer::{Balancer, Choice, Chosen, State};
use super::failure::TransportFailure;
use super::line::Line;
use super::replica::Replica;
use super::secure::Secure;
use crate::pauses::{Pauses, about};

/// The maximum number of lookups in the time between two regular lookups.
const LOOKUPS: u32 = 30;

/// Finds the addresses of all replicas of a service. The lookup is repeated regularly.
pub trait Lookup: Send + Sync + 'static {
    /// Returns the current addresses, in any order. An empty list is treated as a failure.
    fn addresses(&self) -> impl Future<Output = io::Result<Vec<SocketAddr>>> + Send;
}

/// Looks up addresses with the resolver of the operating system. For a headless Service, the
/// resolver returns the addresses of all ready Pods.
#[derive(Debug, Clone)]
pub(super) struct System {
    /// A name or an address, with a port.
    pub(super) name: String,
}

/// The replicas of one service.
#[derive(Debug)]
pub(super) struct Endpoints {
    balancer: watch::Sender<Balancer<Line>>,
    doubted: Notify,
    turn: AtomicUsize,
}

/// The options for connections to the replicas of a service.
#[derive(Debug, Clone)]
pub(super) struct DialOptions {
    pub(super) authority: Authority,
    pub(super) refresh: Duration,
    pub(super) keep_alive: Duration,
    /// The TLS settings. None for unencrypted connections.
    pub(super) secure: Option<Arc<Secure>>,
}

// === impl System ===

impl Lookup for System {
    async fn addresses(&self) -> io::Result<Vec<SocketAddr>> {
        let found = tokio::net::lookup_host(&self.name).await?;
        Ok(found.collect())
    }
}

// === impl Endpoints ===

impl Endpoints {
    pub(super) fn new() -> Self {
        Self {
            balancer: watch::Sender::new(Balancer::default()),
            doubted: Notify::new(),
            turn: AtomicUsize::new(0),
        }
    }

    /// Returns the number of known replicas.
    pub(super) fn len(&self) -> usize {
        self.balancer.borrow().len()
    }

    /// Reports that the known replicas may be outdated. The next lookup then starts soon.
    pub(super) fn doubt(&self) {
        self.doubted.notify_one();
    }

    pub(super) fn set(&self, address: SocketAddr, state: State<Line>) {
        self.balancer
            .send_modify(|balancer| balancer.set(address, state));
    }

    /// Waits until a replica is available that the call has not tried. Returns this replica.
    pub(super) async fn next(
        &self,
        tried: &[SocketAddr],
    ) -> Result<Chosen<Line>, TransportFailure> {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        let mut changes = self.balancer.subscribe();
        let mut woken = false;
        loop {
            let choice = changes.borrow_and_update().choose(tried, turn);
            match choice {
                Choice::Ask(chosen) => return Ok(chosen),
                // `self` holds the sender, so `changed` cannot fail.
                Choice::Wait => drop(changes.changed().await),
                Choice::Lost(_) if !woken => {
                    woken = true;
                    self.balancer.send_modify(Balancer::wake);
                }
                Choice::Lost(lost) => return Err(lost),
                Choice::Spent => return Err(TransportFailure::Spent),
            }
        }
    }

    /// Looks up the name regularly, and keeps a connection to each address, as long as the future
    /// is polled.
    pub(super) async fn follow(
        self: Arc<Self>,
        names: impl Lookup,
        dial: DialOptions,
    ) -> Infallible {
        let least = dial.refresh / LOOKUPS;
        let mut pauses = Pauses::new(least, dial.refresh);
        let mut connected = BTreeMap::new();
        loop {
            let pause = match resolve(&names).await {
                Ok(addresses) => {
                    self.update(&addresses, &mut connected, &dial);
                    pauses.reset();
                    about(dial.refresh)
                }
                Err(error) => {
                    tracing::debug!(%error, "a DNS lookup failed");
                    let lost = TransportFailure::LookUp(Arc::new(error));
                    self.balancer.send_modify(|balancer| balancer.fail(lost));
                    pauses.pause()
                }
            };
            let doubted = async {
                tokio::time::sleep(least).await;
                self.doubted.notified().await;
            };
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = doubted => {}
            }
        }
    }

    /// Adds new replicas and removes old replicas. Removed replicas get no more calls. Their
    /// running calls continue, because a connection stays open until its calls end, even without
    /// its [`Line`].
    fn update(
        self: &Arc<Self>,
        addresses: &BTreeSet<SocketAddr>,
        connected: &mut BTreeMap<SocketAddr, AbortOnDropHandle<Infallible>>,
        dial: &DialOptions,
    ) {
        connected.retain(|address, _| {
            let stays = addresses.contains(address);
            if !stays {
                self.balancer
                    .send_modify(|balancer| balancer.leave(*address));
            }
            stays
        });
        for address in addresses {
            connected.entry(*address).or_insert_with(|| {
                let mut wanted = None;
                self.balancer
                    .send_modify(|balancer| wanted = Some(balancer.join(*address)));
                let replica = Replica {
                    address: *address,
                    dial: dial.clone(),
                    endpoints: self.clone(),
                    wanted: wanted.unwrap_or_default(),
                };
                AbortOnDropHandle::new(tokio::spawn(replica.keep()))
            });
        }
    }
}

async fn resolve(names: &impl Lookup) -> io::Result<BTreeSet<SocketAddr>> {
    let found = BTreeSet::from_iter(names.addresses().await?);
    if found.is_empty() {
        Err(io::Error::other("the name has no addresses"))
    } else {
        Ok(found)
    }
}
