//! One question, one answer: in process, and from a resolver over a port.

use portolan_kit::assert_same;
use rstest::rstest;

use crate::program::{ferry_upgrades, portolan, ran};
use crate::serving::{Resolver, ferry_resolver};

#[rstest]
#[case::updates("--installed ferry.v1.0.0")]
#[case::no_update("--installed ferry.v2.0.0")]
#[case::unknown_bundle("--installed ferry.v1.0.5")]
#[case::channel("--installed ferry.v1.2.0 --channel candidate")]
fn a_resolver_answers_byte_for_byte_as_the_files_do(#[case] question: &str) {
    let resolver = Resolver::start(&mut ferry_resolver());
    let from_files = ran(&mut ferry_upgrades(&format!("{question} -o json")));
    let line = format!("upgrades --package ferry {question} -o json --server");
    let from_server = ran(portolan(&line).arg(resolver.url()));
    assert_same!(text(&from_server.stdout), text(&from_files.stdout));
    assert!(from_server.status.success() && from_files.status.success());
}

#[rstest]
#[case::name("--package Ferry --installed ferry.v1.0.0")]
#[case::package("--package fery --installed ferry.v1.0.0")]
#[case::channel("--package ferry --installed ferry.v1.0.0 --channel stabel")]
#[case::catalog("--package ferry --installed ferry.v1.0.0 --from prod")]
fn a_resolver_refuses_in_the_same_words(#[case] question: &str) {
    let resolver = Resolver::start(&mut ferry_resolver());
    let line = format!("upgrades {question}");
    let from_server = ran(portolan(&line).args(["--server", &resolver.url()]));
    let from_files = ran(portolan(&line).args(["--catalog", crate::program::FERRY]));
    assert_same!(text(&from_server.stderr), text(&from_files.stderr));
    assert_eq!(
        (from_server.status.code(), from_files.status.code()),
        (Some(2), Some(2))
    );
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
