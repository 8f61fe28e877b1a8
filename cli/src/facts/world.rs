//! The flags that select a cluster or a folder with its objects, for commands that need no service.

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

/// Opens the files. If no files are specified, opens the cluster. Returns an error with the message
/// `absent` if there is no cluster.
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

/// Returns the progress message while files or a cluster are read.
pub(super) fn progress_text(folder: Option<&Path>) -> String {
    match folder {
        Some(path) => format!("reading {}", path.display()),
        None => "reading the cluster".to_owned(),
    }
}

// === impl WorldArgs ===

impl WorldArgs {
    /// Returns flags that select the files. Without files, the flags select the cluster.
    pub(crate) fn of(world: Option<PathBuf>, access: Access) -> Self {
        Self { world, access }
    }

    /// Returns true if the user specified files or a cluster.
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

    /// Returns the progress message while the world is read.
    pub(crate) fn progress_text(&self) -> String {
        progress_text(self.folder())
    }

    /// Opens the world. Also returns the progress message while the world is read.
    pub(crate) async fn open(&self) -> Result<(AnyWorld, String), Failure> {
        let world = self.open_or(ABSENT).await?;
        Ok((world, self.progress_text()))
    }

    /// Opens the world. Returns an error with the message `absent` if there is neither a folder nor
    /// a cluster.
    pub(crate) async fn open_or(&self, absent: impl Display) -> Result<AnyWorld, Failure> {
        open(self.folder(), &self.access, absent).await
    }
}
