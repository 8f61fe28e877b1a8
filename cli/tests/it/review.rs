//! `portolan review` and `portolan approval`.

use std::fs;
use std::path::Path;
use std::process::Command;

use insta::assert_snapshot;
use portolan_kit::{TempFolder, assert_same};
use rstest::rstest;
use serde_json::{Value, json};

use crate::program::{portolan, run, transcript};
use crate::serving::{ANY_PORT, Resolver as Server};

/// One plan with a bundle that its policy allows, and one that nobody has added to its policy.
const PIER: &str = "tests/fixtures/worlds/pier";

/// The same, changed.
fn pier(change: impl Fn(String) -> String) -> TempFolder {
    let folder = TempFolder::empty();
    for name in ["pier.yaml", "policies.yaml"] {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
        let text = fs::read_to_string(format!("{root}/{PIER}/{name}"));
        let text = change(text.expect("the fixture must be there"));
        fs::write(folder.join(name), text).expect("a folder for a test must take files");
    }
    folder
}

/// `portolan review` about the manifests in a folder.
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
fn what_waits_is_told_with_what_would_allow_it() {
    assert_snapshot!(transcript(&mut portolan(&format!(
        "review --world {PIER} -n pier"
    ))));
}

#[test]
fn one_plan_has_a_tree() {
    assert_snapshot!(transcript(&mut portolan(&format!(
        "review --world {PIER} install-9fk4t"
    ))));
}

#[test]
fn what_is_finished_is_shown_to_who_asks() {
    let said = transcript(&mut portolan(&format!(
        "review --world {PIER} install-2mz7c -o wide"
    )));
    assert!(said.contains("Phase:         Complete"), "{said}");
    assert!(said.ends_with("[exit 0]"), "{said}");
}

#[test]
fn what_is_added_to_the_policy_allows_the_plan() {
    let allowed = pier(|text| text.replace("[tug.v2.0.0]", "[tug.v2.0.0, tug.v2.1.0]"));
    let said = transcript(&mut review(&allowed, "install-9fk4t"));
    assert!(said.contains("\nVerdict:       Yes\n"), "{said}");
    assert!(
        said.contains("policies/tug (generation 1) allows tug.v2.1.0"),
        "{said}"
    );
    assert!(said.ends_with("[exit 0]"), "{said}");
}

/// A restriction that nobody was shown must not be taken for none.
#[test]
fn where_policies_of_time_may_not_be_seen_no_plan_is_said_to_be_allowed() {
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
    let said = transcript(&mut review(&allowed, "install-9fk4t"));
    assert!(said.contains("\nVerdict:       NotYet\n"), "{said}");
    for (kinds, plural) in [
        ("Policies", "upgradepolicies"),
        ("PolicyBindings", "upgradepolicybindings"),
    ] {
        let what = format!("ConsentUnavailable: {kinds} are not observed: unknown since ");
        let way_out = format!(
            ": forbidden: not yours; dump the cluster as a user with the permission to list and watch \
             {plural}.operators.operatorframework.io\n"
        );
        assert!(said.contains(&what) && said.contains(&way_out), "{said}");
    }
    assert!(said.ends_with("[exit 3]"), "{said}");
}

#[test]
fn a_policy_that_is_not_valid_says_why() {
    let misspelled = pier(|text| text.replace("allowedCSVs", "allowedCsvs"));
    let said = transcript(&mut review(&misspelled, "-n pier"));
    assert!(said.contains("PolicyInvalid: "), "{said}");
    assert!(said.contains("spec.allowedCsvs"), "{said}");
    assert!(said.contains("allowedCSVs"), "{said}");
    assert!(said.ends_with("[exit 1]"), "{said}");
}

#[test]
fn a_policy_that_names_no_package_is_told_where_it_is_looked_for() {
    let nameless =
        pier(|text| text.replace("{name: tug, namespace: pier", "{name: Tug, namespace: pier"));
    let said = transcript(&mut review(&nameless, "-n pier"));
    let remark = "PolicyInvalid: Policy policies/tug is about no operator and allows nothing: ";
    assert!(said.contains(remark), "{said}");
    assert!(said.contains("NoPolicy: "), "{said}");
    assert!(said.ends_with("[exit 1]"), "{said}");
}

#[test]
fn a_policy_whose_text_is_broken_allows_nothing_and_is_told() {
    let broken = pier(|text| text.replace("versions: [\"ferry@", "versions: [[\"ferry@"));
    let said = transcript(&mut review(&broken, "-n pier"));
    assert!(said.contains("policies.yaml"), "{said}");
    assert!(!said.contains(" Yes "), "{said}");
}

#[test]
fn a_misspelled_name_gets_the_nearest_one() {
    assert_snapshot!(transcript(&mut portolan(&format!("review --world {PIER} install-9fk4"))), @r"
    [stderr]
    error: there is no InstallPlan install-9fk4 in any namespace; did you mean install-9fk4t?
    [exit 2]
    ");
}

#[test]
fn a_name_of_several_wants_a_namespace() {
    // Policies are where they were, and read once.
    let two = pier(|text| {
        if text.contains("kind: InstallPlan") {
            text.clone() + &text.replace("namespace: pier", "namespace: quay")
        } else {
            text
        }
    });
    assert_snapshot!(transcript(&mut review(&two, "install-9fk4t")), @r"
    [stderr]
    error: an InstallPlan install-9fk4t is in each of the namespaces pier, quay: say which with -n
    [exit 2]
    ");
}

#[test]
fn a_folder_without_plans_and_policies_is_another_one_than_meant() {
    let refused = "[stderr]\nerror: the files have no InstallPlan and no OperatorPolicy, so that there \
                   is nothing to answer from: is it the right place (--world)? `portolan dump` writes \
                   all that is needed\n[exit 2]";
    assert_eq!(transcript(&mut review(&TempFolder::empty(), "")), refused);
}

#[test]
fn files_without_policies_and_with_one_that_cannot_be_read_do_not_tell_what_is_allowed() {
    let folder = TempFolder::empty();
    let plan = "apiVersion: operators.coreos.com/v1alpha1\nkind: InstallPlan\n\
                metadata: {name: install-a, namespace: harbor}\n\
                spec: {approval: Manual, approved: false, clusterServiceVersionNames: [a.v1]}\n\
                status: {phase: RequiresApproval}\n";
    std::fs::write(folder.join("plan.yaml"), plan).expect("a file");
    let told = transcript(&mut review(&folder, ""));
    let why = "Unseen: OperatorPolicies are not observed: the files have no OperatorPolicy";
    assert!(told.contains(why) && told.ends_with("[exit 3]"), "{told}");
    std::fs::write(folder.join("policy.yaml"), "kind: [\n").expect("a file");
    let told = transcript(&mut review(&folder, ""));
    assert!(
        told.contains("policy.yaml:1: ") && told.ends_with("[exit 3]"),
        "{told}"
    );
}

#[test]
fn nothing_to_review_is_told_and_is_no_failure() {
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
fn without_a_cluster_it_says_what_could_be_asked() {
    let mut asked = portolan("review");
    let said = transcript(asked.env("HOME", "/nonexistent"));
    let start = "[stderr]\nerror: nothing to answer from: --world PATH reads manifests, --server URL asks \
                 an approval server that runs, ";
    assert!(said.starts_with(start), "{said}");
    assert!(said.ends_with("[exit 2]"), "{said}");
}

#[test]
fn a_program_gets_the_same_of_a_plan_wherever_it_asks() {
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
fn a_server_says_byte_for_byte_what_the_files_do(#[case] line: &str) {
    let server = Server::start(&mut portolan(&format!(
        "approval --world {PIER} {ANY_PORT}"
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
fn a_resolver_is_not_taken_for_an_approval_server() {
    let server = Server::start(&mut crate::serving::ferry_resolver());
    let said = transcript(&mut portolan(&format!("review --server {}", server.url())));
    let hint =
        "is it the --listen address of an approval server, and one no older than this program?";
    assert!(said.contains(hint), "{said}");
    assert!(said.ends_with("[exit 3]"), "{said}");
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
