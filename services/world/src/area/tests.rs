use std::collections::HashSet;

use rstest::rstest;

use super::*;

fn equal(name: &str) -> Expression {
    Expression::Equal(name.to_owned(), "yes".to_owned())
}

fn labels<const N: usize>(names: [&str; N]) -> BTreeMap<String, String> {
    names.map(|name| (name.to_owned(), "yes".to_owned())).into()
}

#[test]
fn areas_with_the_same_terms_are_equal() {
    let harbor = || Area::namespace("harbor");
    let areas = [
        harbor().with_labels([equal("a"), equal("b")].into_iter().collect()),
        harbor()
            .with_labels(equal("b").into())
            .with_labels(equal("a").into()),
        harbor().with_labels([equal("b"), equal("a"), equal("b")].into_iter().collect()),
    ];
    assert_eq!(areas[0].to_string(), "harbor, a=yes, b=yes");
    assert_eq!(HashSet::from(areas).len(), 1);
    let others = [
        Area::everywhere(),
        Area::namespace(""),
        harbor(),
        harbor().with_labels(equal("a").into()),
        Area::everywhere().with_labels(equal("a").into()),
    ];
    assert_eq!(HashSet::from(others).len(), 4);
}

#[rstest]
#[case::all_of_it(Area::everywhere(), [true, true, true])]
#[case::a_namespace(Area::namespace("harbor"), [true, false, false])]
#[case::a_label(Area::everywhere().with_labels(equal("a").into()), [true, true, false])]
#[case::a_label_that_must_not_be(
    Area::everywhere().with_labels(Expression::DoesNotExist("a".to_owned()).into()),
    [false, false, true]
)]
#[case::both(Area::namespace("pier").with_labels(equal("a").into()), [false, true, false])]
fn area_contains_objects_that_match_all_its_parts(#[case] area: Area, #[case] expected: [bool; 3]) {
    let has = [
        area.has((Some("harbor"), None), &labels(["a", "b"])),
        area.has((Some("pier"), None), &labels(["a"])),
        area.has((None, None), &labels(["b"])),
    ];
    assert_eq!(has, expected);
}

#[test]
fn area_may_select_one_object() {
    let area = Area::namespace("harbor").named("allowed");
    assert_eq!(area.to_string(), "harbor, named allowed");
    assert_eq!(area.fields().as_deref(), Some("metadata.name=allowed"));
    let has = |name| area.has((Some("harbor"), Some(name)), &BTreeMap::new());
    assert_eq!([has("allowed"), has("other")], [true, false]);
    assert_eq!(
        Area::namespace("harbor").named(""),
        Area::namespace("harbor")
    );
}
