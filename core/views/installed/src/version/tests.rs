use proptest::prelude::*;
use rstest::rstest;

use super::*;

fn version(text: &str) -> ResourceVersion {
    text.parse().expect("a resourceVersion")
}

#[rstest]
#[case::single_list("namespaces:7")]
#[case::all_of_olm("clusterserviceversions:12,namespaces:7,operatorgroups:3,subscriptions:34")]
#[case::of_files("clusterserviceversions:0,namespaces:0")]
#[case::longer_than_any_integer("namespaces:340282366920938463463374607431768211456")]
fn displayed_version_equals_its_text(#[case] text: &str) {
    assert_eq!(version(text).to_string(), text);
}

#[rstest]
#[case::empty("")]
#[case::a_number_with_zeros_in_front("012")]
#[case::text_without_a_revision("namespaces")]
#[case::no_number("namespaces:")]
#[case::no_integer("namespaces:1.5")]
#[case::signed("namespaces:-1")]
#[case::zeros_in_front("namespaces:07")]
#[case::no_name(":7")]
#[case::twice("namespaces:7,namespaces:8")]
#[case::out_of_order("subscriptions:1,namespaces:2")]
#[case::a_comma_too_many("namespaces:7,")]
#[case::a_blank("namespaces:7, subscriptions:1")]
#[case::digits_of_another_script("namespaces:\u{661}")]
fn rejects_invalid_resource_version(#[case] text: &str) {
    let garbage = NotAVersion::Garbage(text.to_owned());
    assert_eq!(text.parse::<ResourceVersion>(), Err(garbage));
}

#[test]
fn plain_number_is_rejected_as_an_expired_version() {
    let expired = NotAVersion::OtherKind("12".to_owned());
    assert_eq!("12".parse::<ResourceVersion>(), Err(expired));
}

#[test]
fn version_with_other_lists_has_expired() {
    let text = "clusterserviceversions:1,helmcharts:7";
    let expired = NotAVersion::OtherResources(text.to_owned(), "helmcharts".to_owned());
    assert_eq!(text.parse::<ResourceVersion>(), Err(expired));
    let (fewer, more) = (
        version("namespaces:7"),
        version("namespaces:7,subscriptions:1"),
    );
    assert!(!fewer.has_resources_of(&more) && fewer.partial_cmp(&more).is_none());
}

#[rstest]
#[case::same("namespaces:7,subscriptions:1", Some(Ordering::Equal))]
#[case::behind("namespaces:8,subscriptions:1", Some(Ordering::Less))]
#[case::ahead("namespaces:7,subscriptions:0", Some(Ordering::Greater))]
#[case::by_length("namespaces:10,subscriptions:1", Some(Ordering::Less))]
#[case::neither("namespaces:8,subscriptions:0", None)]
fn versions_are_compared_list_by_list(#[case] other: &str, #[case] order: Option<Ordering>) {
    let own = version("namespaces:7,subscriptions:1");
    assert_eq!(own.partial_cmp(&version(other)), order);
}

proptest! {
    #[test]
    fn revisions_are_integers(one in any::<u64>(), other in any::<u64>()) {
        let (first, second) = (Revision::from(one), Revision::from(other));
        prop_assert_eq!(first.cmp(&second), one.cmp(&other));
        prop_assert_eq!(Revision::parse(first.as_str()), Some(first.clone()));
        prop_assert_eq!(first.before(), Revision::from(one.saturating_sub(1)));
    }
}
