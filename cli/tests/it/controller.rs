//! Tests of `portolan serve controller`: arguments that it rejects, and its commands in the
//! documentation.

use insta::assert_snapshot;
use rstest::rstest;

use crate::program::{portolan, run, transcript};

const PAGE: &str = include_str!("../../../docs/operator-policy.md");

#[test]
fn rejects_take_over_with_read_only() {
    assert_snapshot!(transcript(&mut portolan("serve controller --read-only --take-over")), @r#"
    [stderr]
    error: the argument '--read-only' cannot be used with '--take-over'

    Usage: portolan serve controller --read-only

    For more information, try '--help'.
    [exit 2]
    "#);
}

#[test]
fn requires_enforce_or_read_only_in_pod() {
    let mut asked = portolan("serve controller --probes-listen 127.0.0.1:0 --log off");
    assert_snapshot!(transcript(asked.env("KUBERNETES_SERVICE_HOST", "10.0.0.1")), @r#"
    [stderr]
    error: in a Pod `portolan serve controller` needs one of two flags: --enforce to enforce policies, or --read-only to only observe
    [exit 2]
    "#);
}

#[test]
fn rejects_lease_without_namespace() {
    assert_snapshot!(transcript(&mut portolan("serve controller --lease one")), @r#"
    [stderr]
    error: invalid value 'one' for '--lease <NAMESPACE/NAME>': `one` is not a namespace and a name, such as portolan/lease

    For more information, try '--help'.
    [exit 2]
    "#);
}

#[test]
fn rejects_lease_with_no_lease() {
    assert_snapshot!(transcript(&mut portolan("serve controller --no-lease --lease a/b")), @r#"
    [stderr]
    error: the argument '--no-lease' cannot be used with '--lease <NAMESPACE/NAME>'

    Usage: portolan serve controller --no-lease

    For more information, try '--help'.
    [exit 2]
    "#);
}

#[test]
fn rejects_empty_history() {
    assert_snapshot!(transcript(&mut portolan("serve controller --history 0")), @r#"
    [stderr]
    error: invalid value '0' for '--history <MESSAGES>': 0 is not in 1..=255

    For more information, try '--help'.
    [exit 2]
    "#);
}

#[test]
fn rejects_resolver_without_url() {
    let line = "serve controller --resolver nowhere --world . --probes-listen 127.0.0.1:0";
    assert_snapshot!(transcript(&mut portolan(line)), @r#"
    [stderr]
    error: cannot connect to the services: `nowhere` is not the URL of a server, such as http://127.0.0.1:50051
    [exit 2]
    "#);
}

/// The end of the message depends on the operating system.
#[rstest]
#[case::controller(
    "serve controller --probes-listen 127.0.0.1:0",
    "\nerror: no objects to read: use --world PATH, or select a cluster: no cluster found: "
)]
#[case::release_finalizers("serve controller release-finalizers", "\nerror: no cluster found: ")]
fn requires_cluster(#[case] line: &str, #[case] sentence: &str) {
    let output = transcript(&mut portolan(line));
    assert!(
        output.starts_with(&format!("[stderr]{sentence}")) && output.ends_with("[exit 2]"),
        "{output}"
    );
}

#[test]
fn rejects_release_finalizers_with_read_only() {
    assert_snapshot!(transcript(&mut portolan("serve controller --read-only release-finalizers")), @r#"
    [stderr]
    error: the subcommand 'release-finalizers' cannot be used with '--read-only'

    Usage: portolan serve controller [OPTIONS]
           portolan serve controller <COMMAND>

    For more information, try '--help'.
    [exit 2]
    "#);
}

/// Returns the `portolan` commands in the documentation page.
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
fn operations_page_mentions_the_tested_commands() {
    let expected = [
        "serve controller --enforce",
        "serve controller --help",
        "explain policy.yaml",
        "serve controller release-finalizers",
        "explain --delete",
        "serve controller --enforce --take-over",
        "serve controller release-finalizers",
        "explain",
    ];
    assert_eq!(commands(), expected);
}

#[rstest]
#[case::enforce("serve controller --enforce")]
#[case::release_finalizers("serve controller release-finalizers")]
#[case::take_over("serve controller --enforce --take-over")]
fn commands_of_page_exist(#[case] line: &str) {
    let output = run(&mut portolan(&format!("{line} --help")));
    assert!(output.status.success(), "{output:?}");
}
