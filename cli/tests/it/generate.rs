//! Tests of `portolan generate`: arguments and output. docs/requirements-004.md lists the
//! requirement of each test.

mod arbitrary;
mod broken;
mod crds;
mod input;
mod mutated;
mod removal;
mod versions;

use std::fs::{self, File};
use std::process::{Command, Output};

use insta::assert_snapshot;
use portolan_kit::TempFolder;
use rstest::rstest;

use crate::program::{portolan, run, transcript};
use crate::serving::{ANY_PORT, Resolver};

const CATALOG: &str = "demo=tests/fixtures/generate/catalog";
/// A folder with Operators that have a status, as kubectl prints them.
const CLUSTER: &str = "-f tests/fixtures/generate/cluster";
/// A folder as in a Git repository, with one file for each object.
const REPOSITORY: &str = "-f tests/fixtures/generate/repo";

/// Returns `portolan generate` with the catalog of these tests.
fn generate(line: &str) -> Command {
    portolan(&format!("generate --catalog {CATALOG} {line}"))
}

/// Returns the output of the command for this line.
fn transcript_of(line: &str) -> String {
    transcript(&mut generate(line))
}

/// Runs the command for this line. `input` is its standard input.
fn piped(line: &str, input: &[u8]) -> Output {
    let folder = TempFolder::empty();
    let file = folder.join("input");
    fs::write(&file, input).expect("a file");
    run(generate(line).stdin(File::open(file).expect("a file")))
}

/// Returns standard output for this line. Panics if the command fails.
fn printed(line: &str) -> Vec<u8> {
    let output = run(&mut generate(line));
    assert_eq!(output.status.code(), Some(0), "{line}: {output:?}");
    output.stdout
}

/// Returns standard output for this line and input. Panics if the command fails.
fn printed_of(line: &str, input: &[u8]) -> Vec<u8> {
    let output = piped(line, input);
    assert_eq!(output.status.code(), Some(0), "{line}: {output:?}");
    output.stdout
}

#[test]
fn without_input_prints_requested_operators_and_dependencies() {
    assert_snapshot!("generate_without_input", transcript_of("prometheus"));
}

#[test]
fn with_input_prints_changed_and_unchanged_objects() {
    assert_snapshot!(
        "generate_with_input",
        transcript_of(&format!("redis=2.0.1 {CLUSTER}"))
    );
}

#[test]
fn resolves_several_requests_at_once() {
    assert_snapshot!(
        "generate_several",
        transcript_of("prometheus=1.2.3 redis=4.5.6 -o json")
    );
}

#[test]
fn prints_nothing_for_conflicting_requests() {
    assert_snapshot!(
        "generate_impossible",
        transcript_of("locka=1.0.0 lockb=2.0.0")
    );
}

#[test]
fn add_flag_requests_operator() {
    let added = printed("-a prometheus --add redis=1.5.3");
    assert_eq!(added, printed("prometheus redis=1.5.3"));
}

/// These are the examples in the design of Operators.
#[test]
fn prints_changes_as_table_or_json() {
    let line = format!("prometheus=1.1.5 redis=2.0.1 {CLUSTER} --diff");
    assert_snapshot!(transcript_of(&format!("{line} -o table")), @r"
    [stdout]
    Name         Version   Previous   Available
    -----------------------------------------------------
    prometheus   1.1.5     1.1.1      1.1.2, 1.1.3, 1.1.4
    redis        2.0.1     1.5.2      1.5.3
    [exit 0]
    ");
    assert_snapshot!(transcript_of(&format!("{line} -o json")), @r#"
    [stdout]
    [
      {
        "name": "prometheus",
        "version": "1.1.5",
        "previous": "1.1.1",
        "available": [
          "1.1.2",
          "1.1.3",
          "1.1.4"
        ]
      },
      {
        "name": "redis",
        "version": "2.0.1",
        "previous": "1.5.2",
        "available": [
          "1.5.3"
        ]
      }
    ]
    [exit 0]
    "#);
}

/// These are the command lines in the design of Operators. The input is a folder, or the objects of
/// the cluster on standard input.
#[test]
fn accepts_documented_command_lines() {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/generate");
    let mut all = String::new();
    for line in [
        "prometheus",
        "prometheus=1.2.4 -f -",
        "prometheus=1.2.4 -f repo",
        "prometheus=1.2.4 -f repo/Operator-prometheus.yaml",
        "--delete redis -f -",
        "--delete redis prometheus=1.2.3 -f -",
        "--delete redis -f .",
        "prometheus redis",
        "prometheus=1.2.3 redis=4.5.6",
        "prometheus=latest redis=latest-z-stream -f -",
        "prometheus=latest redis=latest -f -",
        "prometheus=latest -f -",
        "redis=latest -f -",
    ] {
        let cluster = File::open(format!("{fixtures}/cluster/operators.yaml"));
        let mut command = portolan(&format!("generate {line} --diff --allow-warnings"));
        let folder = if line.contains("-f .") { "repo" } else { "." };
        command
            .arg(format!("--catalog=demo={fixtures}/catalog"))
            .current_dir(format!("{fixtures}/{folder}"))
            .stdin(cluster.expect("a file"));
        all += &format!("$ generate {line}\n{}\n\n", transcript(&mut command));
    }
    assert_snapshot!("generate_lines_of_the_design", all);
}

#[test]
fn added_and_deleted_operators_have_null_versions() {
    let line = format!("ferry=1.0.0 --delete redis {CLUSTER} --diff");
    assert_snapshot!(transcript_of(&format!("{line} -o json")), @r#"
    [stdout]
    [
      {
        "name": "ferry",
        "version": "1.0.0",
        "previous": null,
        "available": []
      },
      {
        "name": "redis",
        "version": null,
        "previous": "1.5.2",
        "available": []
      }
    ]
    [exit 0]
    "#);
}

/// Without `-o`, the output is YAML if the input is YAML or there is no input. The output is JSON
/// if the input is JSON, or JSON and YAML.
#[test]
fn output_has_format_of_input() {
    let starts = |output: &[u8], with: &str| output.starts_with(with.as_bytes());
    let yaml = printed("redis=1.5.2");
    assert!(starts(&yaml, "---\n"));
    let json = printed("redis=1.5.2 -o json");
    assert!(starts(&json, "{\n"));
    assert!(starts(&printed_of("-f -", &yaml), "---\n"));
    assert!(starts(&printed_of("-f -", &json), "{\n"));
    assert!(starts(&printed_of("-ojson -f -", &yaml), "{\n"));
    assert!(starts(&printed_of("-o=yaml -f -", &json), "---\n"));
    let folder = TempFolder::empty();
    fs::write(folder.join("a.yaml"), &yaml).expect("a file");
    fs::write(folder.join("b.json"), printed("ferry=1.0.0 -o json")).expect("a file");
    let both = printed(&format!("-f {}", folder.display()));
    assert!(starts(&both, "{\n"));
}

/// The command exits with 2 and prints nothing if there is an error. It exits with 1 and prints the
/// whole output if there is a warning. Otherwise it exits with 0.
#[rstest]
#[case::well("redis=1.5.2", 0, true)]
#[case::a_warning("boat", 1, true)]
#[case::a_warning_that_is_allowed("boat --allow-warnings", 0, true)]
#[case::an_error("redis=9.9.9", 2, false)]
#[case::an_error_beside_a_warning("boat redis=9.9.9", 2, false)]
#[case::no_such_place("redis --catalog other=tests/nothing", 2, false)]
fn exit_code_is_two_for_errors_and_one_for_warnings(
    #[case] line: &str,
    #[case] code: i32,
    #[case] is_printed: bool,
) {
    let output = run(&mut generate(line));
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    assert_eq!(!output.stdout.is_empty(), is_printed, "{output:?}");
    assert_eq!(
        output.stderr.is_empty(),
        line == "redis=1.5.2",
        "{output:?}"
    );
}

#[test]
fn output_is_unchanged_if_read_again() {
    for line in ["prometheus redis ferry", "boat bsail", "prometheus -o json"] {
        let once = printed(line);
        assert_eq!(printed_of("-f -", &once), once, "{line}");
        assert_eq!(printed_of(&format!("{line} -f -"), &once), once, "{line}");
    }
}

/// A server and the command itself print the same bytes, for successes, warnings and errors.
#[test]
fn server_and_files_give_same_output() {
    let resolver = Resolver::start(&mut portolan(&format!(
        "serve resolver --catalog {CATALOG} {ANY_PORT}"
    )));
    let url = resolver.url();
    for line in [
        "prometheus",
        "boat bsail -o json",
        &format!("redis=2.0.1 {CLUSTER}"),
        &format!("prometheus=1.1.5 redis=2.0.1 {REPOSITORY} --diff"),
        &format!("--delete prometheus {REPOSITORY}"),
        &format!("--autoremove --yes {CLUSTER}"),
        &format!("-d tests/fixtures/generate/manifest.yaml {REPOSITORY} -o json"),
        "redis=9.9.9",
        "locka=1.0.0 lockb=2.0.0",
    ] {
        let asked = run(&mut portolan(&format!("generate {line} --server {url}")));
        assert_eq!(asked, run(&mut generate(line)), "{line}");
    }
}

/// After a server-side apply of this output, the user owns only the version field of an existing
/// Operator.
#[test]
fn changed_flag_prints_only_version_of_existing_operators() {
    let line = format!("prometheus=1.1.5 redis=2.0.1 {CLUSTER} --changed");
    assert_snapshot!(transcript_of(&line), @r#"
    [stdout]
    ---
    apiVersion: operators.operatorframework.io/v1alpha1
    kind: Operator
    metadata:
      name: prometheus
    spec:
      version: "1.1.5"
    ---
    apiVersion: operators.operatorframework.io/v1alpha1
    kind: Operator
    metadata:
      name: redis
    spec:
      version: "2.0.1"
    [exit 0]
    "#);
    assert_snapshot!(transcript_of(&format!("redis=1.5.2 {CLUSTER} --changed")), @"[exit 0]");
}

#[test]
fn warns_if_version_replaces_range() {
    let operator = serde_json::json!({
        "apiVersion": "operators.operatorframework.io/v1alpha1", "kind": "Operator",
        "metadata": {"name": "redis"},
        "spec": {"packageName": "redis", "version": ">=1.5.0 <2.0.0"},
        "status": {"versions": {"installed": "1.5.2"}},
    });
    let operator = operator.to_string();
    let output = piped("redis=latest -f - --diff", operator.as_bytes());
    assert_eq!(output.status.code(), Some(1));
    assert_snapshot!(String::from_utf8_lossy(&output.stdout), @"
    Name    Version   Previous                 Available
    -------------------------------------------------------
    redis   4.5.6     1.5.2 (>=1.5.0 <2.0.0)   1.5.3, 2.0.1
    ");
    assert_snapshot!(String::from_utf8_lossy(&output.stderr), @r#"warning: redis: 4.5.6 replaces the range ">=1.5.0 <2.0.0" in spec.version, so Portolan no longer updates redis by itself"#);
    let output = piped("redis=latest -f - --diff -o json", operator.as_bytes());
    let changes: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(changes[0]["replacedRange"], ">=1.5.0 <2.0.0");
    // Before this command, the version was not a range.
    let output = piped("redis=latest -f - --diff -o json", &printed("redis=1.5.2"));
    let changes: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(changes[0]["replacedRange"], serde_json::Value::Null);
}
