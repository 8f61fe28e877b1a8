//! Versions and releases of bundles.
//!
//! A [`Version`] is a strict semantic version: it has three numbers and no leading `v`. Build
//! metadata is shown, but ignored in comparisons. If a catalog publishes the same version again,
//! the rebuilt bundle has another [`Release`]. Bundles are ordered by version, then by release:
//!
//! ```
//! use portolan_core_names::{Release, Version};
//!
//! let first: Version = "1.0.0+1".parse()?;
//! let second: Version = "1.0.0+2".parse()?;
//! assert_eq!(first, second);
//! assert_eq!(first.to_string(), "1.0.0+1");
//!
//! // Older catalogs number their rebuilds in the build metadata; no release sorts lowest.
//! let age = |version: &Version| (version.clone(), version.build_as_release());
//! assert!(age(&first) < age(&second));
//! assert!(age(&"1.0.0".parse()?) < age(&first));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod parse;

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use semver::{BuildMetadata, Prerelease};

use crate::conversions::text_conversions;
use crate::invalid_text::{FlawAt, InvalidText};

pub(crate) use parse::{no_leading_v, number, version as parse_version};

/// The error in a text that is not a valid version or release.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    #[error("the length is {length} bytes; 1 to {longest} are allowed")]
    Length { length: usize, longest: usize },
    #[error("a version starts with a digit; write {instead:?}")]
    LeadingV { instead: Box<str> },
    #[error("a version has three numbers, as in \"1.2.0\"; found {found}")]
    Parts { found: usize },
    #[error("a {expected} is missing")]
    Missing { expected: &'static str },
    #[error("{:?} is not a {expected}", found.to_string())]
    Character { found: char, expected: &'static str },
    #[error("{written:?} has a leading zero; write {:?}", unpadded(written))]
    LeadingZero { written: Box<str> },
    #[error("{written:?} is greater than {}, the maximum", u64::MAX)]
    TooHigh { written: Box<str> },
}

fn unpadded(number: &str) -> &str {
    match number.trim_start_matches('0') {
        "" => "0",
        rest => rest,
    }
}

/// A strict semantic version with 64-bit numbers.
///
/// # Guarantees
///
/// Order, equality and hash follow semver precedence, which ignores build metadata. `Display`
/// returns the parsed text with its build metadata.
#[derive(Debug, Clone)]
pub struct Version(semver::Version);

impl Version {
    /// Returns the lowest possible version. It is lower than `0.0.0` and all its other prereleases.
    pub(crate) fn lowest() -> Self {
        let pre = Prerelease::new("0").expect("\"0\" must be a prerelease");
        Self(semver::Version {
            pre,
            ..semver::Version::new(0, 0, 0)
        })
    }

    /// Returns the version without prerelease and build metadata.
    pub fn new(major: u64, minor: u64, patch: u64) -> Self {
        Self(semver::Version::new(major, minor, patch))
    }

    /// Parses `text` as a complete strict version.
    ///
    /// # Errors
    ///
    /// Returns an error for any text that is not `major.minor.patch[-prerelease][+build]`. Examples
    /// are white space, a leading `v`, a missing or a fourth number, leading zeros, and a number of
    /// more than 64 bits. The limit of 64 bits also applies to numbers in prereleases: semver has
    /// no such limit, but opm does.
    pub fn parse(text: &str) -> Result<Self, InvalidText<Flaw>> {
        parse::version(text).map_err(|flaw| flaw.refuse("version", text))
    }

    pub fn major(&self) -> u64 {
        self.0.major
    }

    pub fn minor(&self) -> u64 {
        self.0.minor
    }

    pub fn patch(&self) -> u64 {
        self.0.patch
    }

    /// Returns the prerelease without its hyphen, or an empty text if the version has no
    /// prerelease.
    pub fn prerelease(&self) -> &str {
        &self.0.pre
    }

    pub fn is_prerelease(&self) -> bool {
        !self.0.pre.is_empty()
    }

    /// Returns the build metadata without its plus sign, or an empty text if it is missing.
    pub fn build(&self) -> &str {
        &self.0.build
    }

    /// Returns the build metadata as a release. Older bundles write the release there. Returns None
    /// if the build metadata is missing or is not a valid release, such as `001` with its leading
    /// zeros.
    pub fn build_as_release(&self) -> Option<Release> {
        Release::parse(self.build()).ok()
    }

    /// Returns the next higher version. No version lies between the two.
    ///
    /// The next version after `1.2.3` is the lowest prerelease of the next patch, `1.2.4-0`. The
    /// next version after `1.2.3-rc` is the shortest extension of its prerelease, `1.2.3-rc.0`.
    /// Returns None only for the highest possible version.
    pub(crate) fn next(&self) -> Option<Self> {
        let semver::Version {
            major,
            minor,
            patch,
            ref pre,
            build: _,
        } = self.0;
        let extended = match pre.as_str() {
            "" => "0".to_owned(),
            pre => format!("{pre}.0"),
        };
        let (major, minor, patch) = if self.is_prerelease() {
            (major, minor, patch)
        } else if let Some(patch) = patch.checked_add(1) {
            (major, minor, patch)
        } else if let Some(minor) = minor.checked_add(1) {
            (major, minor, 0)
        } else {
            (major.checked_add(1)?, 0, 0)
        };
        let pre = Prerelease::new(&extended).expect("a prerelease followed by 0 must be one");
        Some(Self(semver::Version {
            major,
            minor,
            patch,
            pre,
            build: BuildMetadata::EMPTY,
        }))
    }

    /// Returns the version without build metadata. It is equal, because comparisons ignore build
    /// metadata.
    pub(crate) fn without_build(mut self) -> Self {
        self.0.build = BuildMetadata::EMPTY;
        self
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.cmp_precedence(&other.0)
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Version {}

impl Hash for Version {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let semver::Version {
            major,
            minor,
            patch,
            ref pre,
            build: _,
        } = self.0;
        (major, minor, patch, pre).hash(state);
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

text_conversions!(Version, Flaw);

/// The maximum length of a release, as in opm.
const LONGEST: usize = 20;

/// The release of a bundle, such as `2` or `3.hotfix`. It distinguishes bundles with the same
/// version.
///
/// A release is written and ordered like the prerelease of a version: numbers are compared
/// numerically and are lower than identifiers with letters. A release has at most 20 characters. A
/// bundle without a release is lower than a bundle with the same version and a release. The order
/// of `Option<Release>` matches this rule.
///
/// ```
/// use portolan_core_names::Release;
///
/// let release = |text: &str| Release::parse(text).ok();
/// assert!(None < release("2"));
/// assert!(release("2") < release("10"));
/// assert!(release("10") < release("hotfix"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Release(Prerelease);

impl Release {
    /// Parses `text` as a release.
    ///
    /// # Errors
    ///
    /// Returns an error for an empty or long text, for characters other than ASCII letters, digits,
    /// hyphens and dots, for an empty identifier, and for a number with leading zeros.
    pub fn parse(text: &str) -> Result<Self, InvalidText<Flaw>> {
        parse::within(text, LONGEST)
            .and_then(|()| parse::prerelease(text))
            .map(|()| Self(Prerelease::new(text).expect("a read prerelease must be one")))
            .map_err(|flaw| flaw.refuse("release", text))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

text_conversions!(Release, Flaw);

#[cfg(test)]
pub(crate) mod tests;
