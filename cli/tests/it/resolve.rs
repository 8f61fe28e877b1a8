//! Tests of `portolan resolve`: requirements, installed bundles, and each kind of answer.

use std::fs::File;

use insta::assert_snapshot;
use portolan_kit::{Catalog, TempFolder, catalog, world};
use rstest::rstest;

use crate::program::{FERRY, in_demo, portolan, transcript};

/// Returns a catalog with four packages. A version of ferry leaks and requires rope. Two packages
/// provide rope. The crane requires steam, which no package provides.
fn harbor() -> Catalog {
    catalog(
        "ferry: 1.0.0 -> 1.1.0 -> 2.0.0; 2.0.0 requires rope >=1.0.0
         ferry: 2.0.0 deprecated \"it leaks\"
         ferry/slow: 1.0.0 -> 1.1.0
         rope: 1.0.0 -> 1.1.0; 1.0.0 provides harbor.test/v1/Rope
         rope: 1.1.0 provides harbor.test/v1/Rope
         winch: 1.0.0 provides harbor.test/v1/Rope
         crane: 1.0.0 requires harbor.test/v1/Steam",
    )
}

/// Returns the output of `portolan resolve` for these requirements, which may contain blanks.
fn resolve(requests: &[&str], line: &str) -> String {
    let folder = harbor().temp();
    let mut asked = in_demo(&folder, &format!("resolve {line}"));
    transcript(asked.args(requests))
}

/// Returns the output of `portolan resolve` for these requirements and installed bundles.
fn resolve_beside(installed: &str, requests: &[&str], line: &str) -> String {
    let folder = harbor().temp();
    let file = folder.join("installed.txt");
    std::fs::write(&file, installed).expect("the folder must be writable");
    let mut asked = in_demo(
        &folder,
        &format!("resolve --installed installed.txt {line}"),
    );
    transcript(asked.args(requests))
}

#[test]
fn prints_solution_as_table() {
    let installed = "ferry.v1.0.0\ncrane.v1.0.0\n";
    assert_snapshot!(resolve_beside(installed, &["ferry"], ""), @r#"
    [stdout]
    The best solution: 1 to move, 1 to install.

    REQUIREMENT   CHOICE         CHANGE                             CATALOG   CHANNEL   WHY
    ferry         ferry.v2.0.0   move from ferry.v1.0.0 in 2 hops   demo      stable    head of the default channel
                  rope.v1.1.0    install                            demo      stable    ferry.v2.0.0 requires package rope ">=1.0.0"

    bundle ferry.v2.0.0 is deprecated: it leaks

    Dependencies that are already missing:
      crane.v1.0.0 lacks API harbor.test/v1/Steam
    [exit 0]
    "#);
}

#[test]
fn wide_table_shows_everything() {
    assert_snapshot!(resolve_beside("csv/rope.v1.0.0\n", &["ferry"], "-o wide"), @r#"
    [stdout]
    The best solution: 1 to install.

    REQUIREMENT   CHOICE         VERSION   CHANGE    CATALOG   CHANNEL   WHY
    ferry         ferry.v2.0.0   2.0.0     install   demo      stable    head of the default channel
                  rope.v1.0.0    1.0.0     stays     -         -         ferry.v2.0.0 requires package rope ">=1.0.0"

    bundle ferry.v2.0.0 is deprecated: it leaks
    [exit 0]
    "#);
}

#[test]
fn request_may_have_range_channel_and_catalog() {
    let requests = ["ferry@<2.0.0 channel=slow", "rope", "catalog=demo"];
    assert_snapshot!(resolve(&requests, ""), @r#"
    [stdout]
    The best solution: 2 to install.

    REQUIREMENT                 CHOICE         CHANGE    CATALOG   CHANNEL   WHY
    ferry@<2.0.0 channel=slow   ferry.v1.1.0   install   demo      slow      head of slow
    rope catalog=demo           rope.v1.1.0    install   demo      stable    head of the default channel
    [exit 0]
    "#);
}

#[test]
fn keeps_installed_bundle() {
    assert_snapshot!(resolve_beside("rope.v1.1.0", &["rope"], ""), @r#"
    [stdout]
    The best solution: nothing to do.

    REQUIREMENT   CHOICE        CHANGE   CATALOG   CHANNEL   WHY
    rope          rope.v1.1.0   stays    -         -         no upgrade was found
    [exit 0]
    "#);
}

#[test]
fn explains_conflict_as_tree() {
    assert_snapshot!(resolve_beside("winch.v1.0.0", &["ferry@2.0.0"], ""), @r#"
    [stdout]
    ferry@2.0.0 is requested
    └── ferry.v2.0.0 requires package rope ">=1.0.0"
        └── rope.v1.1.0 and rope.v1.0.0 cannot be installed together with winch.v1.0.0, which is installed and keeps its version
    [exit 1]
    "#);
}

#[test]
fn rejects_unknown_package() {
    assert_snapshot!(resolve(&["fery"], ""), @r#"
    [stdout]
    fery is requested, but no catalog has such a package; did you mean ferry?
    [exit 1]
    "#);
}

#[test]
fn names_document_that_may_hide_package() {
    let folder = portolan_kit::catalog("ferry: 1.0.0; rope: 1.0.0").temp();
    let file = folder.join("ferry/catalog.yaml");
    std::fs::write(file, "schema: [olm.package\n").expect("a file");
    assert_snapshot!(transcript(&mut in_demo(&folder, "resolve ferry")), @r#"
    [stdout]
    ferry is requested, but no catalog is known to have such a package; an error may hide it in catalog demo: ferry/catalog.yaml:1: not YAML: unclosed bracket '['
    [exit 1]
    "#);
    let granted = transcript(&mut in_demo(&folder, "resolve rope"));
    assert!(granted.ends_with("[exit 0]"), "{granted}");
    assert!(!granted.contains("warning"), "{granted}");
}

/// The document is unreadable now. An earlier version of the document contained the bundle.
#[test]
fn names_document_that_may_hide_version() {
    let folder = portolan_kit::catalog("ferry: 1.0.0; rope: 1.0.0").temp();
    let file = folder.join("rope/catalog.yaml");
    std::fs::write(file, "schema: [olm.package\n").expect("a file");
    assert_snapshot!(transcript(&mut in_demo(&folder, "resolve ferry@2.0.0")), @r#"
    [stdout]
    ferry@2.0.0 is requested, but there is no such version; the highest is 1.0.0
    [stderr]
    warning: a bundle may be missing because of an error in catalog demo: rope/catalog.yaml:1: not YAML: unclosed bracket '['
    [exit 1]
    "#);
}

#[test]
fn warns_about_choice_from_faulty_package() {
    let folder = portolan_kit::catalog("ferry: 1.0.0; rope: 1.0.0").temp();
    let file = folder.join("ferry/catalog.yaml");
    let text = std::fs::read_to_string(&file).expect("a file");
    let slip = text.replacen("defaultChannel: stable", "defaultChannel: stabel", 1);
    assert_ne!(slip, text);
    std::fs::write(file, slip).expect("a file");
    assert_snapshot!(transcript(&mut in_demo(&folder, "resolve ferry")), @r#"
    [stdout]
    The best solution: 1 to install.

    REQUIREMENT   CHOICE         CHANGE    CATALOG   CHANNEL   WHY
    ferry         ferry.v1.0.0   install   demo      stable    head of stable
    [stderr]
    warning: a selected bundle has an error in catalog demo: ferry/catalog.yaml:1: package ferry: the default channel stabel is not among the channels of the package
    [exit 0]
    "#);
    let other = transcript(&mut in_demo(&folder, "resolve rope"));
    assert!(!other.contains("warning"), "{other}");
}

#[test]
fn each_mode_resolves_requests_separately() {
    assert_snapshot!(resolve(&["crane", "ferry", "rope"], "--each"), @r#"
    [stdout]
    The best solution: 2 to install.

    REQUIREMENT   CHOICE         CHANGE    CATALOG   CHANNEL   WHY
    crane         -              refused   -         -         NoProvider
    ferry         ferry.v2.0.0   install   demo      stable    head of the default channel
    rope          rope.v1.1.0    install   demo      stable    head of the default channel

    crane is requested
    └── crane.v1.0.0 requires API harbor.test/v1/Steam, but no available bundle satisfies this requirement

    bundle ferry.v2.0.0 is deprecated: it leaks
    [exit 1]
    "#);
}

#[test]
fn reports_exhausted_search() {
    assert_snapshot!(resolve(&["ferry", "crane"], "--steps 1"), @r#"
    [stdout]
    Unknown: the search reached its limit after 1 step; increase --steps.
    [exit 3]
    "#);
}

#[test]
fn reads_installed_packages_from_dump() {
    let dump = world()
        .subscription("ferry", "stable")
        .installed("ferry.v1.0.0");
    let dump = dump.csv("ferry.v1.0.0", "Succeeded");
    assert_snapshot!(resolve_beside(&dump.to_yaml(), &["ferry@1.1.0"], ""), @r#"
    [stdout]
    The best solution: 1 to move.

    REQUIREMENT   CHOICE         CHANGE                            CATALOG   CHANNEL   WHY
    ferry@1.1.0   ferry.v1.1.0   move from ferry.v1.0.0 in 1 hop   demo      stable    the head of stable cannot be used
    [exit 0]
    "#);
}

#[test]
fn reads_installed_names_from_pipe() {
    let folder = TempFolder::empty();
    let names = folder.join("names");
    std::fs::write(&names, "ferry.v1.0.0\n").expect("the folder must be writable");
    let mut asked = portolan(&format!("resolve --catalog {FERRY} --installed - ferry"));
    asked.stdin(File::open(&names).expect("the file must open"));
    assert_snapshot!(transcript(&mut asked), @r#"
    [stdout]
    The best solution: 1 to move.

    REQUIREMENT   CHOICE         CHANGE                            CATALOG   CHANNEL   WHY
    ferry         ferry.v1.2.0   move from ferry.v1.0.0 in 1 hop   demo      stable    head of the default channel
    [exit 0]
    "#);
}

#[test]
fn explains_why_a_better_bundle_cannot_be_chosen() {
    let folder = catalog(
        "ferry: 1.0.0 -> 2.0.0; 2.0.0 requires rope >=2.0.0
         rope: 1.0.0 -> 2.0.0",
    )
    .temp();
    let file = folder.join("installed.txt");
    std::fs::write(&file, "rope.v1.0.0\n").expect("the folder must be writable");
    let mut asked = in_demo(&folder, "resolve --installed installed.txt ferry");
    assert_snapshot!(transcript(&mut asked), @r#"
    [stdout]
    The best solution: 1 to install.

    REQUIREMENT   CHOICE         CHANGE    CATALOG   CHANNEL   WHY
    ferry         ferry.v1.0.0   install   demo      stable    the head of stable cannot be used

    No better bundle than ferry.v1.0.0 is possible:
    ferry is requested
    └── ferry.v2.0.0 requires package rope ">=2.0.0"
        └── rope.v2.0.0 cannot be installed together with rope.v1.0.0, which is installed and keeps its version
    [exit 0]
    "#);
}

#[test]
fn prints_grpc_answer_as_json() {
    assert_snapshot!(resolve(&["winch"], "-o json"), @r#"
    [stdout]
    {
      "catalogs": [
        {
          "name": "demo",
          "digest": "sha256:7c1892b5fdce36616f12b5155de14b8df2e0a8d48705de0c90f65e425f515e7e",
          "faultDigest": "",
          "stale": false
        }
      ],
      "unread": [],
      "solution": {
        "choices": [
          {
            "wish": {
              "package": "winch",
              "range": "",
              "channel": "",
              "catalog": ""
            },
            "faults": [],
            "granted": 0
          }
        ],
        "operators": [
          {
            "package": "winch",
            "name": "winch.v1.0.0",
            "version": "1.0.0",
            "catalog": "demo",
            "channel": "stable",
            "change": "INSTALL",
            "from": "",
            "hops": 0,
            "wishes": [
              0
            ],
            "deprecation": "",
            "needs": [],
            "head": true,
            "defaultChannel": true,
            "passedOver": {
              "causes": [],
              "minimal": false,
              "text": ""
            }
          }
        ],
        "optimality": "BEST",
        "lacking": [],
        "steps": 0
      }
    }
    [exit 0]
    "#);
}

#[test]
fn prints_causes_of_conflict_as_json() {
    assert_snapshot!(resolve(&["crane"], "-o json"), @r#"
    [stdout]
    {
      "catalogs": [
        {
          "name": "demo",
          "digest": "sha256:7c1892b5fdce36616f12b5155de14b8df2e0a8d48705de0c90f65e425f515e7e",
          "faultDigest": "",
          "stale": false
        }
      ],
      "unread": [],
      "conflict": {
        "causes": [
          {
            "kind": "WISH",
            "reason": {
              "code": "Wish",
              "message": "crane is requested",
              "object": {
                "kind": "Package",
                "namespace": "",
                "name": "crane"
              }
            },
            "wish": 0,
            "package": "crane",
            "bundles": [],
            "required": [],
            "api": {
              "group": "",
              "version": "",
              "kind": ""
            },
            "catalog": ""
          },
          {
            "kind": "REQUIREMENT",
            "reason": {
              "code": "NoProvider",
              "message": "crane.v1.0.0 requires API harbor.test/v1/Steam, but no available bundle satisfies this requirement",
              "object": {
                "kind": "Bundle",
                "namespace": "",
                "name": "crane.v1.0.0"
              }
            },
            "wish": 0,
            "package": "crane",
            "bundles": [],
            "required": [
              {
                "requirement": {
                  "text": "API harbor.test/v1/Steam",
                  "api": {
                    "group": "harbor.test",
                    "version": "v1",
                    "kind": "Steam"
                  }
                },
                "bundles": [
                  "crane.v1.0.0"
                ]
              }
            ],
            "api": {
              "group": "",
              "version": "",
              "kind": ""
            },
            "catalog": ""
          }
        ],
        "minimal": true,
        "text": "crane is requested\n└── crane.v1.0.0 requires API harbor.test/v1/Steam, but no available bundle satisfies this requirement"
      }
    }
    [exit 1]
    "#);
}

#[test]
fn colors_headings_and_refused_requests() {
    let output = resolve(&["crane", "winch"], "--each --color always");
    assert_snapshot!(output.replace('\u{1b}', "ESC"), @r#"
    [stdout]
    ESC[32mThe best solution: 1 to install.ESC[0m

    ESC[1mREQUIREMENTESC[0m   ESC[1mCHOICEESC[0m         ESC[1mCHANGEESC[0m    ESC[1mCATALOGESC[0m   ESC[1mCHANNELESC[0m   ESC[1mWHYESC[0m
    crane         -              ESC[31mrefusedESC[0m   -         -         NoProvider
    winch         winch.v1.0.0   install   demo      stable    head of the default channel

    crane is requested
    └── crane.v1.0.0 requires API harbor.test/v1/Steam, but no available bundle satisfies this requirement
    [exit 1]
    "#);
}

#[rstest]
#[case::no_request(
    "resolve --catalog demo=.",
    "required arguments were not provided:\n  <REQUIREMENT>..."
)]
#[case::no_facts("resolve ferry", "error: no cluster found; use --catalog NAME=PLACE")]
#[case::steps("resolve --steps 0 ferry", "invalid value '0' for '--steps <STEPS>'")]
#[case::no_file(
    "resolve --catalog demo=. --installed nowhere ferry",
    "error: cannot read nowhere (--installed): No such file or directory"
)]
#[case::version(
    "resolve --catalog demo=. ferry 3.9.2",
    "error: \"3.9.2\" is not a requirement: at column 1, versions follow a package"
)]
#[case::colon(
    "resolve --catalog demo=. ferry:1.0.0",
    "at column 6, versions follow an @, as in \"ferry@1.0.0\""
)]
#[case::range(
    "resolve --catalog demo=. ferry@=>2",
    "error: \"ferry@=>2\" is not a requirement: at column 7, "
)]
fn rejects_invalid_arguments(#[case] line: &str, #[case] message: &str) {
    let output = transcript(&mut portolan(line));
    assert!(output.contains(message), "{output}");
    assert!(output.ends_with("[exit 2]"), "{output}");
}

#[test]
fn rejects_file_without_names() {
    let table = "NAME           DISPLAY   VERSION   PHASE\nferry.v1.0.0   Ferry     1.0.0\n";
    assert_snapshot!(resolve_beside(table, &["ferry"], ""), @r#"
    [stderr]
    error: installed.txt:1: "NAME           DISPLAY   VERSION   PHASE" contains blanks, but each line must be one name (--installed); use the output of `kubectl get csv,sub -o yaml` or `kubectl get csv -o name`
    [exit 2]
    "#);
}

#[test]
fn names_argument_that_resolver_rejects() {
    let requests = vec!["ferry"; 1_001];
    assert_snapshot!(resolve(&requests, ""), @r#"
    [stderr]
    error: <REQUIREMENT>: 1001 are given; at most 1000 are allowed
    [exit 2]
    "#);
}
