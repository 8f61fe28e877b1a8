//! Objects of a cluster, or of files that are taken for one, and no service.

use std::path::{Path, PathBuf};

use clap::Args;
use portolan_world::{Access, AnyWorld};

use super::{files, reached};
use crate::failure::Failure;

/// Where objects are looked at: a cluster, or files that are taken for one.
#[derive(Debug, Args)]
#[command(
    next_help_heading = "Facts (one of these; the cluster of the kubeconfig if none is given)"
)]
pub(crate) struct WorldFacts {
    /// Folder (or file) of manifests to take for a cluster.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["kubeconfig", "context", "user"])]
    world: Option<PathBuf>,

    #[command(flatten)]
    access: Access,
}

// === impl WorldFacts ===

impl WorldFacts {
    /// In files, or else in a cluster.
    pub(crate) fn of(world: Option<PathBuf>, access: Access) -> Self {
        Self { world, access }
    }

    /// Whether files or a cluster are named.
    pub(crate) fn is_given(&self) -> bool {
        self.world.is_some() || self.access.is_given()
    }

    /// The files that are taken for a cluster, if some are.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.world.as_deref()
    }

    /// The world, and what is being done while it is looked at.
    pub(crate) async fn open(&self) -> Result<(AnyWorld, String), Failure> {
        if let Some(path) = &self.world {
            let doing = format!("reading {}", path.display());
            return Ok((AnyWorld::Files(files(path)?), doing));
        }
        let absent =
            "nothing to answer from: --world PATH reads manifests, and there is no cluster";
        let cluster = reached(&self.access, absent).await?;
        Ok((
            AnyWorld::Cluster(cluster),
            "looking at the cluster".to_owned(),
        ))
    }
}
