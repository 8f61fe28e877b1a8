//! A host name whose addresses the test sets, without a name server.

use std::io;
use std::net::SocketAddr;

use portolan_shell::client::Lookup;
use tokio::sync::watch;

use crate::{Running, within};

/// The addresses that a lookup of the name returns. Clones share the same addresses.
#[derive(Debug, Clone)]
pub struct Names {
    // The addresses of the name. None makes each lookup fail.
    found: watch::Sender<Option<Vec<SocketAddr>>>,
    lookups: watch::Sender<usize>,
}

impl Names {
    /// Returns a name for these replicas.
    pub fn of(replicas: &[&Running]) -> Self {
        let names = Self {
            found: watch::Sender::new(None),
            lookups: watch::Sender::new(0),
        };
        names.find(replicas);
        names
    }

    /// Changes the addresses of the name to those of the replicas.
    pub fn find(&self, replicas: &[&Running]) {
        self.find_at(replicas.iter().map(|running| running.grpc));
    }

    /// Changes the addresses of the name.
    pub fn find_at(&self, addresses: impl IntoIterator<Item = SocketAddr>) {
        self.found.send_replace(Some(Vec::from_iter(addresses)));
    }

    /// Makes lookups of the name fail.
    pub fn fail(&self) {
        self.found.send_replace(None);
    }

    /// Waits until the client has used the current addresses of the name.
    pub async fn wait_for_lookup(&self) {
        // The first lookup may have started before the change. The client has used the result of
        // the second lookup when it starts the third.
        let wanted = *self.lookups.borrow() + 3;
        let mut lookups = self.lookups.subscribe();
        within(lookups.wait_for(|lookups| *lookups >= wanted))
            .await
            .expect("the name must live as long as its test");
    }
}

impl Lookup for Names {
    async fn addresses(&self) -> io::Result<Vec<SocketAddr>> {
        let found = self.found.borrow().clone();
        self.lookups.send_modify(|lookups| *lookups += 1);
        found.ok_or_else(|| io::Error::other("the test knows no such name"))
    }
}
