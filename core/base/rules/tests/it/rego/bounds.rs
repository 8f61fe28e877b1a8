//! Tests that slow texts are rejected before they are parsed, and that typical texts are accepted.

use std::thread::Builder;

use portolan_core_rules::rego::Rule;
use rstest::rstest;
use similar_asserts::assert_eq;

const CHAIN: &str = "has an expression with more than 128 nested operators and brackets; move a \
 part of it into another rule";
const NESTED: &str =
    "has too much text within nested brackets; move a part of it into another rule";
const PARTS: &str =
    "has too many variables and statements, most of them in this rule; split it into several rules";

fn refusal(text: &str) -> String {
    Rule::parse(text).expect_err("a fault").message
}

#[rstest]
#[case::sums("1 +\n", 3900, "1 > 0")]
#[case::signs("-\n", 7900, "1 > 0")]
#[case::unions("1 |\n", 3900, "1 > 0")]
#[case::negative_numbers("1 -1\n", 1, "-1 -1".repeat(2000).leak())]
#[case::comparisons("1 ==\n", 3000, "1")]
#[case::memberships("1 in\n", 3000, "[]")]
#[case::memberships_in_lists("[1] in [", 1, "1 in\n".repeat(3000).leak())]
#[case::products("x\n*", 5000, "x")]
#[case::fields("input.a", 1, ".a".repeat(400).leak())]
#[case::indexes("input[1]", 1, "[1]".repeat(300).leak())]
#[case::calls("f(1)", 1, "\n(1)".repeat(3000).leak())]
#[case::after_text_that_seems_open("\"[\\\"{\" == `\"` + ", 1, "1 +\n".repeat(3000).leak())]
#[case::behind_a_comment("# `\"\n", 1, "1 +\n".repeat(3000).leak())]
#[case::with_comments_between("1 + # ,;\n", 1500, "1")]
#[case::within_brackets("(((1 + [", 1, "1 +\n".repeat(3000).leak())]
fn rejects_long_chains_of_operators(#[case] again: &str, #[case] times: usize, #[case] last: &str) {
    assert_eq!(
        refusal(&format!("allow if {}{last}", again.repeat(times))),
        CHAIN
    );
}

#[rstest]
#[case::lists("[", "]", 8)]
#[case::sets("{x | ", "}", 7)]
#[case::objects("{1: ", "}", 7)]
#[case::object_comprehensions("{1: x | ", "}", 6)]
#[case::first_items("{[], ", "}", 8)]
#[case::statements("[x | x := 1\n1 == ", "]", 7)]
#[case::shallow("[", "]", 2)]
fn rejects_much_text_in_nested_brackets(
    #[case] open: &str,
    #[case] close: &str,
    #[case] depth: usize,
) {
    let one = format!("{}1{}", open.repeat(depth), close.repeat(depth));
    let times = 14_000 / (one.len() + 2);
    let text = format!("x := [{}]\nallow := true", vec![one; times].join(",\n"));
    assert_eq!(refusal(&text), NESTED);
}

/// The time to read a token is proportional to its length, so long tokens count more.
#[test]
fn long_text_in_nested_brackets_is_rejected() {
    let line = format!("{}\n", "a".repeat(100)).repeat(150);
    let text = format!(
        "x := {}`{line}`{}\nallow := true",
        "[".repeat(8),
        "]".repeat(8)
    );
    assert_eq!(refusal(&text), NESTED);
}

#[rstest]
#[case::statements("allow if {\n", "1\n", 2500, "}")]
#[case::variables("allow if {\n", "x := 1\n", 1000, "}")]
#[case::declarations("allow if {\nsome x", ",\nx", 2000, "\n}")]
#[case::comprehensions("allow if {\n", "x := [y | y := 1]\n", 300, "}")]
#[case::loops("allow if {\n", "some x in [1]\n", 500, "}")]
#[case::quantifiers("allow if {\n", "every x in [1] { true }\n", 300, "}")]
#[case::patterns("allow if {\n[x", ",\nx", 1000, "] = input.a\n}")]
#[case::replaced_inputs("allow if true", " with input as 1\n", 900, "")]
#[case::alternatives("allow if false", " else := 1 if 1\n", 900, "")]
#[case::parameters("f(x", ",\nx", 2000, ") := 1\nallow := true")]
fn rejects_many_variables_and_statements(
    #[case] first: &str,
    #[case] again: &str,
    #[case] times: usize,
    #[case] last: &str,
) {
    assert_eq!(
        refusal(&format!("{first}{}{last}", again.repeat(times))),
        PARTS
    );
}

#[test]
fn error_points_to_the_longest_rule() {
    let long = "1\n".repeat(900);
    let fault =
        Rule::parse(&format!("x := 1\nallow if {{\n{long}}}\ny := 1")).expect_err("a fault");
    assert_eq!(
        (fault.line, fault.column, fault.message.as_str()),
        (2, 1, PARTS)
    );
}

#[test]
fn rejects_many_imports() {
    let text = format!("{}allow := true", "import data.a\n".repeat(70));
    assert_eq!(refusal(&text), "has more than 64 imports");
}

/// The engine computes the power of ten, even if the number is zero.
#[rstest]
#[case::zero("0e2000000000")]
#[case::negative_zero("-0E2000000000")]
#[case::with_a_fraction("0.0e2000000000")]
#[case::with_a_sign("0e+1000")]
#[case::with_zeros_before_it("0e0001000")]
#[case::beyond_32_bits("0e99999999999")]
#[case::negative("1e-1000")]
fn numbers_with_a_large_exponent_are_rejected(#[case] number: &str) {
    let text = format!("x := 1\nallow if 1 == {number}");
    let fault = Rule::parse(&text).expect_err("a fault").to_string();
    assert_eq!(
        fault,
        "line 2, column 15: has a number with an exponent above 999; use a smaller exponent"
    );
}

#[rstest]
#[case::in_a_list("x := [", "]")]
#[case::in_nested_brackets("x := [[[[", "]]]]")]
fn many_numbers_with_an_exponent_are_rejected(#[case] open: &str, #[case] close: &str) {
    let numbers = vec!["0e999"; 2000].join(",\n");
    let text = format!("{open}{numbers}{close}\nallow := true");
    assert_eq!(refusal(&text), NESTED);
}

#[test]
fn text_with_a_nul_character_is_rejected() {
    let text = "allow := false\0\nallow := true";
    let fault = Rule::parse(text).expect_err("a fault").to_string();
    assert_eq!(fault, "line 1, column 15: contains a NUL character");
}

#[rstest]
#[case::a_calendar(format!(
    "frozen := {{{}}}\nallow if not time.format(time.now_ns()) in frozen",
    vec!["\"2026-12-24\""; 1000].join(", \n")
))]
#[case::a_table(format!(
    "teams := {{{}}}\nallow if teams[input.a].b",
    (0..150).map(|at| format!("\"team-{at}\": {{\"days\": [\"Mon\", \"Tue\"], \"b\": true}}")).collect::<Vec<_>>().join(",\n")
))]
#[case::many_rules(format!(
    "default allow := false\n{}allow if ok",
    "ok if {\n  input.move.to.version == \"1.2.0\"\n  [h, m, s] := time.clock(time.now_ns())\n  h >= 8\n  [d, e] := [1, 2]\n  \
     startswith(input.name, sprintf(\"%s-%d\", [input.team, h]))\n}\n".repeat(60)
))]
#[case::a_long_body(format!(
    "allow if {{\n{}}}",
    "  input.move.to.version != \"1.2.0\"\n".repeat(300)
))]
#[case::exponents("allow if 0e999 < 1e308\nx := \"0e2000000000\" # 0e2000000000".to_owned())]
#[case::a_table_of_large_numbers(format!("x := [{}]\nallow := true", vec!["1.5e+9"; 1000].join(",\n")))]
#[case::operators_in_texts(format!("x := \"{}\"\nallow := true", "+ [".repeat(300)))]
#[case::operators_in_comments(format!("{}allow := true", "# 1 + [{( 1 +\n".repeat(900)))]
#[case::a_chain_that_fits(format!("allow if {}1 > 0", "1 + ".repeat(120)))]
#[case::statements_that_begin_with_a_bracket(format!(
    "allow if {{\n{}}}", "[1, 2] == [1, 2]\n".repeat(200)
))]
fn accepts_usual_texts(#[case] text: String) {
    Rule::parse(&text).expect("a rule");
}

/// In the tree, each operator after a parenthesis is a parent of the parenthesis.
#[rstest]
#[case::sums(" +\n1")]
#[case::sets(" |\n1")]
fn chains_that_begin_with_a_bracket_are_rejected(#[case] link: &str) {
    let long = format!("{})", link.repeat(100));
    let text = format!("allow if {}1{} == 1", "(".repeat(24), long.repeat(24));
    let fault = refusal(&text);
    assert!(
        fault.starts_with("has an expression with more than 128"),
        "{fault}"
    );
}

/// The parser must need only a small stack, even in a program without optimization.
#[rstest]
#[case::a_chain(format!("allow if {}1 > 0", "1 +\n".repeat(120)))]
#[case::signs(format!("allow if {}1 < 0", "- ".repeat(120)))]
#[case::fields(format!("allow if input{}", ".a".repeat(120)))]
#[case::parentheses(format!("allow if {}1{}", "(1 + 1 + 1 + 1 + ".repeat(23), ")".repeat(23)))]
#[case::calls(format!("f(x) := x\nallow if {}1{}", "f(1 + 1 + 1 + ".repeat(24), ")".repeat(24)))]
#[case::lists(format!("allow if {}1{}", "[".repeat(7), "]".repeat(7)))]
#[case::references_of_rules((0..900).map(|at| format!("a{at} if a{}\n", at + 1)).collect::<String>() + "a900 := 1\nallow if a0")]
fn deepest_accepted_text_is_parsed_on_a_small_stack(#[case] text: String) {
    on_small_stack(move || Rule::parse(&text).map(drop)).expect("a rule");
}

#[expect(clippy::disallowed_methods, reason = "for its small stack")]
fn on_small_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = Builder::new().stack_size(512 * 1024);
    let thread = thread.spawn(work).expect("a thread");
    thread.join().expect("the work on the small stack")
}
