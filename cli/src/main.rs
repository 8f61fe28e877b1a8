//! The program `portolan`. Each process and each query is a subcommand. This file only starts them.

mod adopt;
mod apiserver;
mod approve;
mod bundle;
mod bundle_manifests;
mod catalog;
mod check;
mod cli;
mod completion;
mod console;
mod controller;
mod copies;
mod create;
mod delete;
mod diagnose;
mod dump;
mod exit;
mod explain;
mod extensions;
mod facts;
mod failure;
mod generate;
mod graph;
mod groups;
mod health;
mod help;
mod hops;
mod install;
mod installed;
mod leading_options;
mod man;
mod named;
mod operator_write;
mod operators;
mod packages;
mod path;
mod plan;
mod policy;
mod print;
mod program_name;
mod progress;
mod readiness;
mod release;
mod requirement;
mod resolve;
mod review;
mod route;
mod scope;
mod serve;
mod sources;
mod subscribed;
mod uninstall;
mod unknown_command;
mod up;
mod update;
mod updater;
mod upgrades;
mod version;
mod webhook;
mod which;

use std::process::ExitCode;
use std::time::Duration;

use portolan_approval::worker;
use tokio::runtime::Runtime;

use self::failure::Failure;

/// The maximum time that the program waits for reading threads before it exits. A read from a
/// failed disk may never return.
const GRACE: Duration = Duration::from_secs(1);

fn main() -> ExitCode {
    if std::env::args_os()
        .nth(1)
        .is_some_and(|it| it == worker::COMMAND)
    {
        return worker::serve();
    }
    // A worker process evaluates rules. If the path of this program is unknown, this process
    // evaluates the rules itself.
    if let Ok(program) = std::env::current_exe() {
        worker::offer(program);
    }
    match completion::complete() {
        Ok(true) => return ExitCode::SUCCESS,
        Ok(false) => (),
        Err(error) => {
            return Failure::failed_to("cannot complete the command line", &error).report();
        }
    }
    let runtime = match Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            let failed = Failure::failed_to("cannot start the async runtime", &error);
            return failed.report();
        }
    };
    let ended = runtime.block_on(cli::run());
    // Tasks that still run may write logs when they end. So the shutdown happens before the error
    // is printed, and the error is the last line.
    runtime.shutdown_timeout(GRACE);
    match ended {
        Ok(exit) => exit.into(),
        Err(failure) => failure.report(),
    }
}
