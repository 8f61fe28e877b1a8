//! Objects of a cluster or its files, without a service.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use clap::Args;
use portolan_world::{Access, AnyWorld};

use super::{connect_cluster, files};
use crate::failure::Failure;

/// The source of objects: a cluster, or its files.
#[derive(Debug, Clone, Args)]
#[command(
    next_help_heading = "Data source (one of these options; default: the cluster of the kubeconfig)"
)]
pub(crate) struct WorldArgs {
    /// Folder (or file) of manifests to use instead of a cluster.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["kubeconfig", "context", "user"])]
    world: Option<PathBuf>,

    #[command(flatten)]
    access: Access,
}

/// The message if neither files nor a cluster are available.
const ABSENT: &str = "no cluster found; use --world PATH to read manifests";

/// Opens files. Without files, opens a cluster. Without a cluster, returns the error `absent`.
pub(super) async fn open(
    folder: Option<&Path>,
    access: &Access,
    absent: impl Display,
) -> Result<AnyWorld, Failure> {
    match folder {
        Some(path) => files(path).map(AnyWorld::Files),
        None => connect_cluster(access, absent).await.map(AnyWorld::Cluster),
    }
}

/// Returns the progress message for reading files or a cluster.
pub(super) fn progress_text(folder: Option<&Path>) -> String {
    match folder {
        Some(path) => format!("reading {}", path.display()),
        None => "reading the cluster".to_owned(),
    }
}

// === impl WorldArgs ===

impl WorldArgs {
    /// Selects files. Without files, selects a cluster.
    pub(crate) fn of(world: Option<PathBuf>, access: Access) -> Self {
        Self { world, access }
    }

    /// Returns true if files or a cluster are named.
    pub(crate) fn is_given(&self) -> bool {
        self.world.is_some() || self.access.is_given()
    }

    /// Returns the files that are used instead of a cluster. Returns None for a cluster.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.world.as_deref()
    }

    /// Returns the flags that select the cluster.
    pub(crate) fn access(&self) -> &Access {
        &self.access
    }

    /// Returns the progress message for reading the world.
    pub(crate) fn progress_text(&self) -> String {
        progress_text(self.folder())
    }

    /// Opens the world, and returns it with the progress message for reading it.
    pub(crate) async fn open(&self) -> Result<(AnyWorld, String), Failure> {
        let world = self.open_or(ABSENT).await?;
        Ok((world, self.progress_text()))
    }

    /// Opens the world. Returns the error `absent` if there is no world.
    pub(crate) async fn open_or(&self, absent: impl Display) -> Result<AnyWorld, Failure> {
        open(self.folder(), &self.access, absent).await
    }
}
