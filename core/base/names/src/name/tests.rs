use std::collections::BTreeMap;

use proptest::prelude::*;
use rstest::rstest;

use super::*;

#[rstest]
#[case::label("project-quay")]
#[case::single_letter("a")]
#[case::digits_first("3scale-operator")]
#[case::subdomain("operators.example.com")]
#[case::double_hyphen("a--b")]
fn object_names_are_subdomains(#[case] text: &str) {
    assert_eq!(PackageName::parse(text).unwrap().as_str(), text);
    assert_eq!(CatalogName::parse(text).unwrap().as_str(), text);
}

#[rstest]
#[case::capitals("Fast")]
#[case::dotted("release-1.0")]
#[case::build("p.v2.0.0+1")]
#[case::underscore("stable_v1")]
#[case::without_v("awss3operator.1.0.1")]
#[case::trailing_hyphen("alpha-")]
fn accepts_channel_and_bundle_names_that_are_not_dns_names(#[case] text: &str) {
    assert_eq!(ChannelName::parse(text).unwrap().as_str(), text);
    assert_eq!(BundleName::parse(text).unwrap().as_str(), text);
}

#[rstest]
#[case::empty("", 1, "the length is 0 bytes; 1 to 253 are allowed")]
#[case::capital(
    "quayOperator",
    5,
    "\"O\" is not a lower-case letter, digit, hyphen or dot"
)]
#[case::blank("quay ", 5, "\" \" is not a lower-case letter, digit, hyphen or dot")]
#[case::slash(
    "olm/quay",
    4,
    "\"/\" is not a lower-case letter, digit, hyphen or dot"
)]
#[case::leading_hyphen("-quay", 1, "a letter or digit must come first")]
#[case::trailing_hyphen("quay-", 5, "a letter or digit must come last")]
#[case::inner_label("a.b-.c", 4, "a letter or digit must come last")]
#[case::empty_label("a..b", 3, "a letter or digit must come first")]
#[case::trailing_dot("a.", 3, "a letter or digit must come first")]
fn rejects_invalid_object_names(#[case] text: &str, #[case] column: usize, #[case] flaw: &str) {
    let refusal = PackageName::parse(text).unwrap_err();
    assert_eq!(
        (refusal.column(), refusal.flaw().to_string()),
        (column, flaw.to_owned())
    );
}

#[test]
fn catalog_name_with_a_namespace_is_split() {
    let fleet = CatalogName::parse("olm/fleet").unwrap();
    assert_eq!((fleet.namespace(), fleet.object()), (Some("olm"), "fleet"));
    let demo = CatalogName::parse("demo").unwrap();
    assert_eq!((demo.namespace(), demo.object()), (None, "demo"));
}

#[rstest]
#[case::no_namespace("/fleet", 1)]
#[case::no_name("olm/", 5)]
#[case::two_slashes("olm/a/b", 6)]
#[case::capital_behind_the_slash("olm/Fleet", 5)]
#[case::hyphen_before_the_slash("olm-/fleet", 4)]
fn rejects_invalid_catalog_name(#[case] text: &str, #[case] column: usize) {
    assert_eq!(CatalogName::parse(text).unwrap_err().column(), column);
}

#[rstest]
#[case::empty("", Flaw::Length { length: 0 })]
#[case::flag("--help", Flaw::Start)]
#[case::parent("..", Flaw::Start)]
#[case::blank("stable 1", authored_character(' '))]
#[case::path("a/b", authored_character('/'))]
#[case::control("a\u{7}", authored_character('\u{7}'))]
#[case::right_to_left("a\u{202e}b", authored_character('\u{202e}'))]
#[case::letter_of_another_script("stаble", authored_character('а'))]
fn rejects_invalid_authored_names(#[case] text: &str, #[case] flaw: Flaw) {
    assert_eq!(ChannelName::parse(text).unwrap_err().flaw(), &flaw);
    assert_eq!(BundleName::parse(text).unwrap_err().flaw(), &flaw);
}

fn authored_character(found: char) -> Flaw {
    Flaw::Character {
        found,
        expected: Grammar::Authored.alphabet(),
    }
}

#[test]
fn name_above_the_maximum_length_of_an_object_name_is_rejected() {
    let longest = "a".repeat(LONGEST);
    assert!(BundleName::parse(&longest).is_ok());
    let refusal = BundleName::parse(&format!("{longest}a")).unwrap_err();
    assert_eq!(refusal.flaw(), &Flaw::Length { length: 254 });
    assert_eq!(refusal.text(), format!("{}…", "a".repeat(80)));
}

#[test]
fn error_for_text_with_control_characters_has_one_line() {
    let refusal = BundleName::parse("a\n\u{1b}[31m\"").unwrap_err();
    assert_eq!(
        refusal.to_string(),
        concat!(
            r#""a\n\u{1b}[31m\"" is not a bundle name: at column 2, "\n" is not "#,
            "an ASCII letter, digit, hyphen, dot, underscore or plus sign"
        )
    );
}

#[test]
fn map_with_name_keys_can_be_queried_by_text() {
    let map = BTreeMap::from([(ChannelName::parse("stable").unwrap(), 1)]);
    assert_eq!(map.get("stable"), Some(&1));
}

#[test]
fn serde_uses_parse_and_display() {
    let name: BundleName = serde_json::from_str(r#""quay\u002dv1""#).unwrap();
    assert_eq!(serde_json::to_string(&name).unwrap(), r#""quay-v1""#);
    let error = serde_json::from_str::<PackageName>(r#""-quay""#).unwrap_err();
    assert_eq!(
        error.to_string(),
        r#""-quay" is not a package name: at column 1, a letter or digit must come first"#
    );
}

proptest! {
    #[test]
    fn displayed_name_equals_its_text(text in "[a-zA-Z0-9][a-zA-Z0-9._+-]{0,60}") {
        prop_assert_eq!(BundleName::parse(&text).unwrap().to_string(), text.clone());
        prop_assert_eq!(ChannelName::try_from(text.clone()).unwrap().to_string(), text);
    }

    #[test]
    fn label_of_a_subdomain_must_start_and_end_with_a_letter_or_digit(text in "[a-c0.-]{1,9}") {
        let label = |label: &str| {
            let end = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphanumeric);
            end(label.as_bytes().first()) && end(label.as_bytes().last())
        };
        prop_assert_eq!(PackageName::parse(&text).is_ok(), text.split('.').all(label));
    }

    #[test]
    fn arbitrary_text_gives_no_panic_and_errors_have_valid_positions(text in any::<String>()) {
        let refused = [PackageName::parse(&text).err(), ChannelName::parse(&text).err()];
        for refusal in refused.into_iter().flatten() {
            prop_assert!((1..=text.chars().count() + 1).contains(&refusal.column()));
            prop_assert!(!refusal.to_string().contains(char::is_control));
        }
    }
}

fn suggested(asked: &str) -> Option<&str> {
    let known = [
        "aqua",
        "cert-manager",
        "ferry",
        "kairos-operator",
        "project-quay",
    ];
    nearest(asked, known.iter()).copied()
}

#[test]
fn misspelled_or_partial_name_gives_a_suggestion() {
    assert_eq!(suggested("fery"), Some("ferry"));
    assert_eq!(suggested("cert-manger"), Some("cert-manager"));
    assert_eq!(suggested("quay"), Some("project-quay"));
}

#[test]
fn vaguely_similar_name_is_not_suggested() {
    assert_eq!(suggested("argocd-operator"), None);
    assert_eq!(suggested("etcd"), None);
}
