use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use proptest::prelude::*;
use rstest::rstest;

use super::*;

fn version(text: &str) -> Version {
    Version::parse(text).unwrap()
}

fn hash(version: &Version) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(version)
}

#[rstest]
#[case::plain("1.2.3")]
#[case::large("0.20250209.0")]
#[case::limit("18446744073709551615.0.0")]
#[case::git_hash("1.2.4400-8c54fc9")]
#[case::hash_of_digits("2.5.3514-4052426")]
#[case::hash_with_leading_zero("1.2.3179-0756b70e6")]
#[case::date("1.31.0-nightly-2026-08-19")]
#[case::version_in_prerelease("0.0.3-v1.2.3.final")]
#[case::build("1.0.0+001.a-b")]
#[case::both("1.0.0-rc.1+build.7")]
#[case::hyphens("1.0.0---.-+-")]
fn real_versions_are_read_and_printed(#[case] text: &str) {
    assert_eq!(version(text).to_string(), text);
}

#[rstest]
#[case::empty("", 1, "the length is 0 bytes; 1 to 255 are allowed")]
#[case::leading_v("v1.2.3", 1, "a version starts with a digit; write \"1.2.3\"")]
#[case::text_without_digits("string", 1, "\"s\" is not a digit")]
#[case::blank(" 1.2.3", 1, "\" \" is not a digit")]
#[case::trailing_blank("1.2.3 ", 6, "\" \" is not a digit")]
#[case::sign("1.-2.3", 3, "a number is missing")]
#[case::one_number("1", 1, "a version has three numbers, as in \"1.2.0\"; found 1")]
#[case::two("1.2", 1, "a version has three numbers, as in \"1.2.0\"; found 2")]
#[case::four("0.1.0.1", 1, "a version has three numbers, as in \"1.2.0\"; found 4")]
#[case::gap("1..2", 3, "a number is missing")]
#[case::cut("1.2.", 5, "a number is missing")]
#[case::leading_zero("01.1.1", 1, "\"01\" has a leading zero; write \"1\"")]
#[case::zeros("1.00.1", 3, "\"00\" has a leading zero; write \"0\"")]
#[case::too_high(
    "1.2.18446744073709551616",
    5,
    "\"18446744073709551616\" is greater than 18446744073709551615, the maximum"
)]
#[case::prerelease_zero("1.1.1-01", 7, "\"01\" has a leading zero; write \"1\"")]
#[case::prerelease_too_high(
    "1.1.1-a.99999999999999999999",
    9,
    "\"99999999999999999999\" is greater than 18446744073709551615, the maximum"
)]
#[case::no_prerelease("1.2.3-", 7, "a letter, digit or hyphen is missing")]
#[case::prerelease_gap("1.2.3-a..b", 9, "a letter, digit or hyphen is missing")]
#[case::prerelease_mark("1.2.3-a_1", 8, "\"_\" is not a letter, digit or hyphen")]
#[case::no_build("1.2.3+", 7, "a letter, digit or hyphen is missing")]
#[case::two_builds("1.2.3+a+b", 8, "\"+\" is not a letter, digit or hyphen")]
#[case::digit_of_another_script("1.2.٣", 5, "\"٣\" is not a digit")]
fn rejects_invalid_versions(#[case] text: &str, #[case] column: usize, #[case] flaw: &str) {
    let refusal = Version::parse(text).unwrap_err();
    assert_eq!(
        (refusal.column(), refusal.flaw().to_string()),
        (column, flaw.to_owned())
    );
}

#[test]
fn version_above_255_bytes_is_rejected() {
    let longest = format!("1.0.0-{}", "a".repeat(249));
    assert_eq!(version(&longest).to_string(), longest);
    let refusal = Version::parse(&format!("{longest}a")).unwrap_err();
    assert_eq!(
        refusal.flaw(),
        &Flaw::Length {
            length: 256,
            longest: 255
        }
    );
}

/// The example of the semver specification, extended by neighbors from real catalogs.
#[test]
fn versions_ascend_by_precedence() {
    let ascending = [
        "0.0.0-0",
        "0.0.0",
        "0.0.1-alpha10",
        "0.0.1-alpha4",
        "1.0.0-9",
        "1.0.0-alpha",
        "1.0.0-alpha.1",
        "1.0.0-alpha.beta",
        "1.0.0-beta",
        "1.0.0-beta.2",
        "1.0.0-beta.11",
        "1.0.0-rc.1",
        "1.0.0",
        "1.0.1-1",
        "1.0.1",
        "1.2.0",
        "1.10.0",
        "2.0.0",
    ];
    let versions = ascending.map(version);
    assert!(versions.is_sorted_by(|a, b| a < b));
}

#[test]
fn build_metadata_affects_only_the_display() {
    let (a, b) = (version("1.0.0+a"), version("1.0.0+b"));
    assert_eq!((a.cmp(&b), hash(&a)), (Ordering::Equal, hash(&b)));
    assert_eq!((a.build(), b.build()), ("a", "b"));
    assert_eq!(
        serde_json::to_string(&[a, b]).unwrap(),
        r#"["1.0.0+a","1.0.0+b"]"#
    );
}

#[rstest]
#[case::release("1.2.3", "1.2.4-0")]
#[case::prerelease("1.2.3-rc", "1.2.3-rc.0")]
#[case::last_patch("1.2.18446744073709551615", "1.3.0-0")]
#[case::last_minor("1.18446744073709551615.18446744073709551615", "2.0.0-0")]
#[case::build("1.2.3+a", "1.2.4-0")]
fn next_returns_the_lowest_higher_version(#[case] text: &str, #[case] next: &str) {
    assert_eq!(version(text).next().unwrap().to_string(), next);
}

#[test]
fn next_returns_none_for_the_highest_version() {
    let highest = Version::new(u64::MAX, u64::MAX, u64::MAX);
    assert_eq!(highest.next(), None);
}

#[rstest]
#[case::number("1", Some("1"))]
#[case::no_build_metadata("", None)]
#[case::leading_zeros("001", None)]
#[case::twenty("abcdefghij.klmnopqrs", Some("abcdefghij.klmnopqrs"))]
#[case::build_metadata_of_21_characters("abcdefghij.klmnopqrst", None)]
fn valid_build_metadata_is_the_release_of_a_version(
    #[case] build: &str,
    #[case] release: Option<&str>,
) {
    let text = if build.is_empty() {
        "1.0.0".to_owned()
    } else {
        format!("1.0.0+{build}")
    };
    let found = version(&text).build_as_release();
    assert_eq!(found.as_ref().map(Release::as_str), release);
}

#[rstest]
#[case::empty(
    "",
    "\"\" is not a release: at column 1, the length is 0 bytes; 1 to 20 are allowed"
)]
#[case::release_of_21_characters(
    "abcdefghij.klmnopqrst",
    "\"abcdefghij.klmnopqrst\" is not a release: at column 1, the length is 21 bytes; 1 to 20 are \
     allowed"
)]
#[case::marks(
    "!!!",
    "\"!!!\" is not a release: at column 1, \"!\" is not a letter, digit or hyphen"
)]
#[case::zero(
    "1.01",
    "\"1.01\" is not a release: at column 3, \"01\" has a leading zero; write \"1\""
)]
fn rejects_invalid_releases(#[case] text: &str, #[case] sentence: &str) {
    assert_eq!(Release::parse(text).unwrap_err().to_string(), sentence);
}

#[test]
fn releases_ascend_like_prereleases() {
    let releases =
        ["0", "2", "10", "10.0", "a", "a.1", "hotfix"].map(|r| Release::parse(r).unwrap());
    assert!(releases.is_sorted_by(|a, b| a < b));
}

/// Generates versions from a small alphabet, so that neighbors and equal versions are frequent.
pub(crate) fn versions() -> impl Strategy<Value = String> {
    let number = prop_oneof![4 => 0..4u64, 1 => Just(10), 1 => Just(u64::MAX)];
    let identifier = prop_oneof![
        Just("0"),
        Just("1"),
        Just("10"),
        Just("a"),
        Just("a-b"),
        Just("rc")
    ];
    let identifiers = prop::collection::vec(identifier, 0..3).prop_map(|list| list.join("."));
    (
        [number.clone(), number.clone(), number],
        identifiers.clone(),
        identifiers,
    )
        .prop_map(|([major, minor, patch], pre, build)| {
            let pre = if pre.is_empty() {
                pre
            } else {
                format!("-{pre}")
            };
            let build = if build.is_empty() {
                build
            } else {
                format!("+{build}")
            };
            format!("{major}.{minor}.{patch}{pre}{build}")
        })
}

proptest! {
    #[test]
    fn displayed_version_equals_its_text(text in versions()) {
        prop_assert_eq!(version(&text).to_string(), text);
    }

    #[test]
    fn accepts_the_same_versions_as_semver(text in "v?[0-9x.]{1,7}[-+]?[0-9a_.+-]{0,6}") {
        prop_assert_eq!(Version::parse(&text).is_ok(), semver::Version::parse(&text).is_ok());
    }

    #[test]
    fn order_and_hash_are_those_of_semver_precedence(a in versions(), b in versions()) {
        let (theirs_a, theirs_b) = (a.parse::<semver::Version>(), b.parse::<semver::Version>());
        let precedence = theirs_a.unwrap().cmp_precedence(&theirs_b.unwrap());
        let (a, b) = (version(&a), version(&b));
        prop_assert_eq!(a.cmp(&b), precedence);
        prop_assert_eq!(b.cmp(&a), precedence.reverse());
        prop_assert_eq!(a == b, hash(&a) == hash(&b));
    }

    #[test]
    fn build_metadata_does_not_affect_equality(text in versions(), build in "[0-9a-z]{1,3}") {
        let built = version(&text);
        let bare = built.clone().without_build();
        let rebuilt = version(&format!("{bare}+{build}"));
        prop_assert_eq!([&bare, &rebuilt], [&built, &built]);
        prop_assert_eq!([hash(&bare), hash(&rebuilt)], [hash(&built), hash(&built)]);
    }

    #[test]
    fn no_version_lies_between_a_version_and_its_next_version(a in versions(), b in versions()) {
        let (a, b) = (version(&a), version(&b));
        if let Some(next) = a.next() {
            prop_assert!(a < next);
            prop_assert_eq!(b > a, b >= next);
        }
    }

    #[test]
    fn arbitrary_text_gives_no_panic_and_errors_have_valid_positions(text in any::<String>()) {
        if let Err(refusal) = Version::parse(&text) {
            prop_assert!((1..=text.chars().count() + 1).contains(&refusal.column()));
        }
    }
}
