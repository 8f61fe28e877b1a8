//! Tests of `portolan route`: upgrades of several operators, operators that block other operators,
//! and the sources of installed bundles.

use std::fs;

use insta::assert_snapshot;
use portolan_kit::{TempFolder, World, catalog, world};
use rstest::rstest;
use serde_json::json;

use crate::program::{in_demo, portolan, transcript};
use crate::serving::{ANY_PORT, Resolver};

/// A catalog in which ferry and crane depend on rope. Both require an old rope until they are
/// upgraded.
const HARBOR: &str = "demo=tests/fixtures/harbor";

/// Flags that specify the installed bundles of ferry and rope.
const FROM: &str = "--from ferry=ferry.v1.0.0 --from rope=rope.v1.0.0";

/// Returns the output of `portolan route` for this catalog.
fn route(line: &str) -> String {
    transcript(&mut portolan(&format!("route --catalog {HARBOR} {line}")))
}

/// Returns the output of `portolan route` for a catalog with this text.
fn route_in(text: &str, line: &str) -> String {
    let folder = catalog(text).temp();
    transcript(&mut in_demo(&folder, &format!("route {line}")))
}

/// Returns a cluster in which all three operators are installed. Their objects contain their
/// requirements.
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

/// Returns the output of `portolan route` for this catalog and cluster.
fn route_on_cluster(line: &str) -> String {
    let folder = TempFolder::empty();
    fs::write(folder.join("cluster.yaml"), cluster().to_yaml()).expect("a file");
    let mut asked = portolan(&format!(
        "route --catalog olm/shop=tests/fixtures/harbor {line}"
    ));
    transcript(asked.arg("--world").arg(folder.join("cluster.yaml")))
}

#[test]
fn numbers_steps_and_joins_simultaneous_moves() {
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
fn wide_output_shows_edges() {
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
fn prints_bundle_names_in_step_order() {
    assert_snapshot!(route(&format!("ferry rope {FROM} -o name")), @r"
    [stdout]
    rope.v1.1.0
    ferry.v1.1.0
    rope.v2.0.0
    [exit 0]
    ");
}

#[test]
fn prints_grpc_answer_as_yaml() {
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
fn installs_missing_operators() {
    assert_snapshot!(route("ferry rope"), @r"
    [stdout]
    1. install rope.v2.0.0
    2. install ferry.v1.1.0
    [exit 0]
    ");
}

#[test]
fn marks_deprecated_bundle_with_message() {
    let ferry = "ferry: 1.0.0 -> 1.1.0; 1.1.0 deprecated \"it leaks\"";
    assert_snapshot!(route_in(ferry, "ferry --from ferry=1.0.0"), @r"
    [stdout]
    1. ferry.v1.0.0 -> ferry.v1.1.0 (deprecated)

    bundle ferry.v1.1.0 is deprecated: it leaks
    [exit 0]
    ");
}

#[test]
fn prints_independent_routes_separately() {
    let both = "ferry: 1.0.0 -> 1.1.0; rope: 1.0.0 -> 1.1.0 -> 1.2.0";
    let line = "ferry rope@9.0.0 --from ferry=1.0.0 --from rope=1.0.0";
    assert_snapshot!(route_in(both, line), @r"
    [stdout]
    Route of ferry:
    1. ferry.v1.0.0 -> ferry.v1.1.0

    Route of rope:
    rope can only reach rope.v1.0.0, but version 9.0.0 is required
    └── no bundle of its channels has such a version
    [exit 1]
    ");
}

#[test]
fn reports_destination_already_reached() {
    assert_snapshot!(route("rope@<2.0.0 --from rope=1.1.0"), @r"
    [stdout]
    Every operator has its required version; no upgrade is needed.
    [exit 0]
    ");
}

#[test]
fn reports_blocking_operator_without_a_requirement() {
    assert_snapshot!(route(&format!("ferry rope {FROM} --from crane=1.0.0")), @r#"
    [stdout]
    1. rope.v1.0.0 -> rope.v1.1.0
    ferry can only reach ferry.v1.0.0, but version 1.1.0 is required
    ├── ferry.v1.1.0 requires package rope ">=2.0.0", but rope.v1.1.0 gets no further
    └── help: let ferry ignore its dependencies (unsafe, spec.dependencies: ignore): --ignore-dependencies ferry
    rope can only reach rope.v1.1.0, but version 2.0.0 is required
    ├── crane.v1.0.0 requires package rope "<2.0.0", which rope.v2.0.0 does not meet
    ├── help: let crane go to 1.1.0: crane@1.1.0
    ├── help: require 1.1.0 of rope instead: rope@1.1.0
    └── help: let crane ignore its dependencies (unsafe, spec.dependencies: ignore): --ignore-dependencies crane
    Operators without a requirement are not changed. To allow changes, add requirements for: crane.
    [exit 1]
    "#);
}

#[test]
fn suggested_request_completes_route() {
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
fn suggested_flag_lifts_restriction() {
    let gap = "ferry: 1.0.0; 2.0.0";
    assert_snapshot!(route_in(gap, "ferry@2.0.0 --from ferry=1.0.0"), @r"
    [stdout]
    ferry can only reach ferry.v1.0.0, but version 2.0.0 is required
    ├── no path from ferry.v1.0.0 to version in 2.0.0 over all channels
    │   ├── ferry.v2.0.0 does not replace ferry.v1.0.0, skip it, or cover its version
    │   ├── channel stable has several heads: ferry.v1.0.0, ferry.v2.0.0
    │   └── help: the author of the catalog can let ferry.v2.0.0 skip ferry.v1.0.0
    └── help: let ferry move without an edge (unsafe, spec.unsafeAllowDirectUpgrades): --allow-unconnected ferry
    [exit 1]
    ");
    let lifted = "ferry@2.0.0 --from ferry=1.0.0 --allow-unconnected ferry";
    assert_snapshot!(route_in(gap, lifted), @r"
    [stdout]
    1. ferry.v1.0.0 -> ferry.v2.0.0 (unsafe: not an upgrade of the update graph)
    [exit 0]
    ");
}

#[test]
fn suggests_missing_dependency() {
    assert_snapshot!(route("ferry --from ferry=1.0.0"), @r#"
    [stdout]
    ferry can only reach ferry.v1.0.0, but version 1.1.0 is required
    ├── ferry.v1.1.0 requires package rope ">=2.0.0", which no available operator meets
    ├── help: install package rope ">=2.0.0"
    └── help: let ferry ignore its dependencies (unsafe, spec.dependencies: ignore): --ignore-dependencies ferry
    [exit 1]
    "#);
}

#[test]
fn exhausted_search_gives_exit_code_3() {
    let twins = "a: 1.0.0 requires b =1.0.0; a: 1.0.0 -> 1.1.0 requires b =1.1.0
                 a: 1.1.0 -> 1.2.0 requires b =1.2.0
                 b: 1.0.0 requires a =1.0.0; b: 1.0.0 -> 1.1.0 requires a =1.1.0
                 b: 1.1.0 -> 1.2.0 requires a =1.2.0";
    assert_snapshot!(route_in(twins, "a b --from a=1.0.0 --from b=1.0.0 --states 1"), @r"
    [stdout]
    The search stopped after 1 state, and a better route may exist; increase --states.
    a can only reach a.v1.0.0, but version 1.2.0 is required
    └── the search stopped at its limit before it found the cause
    b can only reach b.v1.0.0, but version 1.2.0 is required
    └── the search stopped at its limit before it found the cause
    [exit 3]
    ");
}

#[test]
fn reads_installed_operators_from_world() {
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
    rope can only reach rope.v1.1.0, but version 2.0.0 is required
    ├── crane.v1.0.0 requires package rope "<2.0.0", which rope.v2.0.0 does not meet
    ├── ferry.v1.0.0 requires package rope "<2.0.0", which rope.v2.0.0 does not meet
    └── help: require 1.1.0 of rope instead: rope@1.1.0
    Operators without a requirement are not changed. To allow changes, add requirements for: crane, ferry.
    [exit 1]
    "#);
}

#[test]
fn from_overrides_operator_of_world() {
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
fn reads_installed_names_from_file() {
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

/// `portolan up` serves the API of the health service and that of the resolver. `portolan serve
/// resolver` serves only the API of the resolver.
#[test]
fn server_without_health_api_requires_installed_bundles() {
    let mut command = portolan(&format!("serve resolver --catalog {HARBOR} {ANY_PORT}"));
    let resolver = Resolver::start(&mut command);
    let route = |line: &str| {
        transcript(&mut portolan(&format!(
            "route --server {} {line}",
            resolver.url()
        )))
    };
    assert_snapshot!(route("ferry rope"), @r"
    [stderr]
    error: the server has no health service, so installed operators are unknown; use --from PACKAGE=BUNDLE, or --installed FILE (an empty file if no operators are installed)
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
#[case::no_request("", "required arguments were not provided:\n  <REQUIREMENT>...")]
#[case::a_package("fery", "catalog demo has no package fery; did you mean ferry?")]
#[case::a_channel(
    "ferry channel=stabel",
    "package ferry has no channel stabel; it has stable"
)]
#[case::a_range("ferry@^1.0.0", "\"ferry@^1.0.0\" is not a requirement: at column 7, ")]
#[case::twice(
    "ferry ferry@1.0.0",
    "package ferry is required twice; give one requirement for each package"
)]
#[case::from(
    "ferry --from ferry.v1.0.0",
    "package missing; use PACKAGE=ferry.v1.0.0"
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
    "--allow-downgrade fery: the package is neither required nor installed; did you mean ferry?"
)]
#[case::states("ferry --states 0", "invalid value '0' for '--states <STATES>'")]
fn rejects_invalid_arguments(#[case] line: &str, #[case] message: &str) {
    let output = route(line);
    assert!(output.contains(message), "{output}");
    assert!(output.ends_with("[exit 2]"), "{output}");
}
