//! Parses versions with wildcards, such as `1.x`.

use super::parse::Operator;
use super::{Flaw, FlawAt, Spans, Warning};
use crate::Version;
use crate::invalid_text::excerpt;
use crate::version::number;

/// The highest number that OLM can increment. For most operators, OLM increments the number before
/// the `x`.
const HIGHEST: u64 = i64::MAX as u64 - 1;

const EVERYTHING: &str = "every version is \">=0.0.0\"";
const LAST: &str = "an x can only be last, as in \"1.x\" or \"1.2.x\"";

/// A version with wildcards. It stands for the versions from `floor` (included) to `ceiling`
/// (excluded).
#[derive(Debug)]
pub(super) struct Wildcard {
    floor: Version,
    ceiling: Version,
    /// True if the wildcard is written as `1.x.x`. OLM replaces both `x` by 0 and increments the
    /// second number, so the ceiling is the next minor version.
    is_narrow: bool,
}

impl Wildcard {
    /// Parses `word` as a wildcard. Returns None if no number in `word` is written as `x`, `X` or
    /// `*`.
    pub(super) fn parse(word: &str) -> Result<Option<Self>, FlawAt<Flaw>> {
        let (core, tail) = word.split_at(word.find(['-', '+']).unwrap_or(word.len()));
        if !core.split('.').any(|part| matches!(part, "x" | "X" | "*")) {
            return Ok(None);
        }
        let refuse = |instead| {
            let written = excerpt(word);
            Err(FlawAt::new(0, Flaw::Wildcard { written, instead }))
        };
        let mut parts = core.split('.');
        match [parts.next(), parts.next(), parts.next(), parts.next()] {
            [Some(_), None, ..] => refuse(EVERYTHING),
            _ if core.contains(['X', '*']) => refuse("write a small x"),
            [Some("x"), ..] => refuse(LAST),
            _ if !tail.is_empty() => refuse(
                "a version with an x cannot have a prerelease or \
             build metadata; write 0 instead of x",
            ),
            [Some(major), Some("x"), None, None] => Self::of_major(major).map(Some),
            [Some(major), Some("x"), Some("x"), None] => Self::of_first_minor(major).map(Some),
            [Some(_), Some("x"), ..] => refuse(LAST),
            [Some(major), Some(minor), Some("x"), None] => Self::of_minor(major, minor).map(Some),
            _ => refuse(LAST),
        }
    }

    /// Parses a wildcard such as `1.x`.
    fn of_major(major: &str) -> Result<Self, FlawAt<Flaw>> {
        let major = counted(major)?;
        Ok(Self {
            floor: Version::new(major, 0, 0),
            ceiling: Version::new(major + 1, 0, 0),
            is_narrow: false,
        })
    }

    /// Parses a wildcard such as `1.x.x`.
    fn of_first_minor(major: &str) -> Result<Self, FlawAt<Flaw>> {
        let major = counted(major)?;
        Ok(Self {
            floor: Version::new(major, 0, 0),
            ceiling: Version::new(major, 1, 0),
            is_narrow: true,
        })
    }

    /// Parses a wildcard such as `1.2.x`.
    fn of_minor(major: &str, minor: &str) -> Result<Self, FlawAt<Flaw>> {
        let at = major.len() + 1;
        let major = number(major).map_err(|flaw| flaw.map(Flaw::Version))?;
        let minor = counted(minor).map_err(|flaw| flaw.shift(at))?;
        Ok(Self {
            floor: Version::new(major, minor, 0),
            ceiling: Version::new(major, minor + 1, 0),
            is_narrow: false,
        })
    }

    pub(super) fn spans(&self, operator: Operator) -> Spans {
        let Self {
            floor,
            ceiling,
            is_narrow: _,
        } = self;
        match operator {
            Operator::Equal => Spans::between(floor.clone(), Some(ceiling.clone())),
            // OLM expands `!=` to "below the floor and at or above the ceiling", which no version
            // matches.
            Operator::NotEqual => Spans::none(),
            Operator::Above => Spans::at_least(ceiling.clone()),
            Operator::AtLeast => Spans::at_least(floor.clone()),
            Operator::Below => Spans::below(floor.clone()),
            Operator::AtMost => Spans::below(ceiling.clone()),
        }
    }

    /// Returns a warning if the meaning of the comparator is unexpected. `written` is the text of
    /// the comparator.
    pub(super) fn warning(&self, operator: Operator, written: &str) -> Option<Warning> {
        let Self {
            floor,
            ceiling,
            is_narrow,
        } = self;
        let (means, sign) = match operator {
            Operator::NotEqual => {
                let instead = format!("<{floor} || >={ceiling}").into();
                return Some(Warning::NeverTrue {
                    written: excerpt(written),
                    instead,
                });
            }
            Operator::AtLeast | Operator::Below => return None,
            Operator::Equal => (format!(">={floor} <{ceiling}"), ""),
            Operator::Above => (format!(">={ceiling}"), ">"),
            Operator::AtMost => (format!("<{ceiling}"), "<="),
        };
        is_narrow.then(|| Warning::NarrowWildcard {
            written: excerpt(written),
            means: means.into(),
            instead: format!("{sign}{}.x", floor.major()).into(),
        })
    }
}

/// Parses a number that OLM can increment. Returns an error for a higher number.
fn counted(text: &str) -> Result<u64, FlawAt<Flaw>> {
    match number(text).map_err(|flaw| flaw.map(Flaw::Version))? {
        counted @ ..=HIGHEST => Ok(counted),
        _ => {
            let instead = "the maximum of OLM is 9223372036854775807";
            Err(FlawAt::new(
                0,
                Flaw::Wildcard {
                    written: excerpt(text),
                    instead,
                },
            ))
        }
    }
}

/// Returns true if OLM finds a wildcard in `word` although none of its numbers is a wildcard: OLM
/// takes an `x` in the prerelease or build metadata for one. After `>=` and `<`, OLM does this only
/// for the text `.x`.
pub(super) fn seen_in(word: &str, operator: Operator) -> bool {
    match operator {
        Operator::AtLeast | Operator::Below => word.contains(".x"),
        Operator::Equal | Operator::NotEqual | Operator::Above | Operator::AtMost => {
            word.contains('x')
        }
    }
}

/// Returns true if OLM rejects the comparator because of the `x` in the prerelease or build
/// metadata. OLM always rejects the comparator, except after `>=` and `<`: there it replaces `.x`
/// by `.0`, and nearly always gets a valid version.
pub(super) fn is_refused(word: &str, operator: Operator) -> bool {
    match operator {
        Operator::AtLeast | Operator::Below => {
            let flat = word.replacen(".x.x", ".x", 1).replacen(".x", ".0", 1);
            semver::Version::parse(&flat).is_err()
        }
        Operator::Equal | Operator::NotEqual | Operator::Above | Operator::AtMost => true,
    }
}
