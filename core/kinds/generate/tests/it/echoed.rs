//! Tests of objects in the input that no request changes.

use portolan_core_generate::{Ask, Knowledge, Outcome, generate};
use serde_json::json;
use similar_asserts::assert_eq;

use crate::{done, operator, request, source};

#[test]
fn unchanged_objects_are_sorted_without_a_resolver_query() {
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
fn errors_are_reported_together_without_output() {
    let nameless = operator("", "a", "1.0.0");
    let mut packageless = operator("b", "b", "1.0.0");
    packageless["spec"] = json!({});
    let versionless = operator("c", "c", "new");
    let generated = done(&request([nameless, packageless, versionless]));
    assert!(generated.objects.is_empty());
    let errors = generated.diagnostics.errors;
    assert_eq!(errors.len(), 3, "{errors:?}");
    let places = errors.iter().map(|error| &error[..8]);
    assert_eq!(
        places.collect::<Vec<_>>(),
        ["input:0:", "input:1:", "input:2:"]
    );
}

/// The first query asks for all catalogs and their packages.
#[test]
fn queries_offered_packages_before_it_adds_an_operator() {
    let mut request = request([operator("a", "a", "1.0.0")]);
    request.wishes = vec!["a=1.1.0".parse().expect("a requested operator")];
    let outcome = generate(&request, &Knowledge::default());
    assert_eq!(outcome, Outcome::Asks(vec![Ask::Offers]));
}

#[test]
fn reports_package_missing_in_all_catalogs() {
    let mut request = request([]);
    request.wishes = vec!["ferri".parse().expect("a requested operator")];
    let offers = [("ferry".to_owned(), Vec::new())];
    let knowledge = Knowledge {
        offers: Some(offers.into()),
        ..Knowledge::default()
    };
    let Outcome::Done(generated) = generate(&request, &knowledge) else {
        panic!("no further questions are expected");
    };
    assert_eq!(
        generated.diagnostics.errors,
        ["no catalog has package ferri; did you mean ferry?"]
    );
}
