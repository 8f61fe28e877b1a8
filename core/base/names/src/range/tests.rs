use proptest::prelude::*;
use rstest::rstest;

use super::*;
use reference::Reference;

mod properties;
mod reference;
mod traps;

fn range(text: &str) -> VersionRange {
    VersionRange::parse(text).unwrap()
}

fn matches(range: &VersionRange, version: &str) -> bool {
    range.matches(&Version::parse(version).unwrap())
}

/// Returns the versions of a table row, such as `"1.2.3 yes, 1.2.4 no"`.
fn row(text: &str) -> impl Iterator<Item = (&str, bool)> {
    text.split(", ").map(|cell| {
        let (version, verdict) = cell.split_once(' ').unwrap();
        (version, verdict == "yes")
    })
}

/// These assertions are copied from the tests of the original library.
#[rstest]
#[case(">1.2.3", "1.2.2 no, 1.2.3 no, 1.2.4 yes")]
#[case(">=1.2.3", "1.2.3 yes, 1.2.4 yes, 1.2.2 no")]
#[case("<1.2.3", "1.2.2 yes, 1.2.3 no, 1.2.4 no")]
#[case("<=1.2.3", "1.2.2 yes, 1.2.3 yes, 1.2.4 no")]
#[case("1.2.3", "1.2.2 no, 1.2.3 yes, 1.2.4 no")]
#[case("=1.2.3", "1.2.2 no, 1.2.3 yes, 1.2.4 no")]
#[case("==1.2.3", "1.2.2 no, 1.2.3 yes, 1.2.4 no")]
#[case("!=1.2.3", "1.2.2 yes, 1.2.3 no, 1.2.4 yes")]
#[case("!1.2.3", "1.2.2 yes, 1.2.3 no, 1.2.4 yes")]
#[case(">1.2.2 <1.2.4", "1.2.2 no, 1.2.3 yes, 1.2.4 no")]
#[case("<1.2.2 <1.2.4", "1.2.1 yes, 1.2.2 no, 1.2.3 no, 1.2.4 no")]
#[case(">1.2.2 <1.2.5 !=1.2.4", "1.2.2 no, 1.2.3 yes, 1.2.4 no, 1.2.5 no")]
#[case(">1.2.2 <1.2.5 !1.2.4", "1.2.2 no, 1.2.3 yes, 1.2.4 no, 1.2.5 no")]
#[case(">1.2.2 || <1.2.4", "1.2.2 yes, 1.2.3 yes, 1.2.4 yes")]
#[case("<1.2.2 || >1.2.4", "1.2.2 no, 1.2.3 no, 1.2.4 no")]
#[case(">1.x", "0.1.9 no, 1.2.6 no, 1.9.0 no, 2.0.0 yes")]
#[case(">1.2.x", "1.1.9 no, 1.2.6 no, 1.3.0 yes")]
#[case(
    ">1.2.2 <1.2.4 || >=2.0.0",
    "1.2.2 no, 1.2.3 yes, 1.2.4 no, 2.0.0 yes, 2.0.1 yes"
)]
#[case(
    "1.x || >=2.0.x <2.2.x",
    "0.9.2 no, 1.2.2 yes, 2.0.0 yes, 2.1.8 yes, 2.2.0 no"
)]
#[case(
    ">1.2.2 <1.2.4 || >=2.0.0 <3.0.0",
    "1.2.2 no, 1.2.3 yes, 1.2.4 no, 2.0.0 yes, 2.0.1 yes, 2.9.9 yes, 3.0.0 no"
)]
fn ranges_match_as_upstream(#[case] text: &str, #[case] versions: &str) {
    let range = range(text);
    for (version, expected) in row(versions) {
        assert_eq!(matches(&range, version), expected, "{text} with {version}");
    }
    assert_eq!(range.warnings(), []);
}

#[rstest]
#[case(">=1.2.x", ">=1.2.0")]
#[case("<=1.2.x", "<1.3.0")]
#[case(">1.2.x", ">=1.3.0")]
#[case("<1.2.x", "<1.2.0")]
#[case("1.2.x", ">=1.2.0 <1.3.0")]
#[case("=1.2.x", ">=1.2.0 <1.3.0")]
#[case(">=1.x", ">=1.0.0")]
#[case("<=1.x", "<2.0.0")]
#[case(">1.x", ">=2.0.0")]
#[case("<1.x", "<1.0.0")]
#[case("==1.x", ">=1.0.0 <2.0.0")]
fn wildcards_stand_for_their_bounds(#[case] text: &str, #[case] bounds: &str) {
    assert_eq!(range(text), range(bounds));
    assert_eq!(range(text).warnings(), []);
}

/// Ranges and versions that occur in real catalogs and dependencies.
#[rstest]
#[case::prerelease_below_its_release("<2.0.0", "2.0.0-alpha yes, 2.0.0 no")]
#[case::prerelease_of_the_upper_bound(">=0.8.0 <0.8.1", "0.8.1-rc.1 yes, 0.8.0-rc.1 no")]
#[case::prerelease_bounds(
    ">=0.9.0-rc.1 <0.9.0-rc.2",
    "0.9.0-rc.1 yes, 0.9.0-rc.1.1 yes, 0.9.0 no"
)]
#[case::nightly(
    "<1.31.0-nightly-2026-08-22",
    "1.31.0-nightly-2026-08-19 yes, 1.31.0 no"
)]
#[case::lowest_prerelease("<2.0.0-0", "1.9.9 yes, 2.0.0-0 no, 2.0.0-alpha no")]
#[case::wildcard_below(">=2.1.x <2.2.1", "2.1.0 yes, 2.2.0 yes, 2.2.1 no, 2.1.0-rc no")]
#[case::bare_is_exact("0.5.0", "0.5.0 yes, 0.5.1 no")]
#[case::build_is_ignored("=1.0.0+2", "1.0.0 yes, 1.0.0+1 yes, 1.0.1 no")]
#[case::no_upper_bound(">2.5.3-final", "2.5.3 yes, 2.5.3-final no, 9.0.0 yes")]
#[case::a_minor_version(">=1.1.0 <1.2.0", "1.1.0 yes, 1.1.9 yes, 1.2.0-rc1 yes, 1.2.0 no")]
#[case::a_major_version(">=1.0.0 <2.0.0", "0.9.9 no, 1.0.0 yes, 1.9.9 yes, 2.0.0 no")]
#[case::any(">=0.0.0", "0.0.0 yes, 0.0.0-alpha no, 1.0.0-alpha yes")]
fn range_from_a_real_catalog_matches_expected_versions(#[case] text: &str, #[case] versions: &str) {
    let range = range(text);
    for (version, expected) in row(versions) {
        assert_eq!(matches(&range, version), expected, "{text} with {version}");
    }
}

#[rstest]
#[case::contradiction(">2.0.0 <1.0.0")]
#[case::two_pins("1.2.3 1.3.0")]
#[case::below_the_lowest("<0.0.0-0")]
#[case::between_neighbors(">1.0.0-a <1.0.0-a.0")]
#[case::between_releases(">1.0.0 <1.0.1-0")]
#[case::above_the_highest(">18446744073709551615.18446744073709551615.18446744073709551615")]
fn range_without_versions_is_empty(#[case] text: &str) {
    assert!(range(text).is_never());
    assert_eq!(range(text).canonical().to_string(), "<0.0.0-0");
}

#[rstest]
#[case::pin("1.2.3", ">=1.2.3 <1.2.4-0")]
#[case::exclusion("!=1.2.3", "<1.2.3 || >=1.2.4-0")]
#[case::everything("<1.0.0 || >=1.0.0", ">=0.0.0-0")]
#[case::touching("1.2.x || 1.3.x", ">=1.2.0 <1.4.0")]
#[case::nested("1.x || >=1.2.0 <1.3.0", ">=1.0.0 <2.0.0")]
#[case::overlapping("<2.0.0 || >=1.0.0", ">=0.0.0-0")]
#[case::out_of_order("3.x || 1.x", ">=1.0.0 <2.0.0 || >=3.0.0 <4.0.0")]
#[case::build(">=1.0.0+a <=2.0.0-rc+b", ">=1.0.0 <2.0.0-rc.0")]
#[case::to_the_highest(
    "<=18446744073709551615.18446744073709551615.18446744073709551615",
    ">=0.0.0-0"
)]
fn equal_ranges_have_the_same_canonical_text(#[case] text: &str, #[case] canonical: &str) {
    assert_eq!(range(text).canonical().to_string(), canonical);
}

#[test]
fn serde_keeps_the_original_text() {
    let range: VersionRange = serde_json::from_str(r#""> = 1.0.0  <2.x""#).unwrap();
    assert_eq!(
        serde_json::to_string(&range).unwrap(),
        r#""> = 1.0.0  <2.x""#
    );
}
