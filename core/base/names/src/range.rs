//! Version ranges in the syntax of OLM. Skip ranges, dependencies and policies use them.
//!
//! All ranges in existing catalogs are written for one parser: the Go library blang/semver v4. This
//! module has its own parser for the same language:
//!
//! ```text
//! range       = alternative { "||" alternative }      any of them
//! alternative = comparator { comparator }             all of them; binds tighter
//! comparator  = [ operator ] ( version | wildcard )
//! operator    = "=" "==" "!" "!=" ">" ">=" "<" "<="   none means "="
//! wildcard    = "1.x" | "1.2.x" | "1.x.x"
//! ```
//!
//! Spaces separate comparators. Spaces after `>`, `<` and `=` have no effect. Brackets, commas,
//! `~`, `^` and `*` are not part of the language. The range of all versions is `>=0.0.0`. The range
//! that also contains all prereleases of `0.0.0` is `>=0.0.0-0`.
//!
//! Prereleases are ordinary versions: `<2.0.0` matches `2.0.0-rc.1`. npm, Cargo and
//! Masterminds/semver have different rules, which would remove edges from a skip range.
//!
//! # Traps
//!
//! The Go library accepts some texts with an unexpected meaning. This module handles them in three
//! ways:
//!
//! | Text | Go library | This module |
//! |---|---|---|
//! | `1.x.x` | `>=1.0.0 <1.1.0` | the same, with a [`Warning`] |
//! | `!=1.5.x` | matches nothing | the same, with a [`Warning`] |
//! | `=1.2.3-next.1` | error, for the `x` | the version, with a [`Warning`] |
//! | `>=1.2.3⇥<2.0.0`, a tab | error | the tab as a blank, with a [`Warning`] |
//! | `! 1.2.3`, `5 1.2.3`, `1.2.3 - 1.3.0` | ignores the single character | [`InvalidText`] |
//! | `x.1.2`, `>=1.x.2`, `>=1.2.x-rc` | ignores the `x` | [`InvalidText`] |
//! | `~1.x`, `=>1.x`, `v1.x` | matches only `1.0.0` | [`InvalidText`] |
//! | `1.2.3 \|\| \|\| 1.2.4` | crashes when a version is matched | [`InvalidText`] |
//!
//! # Guarantees
//!
//! A range without warnings has the same meaning in OLM. Matching allocates no memory. The time to
//! parse any text is limited, because a text of more than 1024 bytes is rejected.
//!
//! ```
//! use portolan_core_names::{Version, VersionRange};
//!
//! let range: VersionRange = "1.x || >=2.0.x <2.2.x !=2.1.4".parse()?;
//! let matches = |text: &str| range.matches(&Version::parse(text).unwrap());
//! assert!(matches("1.9.0") && matches("2.1.3"));
//! assert!(!matches("2.1.4") && !matches("2.2.0"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;
use std::hash::{Hash, Hasher};

use crate::Version;
use crate::conversions::text_conversions;
use crate::invalid_text::{FlawAt, InvalidText};

mod flaw;
mod parse;
mod pattern;
mod spans;
mod wildcard;

pub use flaw::{Flaw, Warning};
use spans::Spans;

/// A set of versions, with the text that the author wrote.
///
/// `Display` returns the author's text. [`canonical`](Self::canonical) returns the same text for
/// all ranges that match the same versions. Equality and hash depend on the matched versions, not
/// on the spelling:
///
/// ```
/// # use portolan_core_names::VersionRange;
/// let range = VersionRange::parse("1.2.x")?;
/// assert_eq!(range, VersionRange::parse(">= 1.2.0 <1.3.0")?);
/// assert_eq!(range.to_string(), "1.2.x");
/// assert_eq!(range.canonical().to_string(), ">=1.2.0 <1.3.0");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct VersionRange {
    text: Box<str>,
    spans: Spans,
    warnings: Box<[Warning]>,
}

impl VersionRange {
    /// Parses `text` in the range language of OLM.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not in the language, or if OLM gives the text an unintended
    /// meaning (see the [traps](self#traps)). The error contains the column and a corrected text.
    pub fn parse(text: &str) -> Result<Self, InvalidText<Flaw>> {
        match parse::range(text) {
            Ok((spans, warnings)) => Ok(Self {
                text: text.into(),
                spans,
                warnings: warnings.into(),
            }),
            Err(flaw) => Err(flaw.refuse("version range", text)),
        }
    }

    /// Returns true if `version` is in the range. Ignores build metadata.
    pub fn matches(&self, version: &Version) -> bool {
        self.spans.contain(version)
    }

    /// Returns true if the version may be in the range. Returns true if the range or the version is
    /// invalid, because authors write both texts.
    pub fn may_match(range: &str, version: &str) -> bool {
        match (Self::parse(range), version.parse()) {
            (Ok(range), Ok(version)) => range.matches(&version),
            (Ok(_) | Err(_), Ok(_) | Err(_)) => true,
        }
    }

    /// Returns the warning that makes OLM reject the range, or None if OLM accepts the range. A
    /// range that OLM rejects matches no version in OLM.
    pub fn refused_by_olm(&self) -> Option<&Warning> {
        self.warnings.iter().find(|warning| warning.is_refusal())
    }

    /// Returns the version if the range is written as one version, such as `1.2.3` or `=1.2.3`.
    pub fn single(&self) -> Option<Version> {
        let text = self.text.trim();
        Version::parse(text.trim_start_matches('=').trim_start()).ok()
    }

    /// Returns true if no version is in the range, as in `>2.0.0 <1.0.0`.
    pub fn is_never(&self) -> bool {
        self.spans.is_empty()
    }

    /// Returns the versions in the range as spans, in ascending order and with gaps between them. A
    /// span includes its first version and excludes its end. The last span may have no end.
    pub fn spans(&self) -> impl DoubleEndedIterator<Item = (&Version, Option<&Version>)> {
        self.spans.iter()
    }

    /// The warnings for the author of the range, in the order of the text.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the canonical text of the range. All ranges that match the same versions have the
    /// same canonical text. The text is used for digests, and is itself a valid range.
    pub fn canonical(&self) -> impl fmt::Display + '_ {
        &self.spans
    }
}

impl PartialEq for VersionRange {
    fn eq(&self, other: &Self) -> bool {
        self.spans == other.spans
    }
}

impl Eq for VersionRange {}

impl Hash for VersionRange {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.spans.hash(state);
    }
}

impl fmt::Display for VersionRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

text_conversions!(VersionRange, Flaw);

#[cfg(test)]
mod tests;
