//! `portolan help`: prints the same text as `--help`.

use clap::Parser;
use portolan_core_names::nearest;

use crate::cli;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::{print, unknown_command};

/// Show the help of a command.
#[derive(Debug, Parser)]
#[command(after_help = "Exit codes:
  0  the help is shown
  2  the command does not exist

Examples:
  portolan help path
  portolan help catalog check")]
pub(crate) struct HelpArgs {
    /// Command whose help is shown. Default: list all commands.
    #[arg(value_name = "COMMAND")]
    words: Vec<String>,
}

// === impl HelpArgs ===

impl HelpArgs {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let mut program = cli::command();
        program.build();
        let mut command = &mut program;
        for word in &self.words {
            let Some(next) = command.find_subcommand_mut(word) else {
                return Err(self.unknown(word));
            };
            command = next;
        }
        print::text(&command.render_long_help().to_string())?;
        Ok(Exit::Answered)
    }

    /// Returns the error for an unknown command. Suggests a similar command or subcommand.
    fn unknown(&self, word: &str) -> Failure {
        let hint = match self.words.as_slice() {
            [word] => unknown_command::message(word, None),
            _ => None,
        };
        if let Some(hint) = hint {
            return Failure::usage(hint);
        }
        let program = cli::command();
        let visible = program.get_subcommands().filter(|it| !it.is_hide_set());
        let below =
            visible.flat_map(|command| std::iter::once(command).chain(command.get_subcommands()));
        let names: Vec<String> = below.map(|it| it.get_name().to_owned()).collect();
        let hint = match nearest(word, names.iter()) {
            Some(near) => format!("did you mean {near}?"),
            None => "`portolan help` lists all".to_owned(),
        };
        Failure::usage(format!("unknown command {}; {hint}", self.words.join(" ")))
    }
}
