//! Tests that values which depend on a Secret are never displayed.

use rstest::rstest;
use serde_json::{Value as Json, json};

use super::cluster::{Cluster, rendered};
use crate::resolve::{Outcome, resolve};

const MARK: &str = "<Secret harbor/key password>";

fn cluster() -> Cluster {
    Cluster(vec![
        json!({
            "apiVersion": "v1", "kind": "Secret",
            "metadata": {
                "namespace": "harbor", "name": "key",
                "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "hunter2"},
            },
            "data": {"password": "aHVudGVyMg==", "user": "YWRtaW4="},
        }),
        json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"namespace": "harbor", "name": "plain"},
            "data": {"x": "hunter2"},
        }),
    ])
}

fn shown(template: &str) -> String {
    let secret = r#"(fromSecret "harbor" "key" "password" | base64dec)"#;
    let template = template.replace("SECRET", secret);
    rendered(&template, &cluster()).map_or_else(|fault| fault.to_string(), |(_, shown)| shown)
}

#[rstest]
#[case::unchanged("{{ SECRET }}")]
#[case::encoded("{{ SECRET | base64enc | base64enc }}")]
#[case::hashed("{{ sha256sum SECRET }}")]
#[case::replaced(r#"{{ regexReplaceAll "h" SECRET "x" }}"#)]
#[case::cut("{{ trunc 3 SECRET }}")]
#[case::a_byte("{{ index SECRET 0 }}")]
#[case::its_length("{{ len SECRET }}")]
#[case::compared(r#"{{ eq SECRET "hunter2" }}"#)]
#[case::formatted(r#"{{ printf "%x" SECRET }}"#)]
#[case::as_go(r#"{{ printf "%#v" SECRET }}"#)]
#[case::in_base_32("{{ b32enc SECRET }}")]
#[case::summed("{{ adler32sum SECRET }}")]
#[case::in_another_case("{{ camelcase SECRET }}")]
#[case::wrapped(r#"{{ wrapWith 3 "," SECRET }}"#)]
#[case::as_a_layout("{{ dateInZone SECRET 0 \"UTC\" }}")]
#[case::in_chunks("{{ chunk 1 (list SECRET 2) }}")]
#[case::copied(r#"{{ (deepCopy (dict "a" SECRET)).a }}"#)]
#[case::merged(r#"{{ (mergeOverwrite (dict "a" 1) (dict "a" SECRET)).a }}"#)]
#[case::merged_by_key(r#"{{ len (mergeOverwrite (dict "a" 1) (dict SECRET 2)) }}"#)]
#[case::as_pretty_json(r#"{{ toPrettyJson (dict "a" SECRET) }}"#)]
#[case::in_sequence("{{ seq (len SECRET) }}")]
#[case::joined(r#"{{ join "," (list "a" SECRET) }}"#)]
#[case::in_a_list("{{ list 1 SECRET }}")]
#[case::in_a_map(r#"{{ dict "a" SECRET }}"#)]
#[case::as_a_key(r#"{{ keys (dict SECRET 1) }}"#)]
#[case::from_a_map(r#"{{ (dict "a" SECRET).a }}"#)]
#[case::set_later(r#"{{ $d := dict }}{{ $_ := set $d "a" SECRET }}{{ $d.a }}"#)]
#[case::as_json(r#"{{ dict "a" SECRET | toJson }}"#)]
#[case::sought("{{ regexMatch \"h.*\" SECRET }}")]
#[case::in_a_variable("{{ $x := SECRET }}{{ $x }}")]
#[case::by_a_branch(r#"{{ if eq SECRET "hunter2" }}yes{{ else }}no{{ end }}"#)]
#[case::by_an_assignment_in_a_branch(
    r#"{{ $x := "no" }}{{ if eq SECRET "hunter2" }}{{ $x = "yes" }}{{ end }}{{ $x }}"#
)]
#[case::by_an_assignment_in_the_other_branch(
    r#"{{ $x := "no" }}{{ if ne SECRET "hunter2" }}{{ $x = "yes" }}{{ end }}{{ $x }}"#
)]
#[case::by_a_map_that_the_other_branch_changes(
    r#"{{ $d := dict }}{{ if ne SECRET "hunter2" }}{{ $_ := set $d "a" 1 }}{{ end }}{{ len $d }}"#
)]
#[case::by_the_rounds_of_a_loop("{{ range len SECRET }}x{{ end }}")]
#[case::by_where_a_loop_ends(
    r#"{{ range list "a" "hunter2" "b" }}{{ if eq . SECRET }}{{ break }}{{ end }}x{{ end }}"#
)]
#[case::by_the_operand_that_and_skips(r#"{{ and (eq SECRET "hunter2") 1 }}"#)]
#[case::by_a_default(r#"{{ default "empty" SECRET }}"#)]
#[case::by_a_choice(r#"{{ ternary "a" "b" (eq SECRET "hunter2") }}"#)]
#[case::through_a_template(r#"{{ define "t" }}{{ . }}{{ end }}{{ template "t" SECRET }}"#)]
#[case::with("{{ with SECRET }}{{ . }}{{ end }}")]
fn value_of_a_secret_is_displayed_as_a_mark(#[case] template: &str) {
    assert_eq!(shown(template), MARK);
}

#[rstest]
#[case::text_beside_it("a {{ SECRET }} b {{ 1 }}", "a <Secret harbor/key password> b 1")]
#[case::another_key_of_a_map(r#"{{ (dict "a" SECRET "b" 2).b }}"#, "2")]
#[case::behind_a_branch(
    r#"{{ if eq SECRET "x" }}a{{ end }}b"#,
    "<Secret harbor/key password>b"
)]
#[case::its_name(r#"{{ (lookup "v1" "Secret" "harbor" "key").metadata.name }}"#, "key")]
#[case::another_object(r#"{{ fromConfigMap "harbor" "plain" "x" }}"#, "hunter2")]
fn values_without_secrets_are_displayed(#[case] template: &str, #[case] expected: &str) {
    assert_eq!(shown(template), expected);
}

#[rstest]
#[case::data(r#"{{ (lookup "v1" "Secret" "harbor" "key").data.password }}"#, MARK)]
#[case::all_of_it(
    r#"{{ lookup "v1" "Secret" "harbor" "key" }}"#,
    "<Secret harbor/key annotations, Secret harbor/key password, Secret harbor/key user>"
)]
#[case::in_a_list(
    r#"{{ range (lookup "v1" "Secret" "harbor" "").items }}{{ .metadata.name }} {{ .data.user }}{{ end }}"#,
    "key <Secret harbor/key user>"
)]
#[case::copied(
    r#"{{ copySecretData "harbor" "key" }}"#,
    "<Secret harbor/key password, Secret harbor/key user>"
)]
fn looked_up_secret_is_displayed_with_a_mark(#[case] template: &str, #[case] expected: &str) {
    assert_eq!(shown(template), expected);
}

fn document(document: &Json) -> (Json, Json) {
    match resolve(document, &cluster(), 0).outcome {
        Outcome::Resolved(resolved) => (resolved.value, resolved.shown),
        other @ (Outcome::Refused(_) | Outcome::Unread) => panic!("{other:?}"),
    }
}

#[test]
fn document_with_a_secret_has_a_displayable_form() {
    let written = json!({
        "name": "ferry",
        "env": [{"name": "P", "value": r#"pass={{ fromSecret "harbor" "key" "password" | base64dec }}"#}],
    });
    let (value, shown) = document(&written);
    assert_eq!(value["env"][0]["value"], "pass=hunter2");
    assert_eq!(shown["env"][0]["value"], format!("pass={MARK}"));
    assert_eq!(shown["name"], "ferry");
}
