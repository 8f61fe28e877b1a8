//! Tests that each query prints the same answer if the command itself answers and if a server
//! answers.

use portolan_kit::assert_same;
use rstest::rstest;

use crate::program::{FERRY, portolan, run};
use crate::serving::{Resolver, ferry_resolver};

#[rstest]
#[case::updates("upgrades ferry --from ferry.v1.0.0")]
#[case::no_update("upgrades ferry --from ferry.v2.0.0")]
#[case::unknown_bundle("upgrades ferry --from ferry.v1.0.5")]
#[case::channel("upgrades ferry --from ferry.v1.2.0 --channel candidate")]
#[case::path("path ferry --from ferry.v1.0.0 --to 2.0.0")]
#[case::walk("path ferry --from ferry.v1.0.0 --to 1.1.0 --walk olm-v0")]
#[case::route("route ferry@<=1.2.0 --from ferry=1.0.0")]
#[case::no_route("route ferry@9.0.0 --from ferry=1.0.0")]
#[case::resolve("resolve ferry@1.1.0 channel=stable")]
#[case::conflict("resolve ferry@9.0.0 fery")]
#[case::each_request("resolve --each ferry@9.0.0 ferry")]
#[case::graph("graph ferry")]
#[case::packages("packages")]
#[case::package("packages ferry")]
#[case::bundle("bundle show ferry ferry.v1.2.0")]
#[case::check("catalog check")]
fn server_and_files_give_same_output(#[case] question: &str) {
    let resolver = Resolver::start(&mut ferry_resolver());
    let line = format!("{question} -o json");
    let from_files = run(portolan(&line).args(["--catalog", FERRY]));
    let from_server = run(portolan(&line).args(["--server", &resolver.url()]));
    assert_same!(text(&from_server.stdout), text(&from_files.stdout));
    assert!(!from_files.stdout.is_empty(), "{from_files:?}");
    assert_eq!(from_server.status.code(), from_files.status.code());
}

#[rstest]
#[case::name("upgrades Ferry --from ferry.v1.0.0")]
#[case::package("upgrades fery --from ferry.v1.0.0")]
#[case::channel("upgrades ferry --from ferry.v1.0.0 --channel stabel")]
#[case::catalog("upgrades ferry --from ferry.v1.0.0 --in prod")]
#[case::destination("path ferry --from ferry.v1.0.0 --to =>2")]
#[case::bundle_as_destination("path ferry --from ferry.v1.0.0 --to ferry.v9.0.0")]
#[case::route("route fery --from ferry=1.0.0")]
#[case::route_of_a_bundle("route ferry --from ferry=ferry.v9.0.0")]
#[case::graph("graph fery")]
#[case::positional("packages Ferry")]
#[case::bundle("bundle show ferry ferry.v9.0.0")]
#[case::catalog_to_check("catalog check --in prod")]
fn server_and_files_give_same_errors(#[case] question: &str) {
    let resolver = Resolver::start(&mut ferry_resolver());
    let from_server = run(portolan(question).args(["--server", &resolver.url()]));
    let from_files = run(portolan(question).args(["--catalog", FERRY]));
    assert_same!(text(&from_server.stderr), text(&from_files.stderr));
    assert_eq!(
        (from_server.status.code(), from_files.status.code()),
        (Some(2), Some(2))
    );
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
