//! Tests of `portolan path`: each kind of answer, and each form of a destination.

use insta::assert_snapshot;
use portolan_kit::catalog;
use rstest::rstest;

use crate::program::{FERRY, in_demo, portolan, transcript};

/// Returns the output of `portolan path` for the package ferry in the catalog of the fixtures.
fn ferry_path(line: &str) -> String {
    let line = format!("path --catalog {FERRY} ferry {line}");
    transcript(&mut portolan(&line))
}

#[test]
fn prints_hops_as_table() {
    assert_snapshot!(ferry_path("--from ferry.v1.0.0 --to 2.0.0"), @r#"
    [stdout]
    FROM           TO             VERSION   VIA          CHANNELS    NOTE
    ferry.v1.0.0   ferry.v1.2.0   1.2.0     skip range   stable
    ferry.v1.2.0   ferry.v2.0.0   2.0.0     replaces     candidate
    [exit 0]
    "#);
}

#[test]
fn reports_destination_already_reached() {
    assert_snapshot!(ferry_path("--from ferry.v1.2.0"), @r#"
    [stdout]
    ferry.v1.2.0 is the destination; no upgrade is needed.
    [exit 0]
    "#);
}

#[test]
fn suggests_flag_for_unknown_version() {
    let output = ferry_path("--from ferry.v0.5.0 --to minor");
    assert!(
        output.contains("; set --installed-version to apply"),
        "{output}"
    );
    assert!(
        output.contains(" to the newest minor version over "),
        "{output}"
    );
    // The answer is unknown, because a skip range might contain the installed version.
    assert!(output.ends_with("[exit 3]"), "{output}");
}

#[test]
fn explains_missing_path_as_tree() {
    let line = "--from ferry.v1.0.0 --channel stable --to 2.0.0";
    assert_snapshot!(ferry_path(line), @r#"
    [stdout]
    no path from ferry.v1.0.0 to version 2.0.0 in channel stable
    ├── ferry.v1.2.0 can be reached in one hop
    ├── ferry.v2.0.0 is not in this channel; it is in candidate
    └── help: a path exists if all channels are used: --all-channels (without --channel)
    [exit 1]
    "#);
}

#[test]
fn flags_allow_unconnected_downgrade() {
    let line = "--from ferry.v2.0.0 --to 1.0.0 --allow-downgrade --allow-unconnected";
    assert_snapshot!(ferry_path(line), @r#"
    [stdout]
    FROM           TO             VERSION   VIA       CHANNELS   NOTE
    ferry.v2.0.0   ferry.v1.0.0   1.0.0     no edge   -          unsafe: not supported by the author, downgrade
    [exit 0]
    "#);
}

#[test]
fn walk_of_olm_skips_intermediate_bundles() {
    let line = "--from ferry.v1.0.0 --channel stable --to 1.1.0 --walk olm-v0";
    assert_snapshot!(ferry_path(line), @r#"
    [stdout]
    no path from ferry.v1.0.0 to version 1.1.0 in channel stable
    ├── OLM upgrades from ferry.v1.0.0 directly to ferry.v1.2.0, skipping ferry.v1.1.0
    ├── help: a path exists if all channels are used: --all-channels (without --channel)
    ├── help: a path exists if OLM installs each version on the path and skips no version: --walk catalog
    └── help: allow an upgrade without an edge in the update graph (unsafe): --allow-unconnected
    [exit 1]
    "#);
}

#[test]
fn prints_grpc_answer_as_json() {
    assert_snapshot!(ferry_path("--from ferry.v1.2.0 -o json"), @r#"
    [stdout]
    {
      "catalogs": [
        {
          "name": "demo",
          "digest": "sha256:97fdfc76773b7d6c18a7fbebefa92b37ad67925c77787b97e9ad47a66d31a552",
          "faultDigest": "",
          "stale": false
        }
      ],
      "installed": {
        "name": "ferry.v1.2.0",
        "version": "1.2.0",
        "channels": [
          "candidate",
          "stable"
        ]
      },
      "faults": [],
      "alreadyThere": {}
    }
    [exit 0]
    "#);
}

#[rstest]
#[case::version("1.2.0", "ferry.v1.2.0")]
#[case::range("<2.0.0", "ferry.v1.2.0")]
#[case::latest("latest", "ferry.v1.2.0")]
#[case::latest_minor("latest-minor", "ferry.v1.2.0")]
#[case::head("head", "ferry.v1.2.0")]
#[case::minor("minor", "ferry.v1.2.0")]
#[case::any_version(">=0.0.0", "ferry.v2.0.0")]
fn accepts_each_form_of_destination(#[case] to: &str, #[case] end: &str) {
    let line = format!("--from ferry.v1.0.0 --to {to} -o json");
    let output = ferry_path(&line);
    let last = output.rfind("\"to\": ").map(|at| &output[at..]);
    let last = last.and_then(|rest| rest.split('"').nth(3));
    assert_eq!(last, Some(end), "{output}");
}

#[test]
fn newest_patch_is_already_the_destination_latest_patch() {
    let output = ferry_path("--from ferry.v1.0.0 --to latest-patch");
    assert!(
        output.contains("ferry.v1.0.0 is the destination"),
        "{output}"
    );
}

#[test]
fn accepts_bundle_as_destination() {
    assert_snapshot!(ferry_path("--from ferry.v1.0.0 --to ferry.v2.0.0"), @"
    [stdout]
    FROM           TO             VERSION   VIA          CHANNELS    NOTE
    ferry.v1.0.0   ferry.v1.2.0   1.2.0     skip range   stable
    ferry.v1.2.0   ferry.v2.0.0   2.0.0     replaces     candidate
    [exit 0]
    ");
}

#[test]
fn rejects_unknown_destination() {
    assert_snapshot!(ferry_path("--from ferry.v1.0.0 --to newest"), @"
    [stderr]
    error: --to BUNDLE|RANGE|latest|latest-patch|latest-minor: package ferry has no bundle newest
    [exit 2]
    ");
}

#[test]
fn lists_valid_walks() {
    assert_snapshot!(ferry_path("--from ferry.v1.0.0 --walk olm-v1"), @r#"
    [stderr]
    error: invalid value 'olm-v1' for '--walk <WALK>'
      [possible values: catalog, olm-v0]

      tip: a similar value exists: 'olm-v0'

    For more information, try '--help'.
    [exit 2]
    "#);
}

#[test]
fn marks_downgrades_and_deprecations() {
    let demo = catalog(
        "a: 1.0.0 -> 3.0.0 -> 2.0.0 -> 4.0.0
         a: 2.0.0 deprecated \"loses its anchor\"",
    );
    let line = "path a --from a.v1.0.0";
    assert_snapshot!(transcript(&mut in_demo(&demo.temp(), line)), @r#"
    [stdout]
    FROM       TO         VERSION   VIA        CHANNELS   NOTE
    a.v1.0.0   a.v3.0.0   3.0.0     replaces   stable
    a.v3.0.0   a.v2.0.0   2.0.0     replaces   stable     downgrade, deprecated
    a.v2.0.0   a.v4.0.0   4.0.0     replaces   stable
    [exit 0]
    "#);
}

#[test]
fn prints_each_fault_once() {
    let demo = catalog("a: 1.0.0; 2.0.0 -> 3.0.0");
    let line = "path a --from a.v1.0.0 --to 3.0.0";
    assert_snapshot!(transcript(&mut in_demo(&demo.temp(), line)), @r#"
    [stdout]
    no path from a.v1.0.0 to version 3.0.0 over all channels
    ├── a.v2.0.0 does not replace a.v1.0.0, skip it, or cover its version
    ├── channel stable has several heads: a.v1.0.0, a.v3.0.0
    ├── help: the author of the catalog can let a.v2.0.0 skip a.v1.0.0
    └── help: allow an upgrade without an edge in the update graph (unsafe): --allow-unconnected
    [exit 1]
    "#);
}
