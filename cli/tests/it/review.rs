//! Tests of `portolan review` and `portolan serve approval`.

use std::fs;
use std::path::Path;
use std::process::Command;

use insta::assert_snapshot;
use portolan_kit::{TempFolder, assert_same};
use rstest::rstest;
use serde_json::{Value, json};

use crate::program::{portolan, run, transcript};
use crate::serving::{ANY_PORT, Resolver as Server};

/// A world with two plans. A policy allows the bundle of one plan. The bundle of the other plan is
/// not allowed.
const PIER: &str = "tests/fixtures/worlds/pier";

/// Returns a copy of these files, with a change in each file.
fn pier(change: impl Fn(String) -> String) -> TempFolder {
    let folder = TempFolder::empty();
    for name in ["pier.yaml", "policies.yaml"] {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
        let text = fs::read_to_string(format!("{root}/{PIER}/{name}"));
        let text = change(text.expect("the fixture must exist"));
        fs::write(folder.join(name), text).expect("the folder must be writable");
    }
    folder
}

/// Returns `portolan review` for the manifests in a folder.
fn review(folder: &Path, line: &str) -> Command {
    let mut command = portolan(&format!("review --world . {line}"));
    command.current_dir(folder);
    command
}

fn answer(line: &str) -> Value {
    let output = run(&mut portolan(&format!(
        "review --world {PIER} {line} -o json"
    )));
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?} must be JSON"))
}

#[test]
fn lists_waiting_plans_with_remedy() {
    assert_snapshot!(transcript(&mut portolan(&format!(
        "review --world {PIER} -n pier"
    ))));
}

#[test]
fn prints_one_plan_as_tree() {
    assert_snapshot!(transcript(&mut portolan(&format!(
        "review --world {PIER} install-9fk4t"
    ))));
}

#[test]
fn shows_finished_plan_by_name() {
    let output = transcript(&mut portolan(&format!(
        "review --world {PIER} install-2mz7c -o wide"
    )));
    assert!(output.contains("Phase:         Complete"), "{output}");
    assert!(output.ends_with("[exit 0]"), "{output}");
}

#[test]
fn bundle_added_to_policy_is_allowed() {
    let allowed = pier(|text| text.replace("[tug.v2.0.0]", "[tug.v2.0.0, tug.v2.1.0]"));
    let output = transcript(&mut review(&allowed, "install-9fk4t"));
    assert!(output.contains("\nVerdict:       Yes\n"), "{output}");
    assert!(
        output.contains("policies/tug (generation 1) allows tug.v2.1.0"),
        "{output}"
    );
    assert!(output.ends_with("[exit 0]"), "{output}");
}

/// If policies cannot be read, this must not be treated as "no restriction".
#[test]
fn unobserved_policies_allow_no_plan() {
    let allowed = pier(|text| text.replace("[tug.v2.0.0]", "[tug.v2.0.0, tug.v2.1.0]"));
    let kinds = ["Policy", "PolicyBinding"];
    let unseen = kinds.map(|kind| {
        let group = "operators.operatorframework.io";
        json!({"group": group, "kind": kind, "why": "forbidden: not yours"})
    });
    let dump = json!({
        "apiVersion": "portolan.dev/v1", "kind": "Dump", "by": "a test", "kubernetes": null,
        "taken": "2026-11-23T12:00:00Z", "notSeen": unseen,
    });
    fs::write(allowed.join("dump.json"), dump.to_string()).expect("a file");
    let output = transcript(&mut review(&allowed, "install-9fk4t"));
    assert!(output.contains("\nVerdict:       NotYet\n"), "{output}");
    for (kinds, plural) in [
        ("Policies", "upgradepolicies"),
        ("PolicyBindings", "upgradepolicybindings"),
    ] {
        let what = format!("PolicyServiceUnavailable: {kinds} are not observed: unknown since ");
        let way_out = format!(
            ": forbidden: not yours; dump the cluster as a user with the permission to list and watch \
             {plural}.operators.operatorframework.io\n"
        );
        assert!(
            output.contains(&what) && output.contains(&way_out),
            "{output}"
        );
    }
    assert!(output.ends_with("[exit 3]"), "{output}");
}

#[test]
fn explains_invalid_policy() {
    let misspelled = pier(|text| text.replace("allowedCSVs", "allowedCsvs"));
    let output = transcript(&mut review(&misspelled, "-n pier"));
    assert!(output.contains("PolicyInvalid: "), "{output}");
    assert!(output.contains("spec.allowedCsvs"), "{output}");
    assert!(output.contains("allowedCSVs"), "{output}");
    assert!(output.ends_with("[exit 1]"), "{output}");
}

#[test]
fn reports_policy_without_valid_package() {
    let nameless =
        pier(|text| text.replace("{name: tug, namespace: pier", "{name: Tug, namespace: pier"));
    let output = transcript(&mut review(&nameless, "-n pier"));
    let remark = "PolicyInvalid: Policy policies/tug matches no operator and allows nothing: ";
    assert!(output.contains(remark), "{output}");
    assert!(output.contains("NoPolicy: "), "{output}");
    assert!(output.ends_with("[exit 1]"), "{output}");
}

#[test]
fn unreadable_policy_allows_nothing() {
    let broken = pier(|text| text.replace("versions: [\"ferry@", "versions: [[\"ferry@"));
    let output = transcript(&mut review(&broken, "-n pier"));
    assert!(output.contains("policies.yaml"), "{output}");
    assert!(!output.contains(" Yes "), "{output}");
}

#[test]
fn suggests_the_most_similar_name() {
    assert_snapshot!(transcript(&mut portolan(&format!("review --world {PIER} install-9fk4"))), @r"
    [stderr]
    error: InstallPlan install-9fk4 not found in any namespace; did you mean install-9fk4t?
    [exit 2]
    ");
}

#[test]
fn requires_namespace_for_ambiguous_name() {
    // Each policy applies only in its own namespace, and is read only once.
    let two = pier(|text| {
        if text.contains("kind: InstallPlan") {
            text.clone() + &text.replace("namespace: pier", "namespace: quay")
        } else {
            text
        }
    });
    assert_snapshot!(transcript(&mut review(&two, "install-9fk4t")), @r"
    [stderr]
    error: InstallPlan install-9fk4t exists in several namespaces: pier, quay; select the namespace with -n
    [exit 2]
    ");
}

#[test]
fn rejects_folder_without_plans_and_policies() {
    let refused = "[stderr]\nerror: the files contain no InstallPlan and no OperatorPolicy; check the path of --world, or create the files with `portolan dump`\n[exit 2]";
    assert_eq!(transcript(&mut review(&TempFolder::empty(), "")), refused);
}

#[test]
fn missing_or_unreadable_policies_give_exit_code_3() {
    let folder = TempFolder::empty();
    let plan = "apiVersion: operators.coreos.com/v1alpha1\nkind: InstallPlan\n\
                metadata: {name: install-a, namespace: harbor}\n\
                spec: {approval: Manual, approved: false, clusterServiceVersionNames: [a.v1]}\n\
                status: {phase: RequiresApproval}\n";
    std::fs::write(folder.join("plan.yaml"), plan).expect("a file");
    let output = transcript(&mut review(&folder, ""));
    let why = "NotObserved: OperatorPolicies are not observed: the files have no OperatorPolicy";
    assert!(
        output.contains(why) && output.ends_with("[exit 3]"),
        "{output}"
    );
    std::fs::write(folder.join("policy.yaml"), "kind: [\n").expect("a file");
    let output = transcript(&mut review(&folder, ""));
    assert!(
        output.contains("policy.yaml:1: ") && output.ends_with("[exit 3]"),
        "{output}"
    );
}

#[test]
fn reports_empty_namespace_with_exit_code_0() {
    let folder = TempFolder::empty();
    let elsewhere = "apiVersion: operators.coreos.com/v1alpha1\nkind: InstallPlan\n\
                     metadata: {name: install-a, namespace: harbor}\nspec: {approval: Manual}\n";
    std::fs::write(folder.join("plan.yaml"), elsewhere).expect("a file");
    assert_snapshot!(transcript(&mut review(&folder, "-n pier -o json")), @r#"
    [stdout]
    {
      "reviews": [],
      "policies": [],
      "remarks": []
    }
    [stderr]
    No InstallPlans found in namespace pier.
    [exit 0]
    "#);
}

#[test]
fn lists_sources_if_no_cluster_is_found() {
    let mut asked = portolan("review");
    let output = transcript(asked.env("HOME", "/nonexistent"));
    let start = "[stderr]\nerror: no cluster found; use --world PATH to read manifests, or --server URL to query an approval server";
    assert!(output.starts_with(start), "{output}");
    assert!(output.ends_with("[exit 2]"), "{output}");
}

#[test]
fn json_of_plan_is_same_in_each_scope() {
    let everywhere = &answer("")["reviews"];
    let within = answer("-n pier");
    let one = answer("install-9fk4t");
    let is_it = |review: &&Value| review["plan"]["object"]["name"] == "install-9fk4t";
    for reviews in [everywhere, &within["reviews"]] {
        let found = reviews.as_array().and_then(|all| all.iter().find(is_it));
        assert_eq!(found, Some(&one["review"]));
    }
    assert_eq!(within["policies"].as_array().map(Vec::len), Some(2));
}

#[rstest]
#[case::all("")]
#[case::namespace("-n pier")]
#[case::plan("install-9fk4t")]
#[case::table("-o wide")]
#[case::refusal("install-nope")]
fn server_and_files_give_same_output(#[case] line: &str) {
    let server = Server::start(&mut portolan(&format!(
        "serve approval --world {PIER} {ANY_PORT}"
    )));
    let line = match line {
        "-o wide" => line.to_owned(),
        line => format!("{line} -o json"),
    };
    let asked = format!("review --server {} {line}", server.url());
    let from_server = run(&mut portolan(&asked));
    let from_files = run(&mut portolan(&format!("review --world {PIER} {line}")));
    assert_same!(text(&from_server.stdout), text(&from_files.stdout));
    assert_same!(text(&from_server.stderr), text(&from_files.stderr));
    assert_eq!(from_server.status.code(), from_files.status.code());
}

#[test]
fn reports_server_without_approval_api() {
    let server = Server::start(&mut crate::serving::ferry_resolver());
    let output = transcript(&mut portolan(&format!("review --server {}", server.url())));
    let hint = "check that the URL is the --listen address of an approval server, and that the server is not older than this program";
    assert!(output.contains(hint), "{output}");
    assert!(output.ends_with("[exit 3]"), "{output}");
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
