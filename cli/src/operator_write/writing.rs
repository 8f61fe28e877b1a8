//! The flags of commands that write an Operator, and the actions after the write.

use clap::Args;
use portolan_api::operator::Operator;
use portolan_core_names::VersionRange;
use portolan_operators::OperatorClient;
use portolan_world::{Access, Cluster};

use super::{NO_CLUSTER, OperatorFormat, WaitArgs, print_operator};
use crate::exit::Exit;
use crate::facts::connect_cluster;
use crate::failure::Failure;

/// The flags for writing, printing and waiting.
#[derive(Debug, Clone, Args)]
pub(crate) struct WriteArgs {
    /// Send a server-side dry run, and change nothing.
    #[arg(long, conflicts_with = "wait")]
    dry_run: bool,

    /// Output format. Default: a message.
    #[arg(short, long, value_name = "FORM")]
    output: Option<OperatorFormat>,

    #[command(flatten)]
    wait: WaitArgs,

    #[command(flatten)]
    access: Access,
}

// === impl WriteArgs ===

impl WriteArgs {
    /// Connects to the cluster.
    pub(crate) async fn connect(&self) -> Result<(Cluster, OperatorClient), Failure> {
        let cluster = connect_cluster(&self.access, NO_CLUSTER).await?;
        let client = OperatorClient::of(cluster.client(), self.dry_run);
        Ok((cluster, client))
    }

    /// Prints the written Operator. If the user specified `--wait`, waits until the Operator is
    /// ready.
    pub(crate) async fn finish(
        &self,
        cluster: &Cluster,
        operator: &Operator,
        done: &str,
        version: Option<VersionRange>,
    ) -> Result<Exit, Failure> {
        print_operator(operator, self.output, done, self.dry_run)?;
        match self.wait.start() {
            Some(waiting) => waiting.until_ready(cluster, operator, version).await,
            None => Ok(Exit::Answered),
        }
    }
}
