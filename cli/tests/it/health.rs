//! `portolan health` and `portolan health-server`.

mod watch;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use insta::assert_snapshot;
use portolan_kit::{TempFolder, World, assert_same, world};
use rstest::rstest;
use serde_json::{Value, json};

use crate::program::{portolan, run, transcript};
use crate::serving::{ANY_PORT, Resolver as Server};

/// An operator of which OLM says that it is in a phase, and its catalog.
fn harbor(phase: &str) -> World {
    world()
        .namespace("olm")
        .catalog_source("shop", "127.0.0.1:50051")
        .namespace("harbor")
        .operator_group()
        .subscription("ferry", "stable")
        .installed("ferry.v1.0.0")
        .csv("ferry.v1.0.0", phase)
        .edit(|csv| csv["spec"]["customresourcedefinitions"] = json!({}))
        .deployment("ferry", 1, 1)
}

/// `portolan health` about the manifests in a folder.
fn health(folder: &Path, line: &str) -> Command {
    let mut command = portolan(&format!("health --world . {line}"));
    command.current_dir(folder);
    command
}

/// The answer of a program.
fn answer(folder: &Path, line: &str) -> Value {
    let output = run(&mut health(folder, &format!("{line} -o json")));
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?} must be JSON"))
}

#[test]
fn what_is_broken_is_told_and_is_a_no() {
    let said = transcript(&mut health(&harbor("Failed").temp(), ""));
    assert!(said.starts_with("[stdout]\nNAMESPACE   NAME "), "{said}");
    let row = |line: &&str| line.starts_with("harbor ") && line.contains(" ferry.v1.0.0 ");
    let row = said
        .lines()
        .find(row)
        .expect("the operator must have a row");
    assert!(row.contains(" No "), "{said}");
    let sentence = "  CsvFailed: ClusterServiceVersion harbor/ferry.v1.0.0 has failed";
    assert!(said.contains("\nharbor/ferry: No\n"), "{said}");
    assert!(said.contains(sentence), "{said}");
    assert!(said.ends_with("[exit 1]"), "{said}");
}

#[test]
fn what_is_under_way_is_no_bad_news_for_a_script() {
    let said = transcript(&mut health(&harbor("Installing").temp(), "-n harbor"));
    assert!(said.contains("\nharbor/ferry: NotYet\n"), "{said}");
    assert!(said.ends_with("[exit 0]"), "{said}");
}

#[test]
fn the_registries_of_files_are_not_asked() {
    let said = transcript(&mut health(&harbor("Installing").temp(), "catalog/shop"));
    assert!(said.contains("\nProbe:        not asked\n"), "{said}");
    assert!(said.contains("\nConnection:   READY\n"), "{said}");
}

#[rstest]
#[case::name("ferry")]
#[case::csv("ferry.v1.0.0")]
#[case::subscription("sub/ferry")]
#[case::as_get_prints_it("clusterserviceversion.operators.coreos.com/ferry.v1.0.0")]
#[case::package("package/ferry -n harbor")]
fn one_operator_has_a_tree_under_any_of_its_names(#[case] handle: &str) {
    let said = transcript(&mut health(&harbor("Failed").temp(), handle));
    let head = "[stdout]\nOperator:   Subscription harbor/ferry\n";
    assert!(said.starts_with(head), "{said}");
    let phase = "Phase:      Failed: ComponentUnhealthy: ferry.v1.0.0 is Failed\n";
    assert!(said.contains(phase), "{said}");
    assert!(said.contains("── No CsvFailed: "), "{said}");
    assert!(said.ends_with("[exit 1]"), "{said}");
}

/// Where a folder has some and lacks one, that one is missing.
#[test]
fn kinds_that_a_folder_lacks_are_not_taken_for_absent() {
    let alone = world()
        .namespace("harbor")
        .subscription("ferry", "stable")
        .installed("ferry.v1.0.0")
        .csv("ferry.v1.0.0", "Succeeded");
    let beside_another = alone
        .clone()
        .namespace("other")
        .operator_group()
        .deployment("other", 1, 1);
    let reasons = |world: &World| {
        let all = answer(&world.temp(), "");
        let reasons = all["operators"][0]["verdict"]["reasons"]
            .as_array()
            .cloned();
        let reasons = reasons.unwrap_or_default().into_iter();
        let codes = reasons.map(|reason| reason["code"].as_str().unwrap_or_default().to_owned());
        let codes: BTreeSet<_> = codes.collect();
        codes.into_iter().collect::<Vec<_>>()
    };
    assert_eq!(reasons(&alone), ["NotObserved"]);
    let missing = ["DeploymentMissing", "NotObserved", "OperatorGroupMissing"];
    assert_eq!(reasons(&beside_another), missing);
}

#[test]
fn a_misspelled_name_gets_the_nearest_one() {
    assert_snapshot!(transcript(&mut health(&harbor("Failed").temp(), "fery")), @r#"
    [stderr]
    error: there is no operator fery; did you mean ferry?
    [exit 2]
    "#);
}

#[test]
fn a_name_of_several_wants_a_namespace() {
    let two = harbor("Failed")
        .namespace("quay")
        .operator_group()
        .subscription("ferry", "stable");
    let said = transcript(&mut health(&two.temp(), "ferry"));
    assert!(
        said.contains("error: <NAME>: ferry fits harbor/ferry, quay/ferry"),
        "{said}"
    );
    assert!(said.ends_with("[exit 2]"), "{said}");
}

#[test]
fn a_kind_that_nobody_judges_gets_those_that_are() {
    assert_snapshot!(transcript(&mut portolan("health Pod/ferry")), @"
    [stderr]
    error: invalid value 'Pod/ferry' for '[[NAMESPACE/]NAME|KIND/NAME]': `Pod` is no kind that is asked about: a kind is sub, csv, package, catalog, installplan (of OLM), plan or operator (of Portolan), or operatorpolicy

    For more information, try '--help'.
    [exit 2]
    ");
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    assert_snapshot!(transcript(&mut portolan("health --world ./nowhere")), @r#"
    [stderr]
    error: read ./nowhere (--world): No such file or directory (os error 2)
    [exit 2]
    "#);
}

#[test]
fn a_folder_without_operators_is_another_one_than_meant() {
    let empty = TempFolder::empty();
    let refused = "[stderr]\nerror: the files have no ClusterServiceVersion and no Subscription, so \
                   that there is nothing to answer from: is it the right place (--world)? `portolan \
                   dump` writes all that is needed\n[exit 2]";
    assert_eq!(transcript(&mut health(&empty, "")), refused);
    let catalog = "health --world tests/fixtures/catalogs/ferry";
    assert_eq!(transcript(&mut portolan(catalog)), refused);
    let diagnose = "diagnose --world tests/fixtures/catalogs/ferry";
    assert_eq!(transcript(&mut portolan(diagnose)), refused);
}

#[test]
fn nothing_to_judge_is_told_and_is_no_failure() {
    let folder = TempFolder::empty();
    let elsewhere = "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\n\
                     metadata: {name: tug, namespace: pier}\n\
                     spec: {name: tug, channel: stable, source: shop, sourceNamespace: olm}\n";
    std::fs::write(folder.join("tug.yaml"), elsewhere).expect("a file");
    assert_snapshot!(transcript(&mut health(&folder, "-n harbor -o json")), @r#"
    [stdout]
    {
      "operators": [],
      "catalogs": []
    }
    [stderr]
    No operators found in namespace harbor.
    [exit 0]
    "#);
}

#[test]
fn without_a_cluster_it_says_what_could_be_asked() {
    let mut asked = portolan("health");
    let said = transcript(asked.env("HOME", "/nonexistent"));
    let start = "[stderr]\nerror: nothing to answer from: --world PATH reads manifests, ";
    assert!(said.starts_with(start), "{said}");
    assert!(said.ends_with("[exit 2]"), "{said}");
}

#[test]
fn a_cluster_that_is_away_is_no_answer() {
    let folder = TempFolder::empty();
    let kubeconfig = "apiVersion: v1\nkind: Config\ncurrent-context: a\n\
                      contexts: [{name: a, context: {cluster: a, user: a}}]\n\
                      clusters: [{name: a, cluster: {server: 'http://127.0.0.1:1'}}]\n\
                      users: [{name: a, user: {}}]\n";
    std::fs::write(folder.join("config"), kubeconfig).expect("must be written");
    for line in ["", "ferry", "catalog/shop", "--watch"] {
        let mut asked = portolan(&format!("health --kubeconfig config {line}"));
        let said = transcript(asked.current_dir(&folder));
        assert!(
            said.starts_with("[stderr]\nerror: it is not known w"),
            "{said}"
        );
        assert!(said.contains("Connection refused"), "{said}");
        assert!(said.ends_with("[exit 3]"), "{said}");
    }
}

#[test]
fn a_program_gets_both_lists_in_one_object() {
    let all = answer(&harbor("Failed").temp(), "");
    assert_eq!(all["operators"][0]["csv"], "ferry.v1.0.0");
    assert_eq!(all["operators"][0]["verdict"]["state"], "NO");
    assert_eq!(all["catalogs"][0]["subject"]["name"], "shop");
    let one = answer(&harbor("Failed").temp(), "ferry");
    assert_eq!(one["operator"], all["operators"][0]);
}

#[rstest]
#[case::all("")]
#[case::namespace("-n harbor")]
#[case::operator("ferry")]
#[case::catalog("catsrc/shop")]
#[case::table("-o wide")]
#[case::refusal("fery")]
fn a_server_says_byte_for_byte_what_the_files_do(#[case] line: &str) {
    let folder = harbor("Failed").temp();
    let mut serving = portolan(&format!("health-server --world . {ANY_PORT}"));
    let server = Server::start(serving.current_dir(&*folder));
    let line = match line {
        "-o wide" => line.to_owned(),
        line => format!("{line} -o json"),
    };
    let asked = format!("health --server {} {line}", server.url());
    let from_server = run(&mut portolan(&asked));
    let from_files = run(&mut health(&folder, &line));
    assert_same!(text(&from_server.stdout), text(&from_files.stdout));
    assert_same!(text(&from_server.stderr), text(&from_files.stderr));
    assert_eq!(from_server.status.code(), from_files.status.code());
}

#[test]
fn a_resolver_is_not_taken_for_a_health_server() {
    let server = Server::start(&mut crate::serving::ferry_resolver());
    let said = transcript(&mut portolan(&format!("health --server {}", server.url())));
    let hint = "is it the --listen address of a health server, and one no older than this program?";
    assert!(said.contains(hint), "{said}");
    assert!(said.ends_with("[exit 3]"), "{said}");
}

#[test]
fn health_is_colored_where_that_is_asked_for() {
    let said = transcript(&mut health(&harbor("Failed").temp(), "--color always"));
    assert!(said.contains("\u{1b}[31mNo\u{1b}[0m"), "{said}");
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
