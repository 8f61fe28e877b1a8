//! Parses a text into a [`Version`] step by step, so that an error can name the invalid part.

use semver::{BuildMetadata, Prerelease};

use super::{Flaw, FlawAt, Version};
use crate::invalid_text::excerpt;

/// The maximum length of a version in bytes. The longest version in public catalogs has 25
/// characters.
const LONGEST: usize = 255;

/// Parses `major.minor.patch[-prerelease][+build]`.
pub(crate) fn version(text: &str) -> Result<Version, FlawAt<Flaw>> {
    within(text, LONGEST)?;
    no_leading_v(text)?;
    let (precedence, build) = match text.split_once('+') {
        Some((precedence, build)) => (precedence, Some(build)),
        None => (text, None),
    };
    let (core, pre) = match precedence.split_once('-') {
        Some((core, pre)) => (core, Some(pre)),
        None => (precedence, None),
    };
    let [major, minor, patch] = numbers(core)?;
    if let Some(pre) = pre {
        prerelease(pre).map_err(|flaw| flaw.shift(core.len() + 1))?;
    }
    if let Some(build) = build {
        identifiers(build, |_| Ok(())).map_err(|flaw| flaw.shift(precedence.len() + 1))?;
    }
    Ok(Version(semver::Version {
        major,
        minor,
        patch,
        pre: Prerelease::new(pre.unwrap_or_default()).expect("a read prerelease must be one"),
        build: BuildMetadata::new(build.unwrap_or_default()).expect("a read build must be one"),
    }))
}

pub(super) fn within(text: &str, longest: usize) -> Result<(), FlawAt<Flaw>> {
    match text.len() {
        length if length == 0 || length > longest => {
            Err(FlawAt::new(0, Flaw::Length { length, longest }))
        }
        _ => Ok(()),
    }
}

/// Rejects a leading `v`. Tags are often written as `v1.2.3`, so this error has its own message.
pub(crate) fn no_leading_v(text: &str) -> Result<(), FlawAt<Flaw>> {
    match text.strip_prefix(['v', 'V']) {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => Err(FlawAt::new(
            0,
            Flaw::LeadingV {
                instead: excerpt(rest),
            },
        )),
        _ => Ok(()),
    }
}

fn numbers(core: &str) -> Result<[u64; 3], FlawAt<Flaw>> {
    let mut numbers = [0; 3];
    let mut found = 0;
    let mut at = 0;
    for part in core.split('.') {
        let value = number(part).map_err(|flaw| flaw.shift(at))?;
        if let Some(slot) = numbers.get_mut(found) {
            *slot = value;
        }
        found += 1;
        at += part.len() + 1;
    }
    match found {
        3 => Ok(numbers),
        found => Err(FlawAt::new(0, Flaw::Parts { found })),
    }
}

/// Parses digits without a leading zero, as a number of at most 64 bits.
pub(crate) fn number(text: &str) -> Result<u64, FlawAt<Flaw>> {
    if text.is_empty() {
        return Err(FlawAt::new(0, Flaw::Missing { expected: "number" }));
    }
    if let Some((at, found)) = text.char_indices().find(|(_, c)| !c.is_ascii_digit()) {
        return Err(FlawAt::new(
            at,
            Flaw::Character {
                found,
                expected: "digit",
            },
        ));
    }
    if text.len() > 1 && text.starts_with('0') {
        return Err(FlawAt::new(
            0,
            Flaw::LeadingZero {
                written: excerpt(text),
            },
        ));
    }
    // All characters are digits, so a parse error means that the number is too large.
    text.parse().map_err(|_| {
        FlawAt::new(
            0,
            Flaw::TooHigh {
                written: excerpt(text),
            },
        )
    })
}

/// Checks the dot-separated identifiers of a prerelease. An identifier of only digits must be a
/// valid number.
pub(super) fn prerelease(text: &str) -> Result<(), FlawAt<Flaw>> {
    identifiers(text, |identifier| {
        if identifier.bytes().all(|b| b.is_ascii_digit()) {
            number(identifier).map(drop)
        } else {
            Ok(())
        }
    })
}

fn identifiers(
    text: &str,
    accept: impl Fn(&str) -> Result<(), FlawAt<Flaw>>,
) -> Result<(), FlawAt<Flaw>> {
    let mut at = 0;
    for identifier in text.split('.') {
        spelling(identifier)
            .and_then(|()| accept(identifier))
            .map_err(|flaw| flaw.shift(at))?;
        at += identifier.len() + 1;
    }
    Ok(())
}

fn spelling(identifier: &str) -> Result<(), FlawAt<Flaw>> {
    if identifier.is_empty() {
        return Err(FlawAt::new(
            0,
            Flaw::Missing {
                expected: "letter, digit or hyphen",
            },
        ));
    }
    match identifier
        .char_indices()
        .find(|(_, c)| !c.is_ascii_alphanumeric() && *c != '-')
    {
        Some((at, found)) => Err(FlawAt::new(
            at,
            Flaw::Character {
                found,
                expected: "letter, digit or hyphen",
            },
        )),
        None => Ok(()),
    }
}
