//! Requirements for packages, as users write them on the command line.
//!
//! ```text
//! quay   quay@3.9.2   quay@latest-patch   quay@>=3.9.0 <3.10.0 channel=stable-3.9 catalog=olm/shop
//! ```
//!
//! `quay=3.9.2` and `quay>=3.9.0` mean the same as `quay@3.9.2` and `quay@>=3.9.0`.

use std::fmt;

use crate::conversions::text_conversions;
use crate::invalid_text::{FlawAt, InvalidText};
use crate::{CatalogName, ChannelName, PackageName, Version};

mod target;
#[cfg(test)]
mod tests;

pub use target::Target;

/// The keys of the options that may follow a package and its versions.
const KEYS: [&str; 2] = ["channel", "catalog"];

/// The characters that can follow a package name and start its versions.
const SIGNS: [char; 8] = ['@', '=', '<', '>', '!', '~', '^', ':'];

/// A requirement: a package and its versions, channel and catalog.
///
/// ```
/// # use portolan_core_names::Requirement;
/// let requirement = Requirement::parse("quay=3.9.2 channel=stable")?;
/// assert_eq!(requirement.to_string(), "quay@3.9.2 channel=stable");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    pub package: PackageName,
    pub target: Target,
    pub channel: Option<ChannelName>,
    pub catalog: Option<CatalogName>,
}

/// A substring of a requirement, with its byte offset.
#[derive(Debug, Clone, Copy)]
struct Piece<'a> {
    at: usize,
    text: &'a str,
}

/// Splits a text into a name and the versions that follow it, as in `harbor/ferry@1.2.0`. The name
/// is not checked.
///
/// # Errors
/// Returns an error if the versions are invalid.
pub fn split(text: &str) -> Result<(&str, Option<Target>), InvalidText<String>> {
    let (name, versions) = split_at_sign(text);
    if versions.is_empty() {
        return Ok((name, None));
    }
    let start = text.len() - versions.len();
    let target = target(name, versions).map_err(|flaw| flaw.shift(start));
    let target = target.map_err(|flaw| flaw.refuse("name with a version", text))?;
    Ok((name, Some(target)))
}

/// Splits a text at the first sign into a name and its versions.
fn split_at_sign(text: &str) -> (&str, &str) {
    let (name, versions) = text.split_at(text.find(SIGNS).unwrap_or(text.len()));
    (name.trim_end(), versions)
}

// === impl Requirement ===

impl Requirement {
    /// Parses a requirement.
    ///
    /// # Errors
    /// Returns an error with the column of the flaw and the valid form.
    pub fn parse(text: &str) -> Result<Self, InvalidText<String>> {
        read(text).map_err(|flaw| flaw.refuse("requirement", text))
    }

    /// Returns true if a command line argument belongs to the requirement in the previous argument.
    /// A shell splits a requirement without quotes into several arguments.
    pub fn is_continued_by(word: &str) -> bool {
        key(word).is_some_and(|(key, _)| key == "version" || KEYS.contains(&key))
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            package,
            target,
            channel,
            catalog,
        } = self;
        write!(f, "{package}")?;
        if *target != Target::Latest {
            write!(f, "@{target}")?;
        }
        if let Some(channel) = channel {
            write!(f, " channel={channel}")?;
        }
        if let Some(catalog) = catalog {
            write!(f, " catalog={catalog}")?;
        }
        Ok(())
    }
}

text_conversions!(Requirement, String);

fn read(text: &str) -> Result<Requirement, FlawAt<String>> {
    let all = pieces(text);
    // The first word is a package name, even if a `=` follows it, except in `channel=` and
    // `catalog=`.
    let is_key = |(at, piece): (usize, &Piece<'_>)| {
        key(piece.text).is_some_and(|(key, _)| at > 0 || KEYS.contains(&key))
    };
    let first = all.iter().enumerate().position(is_key);
    let (versioned, keyed) = all.split_at(first.unwrap_or(all.len()));
    let (package, target) = package_and_target(text, versioned)?;
    let mut requirement = Requirement {
        package,
        target,
        channel: None,
        catalog: None,
    };
    for piece in keyed {
        requirement.set(*piece)?;
    }
    Ok(requirement)
}

impl Requirement {
    /// Adds an option such as `channel=stable`.
    fn set(&mut self, Piece { at, text }: Piece<'_>) -> Result<(), FlawAt<String>> {
        let Some((key, value)) = key(text) else {
            let why = "only channel= or catalog= may follow channel= or catalog=; versions come first, as in \"quay@>=3.9.0 channel=stable-3.9\"";
            return Err(FlawAt::new(at, why.to_owned()));
        };
        let twice = FlawAt::new(at, format!("{key}= is given twice"));
        let at_value = at + key.len() + 1;
        match key {
            "channel" if self.channel.is_some() => return Err(twice),
            "catalog" if self.catalog.is_some() => return Err(twice),
            "channel" => self.channel = Some(at_position(at_value, ChannelName::parse(value))?),
            "catalog" => self.catalog = Some(at_position(at_value, CatalogName::parse(value))?),
            "version" => {
                let why = format!("versions follow an @, as in \"{}@{value}\"", self.package);
                return Err(FlawAt::new(at, why));
            }
            other => {
                let known = KEYS.map(|key| format!("{key}=")).join(" or ");
                let why = format!("{other}= is unknown; use {known}");
                return Err(FlawAt::new(at, why));
            }
        }
        Ok(())
    }
}

fn package_and_target(
    text: &str,
    words: &[Piece<'_>],
) -> Result<(PackageName, Target), FlawAt<String>> {
    let (Some(first), Some(last)) = (words.first(), words.last()) else {
        let why = "a package must come first, as in \"quay channel=stable-3.9\"";
        return Err(FlawAt::new(0, why.to_owned()));
    };
    // Only a range can contain blanks, so everything before the first option is a package with its
    // versions.
    let whole = &text[first.at..last.at + last.text.len()];
    let (package, versions) = split_at_sign(whole);
    if package.is_empty() || Version::parse(package).is_ok() {
        let versions = whole.trim_start_matches(['@', ':']);
        let why = format!("versions follow a package, as in \"quay@{versions}\"");
        return Err(FlawAt::new(first.at, why));
    }
    if versions.is_empty()
        && let [_, second, ..] = words
    {
        let why = "a second word must be channel= or catalog=; versions follow an @, as in \
                   \"quay@>=3.9.0 <3.10.0\"";
        return Err(FlawAt::new(second.at, why.to_owned()));
    }
    let name = at_position(first.at, PackageName::parse(package))?;
    let target = target(package, versions)
        .map_err(|flaw| flaw.shift(first.at + whole.len() - versions.len()))?;
    Ok((name, target))
}

/// Parses the versions after a package name. The versions start with a sign such as `@`, or are
/// empty.
fn target(package: &str, versions: &str) -> Result<Target, FlawAt<String>> {
    if versions.is_empty() {
        return Ok(Target::Latest);
    }
    if let Some(after) = versions.strip_prefix(':') {
        let why = format!("versions follow an @, as in \"{package}@{after}\"");
        return Err(FlawAt::new(0, why));
    }
    if let Some(after) = versions.strip_prefix("=>")
        && !after.starts_with('=')
        && !after.trim().contains(' ')
    {
        let why =
            format!("\"=>\" is ambiguous; write \"{package}@>={after}\" or \"{package}@>{after}\"");
        return Err(FlawAt::new(0, why));
    }
    let behind = versions.strip_prefix(['@', '=']).unwrap_or(versions);
    let skipped = versions.len() - behind.len();
    Target::read(behind).map_err(|flaw| flaw.shift(skipped))
}

/// Moves the error of a name to its byte offset in the whole text. The name starts at `at`.
fn at_position<T, F: fmt::Display>(
    at: usize,
    parsed: Result<T, InvalidText<F>>,
) -> Result<T, FlawAt<String>> {
    parsed.map_err(|refusal| {
        let before = refusal.text().chars().take(refusal.column() - 1);
        let within: usize = before.map(char::len_utf8).sum();
        FlawAt::new(at + within, refusal.flaw().to_string())
    })
}

/// Splits an option in the form KEY=VALUE. Returns None if KEY has other characters than lower case
/// letters, as in the comparison `quay>=3.9.0`.
fn key(word: &str) -> Option<(&str, &str)> {
    let (key, value) = word.split_once('=')?;
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
