//! Parses the destination of a path on the command line.

use std::convert::Infallible;
use std::str::FromStr;

use portolan_core_names::requirement::Target;
use portolan_core_names::{BundleName, Version, VersionRange};
use portolan_proto::resolver::v1::Destination;
use portolan_proto::resolver::v1::destination::{Kind, To as Wire};

/// A destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToArg(Wire);

// === impl ToArg ===

impl FromStr for ToArg {
    type Err = Infallible;

    /// Parses a destination. A text that is not a keyword, a version or the name of a bundle is a
    /// range. The service parses the range.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        if let Some(keyword) = Target::keyword(text) {
            return Ok(Self(destination(&keyword)));
        }
        Ok(Self(match text {
            text if Version::parse(text).is_ok() => Wire::Version(text.to_owned()),
            text if reads_like_a_bundle(text) => Wire::Bundle(text.to_owned()),
            text => Wire::Range(text.to_owned()),
        }))
    }
}

impl ToArg {
    pub(crate) fn destination(&self) -> Destination {
        Destination {
            to: Some(self.0.clone()),
        }
    }
}

/// Returns the destination in an argument of the form NAME@RANGE.
fn destination(target: &Target) -> Wire {
    match target {
        Target::Latest => Wire::Kind(Kind::Head.into()),
        Target::LatestPatch => Wire::Kind(Kind::NewestPatch.into()),
        Target::LatestMinor => Wire::Kind(Kind::NewestMinor.into()),
        Target::Range(range) => match Version::parse(range.as_str()) {
            Ok(version) => Wire::Version(version.to_string()),
            Err(_) => Wire::Range(range.to_string()),
        },
    }
}

impl From<&Target> for ToArg {
    fn from(target: &Target) -> Self {
        Self(destination(target))
    }
}

/// Returns true if the text can only be the name of a bundle, and not a range.
fn reads_like_a_bundle(text: &str) -> bool {
    let begins_a_word = |text: &str| text.starts_with(|c: char| c.is_ascii_lowercase());
    if !begins_a_word(text) {
        // For example, 3scale-operator.v0.11.0.
        let has_a_word = text
            .split('.')
            .next()
            .is_some_and(|first| first.contains(|c: char| c.is_ascii_lowercase()));
        let begins_a_number = text.starts_with(|c: char| c.is_ascii_digit());
        return begins_a_number
            && has_a_word
            && VersionRange::parse(text).is_err()
            && BundleName::parse(text).is_ok();
    }
    let is_wildcard = text == "x" || text.starts_with("x.");
    let is_version = text
        .strip_prefix('v')
        .is_some_and(|rest| !begins_a_word(rest));
    !is_wildcard && !is_version && BundleName::parse(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_versions_and_bundles_precede_ranges() {
        let to = |text: &str| text.parse::<ToArg>().map(|to| to.0);
        let range = |text: &str| Ok(Wire::Range(text.to_owned()));
        assert_eq!(to("head"), Ok(Wire::Kind(Kind::Head.into())));
        assert_eq!(to("patch"), Ok(Wire::Kind(Kind::NewestPatch.into())));
        assert_eq!(to("minor"), Ok(Wire::Kind(Kind::NewestMinor.into())));
        assert_eq!(to("1.2.0-rc.1"), Ok(Wire::Version("1.2.0-rc.1".to_owned())));
        assert_eq!(to("1.2"), range("1.2"));
        assert_eq!(to(">=1.2.0 <2.0.0"), range(">=1.2.0 <2.0.0"));
        assert_eq!(to("x"), range("x"));
        assert_eq!(to("v1.2.0"), range("v1.2.0"));
        assert_eq!(to("Head"), range("Head"));
        let bundle = |text: &str| Ok(Wire::Bundle(text.to_owned()));
        assert_eq!(to("ferry.v2.0.0"), bundle("ferry.v2.0.0"));
        assert_eq!(to("vault.v2.0.0"), bundle("vault.v2.0.0"));
        let kind = |kind: Kind| Ok(Wire::Kind(kind.into()));
        assert_eq!(to("latest"), kind(Kind::Head));
        assert_eq!(to("latest-patch"), kind(Kind::NewestPatch));
        assert_eq!(to("latest-minor"), kind(Kind::NewestMinor));
        assert_eq!(
            to("3scale-operator.v0.11.0"),
            bundle("3scale-operator.v0.11.0")
        );
    }
}
