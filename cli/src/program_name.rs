//! The name under which the user runs the program.

use std::env;
use std::ffi::OsStr;
use std::path::Path;

use clap::Command;

/// The name under which the user runs the program. The program behaves as a kubectl plugin if a
/// link with the name of the plugin starts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProgramName {
    /// The program, under its own name or an unknown name.
    Portolan,
    /// The kubectl plugin. kubectl or the user starts it.
    Plugin(PluginName),
    /// The program that kubectl starts to complete command lines of the plugin.
    PluginCompleter(PluginName),
}

/// The name of the plugin. The krew index already contains another plugin `operator`, so the plugin
/// has the name `portolan` there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PluginName {
    Operator,
    Portolan,
}

/// The command that runs server processes. The plugin does not have this command, because users
/// with a kubeconfig do not need it.
const OF_SERVERS: &str = "serve";

// === impl ProgramName ===

impl ProgramName {
    pub(crate) fn now() -> Self {
        let program = env::args_os().next().unwrap_or_default();
        Self::by(&program)
    }

    fn by(program: &OsStr) -> Self {
        let name = Path::new(program).file_stem().and_then(OsStr::to_str);
        match name {
            Some("kubectl-operator") => Self::Plugin(PluginName::Operator),
            Some("kubectl-portolan") => Self::Plugin(PluginName::Portolan),
            Some("kubectl_complete-operator") => Self::PluginCompleter(PluginName::Operator),
            Some("kubectl_complete-portolan") => Self::PluginCompleter(PluginName::Portolan),
            _ => Self::Portolan,
        }
    }

    /// Returns the file name of the program.
    pub(crate) fn program(self) -> &'static str {
        match self {
            Self::Portolan => "portolan",
            Self::Plugin(name) | Self::PluginCompleter(name) => match name {
                PluginName::Operator => "kubectl-operator",
                PluginName::Portolan => "kubectl-portolan",
            },
        }
    }

    /// Returns the words that the user types to run the program, such as `kubectl portolan`.
    pub(crate) fn typed(self) -> &'static str {
        match self {
            Self::Portolan => "portolan",
            Self::Plugin(name) | Self::PluginCompleter(name) => match name {
                PluginName::Operator => "kubectl operator",
                PluginName::Portolan => "kubectl portolan",
            },
        }
    }

    /// Returns the command line, with the name under which the user runs the program.
    pub(crate) fn command(self, program: Command) -> Command {
        match self {
            Self::Portolan => program,
            Self::Plugin(_) | Self::PluginCompleter(_) => self
                .with_typed_name(program)
                .name(self.program())
                .bin_name(self.typed())
                .mut_subcommands(|command| self.with_typed_usage(command))
                .mut_subcommand("health", |health| health.visible_alias("list"))
                .mut_subcommand(OF_SERVERS, |command| command.hide(true)),
        }
    }

    /// Replaces the program name in the examples of a command.
    fn with_typed_name(self, command: Command) -> Command {
        let told = command.get_after_help().map(ToString::to_string);
        let command = match told {
            Some(told) => command.after_help(self.replace_name(&told)),
            None => command,
        };
        command.mut_subcommands(|command| self.with_typed_name(command))
    }

    /// Replaces the program name in a usage that was written by hand. clap returns this usage only
    /// as rendered text, so the text is parsed and set again.
    fn with_typed_usage(self, command: Command) -> Command {
        let usage = command.clone().render_usage().to_string();
        match usage.strip_prefix("Usage: ") {
            Some(usage) if usage.starts_with("portolan ") => {
                command.override_usage(self.replace_name(usage))
            }
            _ => command,
        }
    }

    fn replace_name(self, told: &str) -> String {
        told.replace("portolan ", &format!("{} ", self.typed()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derives_command_from_file_name() {
        let cases = [
            ("portolan", ProgramName::Portolan),
            ("/usr/local/bin/portolan", ProgramName::Portolan),
            (
                "kubectl-operator",
                ProgramName::Plugin(PluginName::Operator),
            ),
            (
                "/opt/kubectl-operator.exe",
                ProgramName::Plugin(PluginName::Operator),
            ),
            (
                "kubectl-portolan",
                ProgramName::Plugin(PluginName::Portolan),
            ),
            (
                "./kubectl_complete-operator",
                ProgramName::PluginCompleter(PluginName::Operator),
            ),
            (
                "kubectl_complete-portolan",
                ProgramName::PluginCompleter(PluginName::Portolan),
            ),
            ("kubectl-operators", ProgramName::Portolan),
            ("", ProgramName::Portolan),
        ];
        for (program, called) in cases {
            assert_eq!(ProgramName::by(OsStr::new(program)), called, "{program}");
        }
    }
}
