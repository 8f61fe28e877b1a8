//! Servers that give no answer: what failed, what to try, and exit code 3.

use std::net::TcpListener;

use insta::assert_snapshot;

use crate::program::{portolan, said};
use crate::serving::{ANY_PORT, Resolver, ferry_resolver};

const QUESTION: &str = "upgrades --package ferry --installed ferry.v1.0.0 --server";

#[test]
fn nobody_listens() {
    // A port that the system gives to nobody who does not ask for it by number.
    assert_snapshot!(said(portolan(QUESTION).arg("http://127.0.0.1:1")), @r#"
    [stderr]
    error: ask http://127.0.0.1:1: Connection refused (os error 111); is a resolver running there? --server takes its --listen address
    [exit 3]
    "#);
}

#[test]
fn nobody_has_the_name() {
    // Longer than a question to a name server can carry: nobody is asked.
    let url = format!("http://{}:50051", "a".repeat(64));
    let said = said(portolan(QUESTION).arg(&url));
    let start = format!("error: ask {url}: failed to lookup address");
    assert!(said.contains(&start), "{said}");
    assert!(said.ends_with("[exit 3]"), "{said}");
}

#[test]
fn the_probes_are_asked_by_mistake() {
    let resolver = Resolver::start(&mut ferry_resolver());
    let said = said(portolan(QUESTION).arg(format!("http://{}", resolver.probes)));
    assert_snapshot!(said.replace(&resolver.probes, "PROBES"), @r#"
    [stderr]
    error: ask http://PROBES: the server there does not know the question (grpc-status header missing, mapped from HTTP status code 404); is it the --listen address of a resolver, and one no older than this program?
    [exit 3]
    "#);
}

#[test]
fn the_server_hangs_up() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port must be free");
    let address = listener
        .local_addr()
        .expect("the listener must have an address");
    let server = std::thread::spawn(move || drop(listener.accept()));
    let said = said(portolan(QUESTION).arg(format!("http://{address}")));
    server.join().expect("the server must end");
    // Closed, reset or broken: that depends on how much of the call was under way.
    let hint = "; is a resolver running there? --server takes its --listen address\n[exit 3]";
    let start = format!("[stderr]\nerror: ask http://{address}: ");
    assert!(said.starts_with(&start), "{said}");
    assert!(said.ends_with(hint), "{said}");
}

#[test]
fn the_resolver_has_a_catalog_that_it_cannot_read() {
    let line = format!("resolver --catalog demo=./nowhere {ANY_PORT} --log warn");
    assert_snapshot!(said(&mut portolan(&line)), @r#"
    [stderr]
    error: read catalog demo: read ./nowhere: No such file or directory (os error 2)
    [exit 2]
    "#);
}

#[test]
fn a_registry_that_is_away_is_no_answer() {
    let line = "packages --catalog demo=grpc://127.0.0.1:1";
    assert_snapshot!(said(&mut portolan(line)), @r#"
    [stderr]
    error: read catalog demo: connect to 127.0.0.1:1: tcp connect error: Connection refused (os error 111)
    [exit 3]
    "#);
}
