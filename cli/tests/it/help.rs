//! Tests of `--help`, and of the page with all commands, which is generated from the help. `just
//! commands` writes the page.

mod page;
mod parse;

use std::collections::{BTreeMap, BTreeSet};
use std::{env, fs};

use portolan_kit::assert_same;

use self::parse::{Help, flag};
use crate::program::{portolan, run, transcript};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/commands.md");

#[test]
fn page_of_commands_matches_help() {
    let page = page::page(&commands());
    if env::var_os("PORTOLAN_WRITE_PAGES").is_some() {
        fs::write(PAGE, &page).expect("the page must be written");
    }
    let written = fs::read_to_string(PAGE).expect("the page must exist");
    assert_same!(written, page);
}

#[test]
fn page_has_each_flag_in_its_command_or_in_a_linked_group() {
    let commands = commands();
    let page = page::page(&commands);
    let sections = sections(&page);
    let mut links = BTreeMap::<String, usize>::new();
    for (words, help) in &commands {
        let title = format!("portolan {words}");
        let own = &sections[title.trim_end()];
        let mut found = flags(own);
        found.extend(flags(sections["Common options"]));
        for group in groups(own) {
            found.extend(flags(sections[group.as_str()]));
            *links.entry(group).or_default() += 1;
        }
        let expected = help.entries().filter_map(|entry| entry.flag());
        let expected: BTreeSet<String> = expected.map(str::to_owned).collect();
        assert_eq!(found, expected, "{title}");
    }
    let lonely: Vec<_> = links.iter().filter(|(_, count)| **count < 2).collect();
    assert!(lonely.is_empty(), "{lonely:?}");
}

/// Returns the help of all commands. A subcommand comes after its parent command.
fn commands() -> Vec<(String, Help)> {
    let mut commands = Vec::new();
    let mut pending = vec![String::new()];
    while let Some(words) = pending.pop() {
        let help = Help::parse(&help(&words));
        let below = help.commands().map(|name| format!("{words} {name}"));
        let mut below: Vec<_> = below.map(|it| it.trim_start().to_owned()).collect();
        below.reverse();
        pending.extend(below);
        commands.push((words, help));
    }
    commands
}

fn help(words: &str) -> String {
    let output = run(portolan(words).arg("--help"));
    assert!(output.status.success(), "{words}");
    let help = String::from_utf8(output.stdout).expect("help must be text");
    // For some options, clap prints a last line with only blanks.
    help.lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

/// Returns the sections of the page, by heading.
fn sections(page: &str) -> BTreeMap<&str, &str> {
    let sections = page.split("\n## ").flat_map(|it| it.split("\n### "));
    sections
        .map(|it| it.split_once('\n').unwrap_or((it, "")))
        .collect()
}

/// Returns the options that a section lists.
fn flags(section: &str) -> BTreeSet<String> {
    let items = section.lines().filter_map(|line| line.strip_prefix("- `"));
    let names = items.filter_map(|item| item.split('`').next());
    names.filter_map(flag).map(str::to_owned).collect()
}

/// Returns the names of the option groups to which a section links.
fn groups(section: &str) -> Vec<String> {
    let mut lines = section.lines();
    let links = lines.find_map(|line| line.strip_prefix("Shared options: "));
    let links = links.unwrap_or_default().split("), ");
    let names = links.filter_map(|link| link.strip_prefix('[')?.split(']').next());
    names.map(str::to_owned).collect()
}

#[test]
fn short_help_is_short() {
    insta::assert_snapshot!("upgrades_h", transcript(&mut portolan("upgrades -h")));
}

#[test]
fn help_reads_nothing_from_the_environment() {
    let mut asked = portolan("serve resolver --help");
    asked.env("PORTOLAN_LISTEN", "nonsense");
    assert!(transcript(&mut asked).ends_with("[exit 0]"));
}

#[test]
fn help_command_matches_help_flag() {
    assert_eq!(
        transcript(&mut portolan("help catalog check")),
        transcript(&mut portolan("catalog check --help"))
    );
    assert_eq!(
        transcript(&mut portolan("help")),
        transcript(&mut portolan("--help"))
    );
    let unknown = transcript(&mut portolan("help nosuch"));
    assert_eq!(
        unknown,
        "[stderr]\nerror: unknown command nosuch; `portolan help` lists all\n[exit 2]"
    );
    assert_eq!(
        transcript(&mut portolan("help catalog checks")),
        "[stderr]\nerror: unknown command catalog checks; did you mean check?\n[exit 2]"
    );
}

#[test]
fn unknown_command_error_suggests_matching_command() {
    let expected = "[stderr]\nerror: unknown command deploy; `portolan create ferry` installs an \
                    operator\n[exit 2]";
    assert_eq!(transcript(&mut portolan("deploy ferry")), expected);
    let output = transcript(&mut portolan("install ferry"));
    assert!(output.contains("portolan create ferry"), "{output}");
    let output = transcript(&mut portolan("help describe"));
    assert!(
        output.contains("`portolan health NAME` describes an installed operator"),
        "{output}"
    );
    let output = transcript(&mut portolan("heath"));
    assert!(
        output.contains("tip: a similar subcommand exists: 'health'"),
        "{output}"
    );
}

#[test]
fn prints_version_and_served_apis() {
    let output = transcript(&mut portolan("version -o json"));
    assert!(
        output.contains("\"version\": \"") && output.contains("portolan.resolver.v1.Resolver"),
        "{output}"
    );
    let output = transcript(&mut portolan("version"));
    assert!(output.contains("\nCommit:"), "{output}");
}
