//! `portolan`: every process and every query as a subcommand. Composition only.

mod bundle;
mod catalog;
mod cli;
mod exit;
mod facts;
mod failure;
mod graph;
mod packages;
mod path;
mod print;
mod progress;
mod scope;
mod upgrades;

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    cli::run().await
}
