//! The rebuild number of a bundle.

use std::fmt;

use semver::Prerelease;

use super::{Fault, Refusal, parse};
use crate::conversions::text_conversions;

/// The longest release, as opm has it.
const LONGEST: usize = 20;

/// The release of a bundle, such as `2` or `3.hotfix`: the same version, packaged again.
///
/// Written and ordered like the prerelease of a version, numbers as numbers and below words; at
/// most 20 characters. A bundle without one sorts below the same version with any, which is how
/// `Option<Release>` is ordered.
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
    /// Reads `text` as a release.
    ///
    /// # Errors
    ///
    /// An empty or long text, a character beside ASCII letters, digits, hyphens and dots, an empty
    /// identifier, a number with leading zeros.
    pub fn parse(text: &str) -> Result<Self, Refusal<Fault>> {
        parse::within(text, LONGEST)
            .and_then(|()| parse::prerelease(text))
            .map(|()| Self(Prerelease::new(text).expect("a read prerelease must be one")))
            .map_err(|misfit| misfit.refuse("release", text))
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

text_conversions!(Release, Fault);
