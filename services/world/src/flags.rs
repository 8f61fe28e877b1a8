//! The selection of a world on a command line.

use std::path::PathBuf;

use clap::Args;
use kube::Config;
use thiserror::Error;

use crate::{Access, AnyWorld, Cluster, Files, ReachCluster};

/// The source of objects: a cluster, or files. The default is the cluster of the kubeconfig, or the
/// cluster in which this process runs as a Pod.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "Objects")]
pub struct WorldFlags {
    /// Folder (or file) of manifests to use instead of a cluster.
    #[arg(
        long,
        env = "PORTOLAN_WORLD",
        value_name = "PATH",
        conflicts_with_all = ["kubeconfig", "context", "user"]
    )]
    pub world: Option<PathBuf>,

    /// The flags that select the cluster.
    #[command(flatten)]
    pub access: Access,
}

/// The reason why the flags select no world.
#[derive(Debug, Error)]
pub enum NoWorld {
    /// No flag is set, and no default cluster was found.
    #[error("cannot find objects")]
    NotGiven(#[source] ReachCluster),
    /// The selected cluster cannot be used.
    #[error(transparent)]
    Reach(ReachCluster),
}

// === impl WorldFlags ===

impl WorldFlags {
    /// Opens the selected world. Does not check if the API server responds or if the files exist.
    ///
    /// # Errors
    /// Returns an error if there is no cluster, or if its kubeconfig is unusable.
    pub async fn open(self) -> Result<AnyWorld, NoWorld> {
        if let Some(path) = &self.world {
            return Ok(AnyWorld::Files(Files::at(path)));
        }
        let cluster = Cluster::reach(&self.access).await;
        let cluster = cluster.map_err(|error| self.unreached(error))?;
        Ok(AnyWorld::Cluster(cluster))
    }

    /// Returns the configuration of a client for the selected cluster. Returns None for files.
    ///
    /// # Errors
    /// Returns an error if there is no cluster, or if its kubeconfig is unusable.
    pub async fn config(&self) -> Result<Option<Config>, NoWorld> {
        match self.world {
            Some(_) => Ok(None),
            None => match self.access.config().await {
                Ok(config) => Ok(Some(config)),
                Err(error) => Err(self.unreached(error)),
            },
        }
    }

    fn unreached(&self, error: ReachCluster) -> NoWorld {
        match (self.is_given(), &error) {
            (false, ReachCluster::Nowhere(_)) => NoWorld::NotGiven(error),
            _ => NoWorld::Reach(error),
        }
    }

    /// Returns true if any of these flags is set.
    pub fn is_given(&self) -> bool {
        let Self { world, access } = self;
        world.is_some() || access.is_given()
    }
}
