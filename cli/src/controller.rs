//! `portolan serve controller`: runs the controllers of Portolan. A subcommand removes their
//! finalizers.

use clap::{Parser, Subcommand};
use portolan_controller::{
    Flags, Freed, NOTHING_HELD, controllers, held_objects, release_finalizers,
};
use portolan_world::Access;
use tracing::{Instrument, info_span};

use crate::exit::Exit;
use crate::failure::Failure;

const AFTER_HELP: &str = "Exit codes:
  0  stopped by a signal
  2  invalid input: the command line is invalid, or refers to a missing or invalid file or object
  3  stopped by an error, such as a port in use, a Lease of another replica, or an internal error

Examples:
  portolan serve controller --enforce
  portolan serve controller --read-only
  portolan serve controller --resolver http://resolver:50051 --health http://health:50051
  portolan serve controller release-finalizers";

/// Returns a table with the controllers. Each row contains the objects that a controller
/// reconciles, and the flag that enables the controller.
fn table() -> String {
    let rows = controllers().map(|it| {
        let flags = it.flags.join(", ");
        format!("\n  {:<16}  {:<24}  {flags}", it.name, it.objects)
    });
    format!("Controllers:{}", rows.collect::<String>())
}

/// Reconcile OperatorPolicies: install, pin, upgrade, monitor and remove operators.
///
/// The controller queries the resolver, health and approval services. With --enforce, the
/// controller writes the changes of policies in enforce mode, the status of each policy, and
/// compliance events. If several replicas run, only the holder of the Lease writes. If a service is
/// unavailable, conditions report the outage, and the time at which it began. Without the approval
/// service nothing is approved.
#[derive(Debug, Parser)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = AFTER_HELP,
    after_long_help = format!("{}\n\n{AFTER_HELP}", table())
)]
pub(crate) struct ControllerArgs {
    #[command(flatten)]
    flags: Flags,

    #[command(subcommand)]
    instead: Option<ControllerCommand>,
}

#[derive(Debug, Subcommand)]
enum ControllerCommand {
    ReleaseFinalizers(ReleaseFinalizers),
}

/// Remove the finalizers of Portolan from all objects, as the first step of an uninstall.
///
/// Finalizers keep an OperatorPolicy until its operator is removed, and an InstallPlan until its
/// objects are removed. Finalizers keep Operators and Installs until their plans are removed, and a
/// ClusterServiceVersion until its operator is adopted from OLM. Only the controller removes and
/// adopts these objects. This command removes the finalizers, but does not remove operators or
/// objects of plans. Stop the controller first. Otherwise the controller adds the finalizers again.
#[derive(Debug, Parser)]
#[command(after_help = "Exit codes:
  0  no finalizers are left
  2  invalid input: the command line is invalid, or refers to a missing or invalid file or object
  3  some finalizers could not be removed; each object is listed. Run the command again

Examples:
  portolan serve controller release-finalizers --dry-run
  portolan serve controller release-finalizers
  portolan serve controller release-finalizers --context production")]
struct ReleaseFinalizers {
    /// Only print the objects whose finalizers would be removed.
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    access: Access,
}

impl ControllerArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        match self.instead {
            Some(ControllerCommand::ReleaseFinalizers(command)) => {
                command.run().instrument(info_span!("release")).await
            }
            None => {
                portolan_controller::serve(self.flags).await?;
                Ok(Exit::Answered)
            }
        }
    }
}

impl ReleaseFinalizers {
    async fn run(self) -> Result<Exit, Failure> {
        let client = self.access.client().await.map_err(Failure::refused)?;
        if self.dry_run {
            let held = held_objects(&client).await.map_err(Failure::failed)?;
            if held.is_empty() {
                println!("{NOTHING_HELD}");
            }
            held.iter()
                .for_each(|name| println!("{name}: finalizer would be removed"));
            return Ok(Exit::Answered);
        }
        let released = release_finalizers(&client, |line: &str| println!("{line}"));
        let Freed { failures, .. } = released.await.map_err(Failure::failed)?;
        Ok(if failures.is_empty() {
            Exit::Answered
        } else {
            Exit::Unknown
        })
    }
}
