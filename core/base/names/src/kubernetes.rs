//! Versions of Kubernetes, as clusters report them and bundles require them.

use crate::Version;

/// Returns the Kubernetes version of a cluster without the vendor's suffix, such as `1.27.4` for
/// `v1.27.4-gke.900`. OLM (v0.46) also compares without the suffix, because a semantic version with
/// a suffix is a prerelease.
pub fn release(text: &str) -> Option<Version> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let release = text.split(['-', '+']).next()?;
    Version::parse(release).ok()
}

/// Returns true if the version of a cluster is lower than the minimum version that a bundle
/// requires. Returns false if the minimum is not a valid version.
pub fn is_older(has: &Version, least: &str) -> bool {
    let least = Version::parse(least.trim_start_matches('v'));
    least.is_ok_and(|least| *has < least)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::its_own("v1.34.1", Some("1.34.1"))]
    #[case::of_a_vendor("v1.27.4-gke.900", Some("1.27.4"))]
    #[case::built_by_a_vendor("v1.29.5+29c95f3", Some("1.29.5"))]
    #[case::of_a_person("1.31.0", Some("1.31.0"))]
    #[case::no_version("1.34", None)]
    #[case::nothing("", None)]
    fn version_with_a_vendor_suffix_is_a_release(
        #[case] text: &str,
        #[case] expected: Option<&str>,
    ) {
        let release = release(text).map(|version| version.to_string());
        assert_eq!(release.as_deref(), expected);
    }

    #[rstest]
    #[case::newer("1.35.0", true)]
    #[case::newer_with_a_letter("v1.34.2", true)]
    #[case::the_same("1.34.1", false)]
    #[case::older("1.9.0", false)]
    #[case::nothing("", false)]
    #[case::no_version("1.35", false)]
    fn bundle_requires_a_newer_version_only_if_its_minimum_is_newer(
        #[case] least: &str,
        #[case] expected: bool,
    ) {
        let has = Version::parse("1.34.1").expect("a version");
        assert_eq!(is_older(&has, least), expected);
    }
}
