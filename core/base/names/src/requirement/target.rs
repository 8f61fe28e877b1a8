//! The versions that a user requests: a range, or a keyword such as `latest-patch`.

use std::fmt;

use crate::conversions::text_conversions;
use crate::invalid_text::{FlawAt, InvalidText};
use crate::{Version, VersionRange};

const LATEST: &str = "latest";
const LATEST_PATCH: &str = "latest-patch";
const LATEST_MINOR: &str = "latest-minor";

/// The requested version of a package.
///
/// ```
/// # use portolan_core_names::requirement::Target;
/// assert_eq!(Target::parse("latest-patch")?, Target::LatestPatch);
/// // Old keywords are still accepted.
/// assert_eq!(Target::parse("patch")?.to_string(), "latest-patch");
/// assert_eq!(Target::parse(">=1.2.0 <1.3.0")?.to_string(), ">=1.2.0 <1.3.0");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Target {
    /// The newest version that the installed version can be updated to.
    #[default]
    Latest,
    /// The newest version with the same major and minor number.
    LatestPatch,
    /// The newest version with the same major number.
    LatestMinor,
    /// The newest version in a range, which may be a single version.
    Range(VersionRange),
}

// === impl Target ===

impl Target {
    /// The keywords, in the order in which the documentation lists them.
    pub const KEYWORDS: [&str; 3] = [LATEST, LATEST_PATCH, LATEST_MINOR];

    /// Parses a version, a range or a keyword.
    ///
    /// # Errors
    /// Returns an error for an unknown keyword, an invalid range, and a range without versions.
    pub fn parse(text: &str) -> Result<Self, InvalidText<String>> {
        Self::read(text).map_err(|flaw| flaw.refuse("version", text))
    }

    /// Parses a target that is a substring of a longer text.
    pub(super) fn read(text: &str) -> Result<Self, FlawAt<String>> {
        let indent = text.len() - text.trim_start().len();
        let text = text.trim();
        if text.is_empty() {
            let why = "version missing; without a version write the name alone, for the latest";
            return Err(FlawAt::new(0, why.to_owned()));
        }
        match Self::keyword(text) {
            Some(target) => Ok(target),
            None => Self::range(text).map_err(|flaw| flaw.shift(indent)),
        }
    }

    /// Parses a keyword, in its current or an old spelling.
    pub fn keyword(text: &str) -> Option<Self> {
        match text {
            LATEST | "head" => Some(Self::Latest),
            LATEST_PATCH | "patch" | "latest-z-stream" => Some(Self::LatestPatch),
            LATEST_MINOR | "minor" | "latest-y-stream" => Some(Self::LatestMinor),
            _ => None,
        }
    }

    fn range(text: &str) -> Result<Self, FlawAt<String>> {
        let range = VersionRange::parse(text).map_err(|refusal| {
            let before = text.chars().take(refusal.column() - 1);
            let at = before.map(char::len_utf8).sum();
            FlawAt::new(at, flaw(text, &refusal.flaw().to_string()))
        })?;
        if range.is_never() {
            return Err(FlawAt::new(0, format!("no version is in {text}")));
        }
        Ok(Self::Range(range))
    }

    /// Returns true if more than one version is acceptable.
    pub fn is_flexible(&self) -> bool {
        match self {
            Self::Latest | Self::LatestPatch | Self::LatestMinor => true,
            Self::Range(range) => range.single().is_none(),
        }
    }

    /// Returns true if the acceptable versions depend on the installed version.
    pub fn is_relative(&self) -> bool {
        matches!(self, Self::LatestPatch | Self::LatestMinor)
    }

    /// Returns the acceptable versions, relative to the installed version. Returns None if any
    /// version is acceptable.
    pub fn range_from(&self, installed: Option<&Version>) -> Option<VersionRange> {
        let text = match (self, installed) {
            (Self::Range(range), _) => return Some(range.clone()),
            (Self::Latest | Self::LatestPatch | Self::LatestMinor, None) => return None,
            (Self::Latest, Some(from)) => format!(">={}", bare(from)),
            (Self::LatestPatch, Some(from)) => {
                let next = from.minor().checked_add(1)?;
                format!(">={} <{}.{next}.0-0", bare(from), from.major())
            }
            (Self::LatestMinor, Some(from)) => {
                let next = from.major().checked_add(1)?;
                format!(">={} <{next}.0.0-0", bare(from))
            }
        };
        VersionRange::parse(&text).ok()
    }
}

/// Returns the error message for an invalid range. If the text looks like a keyword, the message
/// lists the valid forms.
fn flaw(text: &str, flaw: &str) -> String {
    let is_letter = |letter: char| letter.is_ascii_alphabetic();
    let is_word = text.starts_with(is_letter) && text.chars().nth(1).is_some_and(is_letter);
    if !is_word {
        return flaw.to_owned();
    }
    format!(
        "{text} is unknown; use a version such as 1.2.3, a range such as \">=1.2.0 <1.3.0\", {LATEST}, \
         {LATEST_PATCH} or {LATEST_MINOR}"
    )
}

/// Returns the text of a version without its build metadata, which a range ignores.
fn bare(version: &Version) -> String {
    let text = version.to_string();
    text.split('+').next().unwrap_or_default().to_owned()
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Latest => f.write_str(LATEST),
            Self::LatestPatch => f.write_str(LATEST_PATCH),
            Self::LatestMinor => f.write_str(LATEST_MINOR),
            Self::Range(range) => range.fmt(f),
        }
    }
}

text_conversions!(Target, String);
