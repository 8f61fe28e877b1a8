//! One question, one answer: in process, from a resolver over a port, and to grpcurl.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use portolan_kit::assert_same;
use rstest::rstest;

use crate::program::{command, ferry_upgrades, portolan, ran};
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

#[test]
fn grpcurl_prints_the_same_json() {
    let Some(grpcurl) = grpcurl() else { return };
    let resolver = Resolver::start(&mut ferry_resolver());
    let question = r#"{"package": "ferry", "installed": "ferry.v1.0.0"}"#;
    let mut asked = command(grpcurl);
    asked.args(["-plaintext", "-emit-defaults", "-d", question]);
    asked.args([&resolver.grpc, "portolan.resolver.v1.Resolver/ListUpgrades"]);
    let from_grpcurl = ran(&mut asked);
    let from_files = ran(&mut ferry_upgrades("--installed ferry.v1.0.0 -o json"));
    assert_same!(text(&from_grpcurl.stdout), text(&from_files.stdout));
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The grpcurl on PATH, or the one that the cluster suite has built. None, and loudly so, where
/// the tests that need it are to be left out.
fn grpcurl() -> Option<PathBuf> {
    if env::var_os("PORTOLAN_SKIP_CLUSTER").is_some_and(|value| value == "1") {
        eprintln!("PORTOLAN_SKIP_CLUSTER=1: answers are NOT compared with those of grpcurl");
        return None;
    }
    let folders = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&folders)
        .chain(rigs())
        .map(|folder| folder.join("grpcurl"))
        .find(|program| program.is_file());
    let missing = "grpcurl is missing: put it on PATH, let `cargo test -p portolan-cluster` build \
                   it, or set PORTOLAN_SKIP_CLUSTER=1 to leave this test out";
    Some(found.expect(missing))
}

/// Where the cluster suite keeps its programs.
fn rigs() -> Vec<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty());
    let shared = || Some(PathBuf::from(set("XDG_CACHE_HOME")?));
    let home = || Some(env::home_dir()?.join(".cache"));
    let cache = set("PORTOLAN_CACHE").map(PathBuf::from);
    let cache = cache.or_else(|| Some(shared().or_else(home)?.join("portolan")));
    let entries = cache.and_then(|cache| fs::read_dir(cache).ok());
    let paths = entries.into_iter().flatten().flatten().map(|e| e.path());
    paths.filter(|path| is_rig(path)).collect()
}

/// A finished build; one under way ends in `.partial`.
fn is_rig(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("rig-") && !name.contains('.')
}
