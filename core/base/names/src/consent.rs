//! Consents: a user's permissions to install bundles.
//!
//! ```
//! use portolan_core_names::{BundleName, Consent, PackageName, Version};
//!
//! let consent = Consent::parse("etcd@>=0.9.2 <1.0.0")?;
//! let (bundle, package) = (BundleName::parse("etcdoperator.v0.9.4")?, PackageName::parse("etcd")?);
//! assert!(consent.covers(&bundle, &package, Some(&Version::parse("0.9.4")?)));
//! // What has no version is in no range.
//! assert!(!consent.covers(&bundle, &package, None));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;

use crate::conversions::text_conversions;
use crate::invalid_text::{FlawAt, InvalidText};
use crate::{BundleName, PackageName, Version, VersionRange, name, range};

/// The text of the consent to any bundle.
const ANY: &str = "*";
/// The separator between a package and a range of its versions. Bundle names cannot contain it.
const AT: char = '@';

/// The consent of a user to install bundles: one bundle by its name, the versions of a package in a
/// range, or any bundle.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Consent {
    /// Any bundle: `*`.
    Any,
    /// Exactly one bundle, such as `etcdoperator.v0.9.4`.
    Bundle(BundleName),
    /// The versions of a package in a range, such as `etcd@>=0.9.2 <1.0.0`.
    Range(PackageName, VersionRange),
}

/// The error in a text that is not a valid consent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    #[error(transparent)]
    Bundle(InvalidText<name::Flaw>),
    #[error("before the {AT:?}, {0}")]
    Package(InvalidText<name::Flaw>),
    #[error("behind the {AT:?}, {0}")]
    Range(InvalidText<range::Flaw>),
    #[error(
        "{range:?} contains no version; write {package}{AT} and a range, such as >=1.2.0 \
     <2.0.0"
    )]
    Never { package: PackageName, range: String },
}

// === impl Consent ===

impl Consent {
    /// Parses a consent.
    ///
    /// # Errors
    /// Returns an error with its position if the text has none of these forms: `*`, a bundle name,
    /// or a package name followed by `@` and a range that matches at least one version.
    pub fn parse(text: &str) -> Result<Self, InvalidText<Flaw>> {
        let refuse = |at, flaw| FlawAt::new(at, flaw).refuse("consent", text);
        if text == ANY {
            return Ok(Self::Any);
        }
        let Some((package, range)) = text.split_once(AT) else {
            let bundle = BundleName::parse(text);
            return bundle
                .map(Self::Bundle)
                .map_err(|refusal| refuse(0, Flaw::Bundle(refusal)));
        };
        let behind = package.len() + AT.len_utf8();
        let package =
            PackageName::parse(package).map_err(|refusal| refuse(0, Flaw::Package(refusal)))?;
        let range =
            VersionRange::parse(range).map_err(|refusal| refuse(behind, Flaw::Range(refusal)))?;
        if range.is_never() {
            let range = range.to_string();
            return Err(refuse(behind, Flaw::Never { package, range }));
        }
        Ok(Self::Range(package, range))
    }

    /// Returns true if the consent allows a bundle of a package. A range never allows a bundle
    /// whose version is unknown.
    pub fn covers(
        &self,
        bundle: &BundleName,
        package: &PackageName,
        version: Option<&Version>,
    ) -> bool {
        match self {
            Self::Any => true,
            Self::Bundle(allowed) => allowed == bundle,
            Self::Range(of, range) => {
                of == package && version.is_some_and(|version| range.matches(version))
            }
        }
    }
}

impl fmt::Display for Consent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.pad(ANY),
            Self::Bundle(bundle) => bundle.fmt(f),
            Self::Range(package, range) => write!(f, "{package}{AT}{range}"),
        }
    }
}

text_conversions!(Consent, Flaw);

#[cfg(test)]
mod tests;
