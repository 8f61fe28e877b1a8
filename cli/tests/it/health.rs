//! Tests of `portolan health` and `portolan serve health`.

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

/// Returns an operator and its catalog. The ClusterServiceVersion of the operator has this phase.
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

/// Returns `portolan health` for the manifests in a folder.
fn health(folder: &Path, line: &str) -> Command {
    let mut command = portolan(&format!("health --world . {line}"));
    command.current_dir(folder);
    command
}

/// Returns the JSON output of the command.
fn answer(folder: &Path, line: &str) -> Value {
    let output = run(&mut health(folder, &format!("{line} -o json")));
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?} must be JSON"))
}

#[test]
fn reports_broken_operator_with_exit_code_1() {
    let output = transcript(&mut health(&harbor("Failed").temp(), ""));
    assert!(
        output.starts_with("[stdout]\nNAMESPACE   NAME "),
        "{output}"
    );
    let row = |line: &&str| line.starts_with("harbor ") && line.contains(" ferry.v1.0.0 ");
    let row = output
        .lines()
        .find(row)
        .expect("the operator must have a row");
    assert!(row.contains(" No "), "{output}");
    let sentence = "  CsvFailed: ClusterServiceVersion harbor/ferry.v1.0.0 has failed";
    assert!(output.contains("\nharbor/ferry: No\n"), "{output}");
    assert!(output.contains(sentence), "{output}");
    assert!(output.ends_with("[exit 1]"), "{output}");
}

#[test]
fn installing_operator_gives_exit_code_0() {
    let output = transcript(&mut health(&harbor("Installing").temp(), "-n harbor"));
    assert!(output.contains("\nharbor/ferry: NotYet\n"), "{output}");
    assert!(output.ends_with("[exit 0]"), "{output}");
}

#[test]
fn does_not_probe_registries_of_files() {
    let output = transcript(&mut health(&harbor("Installing").temp(), "catalog/shop"));
    assert!(output.contains("\nProbe:        not asked\n"), "{output}");
    assert!(output.contains("\nConnection:   READY\n"), "{output}");
}

#[rstest]
#[case::name("ferry")]
#[case::csv("ferry.v1.0.0")]
#[case::subscription("sub/ferry")]
#[case::as_get_prints_it("clusterserviceversion.operators.coreos.com/ferry.v1.0.0")]
#[case::package("package/ferry -n harbor")]
fn accepts_each_name_of_operator(#[case] handle: &str) {
    let output = transcript(&mut health(&harbor("Failed").temp(), handle));
    let head = "[stdout]\nOperator:   Subscription harbor/ferry\n";
    assert!(output.starts_with(head), "{output}");
    let phase = "Phase:      Failed: ComponentUnhealthy: ferry.v1.0.0 is Failed\n";
    assert!(output.contains(phase), "{output}");
    assert!(output.contains("── No CsvFailed: "), "{output}");
    assert!(output.ends_with("[exit 1]"), "{output}");
}

/// If a folder contains no object of a kind, objects of this kind are unknown. If it contains at
/// least one object of the kind, any other object of the kind counts as missing.
#[test]
fn kinds_missing_from_folder_are_not_observed() {
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

/// Returns an operator of each installer except OLM v0.
fn installers() -> World {
    let condition = |type_: &str, status: &str, reason: &str| {
        json!({
            "type": type_, "status": status, "reason": reason, "message": format!("about {reason}"),
            "observedGeneration": 1, "lastTransitionTime": "2026-11-29T00:00:00Z",
        })
    };
    let object = |version: &str, kind: &str, name: &str, conditions: Value| {
        json!({
            "apiVersion": version, "kind": kind,
            "metadata": {"name": name, "generation": 1, "uid": format!("uid-{name}")},
            "spec": {},
            "status": {"observedGeneration": 1, "conditions": conditions},
        })
    };
    let own = "operators.operatorframework.io/v1alpha1";
    let ready = condition("Ready", "True", "Installed");
    let settled = condition("Installing", "False", "UpToDate");
    let mut rope = object(own, "Operator", "rope", json!([ready, settled]));
    rope["spec"]["packageName"] = "rope".into();
    rope["status"]["bundle"] = json!({"name": "rope.v1.0.0", "catalog": "shop"});
    rope["status"]["versions"] = json!({"installed": "1.0.0"});
    let failed = [
        condition("Installed", "False", "Failed"),
        condition("Progressing", "True", "Retrying"),
    ];
    let mut tug = object(
        "olm.operatorframework.io/v1",
        "ClusterExtension",
        "tug",
        json!(failed),
    );
    tug["spec"] = json!({"namespace": "harbor", "source": {"catalog": {"packageName": "tug"}}});
    let waits = [
        condition("Ready", "False", "ApprovalRequired"),
        condition("PendingApproval", "True", "NotApproved"),
    ];
    let buoy = object(
        "operators.coreos.com/v2alpha1",
        "Install",
        "buoy",
        json!(waits),
    );
    let steps = [
        condition("Valid", "True", "PlanValid"),
        condition("Permitted", "True", "PermissionsSufficient"),
        condition("Applied", "True", "AllApplied"),
        condition("Ready", "True", "AllReady"),
    ];
    let plan = |name: &str, labels: Value| {
        let mut plan = object(
            "plans.portolan.dev/v1alpha1",
            "InstallPlan",
            name,
            json!(steps),
        );
        plan["metadata"]["namespace"] = "dock".into();
        plan["metadata"]["labels"] = labels;
        plan
    };
    let of_rope = json!({"operators.portolan.dev/operator": "rope"});
    [
        rope,
        tug,
        buoy,
        plan("chart-1", json!({})),
        plan("rope-1", of_rope),
    ]
    .into_iter()
    .fold(world(), World::object)
}

#[test]
fn lists_operators_of_every_installer() {
    let folder = installers().temp();
    assert_snapshot!(transcript(&mut health(&folder, "")), @r#"
    [stdout]
    NAMESPACE   NAME      MANAGER            PACKAGE   BUNDLE        HEALTH   REASON
    -           buoy      Install            -         -             NotYet   InstallWaiting
    -           rope      Operator           rope      rope.v1.0.0   Yes      -
    -           tug       ClusterExtension   tug       -             No       InstallFailed
    dock        chart-1   InstallPlan        -         -             Yes      -

    Operators: 1 No, 1 NotYet, 2 Yes.

    tug: No
      InstallFailed: ClusterExtension tug has Progressing=True (Retrying): about Retrying

    buoy: NotYet
      InstallWaiting: Install buoy has PendingApproval=True (NotApproved): about NotApproved
    [exit 1]
    "#);
    let names = run(&mut health(&folder, "-o name"));
    assert!(
        !text(&names.stderr).contains("No operators found"),
        "{names:?}"
    );
}

/// Cluster-scoped objects are listed only if the user requests no namespace.
#[test]
fn lists_only_objects_of_namespace() {
    let folder = installers().temp();
    let all = answer(&folder, "-n dock");
    let names = all["operators"].as_array().into_iter().flatten();
    let names: Vec<_> = names.map(|it| it["subject"]["name"].clone()).collect();
    assert_eq!(names, ["chart-1"]);
    let output = transcript(&mut health(&folder, "-n dock rope"));
    assert!(
        output.contains("there is no operator rope in namespace dock"),
        "{output}"
    );
    assert!(output.ends_with("[exit 2]"), "{output}");
    let output = transcript(&mut health(&folder, "-n dock operator/rope"));
    assert!(
        output.contains("Operator rope is cluster-scoped; omit namespace dock"),
        "{output}"
    );
}

#[rstest]
#[case::operator("operator/rope", "Operator rope", "[exit 0]")]
#[case::bundle("rope.v1.0.0", "Operator rope", "[exit 0]")]
#[case::package("package/tug", "ClusterExtension tug", "[exit 1]")]
#[case::extension("extension/tug", "ClusterExtension tug", "[exit 1]")]
#[case::install("install/buoy", "Install buoy", "[exit 0]")]
#[case::plan("plan/chart-1", "InstallPlan dock/chart-1", "[exit 0]")]
fn describes_operator_of_each_installer(
    #[case] name: &str,
    #[case] subject: &str,
    #[case] exit: &str,
) {
    let output = transcript(&mut health(&installers().temp(), name));
    let head = format!("[stdout]\nOperator:   {subject}\n");
    assert!(output.starts_with(&head), "{output}");
    assert!(output.ends_with(exit), "{output}");
}

#[test]
fn server_reports_operators_of_every_installer() {
    let folder = installers().temp();
    let mut serving = portolan(&format!("serve health --world . {ANY_PORT}"));
    let server = Server::start(serving.current_dir(&*folder));
    for line in ["", "-o json", "-n dock", "extension/tug"] {
        let asked = format!("health --server {} {line}", server.url());
        let from_server = transcript(&mut portolan(&asked));
        assert_same!(from_server, transcript(&mut health(&folder, line)));
    }
}

/// A dump lists the kinds that could not be read. Operators of these kinds may exist.
#[test]
fn warns_of_installers_that_a_dump_could_not_list() {
    let folder = installers().temp();
    let unseen =
        |group: &str, kind: &str| json!({"group": group, "kind": kind, "why": "forbidden: no"});
    let not_served = ["CatalogSource", "ClusterServiceVersion", "Subscription"]
        .map(|kind| json!({"group": "operators.coreos.com", "kind": kind}));
    let dump = json!({
        "apiVersion": "portolan.dev/v1", "kind": "Dump", "taken": "2026-11-29T00:00:00Z",
        "by": "portolan 0.1.0", "kubernetes": "v1.36.0",
        "notSeen": [unseen("operators.coreos.com", "Install")],
        "notServed": not_served,
    });
    std::fs::write(folder.join("dump.json"), dump.to_string()).expect("a file");
    let output = transcript(&mut health(&folder, "-n dock"));
    assert!(!output.contains("Installs are"), "{output}");
    let output = transcript(&mut health(&folder, ""));
    assert!(
        output.contains("warning: Installs are unknown since "),
        "{output}"
    );
    assert!(output.contains(": forbidden: no\n"), "{output}");
    assert!(output.ends_with("[exit 1]"), "{output}");
    let all = answer(&folder, "");
    let unread = all["unread"].as_array().map(Vec::as_slice);
    let is_told = |it: &Value| {
        it.as_str()
            .is_some_and(|it| it.starts_with("Installs are unknown"))
    };
    assert!(
        unread.is_some_and(|all| all.len() == 1 && is_told(&all[0])),
        "{all:#}"
    );
}

#[test]
fn suggests_the_most_similar_name() {
    assert_snapshot!(transcript(&mut health(&harbor("Failed").temp(), "fery")), @r#"
    [stderr]
    error: there is no operator fery; did you mean ferry?
    [exit 2]
    "#);
}

#[test]
fn requires_namespace_for_ambiguous_name() {
    let two = harbor("Failed")
        .namespace("quay")
        .operator_group()
        .subscription("ferry", "stable");
    let output = transcript(&mut health(&two.temp(), "ferry"));
    assert!(
        output.contains("error: <NAME>: ferry matches harbor/ferry, quay/ferry"),
        "{output}"
    );
    assert!(output.ends_with("[exit 2]"), "{output}");
}

#[test]
fn lists_supported_kinds() {
    assert_snapshot!(transcript(&mut portolan("health Pod/ferry")), @"
    [stderr]
    error: invalid value 'Pod/ferry' for '[[NAMESPACE/]NAME|KIND/NAME]': `Pod` is not a supported kind; use sub, csv, package, catalog, installplan (of OLM), plan, operator or install (of Portolan), extension (a ClusterExtension), operatorpolicy, upgradepolicy, policybinding, operatorv2alpha1, clustercatalog, or component (of Portolan)

    For more information, try '--help'.
    [exit 2]
    ");
}

#[test]
fn names_missing_folder() {
    assert_snapshot!(transcript(&mut portolan("health --world ./nowhere")), @r#"
    [stderr]
    error: cannot read ./nowhere (--world): No such file or directory (os error 2)
    [exit 2]
    "#);
}

#[test]
fn rejects_folder_without_operators() {
    let empty = TempFolder::empty();
    let refused = "[stderr]\nerror: the files contain no ClusterServiceVersion and no Subscription; check the path of --world, or create the files with `portolan dump`\n[exit 2]";
    assert_eq!(transcript(&mut health(&empty, "")), refused);
    let catalog = "health --world tests/fixtures/catalogs/ferry";
    assert_eq!(transcript(&mut portolan(catalog)), refused);
    let diagnose = "diagnose --world tests/fixtures/catalogs/ferry";
    assert_eq!(transcript(&mut portolan(diagnose)), refused);
}

#[test]
fn reports_empty_namespace_with_exit_code_0() {
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
    No operators found in namespace harbor. Omit -n to include Operators, ClusterExtensions and Installs.
    [exit 0]
    "#);
}

#[test]
fn lists_sources_if_no_cluster_is_found() {
    let mut asked = portolan("health");
    let output = transcript(asked.env("HOME", "/nonexistent"));
    let start = "[stderr]\nerror: no cluster found; use --world PATH to read manifests, or ";
    assert!(output.starts_with(start), "{output}");
    assert!(output.ends_with("[exit 2]"), "{output}");
}

#[test]
fn unreachable_cluster_gives_exit_code_3() {
    let folder = TempFolder::empty();
    let kubeconfig = "apiVersion: v1\nkind: Config\ncurrent-context: a\n\
                      contexts: [{name: a, context: {cluster: a, user: a}}]\n\
                      clusters: [{name: a, cluster: {server: 'http://127.0.0.1:1'}}]\n\
                      users: [{name: a, user: {}}]\n";
    std::fs::write(folder.join("config"), kubeconfig).expect("must be written");
    for line in ["", "ferry", "catalog/shop", "--watch"] {
        let mut asked = portolan(&format!("health --kubeconfig config {line}"));
        let output = transcript(asked.current_dir(&folder));
        assert!(output.starts_with("[stderr]\nerror: "), "{output}");
        assert!(output.contains("Connection refused"), "{output}");
        assert!(output.ends_with("[exit 3]"), "{output}");
    }
}

#[test]
fn json_has_operators_and_catalogs() {
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
fn server_and_files_give_same_output(#[case] line: &str) {
    let folder = harbor("Failed").temp();
    let mut serving = portolan(&format!("serve health --world . {ANY_PORT}"));
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
fn reports_server_without_health_api() {
    let server = Server::start(&mut crate::serving::ferry_resolver());
    let output = transcript(&mut portolan(&format!("health --server {}", server.url())));
    let hint = "check that the URL is the --listen address of a health server, and that the server is not older than this program";
    assert!(output.contains(hint), "{output}");
    assert!(output.ends_with("[exit 3]"), "{output}");
}

#[test]
fn colors_health_on_request() {
    let output = transcript(&mut health(&harbor("Failed").temp(), "--color always"));
    assert!(output.contains("\u{1b}[31mNo\u{1b}[0m"), "{output}");
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
