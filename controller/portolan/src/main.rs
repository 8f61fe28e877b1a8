//! `portolan`: every process and every query as a subcommand. Composition only.

mod bundle;
mod catalog;
mod cli;
mod controller;
mod exit;
mod facts;
mod failure;
mod graph;
mod health;
mod packages;
mod path;
mod print;
mod progress;
mod resolve;
mod review;
mod scope;
mod upgrades;

use std::io;
use std::process::ExitCode;
use std::time::Duration;

use thiserror::Error;
use tokio::runtime::Runtime;

use self::failure::Failure;

/// How long the end waits for threads that still read; a dead disk never lets go of them.
const GRACE: Duration = Duration::from_secs(1);

/// The system gives no threads to work with.
#[derive(Debug, Error)]
#[error("start the threads of the program")]
struct StartThreads(#[source] io::Error);

fn main() -> ExitCode {
    let runtime = match Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return Failure::failed(StartThreads(error)).report(),
    };
    let code = runtime.block_on(cli::run());
    runtime.shutdown_timeout(GRACE);
    code
}
