//! `portolan plan`: commands about InstallPlans of `plans.portolan.dev`. These plans belong to
//! Portolan and not to OLM.

mod contents;
mod diff;
pub(crate) mod facts;
mod make;
mod permissions;
mod plan_ref;
mod prune;
mod status;
mod why;

use clap::Subcommand;

use crate::exit::Exit;
use crate::failure::Failure;

/// Create, compare, explain and prune InstallPlans of plans.portolan.dev.
///
/// These InstallPlans apply manifests in stages, with the permissions of a ServiceAccount. For the
/// InstallPlans of OLM, use `review`.
#[derive(Debug, Subcommand)]
pub(crate) enum PlanCommand {
    Make(make::PlanMakeArgs),
    Diff(diff::PlanDiffArgs),
    Status(status::PlanStatusArgs),
    Why(why::PlanWhyArgs),
    Permissions(permissions::PlanPermissionsArgs),
    Prune(prune::PlanPruneArgs),
}

// === impl PlanCommand ===

impl PlanCommand {
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
