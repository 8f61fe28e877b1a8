//! The open connections, sorted by age.

use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;

use tokio::task::{AbortHandle, Id, JoinSet};

/// The tasks that serve the open connections. Dropping this value closes all connections.
#[derive(Debug, Default)]
pub(super) struct Open {
    tasks: JoinSet<()>,
    /// The connections, oldest first. A closed connection is removed even if its task still runs.
    connections: VecDeque<Connection>,
}

#[derive(Debug)]
struct Connection {
    id: Id,
    from: IpAddr,
    task: AbortHandle,
}

// === impl Open ===

impl Open {
    pub(super) fn len(&self) -> usize {
        self.connections.len()
    }

    pub(super) fn serve(
        &mut self,
        from: IpAddr,
        serving: impl Future<Output = ()> + Send + 'static,
    ) {
        let task = self.tasks.spawn(serving);
        let id = task.id();
        self.connections.push_back(Connection { id, from, task });
    }

    /// Waits for the end of a connection. Returns None if no connection is open.
    ///
    /// # Cancel safety
    /// Dropping the future early loses no event.
    pub(super) async fn next_end(&mut self) -> Option<()> {
        let ended = self.tasks.join_next_with_id().await?;
        let id = ended.map_or_else(|error| error.id(), |(id, ())| id);
        self.connections.retain(|connection| connection.id != id);
        Some(())
    }

    /// Closes the oldest connection of the address with the most connections. Therefore an address
    /// with many connections loses its own connections first.
    pub(super) fn close_oldest(&mut self) {
        let counts = self.counts();
        let most = counts.values().max();
        let mut connections = self.connections.iter();
        let oldest = connections.position(|connection| counts.get(&connection.from) == most);
        if let Some(closed) = oldest.and_then(|oldest| self.connections.remove(oldest)) {
            tracing::debug!(from = %closed.from, "a connection was closed to accept another \
                connection");
            closed.task.abort();
        }
    }

    /// Closes a connection to make room for a new connection of the address `from`. Does this only
    /// if another address has at least two connections more than `from`. Returns true if there is
    /// room now.
    pub(super) fn makes_room(&mut self, from: IpAddr) -> bool {
        let counts = self.counts();
        let own = counts.get(&from).copied().unwrap_or_default();
        let has_fewer = counts.values().any(|most| own + 1 < *most);
        if has_fewer {
            self.close_oldest();
        }
        has_fewer
    }

    /// Returns the number of connections of each address.
    fn counts(&self) -> BTreeMap<IpAddr, usize> {
        let mut counts = BTreeMap::new();
        for connection in &self.connections {
            *counts.entry(connection.from).or_default() += 1;
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::net::Ipv4Addr;

    use super::*;

    fn address(number: u32) -> IpAddr {
        Ipv4Addr::from_bits(number).into()
    }

    /// Returns the addresses of the open connections, the oldest first.
    fn from(open: &Open) -> Vec<IpAddr> {
        let connections = open.connections.iter();
        connections.map(|connection| connection.from).collect()
    }

    #[tokio::test]
    async fn oldest_connection_of_the_largest_peer_is_closed() {
        let mut open = Open::default();
        for number in [1, 2, 3, 2] {
            open.serve(address(number), pending());
        }
        open.close_oldest();
        assert_eq!(from(&open), [1, 3, 2].map(address));
        open.close_oldest();
        assert_eq!(from(&open), [3, 2].map(address), "the oldest of equals");
        assert_eq!((open.next_end().await, open.len()), (Some(()), 2));
    }

    #[tokio::test]
    async fn connection_of_a_smaller_peer_replaces_a_connection_of_a_larger_peer() {
        let mut open = Open::default();
        for number in [1, 2, 1, 1] {
            open.serve(address(number), pending());
        }
        assert!(!open.makes_room(address(1)), "it has the most itself");
        assert!(open.makes_room(address(2)), "one and three");
        assert_eq!(from(&open), [2, 1, 1].map(address));
        assert!(!open.makes_room(address(2)), "it would be two and one");
        assert!(open.makes_room(address(3)), "none and two");
        assert_eq!(from(&open), [2, 1].map(address));
        assert!(!open.makes_room(address(3)), "all have one");
    }

    #[tokio::test]
    async fn ended_connection_frees_its_slot() {
        let mut open = Open::default();
        open.serve(address(1), pending());
        open.serve(address(2), async {});
        assert_eq!(open.next_end().await, Some(()));
        assert_eq!(from(&open), [address(1)]);
        open.close_oldest();
        assert_eq!(
            (open.next_end().await, open.next_end().await),
            (Some(()), None)
        );
    }
}
