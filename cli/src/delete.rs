//! `portolan delete`: deletes an Operator from a cluster.

use clap::Parser;
use portolan_operators::OperatorClient;
use portolan_world::Access;

use crate::exit::{self, Exit};
use crate::facts::connect_cluster;
use crate::failure::Failure;
use crate::operator_write::{NO_CLUSTER, WaitArgs, print_done, report_error, resource};
use crate::print;

/// Delete an Operator from a cluster.
///
/// The installed objects are also deleted, except CustomResourceDefinitions, Namespaces and
/// PersistentVolumeClaims. If other operators depend on the Operator, the Operator is not deleted,
/// and the error lists these operators.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  deletion is requested; with --wait: the Operator is deleted",
        "1  the API server rejects the request; with --wait: the Operator is not deleted in time";
        "portolan delete ferry",
        "portolan delete ferry --wait"
    )
)]
pub(crate) struct DeleteArgs {
    /// Name of the Operator.
    #[arg(value_name = "NAME")]
    name: String,

    /// Send a server-side dry run, and change nothing.
    #[arg(long, conflicts_with = "wait")]
    dry_run: bool,

    /// Print only the name, as kubectl delete -o name does.
    #[arg(short, long, value_name = "name", value_parser = ["name"])]
    output: Option<String>,

    #[command(flatten)]
    wait: WaitArgs,

    #[command(flatten)]
    access: Access,
}

// === impl DeleteArgs ===

impl DeleteArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let cluster = connect_cluster(&self.access, NO_CLUSTER).await?;
        let client = OperatorClient::of(cluster.client(), self.dry_run);
        if let Err(error) = client.delete(&self.name).await {
            return report_error(error);
        }
        match self.output {
            Some(_) => print::text(&format!("{}\n", resource(&self.name)))?,
            None => print_done(&self.name, "deleted", self.dry_run)?,
        }
        match self.wait.start() {
            Some(waiting) => waiting.until_gone(&cluster, &self.name).await,
            None => Ok(Exit::Answered),
        }
    }
}
