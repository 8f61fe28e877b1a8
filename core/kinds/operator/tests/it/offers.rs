//! Tests of the selection of the catalog for a package.

use portolan_api::operator::{Intent, Operator};
use portolan_core_operator::{Choice, Offer, Offers};
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

fn offer(catalog: &str, priority: i32) -> Offer {
    Offer {
        catalog: catalog.to_owned(),
        priority,
        labels: [("name".to_owned(), catalog.to_owned())].into(),
        channels: Some(["stable".to_owned()].into()),
    }
}

#[rstest]
#[case::no_catalog(&[], json!({}), Choice::None)]
#[case::one_catalog(&[("a", 0)], json!({}), Choice::Catalog("a".to_owned()))]
#[case::highest_priority(
    &[("a", 0), ("b", 1)], json!({"channels": ["stable"]}), Choice::Catalog("b".to_owned())
)]
#[case::selected_by_name(
    &[("a", 0), ("b", 1)], json!({"catalogSelector": {"matchLabels": {"name": "a"}}}),
    Choice::Catalog("a".to_owned())
)]
#[case::selector_matches_no_catalog(
    &[("a", 0), ("b", 1)], json!({"catalogSelector": {"matchExpressions": [
        {"key": "name", "operator": "In", "values": ["c"]}
    ]}}),
    Choice::NotSelected(
        "a and b have the package, but spec.catalogSelector selects none of these \
         catalogs".to_owned()
    )
)]
#[case::selector_matches_all_catalogs(
    &[("a", 0)], json!({"catalogSelector": {}}), Choice::Catalog("a".to_owned())
)]
#[case::selector_matches_none_of_several(
    &[("a", 1), ("b", 1), ("c", 0)], json!({}),
    Choice::Ambiguous(
        "a and b have the package with the same priority; give one of the catalogs a higher \
         priority".to_owned()
    )
)]
#[case::channel_is_missing(
    &[("a", 0)], json!({"channels": ["stabel"]}),
    Choice::UnknownChannel(
        "catalog a has no channel stabel of the package; did you mean stable?".to_owned()
    )
)]
fn package_comes_from_the_best_catalog(
    #[case] offers: &[(&str, i32)],
    #[case] mut spec: Value,
    #[case] expected: Choice,
) {
    let offers = offers
        .iter()
        .map(|(catalog, priority)| offer(catalog, *priority));
    let offers = Offers::from([("ferry".to_owned(), offers.collect())]);
    spec["packageName"] = json!("ferry");
    let intent = Intent::parse(&Operator::new("ferry", spec.into())).expect("an Operator");
    assert_eq!(Choice::of(&offers, "ferry", Some(&intent)), expected);
}
