//! Supports options before the command, as in `portolan -n harbor plan status`. These options are
//! moved after the command, because only the command declares them.

use std::ffi::OsString;

use clap::{Arg, Command};

/// The options that may precede a command.
const MOVABLE: [&str; 7] = [
    "namespace",
    "all-namespaces",
    "context",
    "kubeconfig",
    "output",
    "as",
    "as-group",
];

/// The words of a command line, split into the command, the options before it, and the words after
/// it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Split {
    /// The program name, the options of the program, and the command. The command is the first word
    /// that is neither an option nor the value of an option.
    command: Vec<OsString>,
    /// The options before the command, which must be moved after the command.
    options: Vec<OsString>,
    rest: Vec<OsString>,
    /// True if the line contains a command after the options.
    has_command: bool,
}

/// The meaning of an option before the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leading {
    /// An option of the program. Contains true if the next word is the value of the option.
    Own(bool),
    /// An option of a command. Contains true if the next word is the value of the option.
    OfCommand(bool),
    Unknown,
}

// === impl Split ===

impl Split {
    /// Splits a command line. The first word of the line is the name of the program.
    pub(crate) fn of(program: &Command, line: impl IntoIterator<Item = OsString>) -> Self {
        let mut words = line.into_iter();
        let mut split = Self {
            command: words.next().into_iter().collect(),
            options: Vec::new(),
            rest: Vec::new(),
            has_command: false,
        };
        let mut command = program;
        while let Some(word) = words.next() {
            let text = word.to_string_lossy().into_owned();
            if let Some(below) = command.find_subcommand(&text) {
                split.command.push(word);
                split.has_command = true;
                command = below;
                if !command.has_subcommands() {
                    break;
                }
                continue;
            }
            let (place, has_value) = match leading(program, command, &text) {
                Leading::Own(has_value) => (&mut split.command, has_value),
                Leading::OfCommand(has_value) => (&mut split.options, has_value),
                Leading::Unknown => {
                    split.command.push(word);
                    split.has_command = true;
                    break;
                }
            };
            place.push(word);
            if has_value {
                place.extend(words.next());
            }
        }
        split.rest = words.collect();
        split
    }

    /// Returns the command line with the options after the command. Omits the options if there is
    /// no command, because the first error must be about the missing command.
    pub(crate) fn moved(self) -> Vec<OsString> {
        let Self {
            command,
            options,
            rest,
            has_command,
        } = self;
        let options = options.into_iter().filter(|_| has_command);
        command.into_iter().chain(options).chain(rest).collect()
    }

    /// Returns all words of the command line, with the options after the command. Keeps the options
    /// even if there is no command.
    pub(crate) fn all_moved(self) -> Vec<OsString> {
        let has_command = true;
        Self {
            has_command,
            ..self
        }
        .moved()
    }
}

/// Returns the program with the options that may precede a command. Completion uses this program.
pub(crate) fn declared(program: Command) -> Command {
    if !program.has_subcommands() {
        return program;
    }
    let found = MOVABLE.into_iter().filter_map(|long| {
        let mut own = program.get_arguments();
        if own.any(|arg| arg.get_long() == Some(long)) {
            return None;
        }
        find(&program, &|arg| arg.get_long() == Some(long)).map(|arg| copy(arg, long))
    });
    let found: Vec<_> = found.collect();
    program.args(found).mut_subcommands(declared)
}

/// Returns a copy of an option without its conflicts and requirements, because these refer to
/// arguments of its command.
fn copy(arg: &Arg, long: &'static str) -> Arg {
    let copy = Arg::new(arg.get_id().clone()).long(long);
    let mut copy = copy.action(arg.get_action().clone());
    if let Some(short) = arg.get_short() {
        copy = copy.short(short);
    }
    if let Some(help) = arg.get_help() {
        copy = copy.help(help.clone());
    }
    copy
}

/// Returns the first option that matches, among the options of all subcommands.
fn find<'c>(command: &'c Command, is_meant: &dyn Fn(&Arg) -> bool) -> Option<&'c Arg> {
    command.get_subcommands().find_map(|below| {
        let own = below.get_arguments().find(|arg| is_meant(arg));
        own.or_else(|| find(below, is_meant))
    })
}

fn leading(program: &Command, command: &Command, word: &str) -> Leading {
    if ["-h", "--help", "-V", "--version"].contains(&word) {
        return Leading::Own(false);
    }
    let is_movable = |arg: &Arg| arg.get_long().is_some_and(|long| MOVABLE.contains(&long));
    if let Some(long) = word.strip_prefix("--") {
        let (long, value) = match long.split_once('=') {
            Some((long, value)) => (long, Some(value)),
            None => (long, None),
        };
        let has_next = |arg: &Arg| arg.get_action().takes_values() && value.is_none();
        let is_named = |arg: &&Arg| arg.get_long() == Some(long);
        if let Some(own) = program.get_arguments().find(is_named) {
            return Leading::Own(has_next(own));
        }
        let below = find(command, &|arg| is_named(&arg) && is_movable(arg));
        return below.map_or(Leading::Unknown, |arg| Leading::OfCommand(has_next(arg)));
    }
    let Some(letters) = word.strip_prefix('-').filter(|it| !it.is_empty()) else {
        return Leading::Unknown;
    };
    // Several letters can follow one hyphen: `-Ao json` is `-A -o json`, and `-nharbor` is `-n
    // harbor`.
    for (at, letter) in letters.char_indices() {
        let is_named = |arg: &Arg| arg.get_short() == Some(letter) && is_movable(arg);
        let Some(arg) = find(command, &is_named) else {
            return Leading::Unknown;
        };
        if arg.get_action().takes_values() {
            return Leading::OfCommand(at + letter.len_utf8() == letters.len());
        }
    }
    Leading::OfCommand(false)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::cli;

    fn moved(line: &str) -> String {
        let words = line.split_whitespace().map(OsString::from);
        let moved = Split::of(&cli::program(), words).moved();
        let words: Vec<_> = moved.iter().map(|word| word.to_string_lossy()).collect();
        words.join(" ")
    }

    #[rstest]
    #[case::after("p diagnose -n harbor", "p diagnose -n harbor")]
    #[case::before("p -n harbor diagnose ferry", "p diagnose -n harbor ferry")]
    #[case::with_equals_sign("p --namespace=harbor diagnose", "p diagnose --namespace=harbor")]
    #[case::in_one_word("p -nharbor diagnose", "p diagnose -nharbor")]
    #[case::nested("p -n harbor plan status x", "p plan status -n harbor x")]
    #[case::between("p plan -n harbor status x", "p plan status -n harbor x")]
    #[case::several(
        "p --context kind -A plan -o json status",
        "p plan status --context kind -A -o json"
    )]
    #[case::joined_letters("p -Ao json health", "p health -Ao json")]
    #[case::value_like_a_command("p -n plan plan status", "p plan status -n plan")]
    #[case::own_option("p --color never -n a health", "p --color never health -n a")]
    #[case::unknown_command("p -n a diagnoze -o json", "p diagnoze -n a -o json")]
    #[case::unknown_option("p -n a --frob health", "p --frob -n a health")]
    #[case::no_command("p -n harbor", "p")]
    #[case::help("p -n harbor --help", "p --help")]
    #[case::value_missing("p -n", "p")]
    #[case::command_without_option("p -n a version", "p version -n a")]
    fn moves_options_after_the_command(#[case] line: &str, #[case] expected: &str) {
        assert_eq!(moved(line), expected);
        assert_eq!(moved(expected), expected);
    }

    /// If an option needs a value, it needs a value in all commands. So the option can be parsed
    /// before the command is known.
    #[test]
    fn leading_options_take_values_in_all_commands_or_in_none() {
        fn each<'c>(command: &'c Command, all: &mut Vec<&'c Arg>) {
            for below in command.get_subcommands() {
                all.extend(below.get_arguments());
                each(below, all);
            }
        }
        let program = cli::program();
        let mut all = Vec::new();
        each(&program, &mut all);
        for long in MOVABLE {
            let same = all.iter().filter(|arg| arg.get_long() == Some(long));
            let forms: std::collections::BTreeSet<_> = same
                .map(|arg| (arg.get_short(), arg.get_action().takes_values()))
                .collect();
            assert_eq!(forms.len(), 1, "{long}: {forms:?}");
        }
    }
}
