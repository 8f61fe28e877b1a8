//! Tests of fields with templates that were not resolved.

use portolan_api::{Flaw, Intent};
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::policies::{design, established, policy, refused, with};

const TEMPLATE: &str = "contains a template that was not rendered; write the value, or set the \
 annotation policy.open-cluster-management.io/disable-templates to \"true\" if the text is not a \
 template";

#[rstest]
#[case::the_package("/spec/subscription/name", json!("{{ .Package }}"), "spec.subscription.name")]
#[case::of_the_hub(
    "/spec/subscription/channel",
    json!("{{hub fromConfigMap \"a\" \"b\" \"c\" hub}}"),
    "spec.subscription.channel"
)]
#[case::a_starting_bundle(
    "/spec/subscription/startingCSV",
    json!("etcdoperator.v{{ .Version }}"),
    "spec.subscription.startingCSV"
)]
#[case::deep_inside(
    "/spec/subscription/config",
    json!({"env": [{"name": "A", "value": "b"}, {"name": "C", "value": "{{ d }}"}]}),
    "spec.subscription.config.env[1].value"
)]
#[case::a_key(
    "/spec/subscription/config",
    json!({"annotations": {"{{ a }}": "b"}}),
    "spec.subscription.config.annotations.{{ a }}"
)]
#[case::a_field("/spec/subscription/{{ a }}", json!("b"), "spec.subscription.{{ a }}")]
#[case::the_whole("/spec/subscription", json!("{{ subscription }}"), "spec.subscription")]
#[case::a_list(
    "/spec/operatorGroup",
    json!({"name": "a", "targetNamespaces": "{{ namespaces | toLiteral }}"}),
    "spec.operatorGroup.targetNamespaces"
)]
#[case::labels(
    "/spec/operatorGroup",
    json!({"name": "a", "selector": "{{ selector }}"}),
    "spec.operatorGroup.selector"
)]
#[case::values(
    "/spec/operatorGroup",
    json!({"name": "a", "selector": {"matchExpressions": [
        {"key": "k", "operator": "In", "values": "{{ values }}"}
    ]}}),
    "spec.operatorGroup.selector.matchExpressions[0].values"
)]
#[case::a_version("/spec/versions", json!(["a", "{{ v }}"]), "spec.versions[1]")]
#[case::all_versions("/spec/versions", json!("{{ v }}"), "spec.versions")]
fn template_is_the_only_reported_error(
    #[case] at: &str,
    #[case] value: Value,
    #[case] field: &str,
) {
    let json = with(established(), at, value);
    assert_eq!(refused(json.clone()), [format!("{field} {TEMPLATE}")]);
    let refusals = Intent::parse(&policy(json)).expect_err("a refused policy");
    assert!(
        refusals
            .iter()
            .all(|refusal| refusal.flaw == Flaw::Template)
    );
}

#[test]
fn rejects_template_in_allowed_csvs() {
    let json = with(design(), "/spec/allowedCSVs", json!(["{{ v }}"]));
    assert_eq!(refused(json), [format!("spec.allowedCSVs[0] {TEMPLATE}")]);
}

#[test]
fn braces_in_other_fields_are_not_templates() {
    let json = with(established(), "/spec/severity", json!("{{ s }}"));
    let sentence = "spec.severity is \"{{ s }}\"; write low, Low, medium, Medium, high, High, \
                    critical or Critical";
    assert_eq!(refused(json), [sentence]);
}

const LITERAL: &str = "spec.subscription.name is \"{{ p }}\", which cannot be a package that OLM \
                       installs; write at most 63 lower-case letters, digits and hyphens, and \
                       start and end with a letter or digit";

/// Behavior 121.
#[rstest]
#[case::disabled("true", LITERAL)]
#[case::disabled_by_a_digit("1", LITERAL)]
#[case::disabled_by_a_letter("t", LITERAL)]
#[case::disabled_by_a_capital("T", LITERAL)]
#[case::disabled_by_a_title("True", LITERAL)]
#[case::disabled_aloud("TRUE", LITERAL)]
#[case::enabled("false", &format!("spec.subscription.name {TEMPLATE}"))]
#[case::annotation_value_that_go_does_not_parse_as_a_boolean("yes", &format!("spec.subscription.name {TEMPLATE}"))]
#[case::empty_annotation_value("", &format!("spec.subscription.name {TEMPLATE}"))]
fn templates_can_be_disabled(#[case] word: &str, #[case] sentence: &str) {
    let annotation = "/metadata/annotations/policy.open-cluster-management.io~1disable-templates";
    let json = with(established(), "/spec/subscription/name", json!("{{ p }}"));
    let json = with(json, annotation, json!(word));
    assert_eq!(refused(json), [sentence]);
}

#[test]
fn braces_are_text_if_templates_are_disabled() {
    let annotation = "/metadata/annotations/policy.open-cluster-management.io~1disable-templates";
    let config = json!({"env": [{"name": "FORMAT", "value": "{{ .ID }}"}]});
    let json = with(established(), "/spec/subscription/config", config.clone());
    let intent = Intent::parse(&policy(with(json, annotation, json!("true"))));
    let intent = intent.expect("a valid policy");
    assert_eq!(intent.subscription.config.as_ref(), config.as_object());
}
