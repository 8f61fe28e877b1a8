//! Constraints of every kind.

use std::collections::BTreeSet;

use portolan_core_catalog::{Api, Candidate, Constraint, Properties, Property};
use portolan_core_names::Version;
use portolan_kit::assert_same;
use rstest::rstest;

use crate::{flaw, is_met, package};

const HERE: &str = r#"{"package": {"packageName": "harbor", "versionRange": ">=1.0.0"}}"#;
const GONE: &str = r#"{"gvk": {"group": "g.test", "version": "v1", "kind": "Gone"}}"#;

/// Returns a constraint of this kind that contains these constraints.
fn of(kind: &str, parts: &[&str]) -> String {
    format!(r#"{{"{kind}": {{"constraints": [{}]}}}}"#, parts.join(", "))
}

#[rstest]
#[case::a_package(HERE.to_owned(), true)]
#[case::a_package_in_another_version(HERE.replace(">=1.0.0", "<1.4.0"), false)]
#[case::another_package(HERE.replace("harbor", "river"), false)]
#[case::an_api(GONE.replace("Gone", "Berth"), true)]
#[case::an_api_that_it_requires(GONE.replace("Gone", "Crane"), false)]
#[case::an_api_of_another_group(GONE.replace("Gone", "Berth").replace("g.test", ""), false)]
#[case::all_of_both(of("all", &[HERE, GONE]), false)]
#[case::all_with_one_constraint(of("all", &[HERE, HERE]), true)]
#[case::all_of_nothing(of("all", &[]), true)]
#[case::any_of_both(of("any", &[GONE, HERE]), true)]
#[case::any_of_neither(of("any", &[GONE, GONE]), false)]
#[case::any_of_nothing(of("any", &[]), false)]
#[case::not_with_one_constraint(of("not", &[GONE]), true)]
#[case::not_the_other(of("not", &[HERE]), false)]
#[case::not_any_of_two(of("not", &[GONE, HERE]), false)]
#[case::not_of_nothing(of("not", &[]), true)]
#[case::parts_that_are_left_out(r#"{"any": {}}"#.to_owned(), false)]
#[case::parts_within_parts(of("all", &[&of("any", &[GONE, HERE]), &of("not", &[GONE])]), true)]
#[case::not_not(of("not", &[&of("not", &[HERE])]), true)]
#[case::keys_in_any_case(HERE.replace("packageName", "PACKAGENAME"), true)]
#[case::a_kind_that_is_null(HERE.replacen('{', r#"{"cel": null, "#, 1), true)]
fn evaluates_constraint_against_installed_bundle(
    #[case] constraint: String,
    #[case] expected: bool,
) {
    assert_eq!(is_met(&constraint), expected, "{constraint}");
}

#[rstest]
#[case::no_json("{", "no JSON: EOF while parsing an object at line 1 column 1")]
#[case::no_object("[]", "a constraint is a list, and must be an object")]
#[case::nothing(
    "{}",
    "it is empty; it must have one of package, gvk, all, any, not, cel"
)]
#[case::a_message_alone(
    r#"{"failureMessage": "deep"}"#,
    "it is empty; it must have one of package, gvk, all, any, not, cel"
)]
#[case::several_kinds(
    r#"{"all": {"constraints": []}, "any": {"constraints": []}}"#,
    "it has both `all` and `any`; only one is allowed"
)]
#[case::an_unknown_kind(
    r#"{"none": {"constraints": []}}"#,
    "a constraint has an unknown key \"none\""
)]
#[case::an_unknown_key_of_a_package(
    r#"{"package": {"packageName": "a", "versionRange": "1.0.0", "channel": "s"}}"#,
    "`package` has an unknown key \"channel\""
)]
#[case::an_unknown_key_beside_the_parts(
    r#"{"any": {"constraints": [], "least": 2}}"#,
    "`any` has an unknown key \"least\""
)]
#[case::parts_that_are_no_list(
    r#"{"any": {"constraints": {}}}"#,
    "`constraints` is an object, and must be a list"
)]
#[case::a_message_that_is_no_text(
    r#"{"failureMessage": 1, "gvk": {"kind": "A"}}"#,
    "`failureMessage` is a number, and must be a text"
)]
#[case::a_package_without_name(
    r#"{"package": {"versionRange": "1.0.0"}}"#,
    "\"\" is not a package name: at column 1, the length is 0 bytes; 1 to 253 are allowed"
)]
#[case::an_invalid_range(
    r#"{"package": {"packageName": "a", "versionRange": ">=v1.0.0"}}"#,
    "\">=v1.0.0\" is not a version range: at column 3, a version starts with a digit; write \
     \"1.0.0\""
)]
#[case::a_flaw_deep_inside(
    r#"{"not": {"constraints": [{"gvk": {}}, {"any": {"constraints": [{"gvk": 1}]}}]}}"#,
    "in `not`, number 2: in `any`, number 1: `gvk` is a number, and must be an object"
)]
fn reports_invalid_constraint(#[case] constraint: &str, #[case] expected: &str) {
    assert_same!(flaw(constraint), expected);
    assert!(!is_met(constraint));
}

/// OLM rejects the whole constraint, so the negation of an invalid constraint is not satisfied.
#[test]
fn negation_of_an_invalid_constraint_is_not_satisfied() {
    assert!(!is_met(&of("not", &[r#"{"cel": {"rule": "river == 1"}}"#])));
    assert!(!is_met(&of("any", &[HERE, r#"{"cel": {"rule": "1 +"}}"#])));
}

#[rstest]
#[case::a_package(HERE.to_owned(), "package harbor \">=1.0.0\"")]
#[case::an_api(GONE.to_owned(), "API g.test/v1/Gone")]
#[case::a_rule(
    r#"{"cel": {"rule": "properties.exists(p, p.type == \"a\")"}}"#.to_owned(),
    "the rule \"properties.exists(p, p.type == \\\"a\\\")\""
)]
#[case::parts(
    of("all", &[HERE, &of("not", &[GONE]), &of("any", &[])]),
    "all of (package harbor \">=1.0.0\", none of (API g.test/v1/Gone), any of nothing)"
)]
#[case::a_message(
    HERE.replacen('{', r#"{"failureMessage": "needs a harbor\nof 1.0.0", "#, 1),
    "what its author puts as \"needs a harbor\\nof 1.0.0\""
)]
#[case::an_empty_message(
    HERE.replacen('{', r#"{"failureMessage": "", "#, 1),
    "package harbor \">=1.0.0\""
)]
#[case::a_message_of_a_part(
    of("any", &[&GONE.replacen('{', r#"{"failureMessage": "needs it", "#, 1), HERE]),
    "any of (what its author puts as \"needs it\", package harbor \">=1.0.0\")"
)]
#[case::an_invalid_constraint(
    "{}".to_owned(),
    "a constraint that cannot be read (it is empty; it must have one of package, gvk, all, \
     any, not, cel)"
)]
fn displays_constraint_as_text(#[case] constraint: String, #[case] expected: &str) {
    assert_same!(Constraint::parse(&constraint).to_string(), expected);
}

#[test]
fn installed_operator_outside_all_catalogs_is_a_candidate() {
    let (river, version) = (package("river"), Version::new(2, 1, 0));
    let provides = BTreeSet::from([Api {
        group: "g.test".into(),
        version: "v1".into(),
        kind: "Crane".into(),
    }]);
    let tide = [Property {
        kind: "tide".into(),
        value: "3".into(),
    }];
    let known = Candidate {
        package: Some(&river),
        version: Some(&version),
        provides: &provides,
        properties: Properties::Listed(&tide),
    };
    let nameless = Candidate {
        package: None,
        version: None,
        properties: Properties::Listed(&[]),
        ..known
    };
    let is_met = [
        r#"{"package": {"packageName": "river", "versionRange": "2.x"}}"#,
        r#"{"gvk": {"group": "g.test", "version": "v1", "kind": "Crane"}}"#,
        r#"{"cel": {"rule": "properties.exists(p, p.type == 'tide' && p.value > 2)"}}"#,
    ]
    .map(Constraint::parse)
    .map(|constraint| {
        (
            constraint.is_met_by(&known),
            constraint.is_met_by(&nameless),
        )
    });
    assert_eq!(is_met, [(true, false), (true, true), (true, false)]);
}
