//! `portolan`: every process and every query as a subcommand. Composition only.

mod cli;
mod facts;
mod failure;
mod print;
mod upgrades;

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    cli::run().await
}
