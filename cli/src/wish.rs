//! Parses and formats requirements of the command line.
//!
//! ```text
//! quay   quay@3.9.2   quay@>=3.9.0 <3.10.0 channel=stable-3.9 catalog=olm/shop
//! ```

use std::fmt::Display;

use portolan_core_names::{
    CatalogName, ChannelName, InvalidText, PackageName, Version, VersionRange,
};
use portolan_proto::resolver::v1::Wish;
use thiserror::Error;

/// The keys of a requirement, in addition to its package and versions.
const KEYS: [&str; 2] = ["channel", "catalog"];

/// An invalid requirement.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{text:?} is not a requirement: at column {column}, {why}")]
pub(crate) struct NoWish {
    text: String,
    /// Counted from 1, in characters.
    column: usize,
    why: String,
}

/// A part of a requirement, with its byte offset.
#[derive(Debug, Clone, Copy)]
struct Piece<'a> {
    at: usize,
    text: &'a str,
}

/// Parses the requirements of a command line. Without quotes a shell splits a requirement into
/// several arguments, so an argument with a channel or catalog belongs to the previous requirement.
pub(crate) fn parse_all(arguments: &[String]) -> Result<Vec<Wish>, NoWish> {
    let mut wishes: Vec<String> = Vec::new();
    for argument in arguments {
        match wishes.last_mut() {
            Some(wish) if key(argument).is_some() => {
                wish.push(' ');
                wish.push_str(argument);
            }
            _ => wishes.push(argument.clone()),
        }
    }
    wishes.iter().map(|wish| parse(wish)).collect()
}

/// Formats a requirement.
pub(crate) fn text(wish: &Wish) -> String {
    let Wish {
        package,
        range,
        channel,
        catalog,
    } = wish;
    let said = [("@", range), (" channel=", channel), (" catalog=", catalog)];
    let said = said.iter().filter(|(_, value)| !value.is_empty());
    said.fold(package.clone(), |text, (key, value)| text + key + value)
}

fn parse(text: &str) -> Result<Wish, NoWish> {
    read(text).map_err(|(at, why)| NoWish {
        column: text[..at].chars().count() + 1,
        text: text.to_owned(),
        why,
    })
}

/// Parses a requirement. Errors include their byte offset.
fn read(text: &str) -> Result<Wish, (usize, String)> {
    let all = pieces(text);
    // A name may stand before a `=`, too, where versions are written as elsewhere.
    let is_key = |(at, piece): (usize, &Piece<'_>)| {
        key(piece.text).is_some_and(|(key, _)| at > 0 || KEYS.contains(&key))
    };
    let first = all.iter().enumerate().position(is_key);
    let (what, said) = all.split_at(first.unwrap_or(all.len()));
    let mut wish = package_and_range(text, what)?;
    for piece in said {
        let Some((key, value)) = key(piece.text) else {
            let why = "only channel= or catalog= may follow channel= or catalog=; versions come first, as in \"quay@>=3.9.0 channel=stable-3.9\"";
            return Err((piece.at, why.to_owned()));
        };
        let at = piece.at + key.len() + 1;
        let field = match key {
            "channel" => {
                at_position(at, ChannelName::parse(value))?;
                &mut wish.channel
            }
            "catalog" => {
                at_position(at, CatalogName::parse(value))?;
                &mut wish.catalog
            }
            other => {
                let known = KEYS.map(|key| format!("{key}=")).join(" or ");
                return Err((piece.at, format!("{other}= is unknown; use {known}")));
            }
        };
        if !field.is_empty() {
            return Err((piece.at, format!("{key}= is given twice")));
        }
        value.clone_into(field);
    }
    Ok(wish)
}

fn package_and_range(text: &str, what: &[Piece<'_>]) -> Result<Wish, (usize, String)> {
    let (Some(first), Some(last)) = (what.first(), what.last()) else {
        let why = "a package must come first, as in \"quay channel=stable-3.9\"";
        return Err((0, why.to_owned()));
    };
    // Only a range can contain blanks.
    let whole = &text[first.at..last.at + last.text.len()];
    let (package, range) = match whole.split_once('@') {
        Some((package, range)) => (package, Some(range)),
        None => (whole, None),
    };
    if Version::parse(package).is_ok() || package.starts_with(['<', '>', '=', '!', '~', '^']) {
        let why = format!("versions follow a package, as in \"quay@{package}\"");
        return Err((first.at, why));
    }
    if range.is_none()
        && let Some(at) = package.find(['<', '>', '=', '!', '~', '^', ':'])
        && at > 0
    {
        let (package, versions) = package.split_at(at);
        let versions = versions.trim_start_matches(':');
        let versions = match versions.strip_prefix("=>") {
            Some(version) => format!(">={version}"),
            None => versions.to_owned(),
        };
        let why = format!("versions follow an @, as in \"{package}@{versions}\"");
        return Err((first.at + at, why));
    }
    if range.is_none()
        && let [_, second, ..] = what
    {
        let why = "a second word must be channel= or catalog=; versions follow an @, as in \
                   \"quay@>=3.9.0 <3.10.0\"";
        return Err((second.at, why.to_owned()));
    }
    at_position(first.at, PackageName::parse(package))?;
    if let Some(range) = range {
        at_position(first.at + package.len() + 1, VersionRange::parse(range))?;
    }
    Ok(Wish {
        package: package.to_owned(),
        range: range.unwrap_or_default().trim().to_owned(),
        ..Wish::default()
    })
}

/// Converts the error of a name to its byte offset in a longer text.
fn at_position<T, F: Display>(
    at: usize,
    parsed: Result<T, InvalidText<F>>,
) -> Result<T, (usize, String)> {
    parsed.map_err(|refusal| {
        let before = refusal.text().chars().take(refusal.column() - 1);
        let within: usize = before.map(char::len_utf8).sum();
        (at + within, refusal.flaw().to_string())
    })
}

/// Splits KEY=VALUE. Comparisons such as `>=` do not count.
fn key(piece: &str) -> Option<(&str, &str)> {
    let (key, value) = piece.split_once('=')?;
    let is_word = |key: &str| key.chars().all(|letter| letter.is_ascii_lowercase());
    (!key.is_empty() && is_word(key)).then_some((key, value))
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let words = text.split_whitespace();
    let pieces = words.map(|word| Piece {
        at: word.as_ptr().addr() - text.as_ptr().addr(),
        text: word,
    });
    pieces.collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn texts(arguments: &[&str]) -> Vec<String> {
        let arguments: Vec<_> = arguments.iter().map(ToString::to_string).collect();
        match parse_all(&arguments) {
            Ok(wishes) => wishes.iter().map(text).collect(),
            Err(refusal) => vec![refusal.to_string()],
        }
    }

    #[rstest]
    #[case::package("quay", "quay")]
    #[case::version("quay@3.9.2", "quay@3.9.2")]
    #[case::range("quay@>=3.9.0 <3.10.0", "quay@>=3.9.0 <3.10.0")]
    #[case::channel("quay@3.9.2 channel=stable-3.9", "quay@3.9.2 channel=stable-3.9")]
    #[case::catalog("quay catalog=olm/shop channel=a", "quay channel=a catalog=olm/shop")]
    #[case::range_with_all(
        "quay@>=1.0.0  || =0.9.0 channel=a catalog=b",
        "quay@>=1.0.0  || =0.9.0 channel=a catalog=b"
    )]
    #[case::blanks_around("  quay  channel=a ", "quay channel=a")]
    fn parses_requirements(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(texts(&[text]), [expected]);
    }

    #[test]
    fn joins_words_that_shell_split() {
        assert_eq!(
            texts(&["quay@3.9.2", "channel=a", "rope", "catalog=b", "channel=c"]),
            ["quay@3.9.2 channel=a", "rope channel=c catalog=b"]
        );
    }

    #[rstest]
    #[case::nothing("", 1, "a package must come first")]
    #[case::no_package("channel=a", 1, "a package must come first")]
    #[case::as_for_generate("quay=3.9.2", 5, "versions follow an @, as in \"quay@=3.9.2\"")]
    #[case::the_wrong_way_round("quay=>3.9.2", 5, "versions follow an @, as in \"quay@>=3.9.2\"")]
    #[case::name("quay rope", 6, "a second word must be channel= or catalog=")]
    #[case::version_alone("3.9.2", 1, "versions follow a package, as in \"quay@3.9.2\"")]
    #[case::range_alone(">=3.9.0 <4.0.0", 1, "versions follow a package")]
    #[case::capital("Quay@1.0.0", 1, "")]
    #[case::no_range("quay@", 6, "nothing is written")]
    #[case::range("quay@>=3.9.0 =>4", 14, "")]
    #[case::key("quay version=a", 6, "version= is unknown; use channel= or catalog=")]
    #[case::channel("quay channel=", 14, "")]
    #[case::twice("quay channel=a channel=b", 16, "channel= is given twice")]
    #[case::order("quay channel=a >=3.9.0", 16, "only channel= or catalog= may follow")]
    #[case::behind_other_letters("quay@>=1.0.0 channel=a catalog=olm/é", 36, "")]
    fn rejects_invalid_requirements(#[case] text: &str, #[case] column: usize, #[case] why: &str) {
        let message = texts(&[text]).remove(0);
        let start = format!("{text:?} is not a requirement: at column {column}, {why}");
        assert!(message.starts_with(&start), "{message}");
    }
}
