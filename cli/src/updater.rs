//! `portolan serve updater`: writes new versions into Operators, as the rules of these Operators
//! allow.

use clap::Parser;
use portolan_core_names::text::listed;
use portolan_updater::{Flags, OperatorLine, RoundResult, once};
use tracing::{Instrument, info_span};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::print;

/// Upgrade Operators automatically, according to the ConfigMap portolan-updater.
///
/// Without the ConfigMap, no Operator is upgraded. The updater changes only spec.version and the
/// condition AutomaticUpdates. A version that another client has written is not changed. While a
/// catalog or the ConfigMap is invalid, nothing changes. If several updaters run, only the holder
/// of the Lease writes. The updater watches objects, and does not poll.
///
/// With --once the updater runs once and exits, for a CronJob or CI.
#[derive(Debug, Parser)]
#[command(after_help = "Exit codes:
  0  stopped by a signal; with --once: every Operator is up to date, or its upgrade is in progress
  1  with --once: an Operator needs attention before it can be upgraded
  2  invalid input: the command line, the configuration or an object is invalid or missing
  3  stopped by an error, such as an unreachable server or a Lease of another updater

Examples:
  portolan serve updater --resolver http://resolver:50051
  portolan serve updater --once --dry-run
  portolan serve updater --once --context production")]
pub(crate) struct UpdaterArgs {
    #[command(flatten)]
    flags: Flags,
}

impl UpdaterArgs {
    /// Returns true if the updater runs only once.
    pub(crate) fn is_once(&self) -> bool {
        self.flags.once.once
    }

    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        if !self.is_once() {
            portolan_updater::serve(self.flags).await?;
            return Ok(Exit::Answered);
        }
        let ran = once(&self.flags).instrument(info_span!("update")).await;
        print_outcome(ran?)
    }
}

fn print_outcome(ran: RoundResult) -> Result<Exit, Failure> {
    match ran {
        RoundResult::Off => {
            print::note(
                "no Operator is upgraded, because ConfigMap portolan-updater does not exist",
            );
            Ok(Exit::Answered)
        }
        RoundResult::Invalid(refused) => {
            refused.iter().for_each(|why| print::error(why));
            Ok(Exit::BadInput)
        }
        RoundResult::Failed(why) => {
            print::error(&why);
            Ok(Exit::Unknown)
        }
        RoundResult::Reported { lines, absent } => {
            if !absent.is_empty() {
                let absent = listed(absent);
                print::warn(&format!(
                    "Operators of ConfigMap portolan-updater not found: {absent}"
                ));
            }
            print::text(&text(&lines))?;
            let needs_people = lines.iter().any(|line| line.reason.is_warning());
            Ok(Exit::no_if(needs_people))
        }
    }
}

/// Returns the output, with one line for each Operator.
fn text(lines: &[OperatorLine]) -> String {
    if lines.is_empty() {
        return "no Operator is upgraded\n".to_owned();
    }
    let lines = lines.iter().map(|line| {
        let OperatorLine {
            name,
            reason,
            message,
        } = line;
        format!("{name}: {reason}: {message}\n")
    });
    lines.collect()
}
