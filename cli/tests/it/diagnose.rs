//! Tests of `portolan diagnose`.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use insta::assert_snapshot;
use portolan_kit::{TempFolder, assert_same};
use rstest::rstest;
use serde_json::{Value, json};

use crate::program::{portolan, run, transcript};
use crate::serving::{ANY_PORT, Resolver as Server, ferry_resolver};

/// A world with an operator that crashes, and with an operator in a namespace without an
/// OperatorGroup.
const HARBOR: &str = "--world tests/fixtures/worlds/harbor";
const CATALOG: &str = "--catalog olm/demo=tests/fixtures/catalogs/ferry";

/// The text output and the exit code.
#[rstest]
#[case::all("all", "")]
#[case::all_wide("wide", "-o wide")]
#[case::one_namespace("namespace", "-n quay")]
#[case::one_operator("operator", "ferry")]
#[case::one_version("version", "-n harbor ferry.v1.2.0")]
#[case::for_a_ticket("markdown", "-o markdown")]
#[case::empty_namespace("nothing", "-n nowhere")]
#[case::misspelled_name("nearly", "ferri")]
fn diagnoses_operators(#[case] name: &str, #[case] line: &str) {
    let line = format!("diagnose {HARBOR} {CATALOG} {line}");
    assert_snapshot!(name, transcript(&mut portolan(&line)));
}

/// If the catalog cannot be read, it is unknown if the operator has an upgrade.
#[test]
fn warns_if_catalog_content_is_unavailable() {
    let world = "tests/fixtures/worlds/recorded/install-late/world";
    assert_snapshot!(transcript(&mut portolan(&format!("diagnose --world {world}"))), @r#"
    [stderr]
    warning: no problems found in 1 operator, but some states are unknown: The content of CatalogSource deadline-0/fleet is unknown: its content is not available; use --catalog deadline-0/fleet=PLACE to read the content from another place (-o wide shows all)
    [exit 0]
    "#);
}

/// Recorded objects, and their namespace. In each recording, a timeout of OLM has expired. `cargo
/// run -p portolan-cluster --example record` records them again.
#[rstest]
#[case::install_timeout("install-timeout", "deadline-0")]
#[case::late_install_that_succeeded("install-late", "deadline-0")]
#[case::unpack_timeout("unpack-timeout", "unpacking-1")]
#[case::removed_crd("requirement-gone", "requirement-2")]
fn diagnoses_recorded_olm_timeouts(#[case] name: &str, #[case] namespace: &str) {
    let recorded = format!("tests/fixtures/worlds/recorded/{name}");
    let catalog = format!("{namespace}/fleet={recorded}/catalog");
    let line = format!("diagnose --world {recorded}/world --catalog {catalog} -o wide");
    assert_snapshot!(name, transcript(&mut portolan(&line)));
}

/// The content of a catalog does not matter for an operator that crashes. It matters for an
/// operator that may be healthy.
#[test]
fn reports_unknown_facts_only_if_they_affect_the_diagnosis() {
    let crashes = transcript(&mut portolan(&format!("diagnose {HARBOR} -n harbor")));
    assert!(!crashes.contains("Unknown:"), "{crashes}");
    let world = "tests/fixtures/worlds/recorded/install-late/world";
    let well = transcript(&mut portolan(&format!("diagnose --world {world} -o wide")));
    let way =
        "Unknown:\n  deadline-0/dory: The content of CatalogSource deadline-0/fleet is unknown";
    assert!(well.contains(way), "{well}");
}

#[test]
fn prints_all_diagnoses_as_json() {
    let line = format!("diagnose {HARBOR} {CATALOG} -o json");
    let output = run(&mut portolan(&line));
    assert_eq!(output.status.code(), Some(1));
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let diagnoses = answer["diagnoses"].as_array().expect("a list");
    let found: Vec<_> = diagnoses
        .iter()
        .map(|each| (&each["package"], &each["state"], &each["cause"]["code"]))
        .collect();
    let wanted = [
        ("ferry", "BROKEN", "CrashLooping"),
        ("tug", "STUCK", "OperatorGroupMissing"),
    ];
    let wanted = wanted.map(|(package, state, code)| {
        [package, state, code].map(|text| Value::String(text.to_owned()))
    });
    let wanted: Vec<_> = wanted.iter().map(|[a, b, c]| (a, b, c)).collect();
    assert_eq!(found, wanted);
    let remedy = &diagnoses[0]["cause"]["remedy"];
    let counts = ["look", "decide", "later"].map(|part| remedy[part].as_array().map(Vec::len));
    assert_eq!(counts, [Some(1), Some(0), Some(1)]);
    assert_eq!(remedy["fix"], Value::Null);
}

#[rstest]
#[case::a_catalog_without_a_place(&format!("{HARBOR} --catalog olm/demo"), "olm/demo")]
#[case::missing_catalog(&format!("{HARBOR} --catalog olm/demo=nowhere"), "nowhere")]
#[case::a_server_and_a_catalog("--server http://127.0.0.1:1 --catalog olm/demo=x", "--catalog")]
#[case::apply_to_files(&format!("{HARBOR} {CATALOG} ferry --apply"), "--apply requires a cluster, but --world reads files")]
#[case::apply_to_a_server(
    "--server http://127.0.0.1:1 ferry --apply",
    "--apply requires a cluster, but http://127.0.0.1:1 may"
)]
#[case::apply_without_a_name("--apply", "required")]
#[case::yes_without_apply("ferry --yes", "--apply")]
fn rejects_invalid_arguments(#[case] line: &str, #[case] named: &str) {
    let output = transcript(&mut portolan(&format!("diagnose {line}")));
    assert!(output.contains(named), "{output}");
    assert!(output.ends_with("[exit 2]"), "{output}");
}

#[rstest]
#[case::all("")]
#[case::all_wide("-o wide")]
#[case::one_namespace("-n quay -o json")]
#[case::one_operator("ferry -o json")]
#[case::for_a_ticket("-o markdown")]
#[case::misspelled_name("ferri")]
fn server_and_files_give_same_output(#[case] line: &str) {
    let facts = format!("{HARBOR} {CATALOG}");
    let server = Server::start(&mut portolan(&format!(
        "serve diagnosis {facts} {ANY_PORT}"
    )));
    let asked = format!("diagnose --server {} {line}", server.url());
    let from_server = transcript(&mut portolan(&asked));
    let from_files = transcript(&mut portolan(&format!("diagnose {facts} {line}")));
    assert_same!(from_server, from_files);
}

#[test]
fn reports_server_without_diagnosis_api() {
    let server = Server::start(&mut ferry_resolver());
    let output = transcript(&mut portolan(&format!(
        "diagnose --server {}",
        server.url()
    )));
    let hint = "check that the URL is the --listen address of a diagnosis server, and that the server is not older than this program";
    assert!(output.contains(hint), "{output}");
    assert!(output.ends_with("[exit 3]"), "{output}");
}

/// An unreadable document may contain an object with a problem.
#[test]
fn unreadable_document_gives_exit_code_3() {
    let world = crate::up::demo();
    std::fs::write(world.join("cluster/pilot.yaml"), "kind: [\n").expect("a file");
    // One operator of this namespace waits for a user. `diagnose` reports this operator first.
    for (query, exit) in [
        ("diagnose -n scrapyard", "[exit 3]"),
        ("diagnose -n tugs", "[exit 1]"),
        ("health -n tugs", "[exit 3]"),
    ] {
        let output = transcript(portolan(query).arg("--world").arg(&*world));
        assert!(output.contains("pilot.yaml"), "{output}");
        assert!(!output.contains("No problems found"), "{output}");
        assert!(output.ends_with(exit), "{output}");
    }
    let nothing = transcript(portolan("upgrades --world docs").arg("-n").arg("tugs"));
    assert!(nothing.contains("check the path of --world"), "{nothing}");
    assert!(nothing.ends_with("[exit 2]"), "{nothing}");
}

/// The diagnosis of Portolan's InstallPlans depends on their status. It requires no OLM.
#[rstest]
#[case::stuck_plan("plan_stuck", "plan/ferry-2 -n harbor")]
#[case::plan_wide("plan_stuck_wide", "plan/ferry-2 -o wide")]
#[case::plan_for_programs("plan_stuck_json", "plan/ferry-2 -o json")]
#[case::plan_for_a_ticket("plan_stuck_markdown", "plan/ferry-2 -o markdown")]
#[case::name_of_a_plan("plan_name", "installplan.plans.portolan.dev/ferry-2 -o name")]
#[case::healthy_plan("plan_well", "plan/lights")]
#[case::superseded_plan("plan_resting", "plan/ferry-1")]
#[case::plan_not_observed("plan_unseen", "plan/new")]
#[case::missing_plan("plan_missing", "plan/ferri-2")]
#[case::all_plans("plans_all", "")]
#[case::all_plans_wide("plans_all_wide", "-o wide")]
#[case::plans_of_a_namespace("plans_namespace", "-n quay")]
#[case::plan_of_olm("plan_of_olm", "installplan/install-x7k2p")]
fn diagnoses_plans(#[case] name: &str, #[case] line: &str) {
    let world = "--world tests/fixtures/plans/world";
    assert_snapshot!(
        name,
        transcript(&mut portolan(&format!("diagnose {line} {world}")))
    );
}

/// The diagnosis of Operators also depends on their status.
#[rstest]
#[case::stuck("operator_stuck", "operator/ferry")]
#[case::stuck_wide("operator_stuck_wide", "operator/ferry -o wide")]
#[case::for_a_ticket("operator_markdown", "operator/rope -o markdown")]
#[case::waiting("operator_waiting", "operator.operators.operatorframework.io/rope")]
#[case::healthy("operator_well", "operator/anchor")]
#[case::not_observed("operator_unseen", "operator/new")]
#[case::missing("operator_missing", "operator/fery")]
#[case::all_of_them("operators_all", "")]
#[case::names_of_all("operators_all_names", "-o name")]
#[case::of_a_namespace("operators_namespace", "-n harbor")]
fn diagnoses_operators_of_portolan(#[case] name: &str, #[case] line: &str) {
    let world = "--world tests/fixtures/operators/world";
    assert_snapshot!(
        name,
        transcript(&mut portolan(&format!("diagnose {line} {world}")))
    );
}

/// A server returns the same diagnosis of Portolan's objects as the command with files.
#[rstest]
#[case::all("operators", "")]
#[case::all_wide("operators", "-o wide")]
#[case::an_operator("operators", "operator/ferry")]
#[case::a_package("operators", "package/ferry")]
#[case::a_namespace("operators", "-n harbor")]
#[case::a_missing_operator("operators", "operator/fery")]
#[case::plans("plans", "")]
#[case::a_plan("plans", "plan/ferry-2 -n harbor")]
#[case::a_plan_by_its_name("plans", "harbor/ferry-2")]
fn server_and_files_give_same_output_for_objects_of_portolan(
    #[case] world: &str,
    #[case] line: &str,
) {
    let facts = format!("--world tests/fixtures/{world}/world");
    let server = Server::start(&mut portolan(&format!(
        "diagnose-server {facts} {ANY_PORT}"
    )));
    let asked = format!("diagnose --server {} {line}", server.url());
    let from_server = transcript(&mut portolan(&asked));
    let from_files = transcript(&mut portolan(&format!("diagnose {facts} {line}")));
    assert_same!(from_server, from_files);
}

/// Returns a folder with a policy that is NonCompliant, and with an Install without a status.
fn violated() -> TempFolder {
    let folder = TempFolder::empty();
    let policy = json!({
        "apiVersion": "policy.open-cluster-management.io/v1beta1", "kind": "OperatorPolicy",
        "metadata": {"name": "ferry", "namespace": "policies"}, "spec": {},
        "status": {"compliant": "NonCompliant", "conditions": [{
            "type": "SubscriptionCompliant", "status": "False", "reason": "SubscriptionMismatch",
            "message": "Subscription harbor/ferry follows channel fast",
            "lastTransitionTime": "2026-01-01T06:00:00Z",
        }]},
    });
    let install = json!({
        "apiVersion": "operators.coreos.com/v2alpha1", "kind": "Install",
        "metadata": {"name": "plumbus"}, "spec": {},
    });
    for (name, object) in [("policy.json", policy), ("install.json", install)] {
        fs::write(folder.join(name), object.to_string()).expect("a file");
    }
    folder
}

/// If a policy is NonCompliant, the command never prints "No problems found" and never exits with
/// 0.
#[rstest]
#[case::the_policy("operatorpolicy/ferry", &["Stuck", "PolicyNonCompliant", "follows channel fast", "[exit 1]"])]
#[case::by_the_name_of_the_group("operatorpolicies.policy.open-cluster-management.io/ferry", &["[exit 1]"])]
#[case::an_install("install/plumbus", &["Working", "NotObserved", "[exit 3]"])]
#[case::all("", &["operatorpolicy/ferry", "install/plumbus", "[exit 1]"])]
#[case::another_name("operatorpolicy/fery", &["did you mean ferry?", "[exit 2]"])]
#[case::another_kind("upgradepolicy/ferry", &["[exit 2]"])]
fn policies_and_installs_are_diagnosed(#[case] line: &str, #[case] expected: &[&str]) {
    let folder = violated();
    let mut command = portolan(&format!("diagnose {line}"));
    let output = transcript(command.arg("--world").arg(&*folder));
    for words in expected {
        assert!(output.contains(words), "{output}");
    }
}

/// `--watch` prints the diagnosis of an Operator and continues to run.
#[test]
fn watch_prints_diagnosis_of_an_operator() {
    let line = "diagnose operator/ferry --watch --world tests/fixtures/operators/world";
    let mut command = portolan(line);
    let command = command.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the program");
    let stdout = child.stdout.take().expect("a pipe");
    let mut lines = BufReader::new(stdout).lines().map_while(Result::ok);
    let found = lines.any(|line| line.contains("InstallFailed"));
    child.kill().expect("it must still run");
    child.wait().expect("it must end");
    assert!(found);
}
