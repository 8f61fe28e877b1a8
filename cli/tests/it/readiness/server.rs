//! Tests of `readiness --server`, of `readiness --watch`, and of the readiness metric of a server.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

use portolan_kit::{TempFolder, assert_same};
use rstest::rstest;

use super::cluster::{Cluster, crane, openshift};
use super::{SHOP_21, SHOP_22, WORLD};
use crate::program::{portolan, transcript};
use crate::serving::{ANY_PORT, Resolver as Server};

const GIVEN: &str = "--readiness-catalog 4.21=olm/shop=tests/fixtures/readiness/shop-4.21 \
                     --readiness-catalog 4.22=olm/shop=tests/fixtures/readiness/shop-4.22";

/// The maximum time to wait until a metric has a value.
const PATIENCE: Duration = Duration::from_secs(120);

fn server(flags: &str) -> Server {
    let line = format!("serve diagnosis {WORLD} {flags} {ANY_PORT}");
    Server::start(&mut portolan(&line))
}

fn ask(server: &Server, line: &str) -> String {
    let line = format!("readiness --server {} {line}", server.url());
    transcript(&mut portolan(&line))
}

#[rstest]
#[case::all("--openshift 4.22")]
#[case::all_wide("--openshift 4.22 -o wide")]
#[case::for_programs("--openshift 4.22 -o json")]
#[case::for_a_ticket("--openshift 4.22 -o markdown")]
#[case::one_namespace("--openshift 4.22 -n docks")]
#[case::another_current_release("--openshift 4.22 --from 4.21")]
fn server_and_files_give_same_report(#[case] line: &str) {
    let server = server(GIVEN);
    // The command rejects a catalog for a release that the cluster does not pass.
    let via = if line.contains("--from 4.21") {
        ""
    } else {
        SHOP_21
    };
    let from_files = format!("readiness {WORLD} {SHOP_22} {via} {line}");
    assert_same!(ask(&server, line), transcript(&mut portolan(&from_files)));
}

#[test]
fn target_of_the_server_is_the_default() {
    let server = server(&format!("{GIVEN} --readiness-target openshift=4.22"));
    assert_same!(ask(&server, ""), ask(&server, "--openshift 4.22"));
}

#[test]
fn server_without_catalogs_reports_unknown_readiness() {
    let server = server("");
    let answer = ask(&server, "--openshift 4.21 -n docks");
    assert!(
        answer.contains("Unknown if ready for OpenShift 4.21"),
        "{answer}"
    );
    let remedy = "catalog olm/shop of OpenShift 4.21 is not given; start the server with \
                  --readiness-catalog 4.21=olm/shop=PLACE";
    assert!(answer.contains(remedy), "{answer}");
    assert!(answer.ends_with("[exit 3]"), "{answer}");
}

#[rstest]
#[case::no_target("", "the server has no target")]
#[case::older_target("--openshift 4.19", "no upgrade leads from release 4.20 to 4.19")]
#[case::kubernetes_of_openshift("--kubernetes 1.35", "the cluster runs OpenShift")]
fn server_rejects_invalid_release(#[case] line: &str, #[case] message: &str) {
    let answer = ask(&server(GIVEN), line);
    assert!(answer.contains(message), "{answer}");
    assert!(answer.ends_with("[exit 2]"), "{answer}");
}

#[rstest]
#[case::catalogs(SHOP_22)]
#[case::world(WORLD)]
#[case::time("--at 2026-11-28T12:00:00Z")]
fn rejects_local_sources_with_server_flag(#[case] line: &str) {
    let line = format!("readiness --openshift 4.22 --server http://127.0.0.1:1 {line}");
    let refused = transcript(&mut portolan(&line));
    assert!(refused.contains("--server"), "{refused}");
    assert!(refused.ends_with("[exit 2]"), "{refused}");
}

#[rstest]
#[case::release_alone("4.22")]
#[case::unknown_product("rancher=2.9")]
fn invalid_target_of_a_server_is_rejected(#[case] target: &str) {
    let line = format!("serve diagnosis {WORLD} --readiness-target {target} {ANY_PORT}");
    let refused = transcript(&mut portolan(&line));
    assert!(
        refused.contains("is not a target, such as openshift=4.22 or kubernetes=1.35"),
        "{refused}"
    );
    assert!(refused.ends_with("[exit 2]"), "{refused}");
}

/// An operator that must be changed only after the upgrade counts as ready.
#[test]
fn metric_counts_operators_that_are_not_ready() {
    let server = server(&format!("{GIVEN} --readiness-target openshift=4.22"));
    let metric = "portolan_readiness_blocked{target=\"OpenShift 4.22\"} 4\n";
    let start = Instant::now();
    while !server.probe("/metrics").contains(metric) {
        assert!(start.elapsed() < PATIENCE, "{}", server.probe("/metrics"));
    }
}

#[test]
fn server_without_a_target_has_no_metric() {
    let server = server(GIVEN);
    ask(&server, "--openshift 4.22");
    let metrics = server.probe("/metrics");
    assert!(
        !metrics.contains("portolan_readiness_blocked{"),
        "{metrics}"
    );
}

/// `--watch` prints the report again when the report changes.
#[test]
fn watch_prints_the_changed_report() {
    let objects = format!(
        "{}---\n{}",
        openshift("4.21.0"),
        crane("Automatic", "1.0.0")
    );
    let cluster = Cluster::of(&objects, "crane: 1.0.0 -> 1.1.0", "crane: 1.1.0");
    let mut command = cluster.command("--openshift 4.22 --watch");
    let command = command.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the program");
    let stdout = child.stdout.take().expect("a pipe");
    let mut lines = BufReader::new(stdout).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains("Not ready for OpenShift 4.22")));
    cluster.replace("crane.v1.0.0", "crane.v1.1.0");
    let is_ready = lines.any(|line| {
        line.contains("Ready for OpenShift 4.22 (Kubernetes 1.35): 1 operator: 1 ready.")
    });
    child.kill().expect("it must still run");
    child.wait().expect("it must end");
    assert!(is_ready);
}

#[rstest]
#[case::plan("--openshift 4.22 --plan ./new")]
#[case::check("--check ./steps")]
fn rejects_watch_with_plan_or_check(#[case] line: &str) {
    let refused = transcript(&mut portolan(&format!("readiness --watch {WORLD} {line}")));
    assert!(refused.contains("--watch"), "{refused}");
    assert!(refused.ends_with("[exit 2]"), "{refused}");
}

/// A server and the command itself write the same files for the steps.
#[test]
fn plan_from_server_equals_plan_from_files() {
    let folder = TempFolder::empty();
    let server = server(GIVEN);
    let plan = |line: &str| {
        let name = format!("steps{}", line.len());
        let mut command = portolan(&format!("readiness --openshift 4.22 {line} --plan"));
        transcript(command.arg(folder.join(&name)));
        let steps = fs::read_to_string(folder.join(name).join("steps.json"));
        steps.expect("the steps")
    };
    let from_server = plan(&format!("--server {}", server.url()));
    let from_files = plan(&format!("{WORLD} {SHOP_21} {SHOP_22}"));
    assert_same!(from_server, from_files);
}
