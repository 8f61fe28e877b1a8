//! `portolan controller`: what it refuses, and what the documents tell people to run.

use insta::assert_snapshot;
use rstest::rstest;

use crate::program::{portolan, run, transcript};

const PAGE: &str = include_str!("../../../docs/operator-policy.md");

#[test]
fn who_writes_nothing_cannot_take_over() {
    assert_snapshot!(transcript(&mut portolan("controller --read-only --take-over")), @r#"
    [stderr]
    error: the argument '--read-only' cannot be used with '--take-over'

    Usage: portolan controller --read-only

    For more information, try '--help'.
    [exit 2]
    "#);
}

#[test]
fn in_a_pod_it_must_be_said_whether_to_write() {
    let mut asked = portolan("controller --probes-listen 127.0.0.1:0 --log off");
    assert_snapshot!(transcript(asked.env("KUBERNETES_SERVICE_HOST", "10.0.0.1")), @r#"
    [stderr]
    error: in a Pod `portolan controller` needs one of two flags: --enforce carries policies out, and --read-only only looks
    [exit 2]
    "#);
}

#[test]
fn a_lease_has_a_namespace_and_a_name() {
    assert_snapshot!(transcript(&mut portolan("controller --lease one")), @r#"
    [stderr]
    error: invalid value 'one' for '--lease <NAMESPACE/NAME>': `one` is not a namespace and a name, such as portolan/lease

    For more information, try '--help'.
    [exit 2]
    "#);
}

#[test]
fn a_lease_is_named_or_left_out() {
    assert_snapshot!(transcript(&mut portolan("controller --no-lease --lease a/b")), @r#"
    [stderr]
    error: the argument '--no-lease' cannot be used with '--lease <NAMESPACE/NAME>'

    Usage: portolan controller --no-lease

    For more information, try '--help'.
    [exit 2]
    "#);
}

#[test]
fn a_history_has_at_least_one_message() {
    assert_snapshot!(transcript(&mut portolan("controller --history 0")), @r#"
    [stderr]
    error: invalid value '0' for '--history <MESSAGES>': 0 is not in 1..=255

    For more information, try '--help'.
    [exit 2]
    "#);
}

#[test]
fn a_service_is_asked_at_a_url() {
    let line = "controller --resolver nowhere --world . --probes-listen 127.0.0.1:0";
    assert_snapshot!(transcript(&mut portolan(line)), @r#"
    [stderr]
    error: ask the services: `nowhere` is not the URL of a server, such as http://127.0.0.1:50051
    [exit 2]
    "#);
}

/// How it looked for a cluster depends on the machine.
#[rstest]
#[case::to_look_at(
    "controller --probes-listen 127.0.0.1:0",
    "\nerror: nothing to look at: say --world PATH, or which cluster: find a cluster: "
)]
#[case::to_let_policies_go_on("controller release-finalizers", "\nerror: find a cluster: ")]
fn there_must_be_a_cluster(#[case] line: &str, #[case] sentence: &str) {
    let said = transcript(&mut portolan(line));
    // It may have said by then where it answers probes.
    assert!(
        said.contains(sentence) && said.ends_with("[exit 2]"),
        "{said}"
    );
}

#[test]
fn who_lets_policies_go_does_nothing_else() {
    assert_snapshot!(transcript(&mut portolan("controller --read-only release-finalizers")), @r#"
    [stderr]
    error: the subcommand 'release-finalizers' cannot be used with '--read-only'

    Usage: portolan controller [OPTIONS]
           portolan controller <COMMAND>

    For more information, try '--help'.
    [exit 2]
    "#);
}

/// All commands of ours that the page tells people to run.
fn commands() -> Vec<&'static str> {
    let spans = PAGE
        .lines()
        .flat_map(|line| match line.strip_prefix("    ") {
            Some(block) => vec![block],
            None => line.split('`').skip(1).step_by(2).collect(),
        });
    let ours = spans.filter_map(|span| span.strip_prefix("portolan "));
    ours.collect()
}

#[test]
fn the_page_tells_of_these_commands() {
    let told = [
        "controller --enforce",
        "controller --help",
        "explain policy.yaml",
        "controller release-finalizers",
        "explain --delete",
        "controller --enforce --take-over",
        "controller release-finalizers",
        "explain",
    ];
    assert_eq!(commands(), told);
}

#[rstest]
#[case::to_run("controller --enforce")]
#[case::to_let_policies_go("controller release-finalizers")]
#[case::to_take_over("controller --enforce --take-over")]
fn a_command_of_the_page_is_one(#[case] line: &str) {
    let output = run(&mut portolan(&format!("{line} --help")));
    assert!(output.status.success(), "{output:?}");
}
