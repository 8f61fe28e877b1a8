//! A replica of a process that writes to a cluster: its connections and its leader election.

use std::str::FromStr;

use clap::Args;
use clap::builder::BoolishValueParser;
use kube::{Client, Config};
use portolan_scaffold::Start;
use portolan_world::ReachCluster;

use crate::client::FencedClient;
use crate::lease::{Election, Fence, LeaseRef, Terms, identity};
use crate::metrics::Writes;

/// The flags of leader election, which selects the replica that writes.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Replicas")]
pub struct LeaseFlags {
    /// Lease for leader election. Only the holder of the Lease writes.
    #[arg(
        long,
        env = "PORTOLAN_LEASE",
        value_name = "NAMESPACE/NAME",
        default_value = "portolan/portolan-controller"
    )]
    pub lease: LeaseName,

    /// Write without a Lease. Use this option only with a single replica.
    #[arg(
        long,
        env = "PORTOLAN_NO_LEASE",
        value_parser = BoolishValueParser::new(),
        conflicts_with = "lease"
    )]
    pub no_lease: bool,
}

/// The name of a Lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseName {
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
}

/// A replica of a process, with its permission to write to the cluster.
#[derive(Clone)]
pub struct Replica {
    client: Client,
    config: Config,
    fence: Fence,
}

// === impl LeaseFlags ===

impl LeaseFlags {
    /// Returns the Lease. Returns None with --no-lease.
    pub fn lease(&self) -> Option<&LeaseName> {
        let Self { lease, no_lease } = self;
        Some(lease).filter(|_| !no_lease)
    }
}

// === impl LeaseName ===

impl FromStr for LeaseName {
    type Err = String;

    /// Parses "portolan/controller".
    fn from_str(text: &str) -> Result<Self, String> {
        let names = text.split_once('/').filter(|(namespace, name)| {
            !namespace.is_empty() && !name.is_empty() && !name.contains('/')
        });
        let (namespace, name) = names.ok_or_else(|| {
            format!("`{text}` is not a namespace and a name, such as portolan/lease")
        })?;
        Ok(Self {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        })
    }
}

// === impl Replica ===

impl Replica {
    /// Creates a replica and starts its leader election with this Lease. Without a Lease, the
    /// replica may always write. Must be called within a Tokio runtime.
    ///
    /// # Errors
    /// Returns an error if the configuration cannot be used.
    pub fn elected(
        config: Config,
        lease: Option<&LeaseName>,
    ) -> Result<(Self, Option<Election>), Start> {
        let client = Client::try_from(config.clone()).map_err(unusable)?;
        let election = lease.map(|LeaseName { namespace, name }| {
            let lease = LeaseRef::of(namespace, name, &identity());
            Election::start(client.clone(), lease, Terms::default())
        });
        let fence = election.as_ref().map_or_else(Fence::open, Election::fence);
        let replica = Self {
            client,
            config,
            fence,
        };
        Ok((replica, election))
    }

    /// Returns the client for reads.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Returns a client for writes. It has separate connections. They send no data when this
    /// replica is no longer the leader.
    ///
    /// # Errors
    /// Returns an error if the configuration cannot be used.
    pub fn writing(&self, writes: Writes) -> Result<FencedClient, Start> {
        let client = self.fence.client(self.config.clone()).map_err(unusable)?;
        Ok(FencedClient::new(client, self.fence.clone(), writes))
    }
}

// The client does not implement `Debug`, and the configuration contains secrets.
impl std::fmt::Debug for Replica {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Replica").finish_non_exhaustive()
    }
}

fn unusable(error: kube::Error) -> Start {
    Start::Reach(ReachCluster::Client(Box::new(error)))
}
