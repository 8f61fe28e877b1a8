//! `portolan create`: creates an Operator on a cluster.

use clap::Parser;
use portolan_api::operator::Operator;
use portolan_core_generate::RequestedOperator;
use portolan_core_names::PackageName;
use portolan_operators::{Setting, written};

use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::operator_write::{SettingArgs, WriteArgs, report_error};

/// Create an Operator on a cluster.
///
/// Has the same effect as `kubectl apply` with the manifest that --dry-run -o yaml prints.
/// NAME@1.2.0 installs this version and keeps it. 'NAME@>=1.0.0 <2.0.0' always upgrades to the
/// highest version in this range. Without a version, the controller installs the best version once,
/// and never upgrades it. Use `update` to change the Operator later.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  the Operator is created; with --wait: it is ready",
        "1  the API server rejects the request; with --wait: the Operator is not ready in time";
        "portolan create ferry",
        "portolan create ferry@1.2.0 --wait",
        "portolan create 'ferry@>=1.0.0 <2.0.0' --dry-run -o yaml",
        "portolan create grafana --namespace grafana --watch-namespace grafana"
    )
)]
pub(crate) struct CreateArgs {
    /// Name of the package. The Operator gets the same name. The version or range is written to
    /// spec.version.
    #[arg(value_name = "NAME[@RANGE]")]
    name: RequestedOperator,

    #[command(flatten)]
    settings: SettingArgs,

    /// Set spec.namespace: the namespace in which the operator runs. This namespace cannot be
    /// changed later.
    #[arg(short, long, value_name = "NAMESPACE")]
    namespace: Option<String>,

    #[command(flatten)]
    writing: WriteArgs,
}

// === impl CreateArgs ===

impl CreateArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let operator = self.operator()?;
        let (cluster, client) = self.writing.connect().await?;
        let created = match client.create(&operator).await {
            Ok(created) => created,
            Err(error) => return report_error(error),
        };
        let version = self.settings.version(&self.name)?;
        let writing = &self.writing;
        writing.finish(&cluster, &created, "created", version).await
    }

    fn operator(&self) -> Result<Operator, Failure> {
        let mut settings = self.settings.settings(&self.name)?;
        if let Some(namespace) = &self.namespace {
            settings.set(Setting::Namespace, namespace.as_str());
        }
        let name = PackageName::parse(&self.name.name).map_err(Failure::refused)?;
        written(&name, &settings).map_err(Failure::usage)
    }
}
