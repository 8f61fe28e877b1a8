//! `portolan`: every process and every query as a subcommand. Composition only.

mod bundle;
mod called;
mod catalog;
mod cli;
mod completion;
mod controller;
mod diagnose;
mod dump;
mod exit;
mod explain;
mod facts;
mod failure;
mod graph;
mod health;
mod installed;
mod packages;
mod path;
mod print;
mod progress;
mod resolve;
mod review;
mod scope;
mod up;
mod upgrades;

use std::io;
use std::process::ExitCode;
use std::time::Duration;

use thiserror::Error;
use tokio::runtime::Runtime;

use self::exit::Said;
use self::failure::Failure;

/// How long the end waits for threads that still read; a dead disk never lets go of them.
const GRACE: Duration = Duration::from_secs(1);

/// The system gives no threads to work with.
#[derive(Debug, Error)]
#[error("start the threads of the program")]
struct StartThreads(#[source] io::Error);

/// What could follow cannot be said.
#[derive(Debug, Error)]
#[error("complete a command line")]
struct Complete(#[source] io::Error);

fn main() -> ExitCode {
    match completion::answered() {
        Ok(true) => return ExitCode::SUCCESS,
        Ok(false) => (),
        Err(error) => return Failure::failed(Complete(error)).report(),
    }
    let runtime = match Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return Failure::failed(StartThreads(error)).report(),
    };
    let ended = runtime.block_on(cli::run());
    // What still runs may log that it ends. Why the program ends is said last.
    runtime.shutdown_timeout(GRACE);
    match ended {
        Ok(Said::Answer) => ExitCode::SUCCESS,
        Ok(Said::No) => ExitCode::from(exit::NO),
        Ok(Said::Nothing) => ExitCode::from(exit::FAILED),
        Ok(Said::Wrong) => ExitCode::from(exit::BAD_INPUT),
        Err(failure) => failure.report(),
    }
}
