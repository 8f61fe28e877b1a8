//! `portolan bundle`: shows and checks one bundle, from a catalog or from files.

mod changes;
mod check;
mod diff;
mod offered;
mod place;
mod render;
mod show;

use std::ffi::OsString;

use clap::Subcommand;

pub(crate) use self::changes::Changes;
pub(crate) use self::render::sentence;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::print;

/// Show, check, render and compare bundles.
#[derive(Debug, Subcommand)]
pub(crate) enum BundleCommand {
    Show(Box<show::BundleShowArgs>),
    Check(Box<check::BundleCheckArgs>),
    Render(render::BundleRenderArgs),
    Diff(diff::BundleDiffArgs),
}

/// The subcommands of `bundle`.
const COMMANDS: [&str; 4] = ["show", "check", "render", "diff"];

// === impl BundleCommand ===

impl BundleCommand {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        match self {
            Self::Show(command) => command.run().await,
            Self::Check(command) => command.run().await,
            Self::Render(command) => command.run().await,
            Self::Diff(command) => command.run().await,
        }
    }
}

/// Rewrites the deprecated form `bundle PACKAGE BUNDLE` to `bundle show PACKAGE BUNDLE`.
pub(crate) fn expand_old_spelling(line: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut line: Vec<_> = line.collect();
    let Some(at) = line.iter().skip(1).position(|word| word == "bundle") else {
        return line;
    };
    let (before, behind) = (&line[1..at + 1], &line[at + 2..]);
    let is_new = |word: &OsString| COMMANDS.iter().any(|command| word == command);
    let is_help = |word: &OsString| {
        ["-h", "--help", "-V", "--version"]
            .iter()
            .any(|it| word == it)
    };
    // The word `bundle` is the command only if all words before it are flags.
    let is_command = before
        .iter()
        .all(|word| word.to_string_lossy().starts_with('-'));
    if is_command && !behind.is_empty() && !behind.iter().any(|it| is_new(it) || is_help(it)) {
        print::warn(
            "`bundle PACKAGE BUNDLE` is deprecated, and will be removed in the next version; use `bundle show PACKAGE BUNDLE`",
        );
        line.insert(at + 2, "show".into());
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expands_old_spelling_of_show() {
        let cases = [
            ("p bundle a a.v1", "p bundle show a a.v1"),
            (
                "p bundle --server u a a.v1",
                "p bundle show --server u a a.v1",
            ),
            (
                "p --color=never bundle a a.v1",
                "p --color=never bundle show a a.v1",
            ),
            ("p bundle show a a.v1", "p bundle show a a.v1"),
            ("p bundle check a", "p bundle check a"),
            ("p bundle --help", "p bundle --help"),
            ("p bundle", "p bundle"),
            ("p packages bundle a", "p packages bundle a"),
        ];
        for (old, new) in cases {
            let words = old.split(' ').map(OsString::from);
            let expected: Vec<_> = new.split(' ').map(OsString::from).collect();
            assert_eq!(expand_old_spelling(words), expected, "{old}");
        }
    }
}
