//! Compares random ranges with the reference implementation.

use super::*;
use crate::version::tests::versions;

/// Generates valid and invalid tokens of the language, so that random texts are often nearly valid.
fn words() -> impl Strategy<Value = String> {
    let operator = prop::sample::select(
        [
            vec![""; 4],
            vec![
                "=", "==", "!", "!=", ">", ">=", "<", "<=", "> ", "! ", "=>", "~",
            ],
        ]
        .concat(),
    );
    let operand = prop_oneof![
        6 => versions(),
        3 => prop::sample::select(vec!["1.x", "1.2.x", "0.x", "1.x.x", "1.x.2", "x.1.2", "1.2.x-a"])
            .prop_map(str::to_owned),
        1 => "[0-2]\\.[0-2]\\.[0-2]-[ax.]{1,4}",
    ];
    prop_oneof![
        12 => (operator, operand).prop_map(|(operator, operand)| operator.to_owned() + &operand),
        3 => Just("||".to_owned()),
        1 => prop::sample::select(vec!["", "5", "a", "-", "\t", "\t>=1.2.3", ">=\t1.2.3", "1.2.3\t", ",", "1.2", "v1.2.3"])
            .prop_map(str::to_owned),
    ]
}

fn sentences() -> impl Strategy<Value = String> {
    prop::collection::vec(words(), 1..6).prop_map(|words| words.join(" "))
}

/// Generates ranges that are valid for every parser.
fn sound_ranges() -> impl Strategy<Value = String> {
    let operator =
        prop::sample::select(vec!["", "=", "==", "!", "!=", ">", ">=", "<", "<=", ">= "]);
    let comparator =
        (operator, versions()).prop_map(|(operator, version)| operator.to_owned() + &version);
    let wildcard = prop::sample::select(vec!["1.x", ">=1.2.x", "<=0.x", ">2.1.x", "<3.x"])
        .prop_map(str::to_owned);
    let group = prop::collection::vec(prop_oneof![4 => comparator, 1 => wildcard], 1..4)
        .prop_map(|group| group.join(" "));
    prop::collection::vec(group, 1..4).prop_map(|groups| groups.join(" || "))
}

fn assert_same(
    range: &VersionRange,
    reference: &Reference,
    texts: &[String],
) -> Result<(), TestCaseError> {
    for text in texts {
        let expected = reference.matches(&text.parse().unwrap());
        prop_assert_eq!(matches(range, text), expected, "{} with {}", range, text);
    }
    Ok(())
}

/// Returns true if OLM gives the range the same surprising meaning as Portolan.
fn is_copied(warning: &Warning) -> bool {
    match warning {
        Warning::NarrowWildcard { .. } | Warning::NeverTrue { .. } => true,
        Warning::LetterX { .. } | Warning::ControlBlank { .. } => false,
    }
}

fn samples() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(versions(), 1..20)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn range_without_warnings_has_the_same_meaning_in_olm(text in sentences(), samples in samples()) {
        if let Ok(range) = VersionRange::parse(&text) && range.warnings().is_empty() {
            let reference = Reference::parse(&text);
            prop_assert!(reference.is_some(), "only we accept {text:?}");
            assert_same(&range, &reference.unwrap(), &samples)?;
        }
    }

    #[test]
    fn ranges_rejected_by_olm_are_detected(text in sentences()) {
        if let Ok(range) = VersionRange::parse(&text) {
            let is_refused = Reference::parse(&text).is_none();
            prop_assert_eq!(range.refused_by_olm().is_some(), is_refused, "{:?}", text);
        }
    }

    #[test]
    fn range_with_copied_warnings_matches_like_reference_parser(text in sentences(), samples in samples()) {
        if let (Ok(range), Some(reference)) = (VersionRange::parse(&text), Reference::parse(&text))
            && range.warnings().iter().all(is_copied)
        {
            assert_same(&range, &reference, &samples)?;
        }
    }

    #[test]
    fn range_without_warnings_matches_like_reference_parser(text in sound_ranges(), samples in samples()) {
        let range = range(&text);
        prop_assert_eq!(range.warnings(), []);
        assert_same(&range, &Reference::parse(&text).unwrap(), &samples)?;
    }

    #[test]
    fn displayed_range_keeps_its_text_and_its_canonical_text_is_an_equal_range(text in sound_ranges()) {
        let parsed = range(&text);
        prop_assert_eq!(parsed.to_string(), text);
        let canonical = parsed.canonical().to_string();
        prop_assert_eq!(&range(&canonical), &parsed);
        prop_assert_eq!(range(&canonical).canonical().to_string(), canonical);
    }

    #[test]
    fn equal_ranges_match_the_same_versions(a in sound_ranges(), b in sound_ranges(), samples in samples()) {
        let (a, b) = (range(&a), range(&b));
        let alike = samples.iter().all(|text| matches(&a, text) == matches(&b, text));
        prop_assert!(alike || a != b);
    }

    #[test]
    fn intersection_contains_versions_that_both_match(a in sound_ranges(), b in sound_ranges(), samples in samples()) {
        let (a, b) = (range(&a), range(&b));
        let both = range(&a.to_string()).spans.intersection(&b.spans);
        for text in samples {
            let version = Version::parse(&text).unwrap();
            prop_assert_eq!(both.contain(&version), a.matches(&version) && b.matches(&version));
            prop_assert!(!(a.is_never() && a.matches(&version)));
        }
    }

    #[test]
    fn arbitrary_text_gives_no_panic_and_errors_have_valid_positions(
        text in prop_oneof![any::<String>(), sentences(), "[ 1x.|<>=!,é\u{a0}-]{0,40}"],
    ) {
        if let Err(refusal) = VersionRange::parse(&text) {
            prop_assert!((1..=text.chars().count() + 1).contains(&refusal.column()));
            prop_assert!(!refusal.to_string().contains(char::is_control));
        }
    }
}
