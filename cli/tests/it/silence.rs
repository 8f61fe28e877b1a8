//! Servers that give no answer: what failed, what to try, and exit code 3.

use std::fs;
use std::net::TcpListener;

use insta::assert_snapshot;
use portolan_kit::{TempFolder, world};
use rstest::rstest;

use crate::program::{portolan, transcript};
use crate::serving::{ANY_PORT, Resolver, ferry_resolver};

const QUESTION: &str = "upgrades ferry --from ferry.v1.0.0 --server";

#[test]
fn nobody_listens() {
    // A port that the system gives to nobody who does not ask for it by number.
    assert_snapshot!(transcript(portolan(QUESTION).arg("http://127.0.0.1:1")), @r#"
    [stderr]
    error: ask http://127.0.0.1:1: Connection refused (os error 111); is a resolver running there? --server takes its --listen address
    [exit 3]
    "#);
}

#[test]
fn nobody_has_the_name() {
    // Longer than a question to a name server can carry: nobody is asked.
    let url = format!("http://{}:50051", "a".repeat(64));
    let said = transcript(portolan(QUESTION).arg(&url));
    let start = format!("error: ask {url}: failed to lookup address");
    assert!(said.contains(&start), "{said}");
    assert!(said.ends_with("[exit 3]"), "{said}");
}

/// The port of the probes speaks HTTP/1 alone.
#[test]
fn the_probes_are_asked_by_mistake() {
    let resolver = Resolver::start(&mut ferry_resolver());
    assert_hung_up(&format!("http://{}", resolver.probes));
}

#[test]
fn the_server_hangs_up() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port must be free");
    let address = listener
        .local_addr()
        .expect("the listener must have an address");
    let server = std::thread::spawn(move || drop(listener.accept()));
    assert_hung_up(&format!("http://{address}"));
    server.join().expect("the server must end");
}

/// Closed, reset or broken: that depends on how much of the call was under way.
#[track_caller]
fn assert_hung_up(url: &str) {
    let said = transcript(portolan(QUESTION).arg(url));
    let start = format!("[stderr]\nerror: ask {url}: ");
    let hint = "; is a resolver running there? --server takes its --listen address\n[exit 3]";
    assert!(said.starts_with(&start), "{said}");
    assert!(said.ends_with(hint), "{said}");
}

#[test]
fn the_resolver_has_a_catalog_that_it_cannot_read() {
    let line = format!("resolver --catalog demo=./nowhere {ANY_PORT} --log warn");
    assert_snapshot!(transcript(&mut portolan(&line)), @r#"
    [stderr]
    error: read catalog demo: read ./nowhere: No such file or directory (os error 2)
    [exit 2]
    "#);
}

#[test]
fn a_registry_that_is_away_is_no_answer() {
    let line = "packages --catalog demo=grpc://127.0.0.1:1";
    assert_snapshot!(transcript(&mut portolan(line)), @r#"
    [stderr]
    error: read catalog demo: connect to 127.0.0.1:1: tcp connect error: Connection refused (os error 111)
    [exit 3]
    "#);
}

/// One sentence, and no word of a library besides.
#[rstest]
#[case::diagnose("diagnose", "it is not known which operators there are: ")]
#[case::explain("explain", "look at OperatorPolicies: ")]
#[case::health("health", "it is not known which operators there are: ")]
#[case::packages("packages", "it is not known which catalogs there are: ")]
#[case::path("path ferry", "it is not known ")]
#[case::review("review", "it is not known which InstallPlans there are: ")]
#[case::upgrades("upgrades", "it is not known ")]
fn a_cluster_that_does_not_answer_is_no_answer(#[case] question: &str, #[case] begin: &str) {
    let folder = TempFolder::empty();
    let line = format!("{question} --kubeconfig {}", kubeconfig(&folder));
    let said = transcript(&mut portolan(&line));
    assert!(said.contains(&format!("error: {begin}")), "{said}");
    assert!(!said.contains("[stdout]") && !said.contains('{'), "{said}");
    assert!(said.ends_with("[exit 3]"), "{said}");
}

/// Whoever asks is told so, and whoever routes questions sends them elsewhere.
#[rstest]
#[case::health("health-server", "health", "portolan.health.v1.Health")]
#[case::approval("approval", "review", "portolan.approval.v1.Approval")]
#[case::diagnosis("diagnose-server", "diagnose", "portolan.diagnosis.v1.Diagnosis")]
fn a_service_is_not_ready_before_its_cluster_has_answered(
    #[case] service: &str,
    #[case] question: &str,
    #[case] name: &str,
) {
    let folder = TempFolder::empty();
    let line = format!("{service} {ANY_PORT} --kubeconfig {}", kubeconfig(&folder));
    let service = Resolver::listening(&mut portolan(&line));
    let asked = format!("{question} --server {}", service.url());
    // Once it says that, it has looked at everything.
    while !transcript(&mut portolan(&asked)).contains("Connection refused") {}
    let ready = service.probe("/readyz");
    assert!(ready.starts_with("HTTP/1.1 503 "), "{ready}");
    let told = format!("\r\n\r\nno snapshot yet: {name}\n");
    assert!(ready.ends_with(&told), "{ready}");
}

/// A file that leads to a cluster where nobody listens.
fn kubeconfig(folder: &TempFolder) -> String {
    let file = folder.join("kubeconfig");
    let text = "{apiVersion: v1, kind: Config, current-context: c, \
                contexts: [{name: c, context: {cluster: c, user: u}}], \
                clusters: [{name: c, cluster: {server: 'http://127.0.0.1:1'}}], \
                users: [{name: u, user: {}}]}";
    fs::write(&file, text).expect("a file");
    file.display().to_string()
}

/// Catalogs are of other namespaces than operators, and many may not see them.
#[test]
fn operators_are_diagnosed_where_no_catalog_may_be_seen() {
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
    let said = transcript(asked.current_dir(&*folder));
    assert!(
        said.contains("Not known: CatalogSources are not observed"),
        "{said}"
    );
}
