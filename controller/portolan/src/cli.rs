//! The command line as a whole: which subcommand, with which logs, to which exit code.

use std::process::ExitCode;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use portolan_resolver::Start;
use portolan_shell::{LogFlags, Logs};
use tracing::{Instrument, info_span};

use crate::exit::{self, Said};
use crate::failure::Failure;
use crate::print::Color;
use crate::{
    bundle, catalog, controller, graph, health, packages, path, resolve, review, upgrades,
};

/// Charts the upgrades of Kubernetes operators, and guards them.
#[derive(Debug, Parser)]
#[command(
    name = "portolan",
    version,
    propagate_version = true,
    max_term_width = 100,
    disable_help_subcommand = true,
    after_help = exit::CODES
)]
struct Cli {
    #[command(flatten)]
    looks: Looks,

    #[command(flatten)]
    logs: LogFlags,

    #[command(subcommand)]
    command: Command,
}

/// Behind what a command has of its own, before `--help`.
const LAST: usize = 900;

#[derive(Debug, Args)]
struct Looks {
    /// When to use colors.
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        display_order = LAST
    )]
    color: Color,
}

// In the order of a person who wants to know: is all well, what waits for me, what next, which way, with what else,
// what is there, who serves it.
#[derive(Debug, Subcommand)]
enum Command {
    Health(health::Command),
    Review(review::Command),
    Upgrades(upgrades::Command),
    Path(path::Command),
    Resolve(resolve::Command),
    Graph(graph::Command),
    Packages(packages::Command),
    Bundle(bundle::Command),
    #[command(subcommand)]
    Catalog(catalog::Command),
    Resolver(ResolverCommand),
    HealthServer(HealthServerCommand),
    Approval(ApprovalCommand),
    Controller(controller::Command),
}

/// Serve the resolver over gRPC: which upgrades the catalogs offer.
///
/// Listens at once, and is ready (gRPC health, /readyz) when its catalogs are read. SIGTERM lets
/// running calls finish.
#[derive(Debug, Parser)]
#[command(after_help = "Exit codes:
  0  it was told to stop
  2  the command line, or what it points at, is wrong
  3  it could not serve: a port is in use, this program has a bug

Examples:
  portolan resolver --catalog demo=./demo
  grpcurl -plaintext 127.0.0.1:50051 list")]
struct ResolverCommand {
    #[command(flatten)]
    flags: portolan_resolver::Flags,
}

/// Serve health over gRPC: whether operators and their catalogs do their work.
///
/// Listens at once, and is ready (gRPC health, /readyz) when it has looked at everything. SIGTERM
/// lets running calls finish. `portolan health` asks it.
#[derive(Debug, Parser)]
#[command(after_help = "Exit codes:
  0  it was told to stop
  2  the command line, or what it points at, is wrong
  3  it could not serve: a port is in use, this program has a bug

Examples:
  portolan health-server
  portolan health-server --world ./dump --listen 127.0.0.1:50052
  portolan health --server http://127.0.0.1:50052
  grpcurl -plaintext 127.0.0.1:50052 portolan.health.v1.Health/ListOperators")]
struct HealthServerCommand {
    #[command(flatten)]
    flags: portolan_health::Flags,
}

/// Serve approval over gRPC: which InstallPlans the policies allow, bundle by bundle.
///
/// Listens at once, and is ready (gRPC health, /readyz) when it has looked at everything. SIGTERM
/// lets running calls finish. It approves nothing itself. `portolan review` asks it.
#[derive(Debug, Parser)]
#[command(after_help = "Exit codes:
  0  it was told to stop
  2  the command line, or what it points at, is wrong
  3  it could not serve: a port is in use, this program has a bug

Examples:
  portolan approval
  portolan approval --world ./dump --listen 127.0.0.1:50053
  portolan review --server http://127.0.0.1:50053
  grpcurl -plaintext -d '{\"namespace\": \"harbor\"}' 127.0.0.1:50053 portolan.approval.v1.Approval/ReviewNamespace")]
struct ApprovalCommand {
    #[command(flatten)]
    flags: portolan_approval::Flags,
}

// === impl Cli ===

impl Cli {
    fn from_line(line: &ArgMatches) -> Self {
        let mut cli = Self::from_arg_matches(line).unwrap_or_else(|error| error.exit());
        let is_usual = line.value_source("log") == Some(ValueSource::DefaultValue);
        if is_usual && cli.command.tells_all() {
            "off".clone_into(&mut cli.logs.log);
        }
        cli
    }
}

// === impl Command ===

impl Command {
    /// What traces call the process.
    fn process(&self) -> &'static str {
        match self {
            Self::Resolver(_) => "resolver",
            Self::HealthServer(_) => "health",
            Self::Approval(_) => "approval",
            Self::Controller(_) => "controller",
            Self::Health(_)
            | Self::Review(_)
            | Self::Upgrades(_)
            | Self::Path(_)
            | Self::Resolve(_)
            | Self::Graph(_)
            | Self::Packages(_)
            | Self::Bundle(_)
            | Self::Catalog(_) => "cli",
        }
    }

    /// Whether an answer tells all that its reader wants to know. What it is made from is followed,
    /// which logs in other words what the answer says as well; who asks for that log gets it.
    fn tells_all(&self) -> bool {
        matches!(self, Self::Health(_) | Self::Review(_))
    }

    async fn run(self) -> Result<Said, Failure> {
        match self {
            Self::Health(command) => command.run().instrument(info_span!("health")).await,
            Self::Review(command) => command.run().instrument(info_span!("review")).await,
            Self::Upgrades(command) => command.run().instrument(info_span!("upgrades")).await,
            Self::Path(command) => command.run().instrument(info_span!("path")).await,
            Self::Resolve(command) => command.run().instrument(info_span!("resolve")).await,
            Self::Graph(command) => command.run().instrument(info_span!("graph")).await,
            Self::Packages(command) => command.run().instrument(info_span!("packages")).await,
            Self::Bundle(command) => command.run().instrument(info_span!("bundle")).await,
            Self::Catalog(command) => command.run().instrument(info_span!("catalog")).await,
            Self::Resolver(command) => serve(command.flags).await,
            Self::HealthServer(command) => serve_health(command.flags).await,
            Self::Approval(command) => serve_approval(command.flags).await,
            Self::Controller(command) => command.run().await,
        }
    }
}

async fn serve(flags: portolan_resolver::Flags) -> Result<Said, Failure> {
    match portolan_resolver::serve(flags).await {
        Ok(()) => Ok(Said::Answer),
        Err(error @ (Start::Read(_) | Start::NoCluster(_) | Start::Reach(_))) => {
            Err(Failure::refused(error))
        }
        Err(error @ (Start::Serve(_) | Start::Signals(_) | Start::Ended(_) | Start::Join(_))) => {
            Err(Failure::failed(error))
        }
    }
}

async fn serve_health(flags: portolan_health::Flags) -> Result<Said, Failure> {
    use portolan_health::Start;
    match portolan_health::serve(flags).await {
        Ok(()) => Ok(Said::Answer),
        Err(error @ (Start::NoCluster(_) | Start::Reach(_))) => Err(Failure::refused(error)),
        Err(error @ (Start::Serve(_) | Start::Signals(_) | Start::Ended(_) | Start::Join(_))) => {
            Err(Failure::failed(error))
        }
    }
}

async fn serve_approval(flags: portolan_approval::Flags) -> Result<Said, Failure> {
    use portolan_approval::Start;
    match portolan_approval::serve(flags).await {
        Ok(()) => Ok(Said::Answer),
        Err(error @ (Start::NoCluster(_) | Start::Reach(_))) => Err(Failure::refused(error)),
        Err(error @ (Start::Serve(_) | Start::Signals(_) | Start::Ended(_) | Start::Join(_))) => {
            Err(Failure::failed(error))
        }
    }
}

pub(crate) async fn run() -> ExitCode {
    let cli = Cli::from_line(&Cli::command().get_matches());
    cli.looks.color.choose();
    let ended = match Logs::start(&cli.logs, cli.command.process()) {
        Ok(_logs) => cli.command.run().await,
        Err(error) => Err(Failure::refused(error)),
    };
    match ended {
        Ok(Said::Answer) => ExitCode::SUCCESS,
        Ok(Said::No) => ExitCode::from(exit::NO),
        Ok(Said::Nothing) => ExitCode::from(exit::FAILED),
        Err(failure) => failure.report(),
    }
}
