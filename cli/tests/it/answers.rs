//! Tests of `portolan upgrades` that return an answer.

use insta::assert_snapshot;
use rstest::rstest;

use crate::program::{FERRY, ferry_upgrades, portolan, run, transcript};

#[test]
fn prints_updates_as_table() {
    assert_snapshot!(transcript(&mut ferry_upgrades("--from ferry.v1.0.0")), @r#"
    [stdout]
    UPDATE         VERSION   VIA          CHANNELS   NOTE
    ferry.v1.2.0   1.2.0     skip range   stable     recommended
    ferry.v1.1.0   1.1.0     replaces     stable

    Reachable in several hops:
      in 2 hops: ferry.v2.0.0
    [exit 0]
    "#);
}

#[test]
fn prints_updates_as_json() {
    assert_snapshot!(transcript(&mut ferry_upgrades("--from ferry.v1.1.0 -o json")), @r#"
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
        "name": "ferry.v1.1.0",
        "version": "1.1.0",
        "channels": [
          "stable"
        ]
      },
      "successors": [
        {
          "name": "ferry.v1.2.0",
          "version": "1.2.0",
          "via": [
            "REPLACES",
            "SKIP_RANGE"
          ],
          "channels": [
            "stable"
          ],
          "downgrade": false,
          "deprecation": "",
          "requires": {
            "apis": [],
            "packages": [],
            "constraints": []
          }
        }
      ],
      "reachable": [
        {
          "name": "ferry.v2.0.0",
          "version": "2.0.0",
          "hops": 2
        },
        {
          "name": "ferry.v1.2.0",
          "version": "1.2.0",
          "hops": 1
        }
      ],
      "newerUnreachable": [],
      "heads": [
        {
          "channel": "candidate",
          "name": "ferry.v2.0.0",
          "version": "2.0.0"
        },
        {
          "channel": "stable",
          "name": "ferry.v1.2.0",
          "version": "1.2.0"
        }
      ],
      "recommended": "ferry.v1.2.0",
      "deprecations": [],
      "reasons": [],
      "faults": []
    }
    [exit 0]
    "#);
}

#[test]
fn reports_reasons_for_no_update() {
    assert_snapshot!(transcript(&mut ferry_upgrades("--from ferry.v2.0.0")), @r#"
    [stdout]
    No update from ferry.v2.0.0.

    AtHead: ferry.v2.0.0 is the head of channel candidate
    NoSuccessor: channel stable has no bundle that replaces ferry.v2.0.0, skips it, or covers its version with a skip range
    [exit 0]
    "#);
}

#[test]
fn channel_limits_updates() {
    let line = "--from ferry.v1.2.0 --channel candidate";
    assert_snapshot!(transcript(&mut ferry_upgrades(line)), @r#"
    [stdout]
    UPDATE         VERSION   VIA        CHANNELS    NOTE
    ferry.v2.0.0   2.0.0     replaces   candidate   recommended
    [exit 0]
    "#);
}

#[test]
fn suggests_installed_version_flag_for_unknown_bundle() {
    assert_snapshot!(transcript(&mut ferry_upgrades("--from ferry.v1.0.5")), @r#"
    [stdout]
    No update from ferry.v1.0.5.

    UnknownVersion: package ferry has no bundle ferry.v1.0.5, so its version is unknown and skip ranges were not applied; set --installed-version to apply them
    NoSuccessor: none of the channels candidate, stable has a bundle that replaces ferry.v1.0.5, skips it, or covers its version with a skip range
    [exit 3]
    "#);
}

#[test]
fn skip_range_covers_unknown_bundle_with_version() {
    let line = "--from ferry.v1.0.5 --installed-version 1.0.5";
    assert_snapshot!(transcript(&mut ferry_upgrades(line)), @r#"
    [stdout]
    UPDATE         VERSION   VIA          CHANNELS   NOTE
    ferry.v1.2.0   1.2.0     skip range   stable     recommended

    Reachable in several hops:
      in 2 hops: ferry.v2.0.0

    Newer bundles without an upgrade path:
    no path from ferry.v1.0.5 to version 1.1.0 over all channels
    ├── ferry.v1.1.0 does not replace ferry.v1.0.5, skip it, or cover its version
    ├── help: the author of the catalog can let ferry.v1.1.0 skip ferry.v1.0.5
    └── help: allow an upgrade without an edge in the update graph (unsafe): path --allow-unconnected
    [exit 0]
    "#);
}

#[test]
fn selects_catalog_by_name() {
    let line = "--catalog other=tests/fixtures/catalogs --in other --from ferry.v1.2.0";
    assert_snapshot!(transcript(&mut ferry_upgrades(line)), @r#"
    [stdout]
    UPDATE         VERSION   VIA        CHANNELS    NOTE
    ferry.v2.0.0   2.0.0     replaces   candidate

    AtHead: ferry.v1.2.0 is the head of channel stable
    [exit 0]
    "#);
}

#[test]
fn reports_catalog_faults_with_updates() {
    let folder = portolan_kit::TempFolder::empty();
    let broken = "schema: olm.channel\npackage: ferry\nname: [stable]\n";
    std::fs::write(folder.join("broken.yaml"), broken).expect("the folder must be writable");
    std::fs::copy(
        concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../tests/fixtures/catalogs/ferry/catalog.yaml"
        ),
        folder.join("catalog.yaml"),
    )
    .expect("the fixture must be copied");
    let mut asked = portolan("upgrades --catalog demo=. ferry --from ferry.v1.1.0");
    let output = transcript(asked.current_dir(&folder));
    assert!(output.contains("\nType: broken.yaml:3: "), "{output}");
    assert!(output.ends_with("[exit 0]"), "{output}");
}

#[test]
fn flag_overrides_environment() {
    let mut asked = ferry_upgrades("--from ferry.v1.1.0");
    let with_files = transcript(asked.env("PORTOLAN_SERVER", "http://127.0.0.1:1"));
    assert_eq!(
        with_files,
        transcript(&mut ferry_upgrades("--from ferry.v1.1.0"))
    );

    let mut asked = portolan("upgrades ferry --from ferry.v1.1.0");
    let without = transcript(asked.env("PORTOLAN_SERVER", "http://127.0.0.1:1"));
    assert!(
        without.contains("cannot query http://127.0.0.1:1: "),
        "{without}"
    );
}

#[test]
fn exits_successfully_if_reader_closes_pipe() {
    let (reader, writer) = std::io::pipe().expect("a pipe must open");
    drop(reader);
    let mut asked = portolan("upgrades ferry --from ferry.v1.0.0 --catalog");
    assert_snapshot!(unread(asked.arg(FERRY).stdout(writer)), @"[exit status: 0]");
}

#[test]
fn reports_failed_write_to_full_disk() {
    let full = std::fs::File::options().write(true).open("/dev/full");
    let full = full.expect("/dev/full must exist");
    assert_snapshot!(unread(ferry_upgrades("--from ferry.v1.0.0").stdout(full)), @r#"
    error: cannot write the output: No space left on device (os error 28)
    [exit status: 3]
    "#);
}

/// Returns standard error and the exit code of a command. Does not capture standard output.
fn unread(command: &mut std::process::Command) -> String {
    let child = command.stderr(std::process::Stdio::piped()).spawn();
    let output = child.and_then(|child| child.wait_with_output());
    let output = output.expect("the program must run");
    format!(
        "{}[{}]",
        String::from_utf8_lossy(&output.stderr),
        output.status
    )
}

/// Prints the names, and the complete answer as YAML and as JSON.
#[rstest]
#[case::updates("upgrades ferry --from ferry.v1.0.0", "ferry.v1.2.0\nferry.v1.1.0\n")]
#[case::path(
    "path ferry --from ferry.v1.0.0 --to 2.0.0",
    "ferry.v1.2.0\nferry.v2.0.0\n"
)]
#[case::packages("packages", "package/ferry\n")]
#[case::package(
    "packages ferry",
    "ferry.v2.0.0\nferry.v1.2.0\nferry.v1.1.0\nferry.v1.0.0\n"
)]
#[case::graph(
    "graph ferry",
    "ferry.v2.0.0\nferry.v1.2.0\nferry.v1.1.0\nferry.v1.0.0\n"
)]
#[case::bundle("bundle show ferry ferry.v1.0.0", "ferry.v1.0.0\n")]
#[case::resolve("resolve ferry@1.1.0", "ferry.v1.1.0\n")]
fn prints_names_yaml_and_json_of_lists(#[case] question: &str, #[case] names: &str) {
    let printed = |form: &str| {
        let mut asked = portolan(&format!("{question} --catalog {FERRY} -o {form}"));
        String::from_utf8(run(&mut asked).stdout).expect("a text")
    };
    assert_eq!(printed("name"), names);
    let yaml: serde_json::Value = serde_saphyr::from_str(&printed("yaml")).expect("YAML");
    let json: serde_json::Value = serde_json::from_str(&printed("json")).expect("JSON");
    assert_eq!(yaml, json);
}
