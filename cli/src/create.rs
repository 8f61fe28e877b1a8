//! `portolan create`: an Operator on a cluster.

use clap::{Parser, ValueEnum};
use portolan_api::operator::Operator;
use portolan_core_names::{PackageName, VersionRange};
use portolan_operators::{OperatorClient, written};
use portolan_world::Access;
use serde_json::Value;

use crate::exit::{self, Exit};
use crate::facts::reached;
use crate::failure::Failure;
use crate::print;
use crate::written::{NO_CLUSTER, Wait, refused, resource, say};

/// Create an Operator on a cluster, and nothing else.
///
/// It is what `kubectl apply` of the same few lines does: -o yaml with --dry-run prints them. Without
/// --version the best version is installed once, and stays.
#[derive(Debug, Parser)]
#[command(
    disable_version_flag = true,
    after_help = exit::after_help!(
        "0  it is created; with --wait, it is ready",
        "1  the cluster refuses it; with --wait, it is not ready in time";
        "portolan create ferry",
        "portolan create ferry --version 1.2.0 --wait",
        "portolan create ferry --version '>=1.0.0 <2.0.0' --dry-run -o yaml"
    )
)]
pub(crate) struct Command {
    /// The package of the operator; its Operator is called so, too.
    #[arg(value_name = "NAME")]
    name: PackageName,

    /// The version that it shall have, or a range that it follows.
    #[arg(long, value_name = "VERSION|RANGE")]
    version: Option<VersionRange>,

    /// Have the cluster say what it would do, and do nothing.
    #[arg(long, conflicts_with = "wait")]
    dry_run: bool,

    /// Form of what is printed; a sentence if not given.
    #[arg(short, long, value_name = "FORM")]
    output: Option<Output>,

    #[command(flatten)]
    wait: Wait,

    #[command(flatten)]
    access: Access,
}

/// How an Operator that was written is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Output {
    /// The Operator as YAML.
    Yaml,
    /// The same as JSON.
    Json,
    /// Its name, as kubectl get -o name prints it.
    Name,
}

// === impl Command ===

impl Command {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let operator = self.operator()?;
        let cluster = reached(&self.access, NO_CLUSTER).await?;
        let client = OperatorClient::of(cluster.client(), self.dry_run);
        let created = match client.create(&operator).await {
            Ok(created) => created,
            Err(error) => return refused(error),
        };
        let name = operator.metadata.name.unwrap_or_default();
        match self.output {
            Some(Output::Yaml) => print::yaml(&without_managers(&created)?)?,
            Some(Output::Json) => print::json(&without_managers(&created)?)?,
            Some(Output::Name) => print::text(&format!("{}\n", resource(&name)))?,
            None => say(&name, "created", self.dry_run)?,
        }
        let Some(waiting) = self.wait.begun() else {
            return Ok(Exit::Answered);
        };
        waiting.until_ready(&cluster, &name, self.version).await
    }

    fn operator(&self) -> Result<Operator, Failure> {
        written(&self.name, self.version.as_ref()).map_err(Failure::taught)
    }
}

/// An Operator without the part that nobody reads.
fn without_managers(operator: &Operator) -> Result<Value, Failure> {
    let mut object = serde_json::to_value(operator).map_err(Failure::failed)?;
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.remove("managedFields");
    }
    Ok(object)
}
