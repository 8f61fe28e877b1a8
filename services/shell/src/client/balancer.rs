//! The states of the replicas of a service, and the choice of the replica to call.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::sync::Notify;

use super::failure::TransportFailure;

/// The replicas at the addresses of a service. `L` is the type of a connection.
#[derive(Debug)]
pub(super) struct Balancer<L> {
    /// The error of the last lookup, if no replica is known. None until the first lookup has ended.
    unknown: Option<TransportFailure>,
    replicas: BTreeMap<SocketAddr, Replica<L>>,
}

/// One replica of the service.
#[derive(Debug)]
struct Replica<L> {
    state: State<L>,
    /// Counts the running calls: each call holds a clone.
    running: Arc<()>,
    /// Notified to end the pause before the next attempt to connect.
    wanted: Arc<Notify>,
}

/// The state of a replica.
#[derive(Debug, Clone)]
pub(super) enum State<L> {
    /// The connection is being opened, or the replica has not reported its health yet.
    Coming,
    /// The replica is connected and reports SERVING.
    Serving(L),
    /// The replica is connected and reports another health than SERVING.
    Unready(L),
    /// The replica is not connected.
    Down(TransportFailure),
}

/// The replica to call, or the reason why no replica can be called.
#[derive(Debug)]
pub(super) enum Choice<L> {
    /// Call this replica.
    Ask(Chosen<L>),
    /// No replica can be called yet, but a replica may become available soon.
    Wait,
    /// No replica can be called. Contains the error of one replica or of the lookup.
    Lost(TransportFailure),
    /// The call has already tried every replica.
    Spent,
}

/// A selected replica.
#[derive(Debug)]
pub(super) struct Chosen<L> {
    pub(super) address: SocketAddr,
    pub(super) line: L,
    /// Counts the call as running until this value is dropped.
    pub(super) running: Arc<()>,
}

// === impl Balancer ===

impl<L> Default for Balancer<L> {
    fn default() -> Self {
        Self {
            unknown: None,
            replicas: BTreeMap::new(),
        }
    }
}

impl<L: Clone> Balancer<L> {
    pub(super) fn len(&self) -> usize {
        self.replicas.len()
    }

    /// Adds a replica that a lookup has found. Notifying the returned value ends the replica's
    /// pause before the next attempt to connect.
    pub(super) fn join(&mut self, address: SocketAddr) -> Arc<Notify> {
        let wanted = Arc::new(Notify::new());
        let replica = Replica {
            state: State::Coming,
            running: Arc::new(()),
            wanted: wanted.clone(),
        };
        self.replicas.insert(address, replica);
        wanted
    }

    /// Removes a replica that a lookup no longer returns.
    pub(super) fn leave(&mut self, address: SocketAddr) {
        self.replicas.remove(&address);
    }

    /// Records a failed lookup. Replicas of earlier lookups are kept.
    pub(super) fn fail(&mut self, lost: TransportFailure) {
        self.unknown = Some(lost);
    }

    pub(super) fn set(&mut self, address: SocketAddr, state: State<L>) {
        // A connection may report its state after its replica was removed.
        if let Some(replica) = self.replicas.get_mut(&address) {
            replica.state = state;
        }
    }

    /// Ends the pauses of all replicas that are not connected, so that they connect immediately.
    pub(super) fn wake(&mut self) {
        for replica in self.replicas.values_mut() {
            if let State::Down(_) = replica.state {
                replica.state = State::Coming;
                replica.wanted.notify_one();
            }
        }
    }

    /// Chooses the replica to call, among the replicas that the call has not tried. The serving
    /// replica with the fewest running calls is chosen. Replicas with the same number of running
    /// calls take turns. A replica that is not serving is chosen only if no other replica can
    /// become available. Its error then explains why the call fails.
    pub(super) fn choose(&self, tried: &[SocketAddr], turn: usize) -> Choice<L> {
        if self.replicas.is_empty() {
            return match &self.unknown {
                Some(lost) => Choice::Lost(lost.clone()),
                None => Choice::Wait,
            };
        }
        let (mut serving, mut unready, mut down) = (Vec::new(), Vec::new(), None);
        let mut coming = false;
        for (address, replica) in &self.replicas {
            if tried.contains(address) {
                continue;
            }
            match &replica.state {
                State::Serving(line) => serving.push((*address, replica, line)),
                State::Unready(line) => unready.push((*address, replica, line)),
                State::Coming => coming = true,
                State::Down(lost) => down = Some(lost),
            }
        }
        let idlest = idlest(&serving, turn);
        if idlest.is_none() && coming {
            return Choice::Wait;
        }
        match (idlest.or_else(|| self::idlest(&unready, turn)), down) {
            (Some(chosen), _) => Choice::Ask(chosen),
            (None, Some(lost)) => Choice::Lost(lost.clone()),
            (None, None) => Choice::Spent,
        }
    }
}

fn idlest<L: Clone>(
    candidates: &[(SocketAddr, &Replica<L>, &L)],
    turn: usize,
) -> Option<Chosen<L>> {
    let running = |replica: &Replica<L>| Arc::strong_count(&replica.running);
    let fewest = candidates.iter().map(|(_, it, _)| running(it)).min()?;
    let equals = || candidates.iter().filter(|(_, it, _)| running(it) == fewest);
    let (address, replica, line) = equals().nth(turn % equals().count())?;
    Some(Chosen {
        address: *address,
        line: (*line).clone(),
        running: replica.running.clone(),
    })
}

#[cfg(test)]
mod tests;
