//! `portolan completion`: completes command lines for shells and for kubectl.

mod objects;
mod values;

use std::env;
use std::io::{self, Write as _};

use clap::{Command, Parser, ValueEnum};
use clap_complete::CompletionCandidate;
use clap_complete::engine;
use clap_complete::env::{CompleteEnv, Shells};

pub(crate) use self::values::with_completers;
use crate::cli;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::leading_options;
use crate::print;
use crate::program_name::ProgramName;

/// Print the completion script of a shell.
///
/// The script calls this program for each completion, so the script stays valid after an update of
/// the program. To complete commands of the kubectl plugin, create a link named
/// `kubectl_complete-operator` to this program in PATH.
#[derive(Debug, Parser)]
#[command(after_help = "Exit codes:
  0  the script is written
  2  the command line is invalid

Examples:
  source <(portolan completion bash)
  portolan completion zsh > \"${fpath[1]}/_portolan\"
  portolan completion fish > ~/.config/fish/completions/portolan.fish")]
pub(crate) struct CompletionArgs {
    /// Shell that runs the script.
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Shell {
    Bash,
    Fish,
    Zsh,
}

/// The environment variable in which a completion script passes the name of its shell.
const ASKED: &str = "PORTOLAN_COMPLETE";

/// A directive for kubectl: offer only these completions, and no file names. Each other output line
/// contains a word, a tab and a description.
const NOTHING_ELSE: &str = ":4";
const WHAT_THERE_IS: &str = ":0";

// === impl CompletionArgs ===

impl CompletionArgs {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let name = ProgramName::now().program();
        let shells = Shells::builtins();
        let shell = shells.completer(match self.shell {
            Shell::Bash => "bash",
            Shell::Fish => "fish",
            Shell::Zsh => "zsh",
        });
        let shell = shell.expect("the shell must be supported");
        let mut script = Vec::new();
        shell
            .write_registration(ASKED, &name.replace('-', "_"), name, name, &mut script)
            .map_err(Failure::failed)?;
        print::text(&String::from_utf8_lossy(&script))?;
        Ok(Exit::Answered)
    }
}

/// Returns the command line, with the options that can precede a command.
fn command() -> Command {
    with_completers(leading_options::declared(cli::command()))
}

/// Prints completions if a completion script or kubectl runs the program. In this case, returns
/// true.
pub(crate) fn complete() -> io::Result<bool> {
    if matches!(ProgramName::now(), ProgramName::PluginCompleter(_)) {
        return answer_kubectl().map(|()| true);
    }
    let here = env::current_dir().ok();
    let asked = CompleteEnv::with_factory(command).var(ASKED);
    let answered = asked.try_complete(env::args_os(), here.as_deref());
    answered.map_err(io::Error::other)
}

/// Prints completions for kubectl. kubectl passes all words after the name of the plugin, and the
/// last word is incomplete.
fn answer_kubectl() -> io::Result<()> {
    let words: Vec<_> = env::args_os().collect();
    let last = words.len().saturating_sub(1).max(1);
    let here = env::current_dir().ok();
    let could_follow = engine::complete(&mut command(), words, last, here.as_deref())?;
    let answer = in_lines(&could_follow);
    io::stdout().write_all(answer.as_bytes())
}

fn in_lines(could_follow: &[CompletionCandidate]) -> String {
    let shown = could_follow.iter().filter(|each| !each.is_hide_set());
    let mut lines: Vec<_> = shown.map(line).collect();
    let last = if lines.is_empty() {
        WHAT_THERE_IS
    } else {
        NOTHING_ELSE
    };
    lines.push(last.to_owned());
    lines.join("\n") + "\n"
}

fn line(could_follow: &CompletionCandidate) -> String {
    let word = could_follow.get_value().to_string_lossy();
    match could_follow.get_help().map(ToString::to_string) {
        Some(help) => format!("{word}\t{}", help.lines().next().unwrap_or_default()),
        None => word.into_owned(),
    }
}
