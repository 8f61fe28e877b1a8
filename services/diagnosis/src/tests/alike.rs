//! Tests that both core crates interpret the same bundle in the same way.

use portolan_core_approval::{BundleIdentity, Need};
use portolan_core_forecast::Traits;
use portolan_core_olm::Properties;
use rstest::rstest;
use serde_json::{Value, json};

/// Returns a constraint with this nesting depth.
fn nested(depth: usize) -> Value {
    let deepest = json!({"package": {"packageName": "rope", "versionRange": ">=1.0.0"}});
    (0..depth).fold(deepest, |inner, _| json!({"all": {"constraints": [inner]}}))
}

#[rstest]
#[case::in_letters_of_any_case(
    json!({"FailureMessage": "no rope", "PACKAGE": {"packagename": "rope", "VersionRange": ">=1.0.0"}}),
    true
)]
#[case::as_deep_as_it_may_be(nested(32), true)]
#[case::one_level_deeper(nested(33), false)]
#[case::with_a_key_that_means_nothing(json!({"package": {"packageName": "rope", "name": "rope"}}), false)]
#[case::of_two_kinds(json!({"cel": {"rule": "true"}, "not": {}}), false)]
fn approval_and_forecast_parse_constraints_equally(
    #[case] constraint: Value,
    #[case] is_readable: bool,
) {
    let annotation = json!({"properties": [
        {"type": "olm.package", "value": {"packageName": "ferry", "version": "1.1.0"}},
        {"type": "olm.constraint", "value": constraint},
    ]});
    let annotation = annotation.to_string();
    let traits = Traits::of_annotation(&annotation).expect("properties");
    let [foretold] = &traits.requires.constraints[..] else {
        panic!("there must be one constraint: {traits:?}");
    };
    let properties = Properties::parse(&annotation).and_then(Properties::whole);
    let identity = BundleIdentity::of(&properties.expect("properties"));
    let identity = identity.expect("a package").expect("a package");
    let is_opaque =
        matches!(&identity.needs[..], [Need::Opaque(text)] if **text == *foretold.text());
    assert_eq!(
        (foretold.clause().is_ok(), !is_opaque),
        (is_readable, is_readable)
    );
}
