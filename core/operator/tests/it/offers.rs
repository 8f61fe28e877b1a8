//! Which catalog a package comes from.

use std::collections::BTreeSet;

use portolan_core_operator::{Choice, Offer, Offers};
use rstest::rstest;
use similar_asserts::assert_eq;

fn offer(catalog: &str, priority: i32) -> Offer {
    Offer {
        catalog: catalog.to_owned(),
        priority,
        channels: Some(["stable".to_owned()].into()),
    }
}

#[rstest]
#[case::none(&[], &[], Choice::None)]
#[case::one(&[("a", 0)], &[], Choice::Catalog("a".to_owned()))]
#[case::the_first(&[("a", 0), ("b", 1)], &["stable"], Choice::Catalog("b".to_owned()))]
#[case::none_of_several(
    &[("a", 1), ("b", 1), ("c", 0)], &[],
    Choice::Ambiguous(
        "a and b have the package with the same priority; give one of them a higher one".to_owned()
    )
)]
#[case::another_channel(
    &[("a", 0)], &["stabel"],
    Choice::UnknownChannel(
        "catalog a has no channel stabel of the package; did you mean stable?".to_owned()
    )
)]
fn a_package_comes_from_one_catalog(
    #[case] offers: &[(&str, i32)],
    #[case] channels: &[&str],
    #[case] expected: Choice,
) {
    let offers = offers
        .iter()
        .map(|(catalog, priority)| offer(catalog, *priority));
    let offers = Offers::from([("ferry".to_owned(), offers.collect())]);
    let channels: BTreeSet<_> = channels.iter().map(|it| (*it).to_owned()).collect();
    assert_eq!(Choice::of(&offers, "ferry", &channels), expected);
}
