use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::VersionRange;

fn printed(text: &str) -> String {
    match Requirement::parse(text) {
        Ok(requirement) => requirement.to_string(),
        Err(refusal) => refusal.to_string(),
    }
}

#[rstest]
#[case::package("quay", "quay")]
#[case::version("quay@3.9.2", "quay@3.9.2")]
#[case::version_after_equals_sign("quay=3.9.2", "quay@3.9.2")]
#[case::exact_version("quay@=3.9.2", "quay@=3.9.2")]
#[case::two_equals_signs("quay==3.9.2", "quay@=3.9.2")]
#[case::latest("quay@latest", "quay")]
#[case::latest_after_equals_sign("quay=latest", "quay")]
#[case::head("quay@head", "quay")]
#[case::latest_patch("quay@latest-patch", "quay@latest-patch")]
#[case::latest_minor("quay=latest-minor", "quay@latest-minor")]
#[case::patch("quay@patch", "quay@latest-patch")]
#[case::minor("quay@minor", "quay@latest-minor")]
#[case::z_stream("quay=latest-z-stream", "quay@latest-patch")]
#[case::y_stream("quay=latest-y-stream", "quay@latest-minor")]
#[case::range("quay@>=3.9.0 <3.10.0", "quay@>=3.9.0 <3.10.0")]
#[case::range_after_equals_sign("quay=>=3.9.0 <3.10.0", "quay@>=3.9.0 <3.10.0")]
#[case::range_without_sign("quay>=3.9.0 <3.10.0", "quay@>=3.9.0 <3.10.0")]
#[case::range_after_blank("quay >3.9.2", "quay@>3.9.2")]
#[case::below("quay<4.0.0", "quay@<4.0.0")]
#[case::not("quay!=3.9.2", "quay@!=3.9.2")]
#[case::channel("quay@3.9.2 channel=stable-3.9", "quay@3.9.2 channel=stable-3.9")]
#[case::catalog("quay catalog=olm/shop channel=a", "quay channel=a catalog=olm/shop")]
#[case::range_with_all(
    "quay@>=1.0.0  || =0.9.0 channel=a catalog=b",
    "quay@>=1.0.0  || =0.9.0 channel=a catalog=b"
)]
#[case::blanks_around("  quay  channel=a ", "quay channel=a")]
fn each_accepted_spelling_is_displayed_in_the_same_form(
    #[case] text: &str,
    #[case] expected: &str,
) {
    assert_eq!(printed(text), expected);
    assert_eq!(printed(expected), expected);
}

#[rstest]
#[case::nothing("", 1, "a package must come first")]
#[case::no_package("channel=a", 1, "a package must come first")]
#[case::no_name("=1.0.0", 1, "versions follow a package, as in \"quay@=1.0.0\"")]
#[case::no_name_before_at("@1.0.0", 1, "versions follow a package, as in \"quay@1.0.0\"")]
#[case::version_alone("3.9.2", 1, "versions follow a package, as in \"quay@3.9.2\"")]
#[case::range_alone(">=3.9.0 <4.0.0", 1, "versions follow a package")]
#[case::ambiguous(
    "quay=>3.9.2",
    5,
    "\"=>\" is ambiguous; write \"quay@>=3.9.2\" or \"quay@>3.9.2\""
)]
#[case::of_images("quay:3.9.2", 5, "versions follow an @, as in \"quay@3.9.2\"")]
#[case::name("quay rope", 6, "a second word must be channel= or catalog=")]
#[case::capital("Quay@1.0.0", 1, "")]
#[case::no_version("quay@", 6, "version missing")]
#[case::no_version_after_equals_sign("quay=", 6, "version missing")]
#[case::range("quay@>=3.9.0 =>4", 14, "")]
#[case::caret("quay^1.2.0", 5, "")]
#[case::never("quay@>2.0.0 <1.0.0", 6, "no version is in >2.0.0 <1.0.0")]
#[case::unknown_keyword("quay@newest", 6, "newest is unknown; use a version such as 1.2.3")]
#[case::key("quay level=a", 6, "level= is unknown; use channel= or catalog=")]
#[case::version_as_key("quay version=1.0.0", 6, "versions follow an @, as in \"quay@1.0.0\"")]
#[case::channel("quay channel=", 14, "")]
#[case::twice("quay channel=a channel=b", 16, "channel= is given twice")]
#[case::order("quay channel=a >=3.9.0", 16, "only channel= or catalog= may follow")]
#[case::behind_other_letters("quay@>=1.0.0 channel=a catalog=olm/é", 36, "")]
fn rejects_invalid_requirement(#[case] text: &str, #[case] column: usize, #[case] why: &str) {
    let message = printed(text);
    let start = format!("{text:?} is not a requirement: at column {column}, {why}");
    assert!(message.starts_with(&start), "{message}");
}

#[test]
fn unknown_keyword_lists_valid_forms() {
    let message = printed("quay@newest");
    let end = "use a version such as 1.2.3, a range such as \">=1.2.0 <1.3.0\", latest, latest-patch or latest-minor";
    assert!(message.ends_with(end), "{message}");
}

#[rstest]
#[case::name("harbor/ferry", Some(("harbor/ferry", "")))]
#[case::kind("csv/ferry.v1.0.0@1.2.0", Some(("csv/ferry.v1.0.0", "1.2.0")))]
#[case::range("harbor/ferry>=1.2.0 <2.0.0", Some(("harbor/ferry", ">=1.2.0 <2.0.0")))]
#[case::keyword("ferry=head", Some(("ferry", "latest")))]
#[case::ambiguous("ferry=>1.2.0", None)]
#[case::no_version("ferry@", None)]
fn splits_name_and_versions(#[case] text: &str, #[case] expected: Option<(&str, &str)>) {
    let parts = split(text).ok().map(|(name, target)| {
        let target = target.map(|target| target.to_string());
        (name, target.unwrap_or_default())
    });
    let parts = parts
        .as_ref()
        .map(|(name, target)| (*name, target.as_str()));
    assert_eq!(parts, expected);
}

#[rstest]
#[case("channel=a", true)]
#[case("catalog=olm/shop", true)]
#[case("rope=1.0.0", false)]
#[case("rope>=1.0.0", false)]
#[case("rope", false)]
fn only_arguments_with_a_key_continue_a_requirement(#[case] word: &str, #[case] expected: bool) {
    assert_eq!(Requirement::is_continued_by(word), expected);
}

#[rstest]
#[case("latest", ">=1.2.3")]
#[case("latest-patch", ">=1.2.3 <1.3.0-0")]
#[case("latest-minor", ">=1.2.3 <2.0.0-0")]
#[case("<9.0.0", "<9.0.0")]
fn keyword_becomes_a_range_from_the_installed_version(#[case] text: &str, #[case] expected: &str) {
    let target = Target::parse(text).expect("a target");
    let installed = Version::parse("1.2.3+build.1").expect("a version");
    let range = target.range_from(Some(&installed)).expect("a range");
    assert_eq!(range.to_string(), expected);
}

fn target_of(kind: u8, (major, minor, patch): (u8, u8, u8)) -> Target {
    let version = format!("{major}.{minor}.{patch}");
    let range = |text: String| Target::Range(VersionRange::parse(&text).expect("a range"));
    match kind {
        0 => Target::Latest,
        1 => Target::LatestPatch,
        2 => Target::LatestMinor,
        3 => range(version),
        4 => range(format!(">={version}")),
        5 => range(format!("!={version}")),
        _ => range(format!("<={version} || >{version} <999.0.0")),
    }
}

proptest! {
    #[test]
    fn displayed_requirement_is_parsed_to_an_equal_requirement(
        package in "[a-z][a-z0-9]{0,8}(-[a-z0-9]{1,4}){0,2}",
        kind in 0_u8..7,
        version in any::<(u8, u8, u8)>(),
        channel in proptest::option::of("[a-z][a-z0-9.-]{0,6}[a-z0-9]"),
        catalog in proptest::option::of("[a-z][a-z0-9]{0,6}"),
    ) {
        let requirement = Requirement {
            package: PackageName::parse(&package).expect("a package"),
            target: target_of(kind, version),
            channel: channel.map(|it| ChannelName::parse(&it).expect("a channel")),
            catalog: catalog.map(|it| CatalogName::parse(&it).expect("a catalog")),
        };
        prop_assert_eq!(Requirement::parse(&requirement.to_string()), Ok(requirement));
    }

    #[test]
    fn any_text_is_parsed_or_rejected(text in "[a-z0-9@=<>!~^: .|-]{0,24}") {
        if let Ok(requirement) = Requirement::parse(&text) {
            prop_assert_eq!(Requirement::parse(&requirement.to_string()), Ok(requirement));
        }
    }
}
