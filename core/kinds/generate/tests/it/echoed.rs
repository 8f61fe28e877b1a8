//! What is read and not asked to change.

use portolan_core_generate::{Ask, Knowledge, Outcome, generate};
use serde_json::json;
use similar_asserts::assert_eq;

use crate::{done, operator, request, source};

#[test]
fn what_was_read_is_written_in_the_order_of_names_and_nobody_is_asked() {
    let [a, b, c] = ["a", "b", "c"].map(|name| operator(name, name, "1.0.0"));
    let (x, y) = (source("x"), source("y"));
    let sorted = [x, y, a, b, c];
    let mut shuffled = sorted.to_vec();
    for _ in 0..sorted.len() {
        shuffled.rotate_left(2);
        let generated = done(&request(shuffled.clone()));
        assert_eq!(generated.objects, sorted);
        assert_eq!(generated.changes, []);
        assert!(generated.diagnostics.warnings.is_empty());
    }
}

#[test]
fn an_error_leaves_nothing_and_all_errors_are_told_at_once() {
    let nameless = operator("", "a", "1.0.0");
    let mut packageless = operator("b", "b", "1.0.0");
    packageless["spec"] = json!({});
    let versionless = operator("c", "c", "new");
    let generated = done(&request([nameless, packageless, versionless]));
    assert!(generated.objects.is_empty());
    let told = generated.diagnostics.errors;
    assert_eq!(told.len(), 3, "{told:?}");
    let places = told.iter().map(|error| &error[..8]);
    assert_eq!(
        places.collect::<Vec<_>>(),
        ["input:0:", "input:1:", "input:2:"]
    );
}

/// What is asked for, and in which order: first who has which package.
#[test]
fn a_wish_asks_for_the_catalogs_first() {
    let mut request = request([operator("a", "a", "1.0.0")]);
    request.wishes = vec!["a=1.1.0".parse().expect("a wish")];
    let outcome = generate(&request, &Knowledge::default());
    assert_eq!(outcome, Outcome::Asks(vec![Ask::Offers]));
}

#[test]
fn a_package_that_nobody_offers_is_told() {
    let mut request = request([]);
    request.wishes = vec!["ferri".parse().expect("a wish")];
    let offers = [("ferry".to_owned(), Vec::new())];
    let knowledge = Knowledge {
        offers: Some(offers.into()),
        ..Knowledge::default()
    };
    let Outcome::Done(generated) = generate(&request, &knowledge) else {
        panic!("nothing more has to be known");
    };
    assert_eq!(
        generated.diagnostics.errors,
        ["no catalog has package ferri; did you mean ferry?"]
    );
}
