//! `portolan route`: steps of several operators, who is in the way, and where it is said what is
//! installed.

use std::fs;

use insta::assert_snapshot;
use portolan_kit::{TempFolder, World, catalog, world};
use rstest::rstest;
use serde_json::json;

use crate::program::{in_demo, portolan, transcript};
use crate::serving::{ANY_PORT, Resolver};

/// A harbor: the ferry and the crane hang on a rope, and each holds an old one until it moves itself.
const HARBOR: &str = "demo=tests/fixtures/harbor";

/// What is installed there, as flags.
const FROM: &str = "--from ferry=ferry.v1.0.0 --from rope=rope.v1.0.0";

/// `portolan route` over the harbor.
fn route(line: &str) -> String {
    transcript(&mut portolan(&format!("route --catalog {HARBOR} {line}")))
}

/// The same over a catalog of this text.
fn route_in(text: &str, line: &str) -> String {
    let folder = catalog(text).temp();
    transcript(&mut in_demo(&folder, &format!("route {line}")))
}

/// A cluster with all three, of which the objects say what they require.
fn cluster() -> World {
    let required = |range: &str| {
        let required = json!({"packageName": "rope", "versionRange": range});
        json!({"properties": [{"type": "olm.package.required", "value": required}]}).to_string()
    };
    let mut cluster = world()
        .namespace("olm")
        .catalog_source("shop", "127.0.0.1:1");
    cluster = cluster.namespace("harbor");
    for (name, range) in [("rope", ""), ("ferry", "<2.0.0"), ("crane", "<2.0.0")] {
        let bundle = format!("{name}.v1.0.0");
        cluster = cluster.subscription(name, "stable").installed(&bundle);
        cluster = cluster.csv(&bundle, "Succeeded").edit(|csv| {
            csv["spec"]["version"] = json!("1.0.0");
            if !range.is_empty() {
                csv["metadata"]["annotations"]["operatorframework.io/properties"] =
                    json!(required(range));
            }
        });
    }
    cluster
}

/// `portolan route` over the harbor, where that cluster is.
fn route_on_cluster(line: &str) -> String {
    let folder = TempFolder::empty();
    fs::write(folder.join("cluster.yaml"), cluster().to_yaml()).expect("a file");
    let mut asked = portolan(&format!(
        "route --catalog olm/shop=tests/fixtures/harbor {line}"
    ));
    transcript(asked.arg("--world").arg(folder.join("cluster.yaml")))
}

#[test]
fn steps_are_numbered_and_a_lockstep_is_one() {
    assert_snapshot!(route(&format!("ferry rope {FROM}")), @r"
    [stdout]
    1. rope.v1.0.0 -> rope.v1.1.0
    2. together:
      - ferry.v1.0.0 -> ferry.v1.1.0
      - rope.v1.1.0 -> rope.v2.0.0
    [exit 0]
    ");
}

#[test]
fn wide_says_by_which_edge() {
    assert_snapshot!(route(&format!("ferry rope {FROM} -o wide")), @r"
    [stdout]
    1. rope.v1.0.0 -> rope.v1.1.0 via replaces
    2. together:
      - ferry.v1.0.0 -> ferry.v1.1.0 via replaces
      - rope.v1.1.0 -> rope.v2.0.0 via replaces
    [exit 0]
    ");
}

#[test]
fn names_are_the_bundles_in_the_order_of_the_steps() {
    assert_snapshot!(route(&format!("ferry rope {FROM} -o name")), @r"
    [stdout]
    rope.v1.1.0
    ferry.v1.1.0
    rope.v2.0.0
    [exit 0]
    ");
}

#[test]
fn programs_read_the_answer_of_the_contract() {
    assert_snapshot!(route("crane rope@<=1.1.0 --from crane=1.1.0 -o yaml"), @r#"
    [stdout]
    catalogs:
    - digest: sha256:58889ed4f0d53241991e2dff882b54cd186887711a6319b4fd31da9981510741
      faultDigest: ""
      name: demo
      stale: false
    routes:
    - ends:
      - bundle: crane.v1.1.0
        package: crane
        version: "1.1.0"
        wanted:
          bundle: crane.v1.1.0
          requires:
            apis: []
            constraints: []
            packages:
            - name: rope
              range: ">=1.1.0"
          version: "1.1.0"
      onlySingle: []
      states: 0
      steps: []
    - ends:
      - bundle: rope.v1.1.0
        package: rope
        version: "1.1.0"
        wanted:
          bundle: rope.v1.1.0
          requires:
            apis: []
            constraints: []
            packages: []
          version: "1.1.0"
      onlySingle: []
      states: 0
      steps:
      - moves:
        - deprecation: ""
          downgrade: false
          from: ""
          package: rope
          to: rope.v1.1.0
          unsafe: false
          version: "1.1.0"
          via: []
    text: 1. install rope.v1.1.0
    [exit 0]
    "#);
}

#[test]
fn what_is_not_installed_is_installed() {
    assert_snapshot!(route("ferry rope"), @r"
    [stdout]
    1. install rope.v2.0.0
    2. install ferry.v1.1.0
    [exit 0]
    ");
}

#[test]
fn a_deprecated_bundle_is_marked_and_says_why() {
    let ferry = "ferry: 1.0.0 -> 1.1.0; 1.1.0 deprecated \"it leaks\"";
    assert_snapshot!(route_in(ferry, "ferry --from ferry=1.0.0"), @r"
    [stdout]
    1. ferry.v1.0.0 -> ferry.v1.1.0 (deprecated)

    bundle ferry.v1.1.0 is deprecated: it leaks
    [exit 0]
    ");
}

#[test]
fn routes_that_have_nothing_in_common_stand_beside_each_other() {
    let both = "ferry: 1.0.0 -> 1.1.0; rope: 1.0.0 -> 1.1.0 -> 1.2.0";
    let line = "ferry rope@9.0.0 --from ferry=1.0.0 --from rope=1.0.0";
    assert_snapshot!(route_in(both, line), @r"
    [stdout]
    Route of ferry:
    1. ferry.v1.0.0 -> ferry.v1.1.0

    Route of rope:
    rope stops at rope.v1.0.0, but is wished at version 9.0.0
    └── no bundle of its channels has such a version
    [exit 1]
    ");
}

#[test]
fn who_is_there_has_nothing_to_do() {
    assert_snapshot!(route("rope@<2.0.0 --from rope=1.1.0"), @r"
    [stdout]
    Every operator is where it shall be; there is nothing to do.
    [exit 0]
    ");
}

#[test]
fn what_is_not_named_stays_and_is_told_to_be_in_the_way() {
    assert_snapshot!(route(&format!("ferry rope {FROM} --from crane=1.0.0")), @r#"
    [stdout]
    1. rope.v1.0.0 -> rope.v1.1.0
    ferry stops at ferry.v1.0.0, but is wished at version 1.1.0
    ├── ferry.v1.1.0 requires package rope ">=2.0.0", but rope.v1.1.0 gets no further
    └── help: let ferry ignore its dependencies (unsafe, spec.dependencies: ignore): --ignore-dependencies ferry
    rope stops at rope.v1.1.0, but is wished at version 2.0.0
    ├── crane.v1.0.0 requires package rope "<2.0.0", which rope.v2.0.0 does not meet
    ├── help: let crane go to 1.1.0: crane@1.1.0
    ├── help: wish for 1.1.0 of rope instead: rope@1.1.0
    └── help: let crane ignore its dependencies (unsafe, spec.dependencies: ignore): --ignore-dependencies crane
    What is not named stays as it is. To let it move, name it as well: crane.
    [exit 1]
    "#);
}

#[test]
fn what_helps_is_typed_and_helps() {
    assert_snapshot!(route(&format!("ferry rope crane@1.1.0 {FROM} --from crane=1.0.0")), @r"
    [stdout]
    1. rope.v1.0.0 -> rope.v1.1.0
    2. crane.v1.0.0 -> crane.v1.1.0
    3. together:
      - ferry.v1.0.0 -> ferry.v1.1.0
      - rope.v1.1.0 -> rope.v2.0.0
    [exit 0]
    ");
}

#[test]
fn what_is_lifted_is_typed_as_it_is_told() {
    let gap = "ferry: 1.0.0; 2.0.0";
    assert_snapshot!(route_in(gap, "ferry@2.0.0 --from ferry=1.0.0"), @r"
    [stdout]
    ferry stops at ferry.v1.0.0, but is wished at version 2.0.0
    ├── no path from ferry.v1.0.0 to version in 2.0.0 over all channels
    │   ├── ferry.v2.0.0 does not replace ferry.v1.0.0, skip it, or cover its version
    │   ├── channel stable has several heads: ferry.v1.0.0, ferry.v2.0.0
    │   └── help: the author of the catalog can let ferry.v2.0.0 skip ferry.v1.0.0
    └── help: let ferry move where no edge leads (unsafe, spec.unsafeAllowDirectUpgrades): --allow-unconnected ferry
    [exit 1]
    ");
    let lifted = "ferry@2.0.0 --from ferry=1.0.0 --allow-unconnected ferry";
    assert_snapshot!(route_in(gap, lifted), @r"
    [stdout]
    1. ferry.v1.0.0 -> ferry.v2.0.0 (unsafe: no edge leads there)
    [exit 0]
    ");
}

#[test]
fn what_lacks_an_operator_is_told_which() {
    assert_snapshot!(route("ferry --from ferry=1.0.0"), @r#"
    [stdout]
    ferry stops at ferry.v1.0.0, but is wished at version 1.1.0
    ├── ferry.v1.1.0 requires package rope ">=2.0.0", which no operator at hand meets
    ├── help: install package rope ">=2.0.0"
    └── help: let ferry ignore its dependencies (unsafe, spec.dependencies: ignore): --ignore-dependencies ferry
    [exit 1]
    "#);
}

#[test]
fn a_search_that_ended_too_soon_knows_nothing() {
    let twins = "a: 1.0.0 requires b =1.0.0; a: 1.0.0 -> 1.1.0 requires b =1.1.0
                 a: 1.1.0 -> 1.2.0 requires b =1.2.0
                 b: 1.0.0 requires a =1.0.0; b: 1.0.0 -> 1.1.0 requires a =1.1.0
                 b: 1.1.0 -> 1.2.0 requires a =1.2.0";
    assert_snapshot!(route_in(twins, "a b --from a=1.0.0 --from b=1.0.0 --states 1"), @r"
    [stdout]
    The search ended after 1 state; there may be a better route, and --states allows more.
    a stops at a.v1.0.0, but is wished at version 1.2.0
    └── the search ended before the cause was known
    b stops at b.v1.0.0, but is wished at version 1.2.0
    └── the search ended before the cause was known
    [exit 3]
    ");
}

#[test]
fn a_world_says_what_is_installed_and_what_that_requires() {
    assert_snapshot!(route_on_cluster("ferry rope crane"), @r"
    [stdout]
    1. rope.v1.0.0 -> rope.v1.1.0
    2. crane.v1.0.0 -> crane.v1.1.0
    3. together:
      - ferry.v1.0.0 -> ferry.v1.1.0
      - rope.v1.1.0 -> rope.v2.0.0
    [exit 0]
    ");
    assert_snapshot!(route_on_cluster("rope@2.0.0"), @r#"
    [stdout]
    1. rope.v1.0.0 -> rope.v1.1.0
    rope stops at rope.v1.1.0, but is wished at version 2.0.0
    ├── crane.v1.0.0 requires package rope "<2.0.0", which rope.v2.0.0 does not meet
    ├── ferry.v1.0.0 requires package rope "<2.0.0", which rope.v2.0.0 does not meet
    └── help: wish for 1.1.0 of rope instead: rope@1.1.0
    What is not named stays as it is. To let it move, name it as well: crane, ferry.
    [exit 1]
    "#);
}

#[test]
fn from_takes_the_place_of_what_a_world_has() {
    assert_snapshot!(route_on_cluster("rope ferry --from crane=1.1.0"), @r"
    [stdout]
    1. rope.v1.0.0 -> rope.v1.1.0
    2. together:
      - rope.v1.1.0 -> rope.v2.0.0
      - ferry.v1.0.0 -> ferry.v1.1.0
    [exit 0]
    ");
}

#[test]
fn a_file_of_names_says_what_is_installed() {
    let folder = TempFolder::empty();
    let file = folder.join("names");
    fs::write(&file, "csv/ferry.v1.0.0\nrope.v1.1.0\n").expect("a file");
    let mut asked = portolan(&format!("route --catalog {HARBOR} rope ferry --installed"));
    assert_snapshot!(transcript(asked.arg(&file)), @r"
    [stdout]
    1. together:
      - rope.v1.1.0 -> rope.v2.0.0
      - ferry.v1.0.0 -> ferry.v1.1.0
    [exit 0]
    ");
}

/// `up` serves health beside the resolver, `resolver` does not.
#[test]
fn a_server_that_knows_nothing_of_the_cluster_is_told() {
    let mut command = portolan(&format!("resolver --catalog {HARBOR} {ANY_PORT}"));
    let resolver = Resolver::start(&mut command);
    let route = |line: &str| {
        transcript(&mut portolan(&format!(
            "route --server {} {line}",
            resolver.url()
        )))
    };
    assert_snapshot!(route("ferry rope"), @r"
    [stderr]
    error: the server does not know what is installed, for it serves no health; say --from PACKAGE=BUNDLE, or --installed FILE, with an empty one if nothing is
    [exit 2]
    ");
    assert_snapshot!(route(&format!("ferry rope {FROM}")), @r"
    [stdout]
    1. rope.v1.0.0 -> rope.v1.1.0
    2. together:
      - ferry.v1.0.0 -> ferry.v1.1.0
      - rope.v1.1.0 -> rope.v2.0.0
    [exit 0]
    ");
}

#[rstest]
#[case::no_wish("", "required arguments were not provided:\n  <WISH>...")]
#[case::a_package("fery", "catalog demo has no package fery; did you mean ferry?")]
#[case::a_channel(
    "ferry channel=stabel",
    "package ferry has no channel stabel; it has stable"
)]
#[case::a_range("ferry@^1.0.0", "\"ferry@^1.0.0\" is not a wish: at column 7, ")]
#[case::twice(
    "ferry ferry@1.0.0",
    "ferry is wished twice; say one wish of each package"
)]
#[case::from(
    "ferry --from ferry.v1.0.0",
    "say of which package it is, as in PACKAGE=ferry.v1.0.0"
)]
#[case::from_of_no_package(
    "ferry --from fery=1.0.0",
    "catalog demo has no package fery; did you mean ferry?"
)]
#[case::from_of_no_bundle(
    "ferry --from ferry=ferry.v1.0.9",
    "--from ferry=ferry.v1.0.9: package ferry has no such bundle; did you mean ferry.v1.0.0?"
)]
#[case::lifted(
    "ferry --allow-downgrade fery",
    "--allow-downgrade fery: it is neither wished nor installed; did you mean ferry?"
)]
#[case::states("ferry --states 0", "invalid value '0' for '--states <STATES>'")]
fn what_cannot_be_asked_is_taught(#[case] line: &str, #[case] message: &str) {
    let said = route(line);
    assert!(said.contains(message), "{said}");
    assert!(said.ends_with("[exit 2]"), "{said}");
}
