//! `portolan plan`: InstallPlans of `plans.portolan.dev`, those of Portolan and not those of OLM.

mod asked;
mod contents;
mod diff;
pub(crate) mod facts;
mod make;
mod permissions;
mod prune;
mod status;
mod why;

use clap::Subcommand;

use crate::exit::Exit;
use crate::failure::Failure;

/// Create, compare, explain and prune InstallPlans of plans.portolan.dev.
///
/// They are manifests that are applied stage after stage as a ServiceAccount. They have nothing to do with the
/// InstallPlans of OLM, which `review` is about.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Make(make::Command),
    Diff(diff::Command),
    Status(status::Command),
    Why(why::Command),
    Permissions(permissions::Command),
    Prune(prune::Command),
}

// === impl Command ===

impl Command {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        match self {
            Self::Make(command) => command.run(),
            Self::Diff(command) => command.run().await,
            Self::Status(command) => command.run().await,
            Self::Why(command) => command.run().await,
            Self::Permissions(command) => command.run().await,
            Self::Prune(command) => command.run().await,
        }
    }
}
