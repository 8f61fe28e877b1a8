//! `portolan serve`: runs a server, or a process that changes objects of the cluster.

use clap::{Parser, Subcommand};

use crate::cli::Task;
use crate::exit;
use crate::{apiserver, controller, updater, webhook};

/// Run a server or a controller, usually in a cluster.
///
/// `portolan up` runs all services in one process, on sample data or a cluster. The former names of
/// these commands, such as `portolan resolver`, still work.
#[derive(Debug, Subcommand)]
pub(crate) enum ServeCommand {
    Resolver(ResolverArgs),
    Health(HealthArgs),
    Approval(ApprovalArgs),
    Diagnosis(DiagnosisArgs),
    Controller(controller::ControllerArgs),
    Webhook(webhook::WebhookArgs),
    Apiserver(apiserver::ApiserverArgs),
    Updater(updater::UpdaterArgs),
}

/// The former names of the commands of `serve`, which existing manifests use.
#[derive(Debug, Subcommand)]
pub(crate) enum OldServeCommand {
    #[command(hide = true)]
    Resolver(ResolverArgs),
    #[command(hide = true)]
    HealthServer(HealthArgs),
    #[command(hide = true)]
    Approval(ApprovalArgs),
    #[command(hide = true)]
    DiagnoseServer(DiagnosisArgs),
    #[command(hide = true)]
    Controller(controller::ControllerArgs),
    #[command(hide = true)]
    Webhook(webhook::WebhookArgs),
    #[command(hide = true)]
    Apiserver(apiserver::ApiserverArgs),
    #[command(hide = true)]
    Updater(updater::UpdaterArgs),
}

/// Serve the resolver over gRPC: catalogs, upgrades and paths.
///
/// The server listens immediately, and is ready (gRPC health, /readyz) when all catalogs are read.
/// After SIGTERM, running calls can finish.
#[derive(Debug, Parser)]
#[command(after_help = exit::after_help_of_server!(
    "portolan serve resolver --catalog demo=./demo",
    "grpcurl -plaintext 127.0.0.1:50051 list"
))]
pub(crate) struct ResolverArgs {
    #[command(flatten)]
    flags: portolan_resolver::Flags,
}

/// Serve health over gRPC: the health of operators and catalogs.
///
/// The server listens immediately, and is ready (gRPC health, /readyz) when all objects are read
/// and checked. After SIGTERM, running calls can finish. To query the server, use `portolan health
/// --server`.
#[derive(Debug, Parser)]
#[command(after_help = exit::after_help_of_server!(
    "portolan serve health",
    "portolan serve health --world ./dump --listen 127.0.0.1:50052",
    "portolan health --server http://127.0.0.1:50052",
    "grpcurl -plaintext 127.0.0.1:50052 portolan.health.v1.Health/ListOperators"
))]
pub(crate) struct HealthArgs {
    #[command(flatten)]
    flags: portolan_health::Flags,
}

/// Serve approval over gRPC: the InstallPlans and upgrades that policies allow.
///
/// The server listens immediately, and is ready (gRPC health, /readyz) when all objects are read
/// and checked. After SIGTERM, running calls can finish. The server does not approve anything. To
/// query the server, use `portolan review --server`.
#[derive(Debug, Parser)]
#[command(after_help = exit::after_help_of_server!(
    "portolan serve approval",
    "portolan serve approval --world ./dump --listen 127.0.0.1:50053",
    "portolan review --server http://127.0.0.1:50053",
    "grpcurl -plaintext -d '{\"namespace\": \"harbor\"}' 127.0.0.1:50053 portolan.approval.v1.Approval/ReviewNamespace"
))]
pub(crate) struct ApprovalArgs {
    #[command(flatten)]
    flags: portolan_approval::Flags,
}

/// Serve diagnosis over gRPC: causes, objects at fault, and fixes.
///
/// The server listens immediately, and is ready (gRPC health, /readyz) when all objects are read
/// and checked. After SIGTERM, running calls can finish. The server does not change anything. To
/// query the server, use `portolan diagnose --server`.
#[derive(Debug, Parser)]
#[command(after_help = exit::after_help_of_server!(
    "portolan serve diagnosis",
    "portolan serve diagnosis --world ./dump --catalog olm/ships=./ships --listen 127.0.0.1:50054",
    "portolan diagnose --server http://127.0.0.1:50054",
    "grpcurl -plaintext -d '{\"namespace\": \"harbor\"}' 127.0.0.1:50054 portolan.diagnosis.v1.Diagnosis/Diagnose"
))]
pub(crate) struct DiagnosisArgs {
    #[command(flatten)]
    flags: portolan_diagnosis::Flags,
}

// === impl ServeCommand ===

impl ServeCommand {
    pub(crate) fn task(self) -> Task {
        match self {
            Self::Resolver(it) => Task::server("resolver", portolan_resolver::serve(it.flags)),
            Self::Health(it) => Task::server("health", portolan_health::serve(it.flags)),
            Self::Approval(it) => Task::server("approval", portolan_approval::serve(it.flags)),
            Self::Diagnosis(it) => Task::server("diagnosis", portolan_diagnosis::serve(it.flags)),
            Self::Controller(it) => Task::new("controller", None, it.run()),
            Self::Webhook(it) => Task::server("webhook", portolan_webhook::serve(it.flags)),
            Self::Apiserver(it) => Task::server("apiserver", portolan_apiserver::serve(it.flags)),
            Self::Updater(it) => {
                let log = it.is_once().then_some("warn");
                Task::new("updater", log, it.run())
            }
        }
    }
}

// === impl OldServeCommand ===

impl From<OldServeCommand> for ServeCommand {
    fn from(old: OldServeCommand) -> Self {
        match old {
            OldServeCommand::Resolver(it) => Self::Resolver(it),
            OldServeCommand::HealthServer(it) => Self::Health(it),
            OldServeCommand::Approval(it) => Self::Approval(it),
            OldServeCommand::DiagnoseServer(it) => Self::Diagnosis(it),
            OldServeCommand::Controller(it) => Self::Controller(it),
            OldServeCommand::Webhook(it) => Self::Webhook(it),
            OldServeCommand::Apiserver(it) => Self::Apiserver(it),
            OldServeCommand::Updater(it) => Self::Updater(it),
        }
    }
}
