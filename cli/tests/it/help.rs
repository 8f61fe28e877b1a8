//! What `--help` says, as it is read: the page of all commands is made of it. After a change of
//! flags, `just commands` writes the page anew.

use std::{env, fs};

use portolan_kit::assert_same;

use crate::program::{portolan, ran, said};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/commands.md");

const ABOUT: &str = "# Commands

What `--help` says of each; `-h` says it in short. As `kubectl operator` they are [the same](kubectl.md).
Every one has the options of the first besides.
";

/// What is said of the version of the program.
const VERSION: &str = "\n  -V, --version\n          Print version\n";

/// What is below the heading of the commands of a command.
const COMMANDS: &str = "\nCommands:\n";

#[test]
fn the_page_of_commands_is_what_help_says() {
    let page = page();
    if env::var_os("PORTOLAN_WRITE_PAGES").is_some() {
        fs::write(PAGE, &page).expect("the page must be written");
    }
    let written = fs::read_to_string(PAGE).expect("there must be a page");
    assert_same!(written, page);
}

/// The program and all its commands, and theirs, each with what is said of it. What all of them have
/// is told of the first.
fn page() -> String {
    let mut page = ABOUT.to_owned();
    let common = common(&help(&[]));
    let mut untold = vec![Vec::new()];
    while let Some(command) = untold.pop() {
        let name = format!("portolan {}", command.join(" "));
        let mut help = help(&command);
        if !command.is_empty() {
            for option in &common {
                // Of one that makes something of a version, --version is that.
                let without = option.replace(VERSION, "");
                let has_version = help.contains(option);
                let option = if has_version { option } else { &without };
                let is_of_operators = command == ["create"] || command == ["update"];
                assert!(has_version || is_of_operators, "{name} has {VERSION}");
                assert!(help.contains(option), "{name} has {option}");
                help = help.replacen(option, "", 1);
            }
            help = help.replace("\nOptions:\n\n", "\n");
            if let Some(rest) = help.trim_end().strip_suffix("\nOptions:") {
                help = rest.to_owned();
            }
        }
        page += &format!(
            "\n## {}\n\n```text\n{}\n```\n",
            name.trim_end(),
            help.trim_end()
        );
        let below = below(&help).into_iter().rev();
        untold.extend(below.map(|word| [command.clone(), vec![word]].concat()));
    }
    page
}

fn help(command: &[String]) -> String {
    let mut asked = portolan("");
    let output = ran(asked.args(command).arg("--help"));
    assert!(output.status.success(), "{command:?}");
    let help = String::from_utf8(output.stdout).expect("help must be text");
    // Of some options the library says more below a line of blanks.
    help.lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

/// The options that every command has, and how logs are written.
fn common(help: &str) -> [String; 2] {
    let (_, options) = help.split_once("\nOptions:\n").expect("options");
    let (options, logs) = options.split_once("\nLogging:\n").expect("logs");
    let (logs, _) = logs.split_once("\nExit codes:\n").expect("exit codes");
    [options.to_owned(), format!("\nLogging:\n{logs}")]
}

/// The names of the commands that it lists.
fn below(help: &str) -> Vec<String> {
    let Some((_, list)) = help.split_once(COMMANDS) else {
        return Vec::new();
    };
    let list = list.lines().take_while(|line| !line.is_empty());
    let names = list.filter_map(|line| line.strip_prefix("  ")?.split_once(' '));
    let names = names.map(|(name, _)| name.to_owned());
    names.filter(|name| !name.is_empty()).collect()
}

#[test]
fn short_help_is_short() {
    insta::assert_snapshot!("upgrades_h", said(&mut portolan("upgrades -h")));
}

#[test]
fn help_reads_nothing_from_the_environment() {
    let mut asked = portolan("resolver --help");
    asked.env("PORTOLAN_LISTEN", "nonsense");
    assert!(said(&mut asked).ends_with("[exit 0]"));
}

#[test]
fn help_is_a_command_too() {
    assert_eq!(
        said(&mut portolan("help catalog check")),
        said(&mut portolan("catalog check --help"))
    );
    assert_eq!(said(&mut portolan("help")), said(&mut portolan("--help")));
    let unknown = said(&mut portolan("help nosuch"));
    assert_eq!(
        unknown,
        "[stderr]\nerror: there is no command nosuch; `portolan help` lists all\n[exit 2]"
    );
    assert_eq!(
        said(&mut portolan("help catalog checks")),
        "[stderr]\nerror: there is no command catalog checks; did you mean check?\n[exit 2]"
    );
}

#[test]
fn the_program_says_what_it_is() {
    let told = said(&mut portolan("version -o json"));
    assert!(
        told.contains("\"version\": \"") && told.contains("portolan.resolver.v1.Resolver"),
        "{told}"
    );
    let told = said(&mut portolan("version"));
    assert!(told.contains("\nCommit:"), "{told}");
}
