//! Tests of `portolan policy`: arguments and output.

use std::process::Command;

use rstest::rstest;

use crate::program::{portolan, run, transcript};

/// Returns the command for this line. `F` stands for the folder with the fixtures.
fn policy(line: &str) -> Command {
    let line = line.replace(" F/", " tests/fixtures/policies/");
    portolan(&format!("policy {line}"))
}

#[rstest]
#[case::an_open_window(
    "test F/weekends.yaml --operator ferry --to 1.2.0 --at 2026-11-28T12:00:00Z"
)]
#[case::a_closed_window(
    "test F/weekends.yaml --operator ferry --to 1.2.0 --at 2026-11-25T12:00:00Z"
)]
#[case::closed_as_json(
    "test F/weekends.yaml --operator ferry --to 1.2.0 --at 2026-11-25T12:00:00Z -o json"
)]
#[case::a_patch(
    "test F/weekends.yaml --operator rope --from 1.1.0 --to 1.1.1 --at 2026-11-28T12:00:00Z"
)]
#[case::a_minor(
    "test F/weekends.yaml --operator rope --from 1.1.0 --to 1.2.0 --at 2026-11-28T12:00:00Z"
)]
#[case::another_kind(
    "test F/weekends.yaml --operator managed/sloop --to 1.2.0 --at 2026-11-25T12:00:00Z"
)]
#[case::unbound_denied(
    "test F/weekends.yaml --operator managed/sloop --to 1.2.0 --at 2026-11-25T12:00:00Z --unbound deny"
)]
#[case::a_world(
    "test --world tests/fixtures/policies/weekends.yaml --operator ferry --to 1.2.0 --at 2026-11-25T12:00:00Z"
)]
#[case::broken("test F/gone.yaml --operator ferry --to 1.2.0 --at 2026-11-25T12:00:00Z")]
#[case::broken_denied(
    "test F/gone.yaml --operator ferry --to 1.2.0 --at 2026-11-25T12:00:00Z --broken deny"
)]
#[case::a_rule_of_much_time(
    "test F/bombs.yaml --operator squares --to 1.2.0 --at 2026-11-28T12:00:00Z"
)]
#[case::a_rule_of_much_memory(
    "test F/bombs.yaml --operator texts --to 1.2.0 --at 2026-11-28T12:00:00Z"
)]
#[case::windows("windows F/weekends.yaml --at 2026-11-25T00:00:00Z")]
#[case::windows_that_are_shifted(
    "windows F/weekends.yaml --at 2026-03-20T00:00:00Z --count 2 -o json"
)]
#[case::missing_file("windows F/nowhere.yaml")]
#[case::missing_world("windows --world F/nowhere.yaml")]
#[case::a_pipe("windows -")]
#[case::unreadable_file(
    "windows F/broken.yaml F/weekends.yaml --at 2026-11-25T00:00:00Z --count 1"
)]
fn prints_results(#[case] line: &str) {
    let words = line.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    insta::assert_snapshot!(
        format!("policy_{}", words.join("_")),
        transcript(&mut policy(line))
    );
}

#[rstest]
#[case::allowed(
    "test F/weekends.yaml --operator ferry --to 1.2.0 --at 2026-11-28T12:00:00Z",
    0
)]
#[case::not_allowed(
    "test F/weekends.yaml --operator ferry --to 1.2.0 --at 2026-11-25T12:00:00Z",
    1
)]
#[case::version_after_the_name(
    "test F/weekends.yaml --operator ferry@1.2.0 --at 2026-11-28T12:00:00Z",
    0
)]
#[case::two_versions("test F/weekends.yaml --operator ferry@1.2.0 --to 1.3.0", 2)]
#[case::no_version("test F/weekends.yaml --operator ferry", 2)]
#[case::all_can_be_read("windows F/weekends.yaml", 0)]
#[case::one_cannot_be_read("windows F/broken.yaml", 1)]
#[case::no_time("windows F/weekends.yaml --at noon", 2)]
#[case::no_file("windows F/none.yaml", 2)]
fn exit_code_shows_result(#[case] line: &str, #[case] code: i32) {
    assert_eq!(run(&mut policy(line)).status.code(), Some(code));
}

/// If an argument must be a time, the error message shows the format.
#[rstest]
#[case::windows("policy windows tests/fixtures/policies/weekends.yaml --at noon")]
#[case::a_move(
    "policy test tests/fixtures/policies/weekends.yaml --operator ferry --to 1.2.0 --at noon"
)]
#[case::an_explanation("explain --world deploy/demo --at noon")]
fn rejects_invalid_time(#[case] line: &str) {
    let expected = "[stderr]\nerror: invalid value 'noon' for '--at <TIME>': invalid time; use a form such as 2026-11-28T12:00:00Z\n";
    let output = transcript(&mut portolan(line));
    assert!(output.starts_with(expected), "{output}");
}
