//! Tests that errors, marks and lookups of a template reveal nothing about the content of a Secret,
//! not even by their position or order.

mod author;

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use fastrand::Rng;
use portolan_api::OperatorPolicy;
use rstest::rstest;
use serde_json::{Value as Json, json};

use self::author::Author;
use super::cluster::Cluster;
use crate::policy::{PolicyOutcome, resolve_policy};
use crate::resolve::{Outcome, Resolution, ResolveRefusal, resolve};

const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const HIDDEN: &str = "the reason depends on Secret harbor/key password";
const NAMES: [&str; 4] = ["plain", "other", "third", "absent"];

/// Returns a cluster with a Secret that contains this password.
fn cluster(password: &str) -> Cluster {
    let mut objects = vec![json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"namespace": "harbor", "name": "key"},
        "data": {"password": BASE64_STANDARD.encode(password), "user": BASE64_STANDARD.encode("admin")},
    })];
    for name in &NAMES[..3] {
        objects.push(json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "harbor", "name": name},
            "data": {"x": name, "n": "3"},
        }));
    }
    Cluster(objects)
}

fn resolved(template: &str, password: &str) -> Resolution {
    let secret = r#"(fromSecret "harbor" "key" "password" | base64dec)"#;
    let template = template.replace("SECRET", secret);
    resolve(&json!({"a": template}), &cluster(password), 0)
}

/// Returns the error of a template, or its text for display.
fn shown_or_error(resolution: &Resolution) -> String {
    match &resolution.outcome {
        Outcome::Resolved(resolved) => resolved.shown.to_string(),
        Outcome::Refused(refusal) => refusal.to_string(),
        Outcome::Unread => panic!("the cluster of a test has an answer to everything"),
    }
}

/// Returns a template with a copy of `part` for each letter. FIRST becomes the first letter of the
/// Secret, and LETTER becomes the letter.
fn alphabet(part: &str) -> String {
    let first = "(substr 0 1 SECRET)";
    let parts = LETTERS.chars().map(|letter| {
        let part = part.replace("FIRST", first);
        part.replace("LETTER", &letter.to_string())
    });
    parts.collect()
}

#[rstest]
#[case::by_a_branch(r#"{{ if eq FIRST "LETTER" }}{{ fail "" }}{{ end }}"#)]
#[case::by_an_alternative(r#"{{ if ne FIRST "LETTER" }}{{ else }}{{ fail "LETTER" }}{{ end }}"#)]
#[case::by_with(r#"{{ with (eq FIRST "LETTER" | ternary "x" "") }}{{ fail . }}{{ end }}"#)]
#[case::by_a_loop(
    r#"{{ range (eq FIRST "LETTER" | ternary (list 1) list) }}{{ fail "" }}{{ end }}"#
)]
#[case::by_and(r#"{{ $_ := and (eq FIRST "LETTER") (fail "LETTER") }}"#)]
#[case::by_or(r#"{{ $_ := or (ne FIRST "LETTER") (fail "LETTER") }}"#)]
#[case::by_a_template(
    r#"{{ define "LETTER" }}{{ if eq . "LETTER" }}{{ fail "" }}{{ end }}{{ end }}{{ template "LETTER" FIRST }}"#
)]
#[case::by_a_pipeline(r#"{{ $_ := eq FIRST "LETTER" | ternary "no" "1.0.0" | semver }}"#)]
#[case::by_a_type(r#"{{ $_ := eq FIRST "LETTER" | ternary 1 "x" | upper }}"#)]
#[case::by_a_field(r#"{{ $_ := (eq FIRST "LETTER" | ternary 1 (dict "a" 1)).a }}"#)]
#[case::by_the_iterated_list(r#"{{ range (eq FIRST "LETTER" | ternary "x" 0) }}{{ end }}"#)]
#[case::by_a_variable(
    r#"{{ $x := "1" }}{{ if eq FIRST "LETTER" }}{{ $x = "x" }}{{ end }}{{ $_ := $x | semver }}"#
)]
#[case::by_an_index(r#"{{ $_ := index (list 1 2) (eq FIRST "LETTER" | ternary 9 0) }}"#)]
#[case::by_the_kind(r#"{{ if eq FIRST "LETTER" }}{{ semver "xLETTER" }}{{ else }}{{ if eq FIRST "x" }}{{ upper 1 }}{{ end }}{{ end }}"#)]
#[case::by_steps(
    r#"{{ if eq FIRST "LETTER" }}{{ range 999999 }}{{ end }}{{ range 999999 }}{{ end }}{{ end }}"#
)]
#[case::by_steps_before_names(
    r#"{{ if eq FIRST "LETTER" }}{{ range 999999 }}{{ end }}{{ range 999999 }}{{ end }}{{ end }}{{ $_ := fromSecret "harbor" "key" "xLETTER" | len }}"#
)]
#[case::by_steps_before_lookups(
    r#"{{ if eq FIRST "LETTER" }}{{ range 1000001 }}{{ end }}{{ end }}{{ if lt "LETTER" "i" }}{{ $_ := lookup "v1" "ConfigMap" "harbor" "LETTER" }}{{ end }}"#
)]
#[case::by_steps_before_a_failure(
    r#"{{ if eq FIRST "LETTER" }}{{ range 1000001 }}{{ end }}{{ end }}{{ if eq "LETTER" "d" }}{{ fail "why" }}{{ end }}"#
)]
#[case::by_bytes(r#"{{ if eq FIRST "LETTER" }}{{ repeat 999999 "ab" }}{{ end }}"#)]
#[case::by_depth(r#"{{ define "LETTER" }}{{ template "LETTER" }}{{ end }}{{ if eq FIRST "LETTER" }}{{ template "LETTER" }}{{ end }}"#)]
#[case::by_the_end_of_a_loop(
    r#"{{ range list 1 2 }}{{ if eq FIRST "LETTER" }}{{ break }}{{ end }}{{ fail "LETTER" }}{{ end }}"#
)]
#[case::by_the_read_object(
    r#"{{ if eq FIRST "LETTER" }}{{ fromConfigMap "harbor" "LETTER" "x" }}{{ end }}"#
)]
#[case::by_the_looked_up_object(
    r#"{{ if eq FIRST "LETTER" }}{{ lookup "v1" "ConfigMap" "harbor" "LETTER" }}{{ end }}"#
)]
#[case::by_the_object_read_after_it(
    r#"{{ if eq FIRST "LETTER" }}{{ fail "" }}{{ end }}{{ if lt "LETTER" "i" }}{{ $_ := lookup "v1" "ConfigMap" "harbor" "LETTER" }}{{ end }}"#
)]
#[case::by_an_invalid_document(r#"{{ if eq FIRST "LETTER" }}{{ "\n[" | toLiteral }}{{ end }}"#)]
fn error_does_not_depend_on_the_first_letter_of_a_secret(#[case] part: &str) {
    let template = alphabet(part);
    let all: BTreeSet<_> = ["a", "c", "H", "9"]
        .into_iter()
        .map(|letter| {
            let resolution = resolved(&template, &format!("{letter}arbor1"));
            (shown_or_error(&resolution), resolution.lookups)
        })
        .collect();
    let sentences: Vec<_> = all.iter().map(|(error, _)| error).collect();
    assert_eq!(all.len(), 1, "{sentences:#?}");
}

/// The size of a Secret affects neither the error nor the limit.
#[rstest]
#[case::by_its_steps(r#"{{ range 60 }}{{ $_ := copySecretData "harbor" "key" }}{{ end }}"#)]
#[case::by_its_bytes(r#"{{ $_ := copySecretData "harbor" "key" }}"#)]
#[case::entry_of_a_secret(
    r#"{{ range 120 }}{{ $_ := fromSecret "harbor" "key" "user" }}{{ end }}"#
)]
#[case::by_an_object(r#"{{ range 120 }}{{ $_ := lookup "v1" "Secret" "harbor" "key" }}{{ end }}"#)]
#[case::by_a_list(r#"{{ range 120 }}{{ $_ := lookup "v1" "Secret" "harbor" "" }}{{ end }}"#)]
fn result_is_the_same_for_every_size_of_a_secret(#[case] part: &str) {
    let template = format!(r#"{part}{{{{ fail "why" }}}}"#);
    let [small, large, larger] = [1, 500_000, 900_000].map(|size| {
        let resolution = resolved(&template, &"x".repeat(size));
        (shown_or_error(&resolution), resolution.lookups)
    });
    assert!(small.0.ends_with("error calling fail: why"), "{}", small.0);
    assert_eq!(small, large);
    assert_eq!(small, larger);
}

/// A complete attack: the error is the same for every first letter of the Secret.
#[test]
fn error_reveals_no_letter_of_a_secret() {
    let template = alphabet(r#"{{ if eq FIRST "LETTER" }}{{ fail "" }}{{ end }}"#);
    let sentences: BTreeSet<_> = LETTERS
        .chars()
        .map(|letter| shown_or_error(&resolved(&template, &format!("{letter}arbor1"))))
        .collect();
    assert_eq!(sentences, BTreeSet::from([HIDDEN.to_owned()]));
}

#[rstest]
#[case::a_function("{{ fail SECRET }}")]
#[case::a_loop("{{ range SECRET }}{{ end }}")]
#[case::a_parser("{{ mustFromJson SECRET }}")]
#[case::the_name_of_an_object(r#"{{ fromConfigMap "harbor" SECRET "x" }}"#)]
#[case::a_document(r#"{{ printf "[%s" SECRET | toLiteral }}"#)]
#[case::a_length(r#"{{ range len SECRET }}{{ repeat 1048000 "a" }}{{ end }}"#)]
fn failure_caused_by_a_secret_has_no_position(#[case] template: &str) {
    assert_eq!(shown_or_error(&resolved(template, "hunter2")), HIDDEN);
}

/// The content of a Secret does not affect which names a mark contains.
#[rstest]
#[case::by_an_assignment(
    r#"{{ $x := "" }}{{ if eq SECRET "b" }}{{ $x = fromSecret "harbor" "key" "user" }}{{ end }}{{ $x }}"#
)]
#[case::by_a_choice(r#"{{ ternary (fromSecret "harbor" "key" "user") "x" (eq SECRET "b") }}"#)]
#[case::by_or(r#"{{ or (eq SECRET "a") (fromSecret "harbor" "key" "user") }}"#)]
#[case::by_a_default(r#"{{ default (fromSecret "harbor" "key" "user") (eq SECRET "a") }}"#)]
#[case::by_an_index(
    r#"{{ index (list (fromSecret "harbor" "key" "user") SECRET) (eq SECRET "a" | ternary 0 1) }}"#
)]
fn displayed_mark_does_not_reveal_which_secret_was_read(#[case] template: &str) {
    let [a, b] = ["a", "b"].map(|password| shown_or_error(&resolved(template, password)));
    assert_eq!(a, b);
    assert!(a.contains("<Secret harbor/key password"), "{a}");
}

/// A failure that occurs with every content of a Secret is reported with its position.
#[rstest]
#[case::behind_a_secret(r#"{{ $_ := SECRET }}{{ fail "why" }}"#, "error calling fail: why")]
#[case::behind_a_branch(
    r#"{{ if SECRET }}a{{ end }}{{ fail "why" }}"#,
    "error calling fail: why"
)]
#[case::behind_a_failure(
    r#"{{ $_ := semver SECRET }}{{ fail "why" }}"#,
    "error calling fail: why"
)]
#[case::steps_behind_a_branch(
    "{{ if SECRET }}a{{ end }}{{ range 1000001 }}{{ end }}",
    "it takes more than 1000000 steps; a loop in it has too many rounds"
)]
fn failure_without_a_secret_has_its_position(#[case] template: &str, #[case] message: &str) {
    let Outcome::Refused(ResolveRefusal::Fault(fault)) = resolved(template, "hunter2").outcome
    else {
        panic!("a fault with a place");
    };
    assert_eq!(fault.message, message);
}

/// A Secret may determine whether an object is read again that was already read.
#[test]
fn branch_on_a_secret_may_read_objects_that_were_already_read() {
    let template = r#"{{ $m := fromConfigMap "harbor" "plain" "x" }}{{ if eq SECRET "a" }}{{ fromConfigMap "harbor" "plain" "x" }}{{ end }}"#;
    let resolution = resolved(template, "a");
    let Outcome::Resolved(resolved) = resolution.outcome else {
        panic!("{:?}", resolution.outcome);
    };
    assert_eq!(resolved.value, json!({"a": "plain"}));
}

fn policy(password: &str, spec: &Json) -> PolicyOutcome {
    let policy: OperatorPolicy = serde_json::from_value(json!({
        "apiVersion": "policy.open-cluster-management.io/v1beta1", "kind": "OperatorPolicy",
        "metadata": {"namespace": "harbor", "name": "ferry"}, "spec": spec,
    }))
    .expect("a policy");
    resolve_policy(&policy, &cluster(password), 0).outcome
}

/// The value of an environment variable may come from a Secret. If a Secret adds further fields to
/// the variable, the policy is rejected, and the error does not name these fields.
#[test]
fn displayable_policy_hides_fields_made_from_a_secret() {
    let secret = r#"(fromSecret "harbor" "key" "password" | base64dec)"#;
    let value = format!("{{{{ {secret} | toLiteral }}}}");
    let spec = json!({"subscription": {"config": {"env": [{"name": "P", "value": value}]}}});
    let [one, two] = ["{a: 1}", "[1]"].map(|password| match policy(password, &spec) {
        PolicyOutcome::Refused(refused) => refused,
        other @ (PolicyOutcome::Plain | PolicyOutcome::Resolved(_) | PolicyOutcome::Unread(_)) => {
            panic!("{other:?}")
        }
    });
    assert_eq!(one, two);
    assert_eq!(one[0].field, "spec.subscription");
    assert!(one[0].flaw.to_string().contains(HIDDEN), "{}", one[0].flaw);
}

/// With two different Secrets, the error, the text for display and the lookups are the same. If the
/// template fails with only one of the Secrets, the error reveals nothing else.
#[test]
fn result_is_the_same_for_every_value_of_a_secret() {
    let (mut failures, mut texts, mut differ) = (0, 0, 0);
    for seed in 0..600 {
        let mut rng = Rng::with_seed(seed);
        let nodes = Author(&mut rng).nodes(2);
        let template = format!(
            "{{{{ define \"t\" }}}}{{{{ if . }}}}{{{{ .a }}}}{{{{ end }}}}{{{{ end }}}}{{{{ $x := 1 }}}}{{{{ $d := dict }}}}\
             {{{{ $_ := SECRET }}}}{nodes}"
        );
        let passwords = ["abc", "zebra", "1", ""];
        let all = passwords.map(|password| resolved(&template, password));
        for one in &all[1..] {
            assert_eq!(one.lookups, all[0].lookups, "{seed}: {template}");
        }
        let is_text = |it: &&Resolution| matches!(it.outcome, Outcome::Resolved(_));
        let (fine, failed): (Vec<_>, Vec<_>) = all.iter().partition(is_text);
        let said = |all: &[&Resolution]| {
            all.iter()
                .map(|it| shown_or_error(it))
                .collect::<BTreeSet<_>>()
        };
        let (fine, failed) = (said(&fine), said(&failed));
        assert!(
            fine.len() <= 1 && failed.len() <= 1,
            "{seed}: {template}\n{fine:#?} {failed:#?}"
        );
        if let (Some(_), Some(failed)) = (fine.first(), failed.first()) {
            differ += 1;
            assert!(
                failed.starts_with("the reason depends on "),
                "{seed}: {template}\n{failed}"
            );
        }
        failures += failed.len();
        texts += fine.len();
    }
    assert!(
        failures > 100 && texts > 10 && differ > 0,
        "{failures} {texts} {differ}"
    );
}
