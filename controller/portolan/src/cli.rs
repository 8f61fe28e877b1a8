//! The command line as a whole: which subcommand, with which logs, to which exit code.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use portolan_resolver::Start;
use portolan_shell::{LogFlags, Logs};

use crate::failure::Failure;
use crate::upgrades;

/// Charts the upgrades of Kubernetes operators, and guards them.
#[derive(Debug, Parser)]
#[command(
    name = "portolan",
    version,
    propagate_version = true,
    max_term_width = 100,
    disable_help_subcommand = true
)]
struct Cli {
    #[command(flatten)]
    logs: LogFlags,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Upgrades(upgrades::Command),
    Resolver(ResolverCommand),
}

/// Serve the resolver over gRPC: which upgrades the catalogs offer.
///
/// Listens at once, and is ready (gRPC health, /readyz) when its catalogs are read. SIGTERM lets
/// running calls finish.
#[derive(Debug, Parser)]
#[command(after_help = "Example:
  portolan resolver --catalog demo=./catalogs/demo
  grpcurl -plaintext 127.0.0.1:50051 list")]
struct ResolverCommand {
    #[command(flatten)]
    flags: portolan_resolver::Flags,
}

// === impl Command ===

impl Command {
    /// What traces call the process.
    fn process(&self) -> &'static str {
        match self {
            Self::Upgrades(_) => "cli",
            Self::Resolver(_) => "resolver",
        }
    }

    async fn run(self) -> Result<(), Failure> {
        match self {
            Self::Upgrades(command) => command.run().await,
            Self::Resolver(command) => {
                let ended = portolan_resolver::serve(command.flags).await;
                ended.map_err(|error| match error {
                    Start::Read(_) => Failure::refused(error),
                    Start::Serve(_) | Start::Signals(_) | Start::Join(_) => Failure::failed(error),
                })
            }
        }
    }
}

pub(crate) async fn run() -> ExitCode {
    let cli = Cli::parse();
    let ended = match Logs::start(&cli.logs, cli.command.process()) {
        Ok(_logs) => cli.command.run().await,
        Err(error) => Err(Failure::refused(error)),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
