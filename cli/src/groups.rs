//! Groups the commands in `portolan --help` by purpose.

use std::fmt::Write as _;

use clap::Command;

/// A group of commands with a common purpose.
struct Group {
    heading: &'static str,
    commands: &'static [&'static str],
}

/// The groups. The commands have the order in which a user needs them.
const GROUPS: [Group; 7] = [
    Group {
        heading: "Understand what is installed",
        commands: &[
            "diagnose",
            "health",
            "explain",
            "review",
            "installed",
            "packages",
            "graph",
            "copies",
            "dump",
        ],
    },
    Group {
        heading: "Plan an upgrade",
        commands: &[
            "upgrades",
            "path",
            "route",
            "readiness",
            "resolve",
            "generate",
        ],
    },
    Group {
        heading: "Change a cluster",
        commands: &["create", "update", "delete", "adopt", "release", "approve"],
    },
    Group {
        heading: "Build and check",
        commands: &["bundle", "catalog", "plan", "policy"],
    },
    Group {
        heading: "Set up Portolan",
        commands: &["check", "install", "uninstall"],
    },
    Group {
        heading: "Serve",
        commands: &["up", "console", "serve"],
    },
    Group {
        heading: "Other",
        commands: &["completion", "help", "version"],
    },
];

/// The maximum width of a line in the list of commands.
const WIDTH: usize = 80;

/// Returns the program with a help text that lists its commands in groups.
pub(crate) fn with_groups(program: Command) -> Command {
    let template = format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}{}\n{{options}}{{after-help}}",
        lists(&program),
        heading(&program, "Options")
    );
    program.help_template(template)
}

/// Returns the lists of all groups, with an empty line after each group.
fn lists(program: &Command) -> String {
    let names = GROUPS.iter().flat_map(|group| group.commands);
    let longest = names.map(|name| name.len()).max().unwrap_or_default();
    let mut text = String::new();
    for group in &GROUPS {
        text += &heading(program, group.heading);
        for command in group.commands {
            let command = program.find_subcommand(command);
            let visible = command.filter(|it| !it.is_hide_set());
            text.extend(visible.map(|it| line(program, it, longest)));
        }
        text += "\n\n";
    }
    text
}

fn heading(program: &Command, text: &str) -> String {
    let style = program.get_styles().get_header();
    format!("{style}{text}:{style:#}")
}

/// Returns the lines about a command: its name and its summary, wrapped.
fn line(program: &Command, command: &Command, longest: usize) -> String {
    let style = program.get_styles().get_literal();
    let name = command.get_name();
    let indent = longest + 4;
    let mut text = format!("\n  {style}{name}{style:#}{:1$}", "", longest - name.len());
    let mut column = indent - 2;
    let mut gap = "  ".to_owned();
    for word in summary(command).split_whitespace() {
        if column + gap.len() + word.len() > WIDTH {
            gap = format!("\n{:indent$}", "");
            column = 0;
        }
        column += gap.trim_start_matches('\n').len() + word.len();
        // Writing to a String never fails.
        let _ = write!(text, "{gap}{word}");
        " ".clone_into(&mut gap);
    }
    text
}

/// Returns the summary of a command, which is the first paragraph of its help. The summary also
/// contains the aliases.
fn summary(command: &Command) -> String {
    let about = command.get_about().map(ToString::to_string);
    let names: Vec<_> = command.get_visible_aliases().collect();
    let about = about.unwrap_or_default();
    match names.as_slice() {
        [] => about,
        [name] => format!("{about} [alias: {name}]"),
        names => format!("{about} [aliases: {}]", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::cli;

    #[test]
    fn each_command_is_in_one_group() {
        let program = cli::program();
        let visible = program.get_subcommands().filter(|it| !it.is_hide_set());
        let visible: BTreeSet<_> = visible.map(Command::get_name).collect();
        let mut listed = BTreeSet::new();
        for command in GROUPS.iter().flat_map(|group| group.commands) {
            assert!(listed.insert(*command), "{command} is in several groups");
        }
        assert_eq!(listed, visible);
    }

    #[test]
    fn lines_of_command_lists_fit_the_help_width() {
        let lists = lists(&cli::program());
        let lists = anstream::adapter::strip_str(&lists).to_string();
        let lines: Vec<_> = lists.lines().filter(|it| it.starts_with(' ')).collect();
        assert!(lines.iter().all(|line| line.len() <= WIDTH), "{lists}");
        assert!(lines.iter().any(|line| line.starts_with("  serve  ")));
    }
}
