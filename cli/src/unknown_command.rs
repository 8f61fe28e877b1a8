//! Errors about unknown commands. Suggests the right command for a typo, or for the command of
//! another program.

mod hints;

use std::ffi::OsString;

use clap::Command;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use portolan_core_names::nearest;

use self::hints::{Answer, HINTS, NAME};
use crate::program_name::ProgramName;

/// The minimum length of a word. Shorter words do not suggest commands that begin with the word.
const PREFIX: usize = 3;

/// Returns a message if the unknown command is a command of another program, such as kubectl.
/// Returns None for other errors. The first word of `line` is the name of the program.
pub(crate) fn hint(error: &Error, program: &Command, line: &[OsString]) -> Option<String> {
    let word = unknown_word(error)?;
    let at = position(line, &word)?;
    let parent = parent(program, &line[..at]).get_name();
    if parent != program.get_name() {
        // Another program may have the parent command with other subcommands.
        return message(parent, Some(&word));
    }
    message(&word, line.get(at + 1).and_then(|it| it.to_str()))
}

/// Returns a message about `word` if it is a command of another program. `next` is the word after
/// it.
pub(crate) fn message(word: &str, next: Option<&str>) -> Option<String> {
    let lower = word.to_lowercase();
    let hint = HINTS.iter().find(|it| it.words.contains(&lower.as_str()))?;
    let program = ProgramName::now().typed();
    let name = next.filter(|it| is_name(it)).unwrap_or(NAME);
    let answers = hint.answers.iter().map(|Answer(command, purpose)| {
        let command = command.replace(NAME, name);
        format!("`{program} {command}` {purpose}")
    });
    let answers: Vec<_> = answers.collect();
    Some(format!("unknown command {lower}; {}", answers.join(", ")))
}

/// Replaces the suggestions of clap with the visible commands that are most similar, because clap
/// also suggests very different commands. Removes a suggested value that is not similar.
pub(crate) fn with_near_suggestions(
    mut error: Error,
    program: &Command,
    line: &[OsString],
) -> Error {
    if let Some(word) = unknown_word(&error) {
        let end = position(line, &word).unwrap_or(line.len());
        let near = near(&word, parent(program, &line[..end]));
        error.remove(ContextKind::SuggestedSubcommand);
        if !near.is_empty() {
            error.insert(
                ContextKind::SuggestedSubcommand,
                ContextValue::Strings(near),
            );
        }
    }
    let text = |kind| error.get(kind).map(ToString::to_string);
    let value = text(ContextKind::InvalidValue).zip(text(ContextKind::SuggestedValue));
    if value.is_some_and(|(typed, it)| nearest(&typed, [it].iter()).is_none()) {
        error.remove(ContextKind::SuggestedValue);
    }
    error
}

/// Returns the visible commands that are similar to a word. The most similar command comes first.
pub(crate) fn near(word: &str, parent: &Command) -> Vec<String> {
    let visible = parent.get_subcommands().filter(|it| !it.is_hide_set());
    let names =
        visible.flat_map(|it| std::iter::once(it.get_name()).chain(it.get_visible_aliases()));
    let mut names: Vec<String> = names.map(str::to_owned).collect();
    let mut found = Vec::new();
    while let Some(name) = nearest(word, names.iter()).cloned() {
        names.retain(|it| *it != name);
        found.push(name);
    }
    let is_begun = |it: &String| word.len() >= PREFIX && it.starts_with(word);
    found.extend(names.into_iter().filter(is_begun));
    found
}

/// Returns the unknown command in an error.
fn unknown_word(error: &Error) -> Option<String> {
    match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) if error.kind() == ErrorKind::InvalidSubcommand => {
            Some(word.clone())
        }
        _ => None,
    }
}

fn position(line: &[OsString], word: &str) -> Option<usize> {
    let mut words = line.iter().skip(1);
    words.position(|it| it == word).map(|at| at + 1)
}

/// Returns the innermost command that these words name.
fn parent<'a>(program: &'a Command, words: &[OsString]) -> &'a Command {
    let words = words.iter().skip(1);
    words.fold(program, |command, word| {
        command.find_subcommand(word).unwrap_or(command)
    })
}

/// Returns true if a word needs no quotes in a shell.
fn is_name(word: &str) -> bool {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "-./".contains(it);
    word.starts_with(|it: char| it.is_ascii_alphanumeric()) && word.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::cli;

    fn line(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    fn error(text: &str) -> Error {
        let result = cli::program().try_get_matches_from(line(text));
        result.expect_err("the command line is invalid")
    }

    /// Each suggested command can be parsed.
    #[test]
    fn each_hint_can_be_parsed() {
        for Answer(command, _) in HINTS.iter().flat_map(|it| it.answers) {
            let command = command.replace(NAME, "ferry").replace("VERSION", "1.2.3");
            let parsed = cli::program().try_get_matches_from(line(&format!("portolan {command}")));
            let is_help = |it: &Error| it.kind() == ErrorKind::DisplayHelp;
            assert!(
                parsed.as_ref().err().is_none_or(is_help),
                "{command}: {parsed:?}"
            );
        }
    }

    /// A word with a hint is never a command of Portolan with a NAME argument.
    #[test]
    fn commands_with_a_name_argument_have_no_hint() {
        let program = cli::program();
        for word in HINTS.iter().flat_map(|it| it.words) {
            let command = program.find_subcommand(word);
            let takes_name = command.filter(|it| !it.has_subcommands());
            assert!(takes_name.is_none(), "{word}");
            assert!(
                HINTS.iter().filter(|it| it.words.contains(word)).count() == 1,
                "{word}"
            );
        }
    }

    #[rstest]
    #[case::with_a_name(
        "portolan deploy ferry",
        "`portolan create ferry` installs an operator"
    )]
    #[case::without_a_name("portolan purge", "`portolan delete NAME` removes an operator")]
    #[case::with_a_flag("portolan status -n harbor", "`portolan health NAME` describes")]
    #[case::in_capitals("portolan LIST", "`portolan health` lists")]
    #[case::behind_a_flag(
        "portolan --color never upgrade ferry",
        "`portolan upgrades ferry` lists"
    )]
    #[case::with_an_odd_name("portolan describe a;b", "`portolan health NAME` describes")]
    fn hint_names_the_command_for_a_word_of_another_program(
        #[case] text: &str,
        #[case] expected: &str,
    ) {
        let hint = hint(&error(text), &cli::program(), &line(text));
        let hint = hint.expect("a hint");
        assert!(hint.contains(expected), "{hint}");
        assert!(!hint.contains('\n'), "{hint}");
    }

    #[rstest]
    #[case::of_a_command("portolan plan install")]
    #[case::unknown_everywhere("portolan xyzzy")]
    #[case::another_error("portolan health --nosuch")]
    fn other_errors_have_no_hint(#[case] text: &str) {
        assert_eq!(hint(&error(text), &cli::program(), &line(text)), None);
    }

    #[rstest]
    #[case::one_letter("portolan heath", &["health"])]
    #[case::two_commands("portolan updatez", &["update"])]
    #[case::of_another_command("portolan plan stats", &["status"])]
    #[case::begun("portolan diag", &["diagnose"])]
    #[case::hidden("portolan webhookz", &[])]
    #[case::far("portolan tcsh", &[])]
    fn suggests_similar_commands(#[case] text: &str, #[case] expected: &[&str]) {
        let program = cli::program();
        let line = line(text);
        let error = with_near_suggestions(error(text), &program, &line);
        let suggested = match error.get(ContextKind::SuggestedSubcommand) {
            Some(ContextValue::Strings(names)) => names.clone(),
            _ => Vec::new(),
        };
        assert_eq!(suggested, expected);
    }

    #[test]
    fn suggests_only_similar_values() {
        let suggested = |text: &str| {
            let error = with_near_suggestions(error(text), &cli::program(), &line(text));
            error
                .get(ContextKind::SuggestedValue)
                .map(ToString::to_string)
        };
        assert_eq!(suggested("portolan completion tcsh"), None);
        assert_eq!(
            suggested("portolan completion bsh").as_deref(),
            Some("bash")
        );
    }
}
