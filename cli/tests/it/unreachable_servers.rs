//! Tests of servers that do not respond. The program prints the reason and a remedy, and exits with
//! 3.

use std::fs;
use std::net::TcpListener;

use insta::assert_snapshot;
use portolan_kit::{TempFolder, world};
use rstest::rstest;

use crate::program::{portolan, transcript};
use crate::serving::{ANY_PORT, Resolver, ferry_resolver};

const QUESTION: &str = "upgrades ferry --from ferry.v1.0.0 --server";

#[test]
fn reports_connection_refused() {
    // The operating system assigns port 1 only on request, so no process listens on it.
    assert_snapshot!(transcript(portolan(QUESTION).arg("http://127.0.0.1:1")), @r#"
    [stderr]
    error: cannot query http://127.0.0.1:1: Connection refused (os error 111); check that a resolver runs, and that --server is its --listen address
    [exit 3]
    "#);
}

#[test]
fn reports_unresolvable_host() {
    // This host name is too long for DNS, so the program contacts no name server.
    let url = format!("http://{}:50051", "a".repeat(64));
    let output = transcript(portolan(QUESTION).arg(&url));
    let start = format!("error: cannot query {url}: failed to lookup address");
    assert!(output.contains(&start), "{output}");
    assert!(output.ends_with("[exit 3]"), "{output}");
}

/// The server for probes supports only HTTP/1.
#[test]
fn reports_probe_port_used_as_server() {
    let resolver = Resolver::start(&mut ferry_resolver());
    assert_hung_up(&format!("http://{}", resolver.probes));
}

#[test]
fn reports_server_that_closes_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port must be free");
    let address = listener
        .local_addr()
        .expect("the listener must have an address");
    let server = std::thread::spawn(move || drop(listener.accept()));
    assert_hung_up(&format!("http://{address}"));
    server.join().expect("the server must end");
}

/// Checks the start and the end of the message. The middle depends on the time of the failure: the
/// connection is closed, reset or broken.
#[track_caller]
fn assert_hung_up(url: &str) {
    let output = transcript(portolan(QUESTION).arg(url));
    let start = format!("[stderr]\nerror: cannot query {url}: ");
    let hint = "; check that a resolver runs, and that --server is its --listen address\n[exit 3]";
    assert!(output.starts_with(&start), "{output}");
    assert!(output.ends_with(hint), "{output}");
}

#[test]
fn resolver_reports_unreadable_catalog() {
    let line = format!("serve resolver --catalog demo=./nowhere {ANY_PORT} --log warn");
    assert_snapshot!(transcript(&mut portolan(&line)), @r#"
    [stderr]
    error: cannot read catalog demo: cannot read ./nowhere: No such file or directory (os error 2)
    [exit 2]
    "#);
}

#[test]
fn unreachable_registry_gives_exit_code_3() {
    let line = "packages --catalog demo=grpc://127.0.0.1:1";
    assert_snapshot!(transcript(&mut portolan(line)), @r#"
    [stderr]
    error: cannot read catalog demo: cannot connect to 127.0.0.1:1: tcp connect error: Connection refused (os error 111)
    [exit 3]
    "#);
}

/// The message is one sentence, without error messages of libraries.
#[rstest]
#[case::diagnose("diagnose", "operators cannot be listed: ")]
#[case::explain("explain", "cannot read OperatorPolicies: ")]
#[case::health("health", "operators cannot be listed: ")]
#[case::packages("packages", "cannot list catalogs: ")]
#[case::path("path ferry", "cannot list catalogs: ")]
#[case::review("review", "InstallPlans cannot be listed: ")]
#[case::upgrades("upgrades", "cannot list catalogs: ")]
fn unreachable_cluster_gives_exit_code_3(#[case] question: &str, #[case] begin: &str) {
    let folder = TempFolder::empty();
    let line = format!("{question} --kubeconfig {}", kubeconfig(&folder));
    let output = transcript(&mut portolan(&line));
    assert!(output.contains(&format!("error: {begin}")), "{output}");
    assert!(
        !output.contains("[stdout]") && !output.contains('{'),
        "{output}"
    );
    assert!(output.ends_with("[exit 3]"), "{output}");
}

/// While the cluster does not respond, the service returns errors and is not ready. So a load
/// balancer sends requests to other replicas.
#[rstest]
#[case::health("serve health", "health", "portolan.health.v1.Health")]
#[case::approval("serve approval", "review", "portolan.approval.v1.Approval")]
#[case::diagnosis("serve diagnosis", "diagnose", "portolan.diagnosis.v1.Diagnosis")]
fn service_is_not_ready_before_the_cluster_responds(
    #[case] service: &str,
    #[case] question: &str,
    #[case] name: &str,
) {
    let folder = TempFolder::empty();
    let line = format!("{service} {ANY_PORT} --kubeconfig {}", kubeconfig(&folder));
    let service = Resolver::listening(&mut portolan(&line));
    let asked = format!("{question} --server {}", service.url());
    // After this message, the service has tried to read all kinds.
    while !transcript(&mut portolan(&asked)).contains("Connection refused") {}
    let ready = service.probe("/readyz");
    assert!(ready.starts_with("HTTP/1.1 503 "), "{ready}");
    let body = format!("\r\n\r\nno snapshot yet: {name}\n");
    assert!(ready.ends_with(&body), "{ready}");
}

/// Writes a kubeconfig for an API server that refuses connections.
fn kubeconfig(folder: &TempFolder) -> String {
    let file = folder.join("kubeconfig");
    let text = "{apiVersion: v1, kind: Config, current-context: c, \
                contexts: [{name: c, context: {cluster: c, user: u}}], \
                clusters: [{name: c, cluster: {server: 'http://127.0.0.1:1'}}], \
                users: [{name: u, user: {}}]}";
    fs::write(&file, text).expect("a file");
    file.display().to_string()
}

/// Catalogs are in other namespaces than operators, and many users may not read them.
#[test]
fn diagnoses_operators_without_permission_for_catalogs() {
    let folder = world()
        .namespace("harbor")
        .operator_group()
        .subscription("ferry", "stable")
        .installed("ferry.v1.0.0")
        .csv("ferry.v1.0.0", "Succeeded")
        .temp();
    let unseen = |group: &str, kind: &str| {
        format!("{{\"group\": \"{group}\", \"kind\": \"{kind}\", \"why\": \"forbidden: no\"}}")
    };
    let dump = format!(
        "{{\"apiVersion\": \"portolan.dev/v1\", \"kind\": \"Dump\", \"by\": \"a test\", \
         \"taken\": \"2026-11-23T12:00:00Z\", \"kubernetes\": null, \"notSeen\": [{}, {}]}}",
        unseen("operators.coreos.com", "CatalogSource"),
        unseen("olm.operatorframework.io", "ClusterCatalog"),
    );
    fs::write(folder.join("dump.json"), dump).expect("a file");
    let mut asked = portolan("diagnose -o wide --world .");
    let output = transcript(asked.current_dir(&*folder));
    assert!(
        output.contains("Unknown:\n  harbor/ferry: CatalogSources are not observed"),
        "{output}"
    );
}
