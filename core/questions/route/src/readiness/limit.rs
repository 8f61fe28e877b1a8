//! `olm.maxOpenShiftVersion`: the last OpenShift release that a bundle supports.
//!
//! OLM v0 (v0.46) and OpenShift's operator for OLM v1 (cluster-olm-operator) read the property in
//! the same way. They block the upgrade to the next minor release if the property is lower than
//! this release or invalid.

use std::fmt;

use thiserror::Error;

use super::Minor;

/// The limit of the releases that a bundle supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// The bundle states no limit.
    None,
    /// The last supported release.
    Last(Minor),
}

/// The error for an invalid property. OLM then blocks minor upgrades of the cluster.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum InvalidLimit {
    #[error("the properties of the bundle cannot be read: {0}")]
    Unreadable(String),
    #[error("the bundle has more than one olm.maxOpenShiftVersion")]
    Several,
    #[error("olm.maxOpenShiftVersion is empty")]
    Empty,
    #[error("olm.maxOpenShiftVersion {0:?} is not a version")]
    NotVersion(String),
    #[error("olm.maxOpenShiftVersion {0:?} is not a minor release, such as 4.22")]
    NotMinor(String),
}

// === impl Limit ===

impl Limit {
    /// Parses the properties `olm.maxOpenShiftVersion` of one bundle. A value is JSON or plain
    /// text.
    ///
    /// # Errors
    /// Returns an error for a value that OLM refuses.
    pub fn parse<'v>(values: impl IntoIterator<Item = &'v str>) -> Result<Self, InvalidLimit> {
        let mut values = values.into_iter();
        match (values.next(), values.next()) {
            (None, _) => Ok(Self::None),
            (Some(_), Some(_)) => Err(InvalidLimit::Several),
            (Some(value), None) => minor(value.trim_matches('"')).map(Self::Last),
        }
    }

    /// Returns true if OLM permits the upgrade of the cluster to `release`, which is the next minor
    /// release.
    pub fn permits(self, release: Minor) -> bool {
        match self {
            Self::None => true,
            Self::Last(last) => {
                let next = release.openshift_before().map_or(release, |before| {
                    let Minor { major, minor } = before.normalized();
                    Minor::new(major, minor + 1)
                });
                last.normalized() >= next
            }
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Last(last) => write!(f, "{last}"),
        }
    }
}

/// Parses a version as OLM does. Spaces around it, one leading `v`, leading zeros and missing
/// numbers are permitted. The patch number must be 0.
fn minor(text: &str) -> Result<Minor, InvalidLimit> {
    if text.is_empty() {
        return Err(InvalidLimit::Empty);
    }
    let invalid = || InvalidLimit::NotVersion(text.to_owned());
    let trimmed = text.trim();
    let trimmed = trimmed.strip_prefix('v').unwrap_or(trimmed);
    let mut parts = trimmed.splitn(3, '.');
    let number = |part: &str| {
        let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let number = is_number.then(|| part.parse::<u64>().ok()).flatten();
        number.ok_or_else(invalid)
    };
    let major = number(parts.next().unwrap_or_default())?;
    let minor = number(parts.next().unwrap_or("0"))?;
    let patch = parts.next().unwrap_or("0");
    let (patch, build) = patch
        .split_once('+')
        .map_or((patch, None), |(p, b)| (p, Some(b)));
    let (patch, prerelease) = patch
        .split_once('-')
        .map_or((patch, None), |(p, r)| (p, Some(r)));
    let are_valid = [build, prerelease]
        .into_iter()
        .flatten()
        .all(are_identifiers);
    if !are_valid {
        return Err(invalid());
    }
    if prerelease.is_some() || number(patch)? != 0 {
        return Err(InvalidLimit::NotMinor(text.to_owned()));
    }
    Ok(Minor::new(major, minor))
}

fn are_identifiers(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let mut identifiers = text.split('.');
    identifiers.all(|one| !one.is_empty() && one.bytes().all(is_letter))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const RELEASE: Minor = Minor::new(4, 20);

    #[rstest]
    #[case::quoted("\"4.20\"", Ok(RELEASE))]
    #[case::plain("4.20", Ok(RELEASE))]
    #[case::quoted_twice("\"\"4.20\"\"", Ok(RELEASE))]
    #[case::with_v("\"v4.20\"", Ok(RELEASE))]
    #[case::with_blanks("\" 4.20 \"", Ok(RELEASE))]
    #[case::with_zeros("\"04.020\"", Ok(RELEASE))]
    #[case::with_patch_zero("\"4.20.0\"", Ok(RELEASE))]
    #[case::with_build("\"4.20.0+a\"", Ok(RELEASE))]
    #[case::only_major("\"5\"", Ok(Minor::new(5, 0)))]
    #[case::empty("\"\"", Err(InvalidLimit::Empty))]
    #[case::with_patch("\"4.20.1\"", Err(InvalidLimit::NotMinor("4.20.1".to_owned())))]
    #[case::prerelease("\"4.20.0-rc.1\"", Err(InvalidLimit::NotMinor("4.20.0-rc.1".to_owned())))]
    #[case::short_with_build("\"4.20+a\"", Err(InvalidLimit::NotVersion("4.20+a".to_owned())))]
    #[case::no_version("\"latest\"", Err(InvalidLimit::NotVersion("latest".to_owned())))]
    #[case::null("null", Err(InvalidLimit::NotVersion("null".to_owned())))]
    #[case::without_minor("\"4.\"", Err(InvalidLimit::NotVersion("4.".to_owned())))]
    #[case::two_v("\"vv4.20\"", Err(InvalidLimit::NotVersion("vv4.20".to_owned())))]
    fn parses_values_like_olm(#[case] value: &str, #[case] expected: Result<Minor, InvalidLimit>) {
        assert_eq!(Limit::parse([value]), expected.map(Limit::Last));
    }

    #[test]
    fn missing_property_means_no_limit_and_two_properties_are_invalid() {
        assert_eq!(Limit::parse([]), Ok(Limit::None));
        let two = Limit::parse(["\"4.20\"", "\"4.20\""]);
        assert_eq!(two, Err(InvalidLimit::Several));
    }

    #[rstest]
    #[case::below("4.19", "4.20", false)]
    #[case::equal("4.20", "4.20", true)]
    #[case::above("4.21", "4.20", true)]
    #[case::text_order("4.9", "4.10", false)]
    #[case::next_major("5.0", "4.20", true)]
    #[case::old_name_of_the_same_release("4.23", "5.0", true)]
    #[case::new_name_of_the_same_release("5.0", "4.23", true)]
    #[case::before_the_renamed_release("4.22", "5.0", false)]
    fn limit_permits_releases_up_to_its_maximum(
        #[case] last: &str,
        #[case] release: &str,
        #[case] expected: bool,
    ) {
        let last = Limit::Last(last.parse().expect("a release"));
        assert_eq!(last.permits(release.parse().expect("a release")), expected);
    }
}
