//! `portolan help`: what --help says.

use clap::Parser;

use crate::cli;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::print;

/// Show the help of a command, as its --help does.
#[derive(Debug, Parser)]
#[command(after_help = "Exit codes:
  0  the help is shown
  2  there is no such command

Examples:
  portolan help path
  portolan help catalog check")]
pub(crate) struct Command {
    /// The command; all are listed if none is given.
    #[arg(value_name = "COMMAND")]
    words: Vec<String>,
}

// === impl Command ===

impl Command {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let mut program = cli::command();
        program.build();
        let mut command = &mut program;
        for word in &self.words {
            let Some(next) = command.find_subcommand_mut(word) else {
                return Err(Failure::taught(format!(
                    "there is no command {}; `portolan help` lists all",
                    self.words.join(" ")
                )));
            };
            command = next;
        }
        print::text(&command.render_long_help().to_string())?;
        Ok(Exit::Answered)
    }
}
