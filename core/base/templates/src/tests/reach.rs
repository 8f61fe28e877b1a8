//! Tests that a template which takes too much time or memory ends with an error.

use std::time::Instant;

use rstest::rstest;

use super::cluster::{Cluster, rendered};

const STEPS: &str = "it takes more than 1000000 steps; a loop in it has too many rounds";
const BYTES: &str = "it makes more than 1048576 bytes of text";
const NESTED: &str = "a value in it is nested too deeply";

#[expect(
    clippy::disallowed_methods,
    reason = "that an answer comes soon is what is tested"
)]
fn now() -> Instant {
    Instant::now()
}

#[rstest]
#[case::loops("{{range 100000}}{{range 100000}}{{end}}{{end}}", STEPS)]
#[case::a_long_loop("{{range 9223372036854775807}}{{end}}", STEPS)]
#[case::a_long_list("{{until 999999999999}}", STEPS)]
#[case::much_text("{{range 200000}}0123456789{{end}}", BYTES)]
#[case::a_wide_number("{{printf \"%999999999d\" 1}}", BYTES)]
#[case::a_wide_argument("{{printf \"%*d\" 99999999 1}}", BYTES)]
#[case::an_indent("{{indent 99999999 \"a\"}}", BYTES)]
#[case::doubled(
    r#"{{$x := "0123456789"}}{{range 40}}{{$x = print $x $x}}{{end}}"#,
    BYTES
)]
#[case::repeated("{{repeat 99999999 \"a\"}}", BYTES)]
#[case::expanded(
    r#"{{$x := repeat 100000 "a"}}{{regexReplaceAll ".*" $x (repeat 100000 "$0")}}"#,
    BYTES
)]
#[case::replaced(
    r#"{{$x := "aaaaaaaaaa"}}{{range 40}}{{$x = replace "a" "aaaaaaaaaa" $x}}{{end}}"#,
    BYTES
)]
#[case::templates_without_end(
    r#"{{define "a"}}{{template "a"}}{{end}}{{template "a"}}"#,
    "templates invoke each other more than 50 deep"
)]
#[case::a_map_in_itself(r#"{{$d := dict}}{{set $d "a" $d}}"#, NESTED)]
#[case::a_map_in_a_list_in_itself(r#"{{$d := dict}}{{set $d "a" (list $d)}}"#, NESTED)]
#[case::a_deep_list("{{$x := list}}{{range 100}}{{$x = list $x}}{{end}}{{$x}}", NESTED)]
#[case::deep_lists_compared(
    "{{$x := list}}{{$y := list}}{{range 600}}{{$x = list $x}}{{$y = list $y}}{{end}}{{has $x (list $y)}}",
    NESTED
)]
#[case::deep_maps_merged(
    r#"{{$x := dict "a" 1}}{{$y := dict "a" 2}}{{range 600}}{{$x = dict "a" $x}}{{$y = dict "a" $y}}{{end}}{{merge $x $y}}"#,
    NESTED
)]
#[case::many_directives(r#"{{$f := repeat 300000 "%d"}}{{printf $f}}"#, BYTES)]
#[case::a_wide_tree("{{$x := list 1}}{{range 30}}{{$x = list $x $x}}{{end}}{{$x}}", BYTES)]
fn too_expensive_template_is_stopped(#[case] template: &str, #[case] expected: &str) {
    let began = now();
    let fault = rendered(template, &Cluster(Vec::new())).unwrap_err();
    assert_eq!(fault.message, expected);
    assert!(
        began.elapsed().as_secs() < 20,
        "it took {:?}",
        began.elapsed()
    );
}

/// The stack of the test thread has the same size as the stack of a server thread.
#[rstest]
#[case::parentheses(format!("{{{{{}1{}}}}}", "(".repeat(99), ")".repeat(99)), Ok("1"))]
#[case::calls(format!("{{{{{}1{}}}}}", "(print ".repeat(99), ")".repeat(99)), Ok("1"))]
#[case::branches(format!("{}a{}", "{{if true}}".repeat(99), "{{end}}".repeat(99)), Ok("a"))]
#[case::loops(format!("{}a{}", "{{range 1}}".repeat(99), "{{end}}".repeat(99)), Ok("a"))]
#[case::in_templates(
    format!(
        r#"{{{{define "a"}}}}{}{{{{template "a"}}}}{}{{{{end}}}}{{{{template "a"}}}}"#,
        "{{range 1}}".repeat(90),
        "{{end}}".repeat(90)
    ),
    Err("branches and pipelines in templates that invoke each other are nested more than 250 deep")
)]
fn deeply_nested_template_fits_on_the_stack_of_a_test(
    #[case] template: String,
    #[case] expected: Result<&str, &str>,
) {
    let ours = rendered(&template, &Cluster(Vec::new()));
    let ours = ours.map(|(text, _)| text).map_err(|fault| fault.message);
    assert_eq!(ours, expected.map(str::to_owned).map_err(str::to_owned));
}

#[test]
fn rejects_many_variables() {
    let template = "{{$x := 1}}".repeat(100_000);
    let fault = rendered(&template, &Cluster(Vec::new())).unwrap_err();
    assert_eq!(fault.message, "it has more than 500 variables at once");
}

#[rstest]
#[case::parentheses(format!("{{{{{}1{}}}}}", "(".repeat(5000), ")".repeat(5000)))]
#[case::branches("{{if true}}".repeat(5000))]
#[case::alternatives(format!("{{{{if true}}}}{}{{{{end}}}}", "{{else if true}}".repeat(5000)))]
fn rejects_deep_nesting(#[case] template: String) {
    let fault = rendered(&template, &Cluster(Vec::new())).unwrap_err();
    assert_eq!(fault.message, "it is nested more than 100 deep");
}
