use proptest::prelude::*;
use rstest::rstest;

use super::*;

fn bundle(text: &str) -> BundleName {
    text.parse().expect("a bundle name")
}

fn package(text: &str) -> PackageName {
    text.parse().expect("a package name")
}

#[rstest]
#[case::anything("*", "etcdoperator.v0.9.4", Some("0.9.4"), true)]
#[case::anything_without_a_version("*", "etcdoperator.v0.9.4", None, true)]
#[case::the_bundle("etcdoperator.v0.9.4", "etcdoperator.v0.9.4", Some("0.9.4"), true)]
#[case::another_bundle("etcdoperator.v0.9.2", "etcdoperator.v0.9.4", Some("0.9.4"), false)]
#[case::a_name_is_not_a_beginning("etcdoperator", "etcdoperator.v0.9.4", Some("0.9.4"), false)]
#[case::in_the_range("etcd@>=0.9.2 <1.0.0", "whatever", Some("0.9.4"), true)]
#[case::below_the_range("etcd@>=0.9.5", "etcdoperator.v0.9.5", Some("0.9.4"), false)]
#[case::the_range_of_another_package("other@>=0.1.0", "etcdoperator.v0.9.4", Some("0.9.4"), false)]
#[case::no_version_in_any_range("etcd@>=0.0.0", "etcdoperator.v0.9.4", None, false)]
fn consent_covers_the_expected_bundles(
    #[case] consent: Consent,
    #[case] of: &str,
    #[case] version: Option<&str>,
    #[case] expected: bool,
) {
    let version = version.map(|version| version.parse().expect("a version"));
    let is_covered = consent.covers(&bundle(of), &package("etcd"), version.as_ref());
    assert_eq!(is_covered, expected);
}

#[rstest]
#[case::nothing("", r#""" is not a consent: at column 1, "" is not a bundle name: at column 1, the length is 0 bytes; 1 to 253 are allowed"#)]
#[case::a_star_in_a_name("etcd.*", r#""etcd.*" is not a consent: at column 1, "etcd.*" is not a bundle name: at column 6, "*" is not an ASCII letter, digit, hyphen, dot, underscore or plus sign"#)]
#[case::no_package("@1.0.0", r#""@1.0.0" is not a consent: at column 1, before the '@', "" is not a package name: at column 1, the length is 0 bytes; 1 to 253 are allowed"#)]
#[case::no_version_fits("etcd@>2.0.0 <1.0.0", r#""etcd@>2.0.0 <1.0.0" is not a consent: at column 6, ">2.0.0 <1.0.0" contains no version; write etcd@ and a range, such as >=1.2.0 <2.0.0"#)]
fn invalid_consent_is_rejected_with_the_position(#[case] text: &str, #[case] sentence: &str) {
    let refusal = Consent::parse(text).expect_err("no consent");
    assert_eq!(refusal.to_string(), sentence);
}

#[test]
fn rejects_invalid_range_with_its_position() {
    let refusal = Consent::parse("etcd@>=one").expect_err("no consent");
    assert_eq!(refusal.column(), 6);
    assert!(matches!(refusal.flaw(), Flaw::Range(_)));
}

proptest! {
    #[test]
    fn displayed_consent_is_parsed_to_an_equal_consent(
        text in r"\*|[a-z][a-z0-9.+_-]{0,20}|[a-z][a-z0-9]{0,9}@(>=|<|>|=|)[0-9]{1,2}\.[0-9]\.[0-9]( <[0-9]{2}\.0\.0)?"
    ) {
        if let Ok(consent) = Consent::parse(&text) {
            prop_assert_eq!(consent.to_string(), text.as_str());
            prop_assert_eq!(Consent::parse(&consent.to_string()), Ok(consent));
        }
    }
}
