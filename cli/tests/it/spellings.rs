//! Tests of the forms in which users can write one request: versions, options before or after the
//! command, and durations. Each form produces the same output.

use std::fs;

use portolan_kit::TempFolder;
use rstest::rstest;

use crate::program::{FERRY, portolan, transcript};

/// A Subscription that has not installed a bundle yet.
const PENDING: &str = "
apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata: {name: ferry, namespace: harbor}
spec: {name: ferry, channel: stabel, source: demo, sourceNamespace: olm}
";

/// Returns the output for these arguments, which may contain blanks.
fn output(words: &[&str]) -> String {
    transcript(portolan("").args(words))
}

/// Returns the output of a command about the package ferry.
fn in_catalog(command: &str, words: &[&str]) -> String {
    let catalog = ["--catalog", FERRY];
    let words: Vec<_> = command
        .split_whitespace()
        .chain(words.iter().copied())
        .chain(catalog)
        .collect();
    output(&words)
}

#[rstest]
#[case::resolve("resolve", "")]
#[case::route("route", "--from ferry=ferry.v1.0.0")]
#[case::route_from_version("route", "--from ferry@1.0.0")]
#[case::path("path", "--from ferry.v1.0.0")]
#[case::generate("generate", "")]
fn every_spelling_of_a_version_gives_the_same_output(#[case] command: &str, #[case] rest: &str) {
    let rest: Vec<_> = rest.split_whitespace().collect();
    let spelled = |words: &[&str]| in_catalog(command, &[words, &rest].concat());
    let version = spelled(&["ferry@1.2.0"]);
    assert!(version.contains("1.2.0"), "{version}");
    assert!(version.ends_with("[exit 0]"), "{version}");
    for words in [
        ["ferry=1.2.0"].as_slice(),
        &["ferry", "--version", "1.2.0"],
        &["--version=1.2.0", "ferry"],
    ] {
        assert_eq!(spelled(words), version, "{words:?}");
    }
    let range = spelled(&["ferry@>=1.0.0 <2.0.0"]);
    assert!(range.ends_with("[exit 0]"), "{range}");
    for words in [
        ["ferry=>=1.0.0 <2.0.0"].as_slice(),
        &["ferry>=1.0.0 <2.0.0"],
        &["ferry", "--version", ">=1.0.0 <2.0.0"],
    ] {
        assert_eq!(spelled(words), range, "{words:?}");
    }
}

#[rstest]
#[case::latest("", &["@latest", "=latest", "@head"])]
#[case::latest_patch("@latest-patch", &["=latest-patch", "@patch", "@latest-z-stream"])]
#[case::latest_minor("@latest-minor", &["=latest-minor", "@minor", "@latest-y-stream"])]
fn old_version_keywords_give_the_same_output(#[case] expected: &str, #[case] old: &[&str]) {
    for (command, rest) in [
        ("resolve", ""),
        ("route", "--from=ferry=ferry.v1.0.0"),
        ("path", "--from=ferry.v1.0.0"),
        ("generate", "--allow-warnings"),
    ] {
        let spelled = |keyword: &str| {
            let rest = rest.split_whitespace();
            let name = format!("ferry{keyword}");
            let words: Vec<_> = std::iter::once(&*name).chain(rest).collect();
            in_catalog(command, &words)
        };
        let first = spelled(expected);
        for keyword in old {
            assert_eq!(spelled(keyword), first, "{command} {keyword}");
        }
    }
}

/// The keywords depend on the installed version.
#[test]
fn route_and_path_resolve_version_keywords_to_same_bundle() {
    for (keyword, version) in [
        ("latest", "1.2.0"),
        ("latest-minor", "1.2.0"),
        ("<1.2.0", "1.1.0"),
    ] {
        let name = format!("ferry@{keyword}");
        let path = in_catalog("path -o name", &[&name, "--from", "ferry.v1.0.0"]);
        let route = in_catalog("route -o name", &[&name, "--from", "ferry=ferry.v1.0.0"]);
        let expected = format!("ferry.v{version}\n[exit 0]");
        assert!(path.ends_with(&expected), "{keyword}: {path}");
        assert!(route.ends_with(&expected), "{keyword}: {route}");
    }
}

#[rstest]
#[case::two_versions(
    "path ferry@1.2.0 --to 1.3.0 --from ferry.v1.0.0",
    "two destinations are given: @1.2.0 and --to"
)]
#[case::two_packages(
    "resolve ferry rope --version 1.2.0",
    "--version 1.2.0 requires exactly one package; use NAME@1.2.0"
)]
#[case::unknown_word(
    "generate ferry@newest",
    "newest is unknown; use a version such as 1.2.3"
)]
#[case::ambiguous(
    "resolve ferry=>1.2.0",
    "\"=>\" is ambiguous; write \"ferry@>=1.2.0\" or \"ferry@>1.2.0\""
)]
#[case::no_version(
    "upgrades ferry@1.2.0 --from ferry.v1.0.0",
    "this command does not accept a version; omit @1.2.0"
)]
fn rejects_unclear_version(#[case] line: &str, #[case] why: &str) {
    let output = in_catalog(line, &[]);
    assert!(output.contains(why), "{output}");
    assert!(output.ends_with("[exit 2]"), "{output}");
}

#[rstest]
#[case::namespace("diagnose --world deploy/demo", "-n harbor")]
#[case::long("diagnose --world deploy/demo", "--namespace=harbor")]
#[case::all_namespaces("health --world deploy/demo", "-A")]
#[case::output("health --world deploy/demo", "-o json")]
#[case::joined("health --world deploy/demo", "-Ao name")]
#[case::nested("plan status --world deploy/demo", "-n harbor -o json")]
#[case::nested_again(
    "bundle show ferry ferry.v1.0.0 --catalog demo=tests/fixtures/catalogs/ferry",
    "-o json"
)]
#[case::cluster("create ferry", "--kubeconfig /nonexistent --context kind")]
#[case::missing_option("delete ferry", "-n harbor")]
#[case::unknown_command("diagnoze", "-n harbor")]
fn options_before_and_after_the_command_give_the_same_output(
    #[case] command: &str,
    #[case] options: &str,
) {
    let after = transcript(&mut portolan(&format!("{command} {options}")));
    let before = transcript(&mut portolan(&format!("{options} {command}")));
    assert_eq!(before, after);
    if let Some((group, rest)) = command
        .split_once(' ')
        .filter(|(it, _)| ["plan", "bundle"].contains(it))
    {
        let between = transcript(&mut portolan(&format!("{group} {options} {rest}")));
        assert_eq!(between, after);
    }
}

#[test]
fn unsupported_option_is_reported_with_the_command() {
    let output = transcript(&mut portolan("-n harbor delete ferry"));
    assert!(
        output.contains("error: unexpected argument '-n' found"),
        "{output}"
    );
    assert!(output.contains("Usage: portolan delete"), "{output}");
    assert!(output.ends_with("[exit 2]"), "{output}");
}

#[test]
fn options_without_a_command_print_the_list_of_commands() {
    let output = transcript(&mut portolan("-n harbor"));
    assert!(
        output.contains("Usage: portolan [OPTIONS] <COMMAND>"),
        "{output}"
    );
    assert!(output.ends_with("[exit 2]"), "{output}");
}

#[rstest]
#[case("health")]
#[case("plan status")]
#[case("diagnose ferry")]
#[case("bundle")]
fn only_the_program_has_a_version(#[case] command: &str) {
    for option in ["--version", "-V"] {
        let output = transcript(&mut portolan(&format!("{command} {option}")));
        let error = format!("error: unexpected argument '{option}' found");
        let tip = "tip: `portolan version` shows the version of the program";
        assert!(output.contains(&error) && output.contains(tip), "{output}");
        assert!(output.ends_with("[exit 2]"), "{output}");
    }
    let version = concat!(
        "[stdout]\nportolan ",
        env!("CARGO_PKG_VERSION"),
        "\n[exit 0]"
    );
    for option in ["--version", "-V"] {
        assert_eq!(transcript(&mut portolan(option)), version);
    }
}

#[rstest]
#[case::create("create ferry --wait")]
#[case::delete("delete ferry --wait")]
#[case::release("release ferry")]
#[case::plan_status("plan status ferry-1 --watch")]
fn accepts_durations(#[case] command: &str) {
    let kubeconfig = "--kubeconfig /nonexistent";
    for duration in ["3s", "5m", "1h30m", "600"] {
        let line = format!("{command} --timeout {duration} {kubeconfig}");
        let output = transcript(&mut portolan(&line));
        assert!(output.contains("kubeconfig"), "{output}");
    }
    let output = transcript(&mut portolan(&format!("{command} --timeout soon")));
    let error = "`soon` is not a duration such as 500ms, 30s or 1h30m";
    assert!(output.contains(error), "{output}");
}

#[test]
fn path_of_pending_subscription_names_the_diagnosis() {
    let folder = TempFolder::empty();
    fs::write(folder.join("world.yaml"), PENDING).expect("a file");
    let world = folder.display().to_string();
    let output = output(&["path", "ferry", "--world", &world]);
    let error = "error: Subscription harbor/ferry has not installed an operator yet. To see the reason, run `portolan diagnose harbor/ferry`; ";
    assert!(output.contains(error), "{output}");
    assert!(output.ends_with("[exit 2]"), "{output}");
}

#[test]
fn suggests_separator_between_two_policies_in_a_file() {
    let folder = TempFolder::empty();
    let policy = "apiVersion: policy.open-cluster-management.io/v1beta1\nkind: OperatorPolicy\n";
    let file = folder.join("policies.yaml");
    fs::write(&file, format!("{policy}{policy}")).expect("a file");
    let file = file.display().to_string();
    let output = output(&["explain", "-f", &file, "--world", "deploy/demo"]);
    let error =
        "policies.yaml:3: duplicate key apiVersion; is a line `---` missing between two objects?";
    assert!(output.contains(error), "{output}");
}

#[rstest]
#[case::server_without_scheme(
    "upgrades ferry --from ferry.v1 --server 127.0.0.1:1",
    "error: cannot query http://127.0.0.1:1: Connection refused",
    3
)]
#[case::bundle_without_package(
    "bundle show ferry.v1.0.0 --catalog demo=tests/fixtures/catalogs/ferry",
    "for a bundle of a catalog, use PACKAGE ferry.v1.0.0",
    2
)]
#[case::missing_bundle(
    "bundle render ./none",
    "use a folder with `manifests` and `metadata`",
    2
)]
#[case::misspelled_namespace(
    "diagnose --world deploy/demo -n harbr",
    "No operators found in namespace harbr (did you mean harbor?).",
    0
)]
fn invalid_input_has_a_remedy(#[case] line: &str, #[case] remedy: &str, #[case] exit: i32) {
    let output = transcript(&mut portolan(line));
    assert!(output.contains(remedy), "{output}");
    assert!(output.ends_with(&format!("[exit {exit}]")), "{output}");
}
