//! Tests of `portolan graph` in all formats.

use insta::assert_snapshot;
use portolan_kit::{Catalog, TempFolder, catalog};
use rstest::rstest;

use crate::program::{FERRY, in_demo, portolan, transcript};

/// Returns a catalog whose graph contains one example of each feature.
fn harbor() -> TempFolder {
    catalog(
        "a: 1.0.0 -> 1.1.0 -> 1.2.0 -> 1.3.0 -> 1.4.0 -> 2.0.0
         a: 2.0.0 covers >=1.0.0 <2.0.0
         a: 1.1.0 deprecated \"leaks\"
         a/fast: 1.3.0 -> 3.0.0; 3.0.0 missing
         a/fast: 3.1.0 replaces 3.0.0
         a/fast: 3.1.0 skips 2.0.0",
    )
    .temp()
}

fn drawn(form: &str) -> String {
    transcript(&mut in_demo(&harbor(), &format!("graph a -o {form}")))
}

#[test]
fn table_has_row_for_each_bundle() {
    assert_snapshot!(drawn("table"), @r#"
    [stdout]
    BUNDLE     VERSION   CHANNELS       FROM                                                      NOTE
    a.v3.1.0   3.1.0     fast           a.v3.0.0 (replaces), a.v2.0.0 (skips)                     head of fast
    a.v2.0.0   2.0.0     stable         a.v1.4.0 (replaces, skip range), 4 bundles (skip range)   head of stable
    a.v1.4.0   1.4.0     stable         a.v1.3.0 (replaces)
    a.v1.3.0   1.3.0     fast, stable   a.v1.2.0 (replaces)
    a.v1.2.0   1.2.0     stable         a.v1.1.0 (replaces)
    a.v1.1.0   1.1.0     stable         a.v1.0.0 (replaces)                                       deprecated
    a.v1.0.0   1.0.0     stable         -
    a.v3.0.0   -         fast           a.v1.3.0 (replaces)                                       not in the catalog

    NoBundle: channel fast has the entry a.v3.0.0, but the catalog has no such bundle, so the entry cannot be installed
    NoBundle: a/catalog.yaml:22: package a: channel fast has the entry a.v3.0.0, but the catalog has no such bundle
    [exit 0]
    "#);
}

#[test]
fn wide_table_names_every_bundle() {
    assert_snapshot!(drawn("wide"), @r#"
    [stdout]
    BUNDLE     VERSION   CHANNELS       FROM                                                                                   NOTE
    a.v3.1.0   3.1.0     fast           a.v3.0.0 (replaces), a.v2.0.0 (skips)                                                  head of fast
    a.v2.0.0   2.0.0     stable         a.v1.4.0 (replaces, skip range), a.v1.3.0, a.v1.2.0, a.v1.1.0, a.v1.0.0 (skip range)   head of stable
    a.v1.4.0   1.4.0     stable         a.v1.3.0 (replaces)
    a.v1.3.0   1.3.0     fast, stable   a.v1.2.0 (replaces)
    a.v1.2.0   1.2.0     stable         a.v1.1.0 (replaces)
    a.v1.1.0   1.1.0     stable         a.v1.0.0 (replaces)                                                                    deprecated
    a.v1.0.0   1.0.0     stable         -
    a.v3.0.0   -         fast           a.v1.3.0 (replaces)                                                                    not in the catalog

    NoBundle: channel fast has the entry a.v3.0.0, but the catalog has no such bundle, so the entry cannot be installed
    NoBundle: a/catalog.yaml:22: package a: channel fast has the entry a.v3.0.0, but the catalog has no such bundle
    [exit 0]
    "#);
}

#[test]
fn prints_mermaid() {
    assert_snapshot!(drawn("mermaid"), @r#"
    [stdout]
    flowchart BT
      n0["a.v3.1.0"]:::head
      n1["a.v2.0.0"]:::head
      n2["a.v1.4.0"]
      n3["a.v1.3.0"]
      n4["a.v1.2.0"]
      n5["a.v1.1.0<br/>deprecated"]:::deprecated
      n6["a.v1.0.0"]
      n7["a.v3.0.0<br/>not in the catalog"]:::missing
      b0(["4 bundles<br/>a.v1.3.0 … v1.0.0"]):::bunch
      c0{{"fast"}}
      c1{{"stable #40;default#41;"}}
      n7 -->|"replaces<br/>fast"| n0
      n1 -->|"skips<br/>fast"| n0
      n2 -->|"replaces, skip range<br/>stable"| n1
      b0 -.->|"skip range<br/>stable"| n1
      n3 -->|"replaces<br/>stable"| n2
      n4 -->|"replaces<br/>stable"| n3
      n5 -->|"replaces<br/>stable"| n4
      n6 -->|"replaces<br/>stable"| n5
      n3 -->|"replaces<br/>fast"| n7
      n0 --- c0
      n1 --- c1
      classDef head stroke-width:3px
      classDef deprecated fill:#fff3cd,stroke:#7d5e00,color:#333333,stroke-dasharray:2 2
      classDef missing fill:#eeeeee,stroke:#767676,color:#666666,stroke-dasharray:6 4
      classDef bunch fill:#ffffff,stroke:#767676,color:#666666
      style c0 fill:#0072b2,stroke:#0072b2,color:#ffffff
      linkStyle 0,1,8,9 stroke:#0072b2
      style c1 fill:#b84a00,stroke:#b84a00,color:#ffffff
      linkStyle 2,3,4,5,6,7,10 stroke:#b84a00
    [exit 0]
    "#);
}

#[test]
fn prints_graphviz() {
    assert_snapshot!(drawn("dot"), @r##"
    [stdout]
    digraph "a" {
      rankdir=BT
      node [shape=box, style="rounded", fontname="Helvetica"]
      edge [fontname="Helvetica", fontsize=10]
      n0 [label="a.v3.1.0", penwidth=3]
      n1 [label="a.v2.0.0", penwidth=3]
      n2 [label="a.v1.4.0"]
      n3 [label="a.v1.3.0"]
      n4 [label="a.v1.2.0"]
      n5 [label="a.v1.1.0\ndeprecated", style="rounded,filled", fillcolor="#fff3cd", color="#7d5e00"]
      n6 [label="a.v1.0.0"]
      n7 [label="a.v3.0.0\nnot in the catalog", style="rounded,dashed", color="#767676", fontcolor="#666666"]
      b0 [label="4 bundles\na.v1.3.0 … v1.0.0", shape=plain, fontcolor="#666666"]
      n7 -> n0 [label="replaces\nfast", color="#0072b2"]
      n1 -> n0 [label="skips\nfast", color="#0072b2"]
      n2 -> n1 [label="replaces, skip range\nstable", color="#b84a00"]
      b0 -> n1 [label="skip range\nstable", color="#b84a00", style=dashed]
      n3 -> n2 [label="replaces\nstable", color="#b84a00"]
      n4 -> n3 [label="replaces\nstable", color="#b84a00"]
      n5 -> n4 [label="replaces\nstable", color="#b84a00"]
      n6 -> n5 [label="replaces\nstable", color="#b84a00"]
      n3 -> n7 [label="replaces\nfast", color="#0072b2"]
      c0 [label="fast", shape=cds, style=filled, color="#0072b2", fontcolor=white]
      n0 -> c0 [arrowhead=none, color="#0072b2"]
      c1 [label="stable (default)", shape=cds, style=filled, color="#b84a00", fontcolor=white]
      n1 -> c1 [arrowhead=none, color="#b84a00"]
    }
    [exit 0]
    "##);
}

#[test]
fn single_channel_has_no_channel_labels() {
    let line = "graph a --channel fast -o mermaid";
    let drawn = transcript(&mut in_demo(&harbor(), line));
    assert!(drawn.contains("|\"replaces\"|"), "{drawn}");
    assert!(!drawn.contains("stable"), "{drawn}");
}

/// Each format shows the path that `path` finds, and no other update between its bundles.
#[rstest]
#[case::names("name", "a.v3.1.0\na.v2.0.0\na.v1.4.0\n")]
#[case::table("table", "a.v1.4.0 (replaces, skip range)")]
#[case::mermaid("mermaid", "n2 -->|\"replaces, skip range<br/>stable\"| n1")]
#[case::graphviz("dot", "n1 -> n0 [label=\"skips\\nfast\"")]
#[case::svg("svg", "A part of the graph: 3 bundles in 2 channels")]
#[case::json("json", "\"to\": \"a.v3.1.0\"")]
fn prints_only_a_path(#[case] form: &str, #[case] expected: &str) {
    let line = format!("graph a --from a.v1.4.0 --to 3.1.0 -o {form}");
    let drawn = transcript(&mut in_demo(&harbor(), &line));
    assert!(drawn.contains(expected), "{drawn}");
    assert!(!drawn.contains("a.v1.3.0"), "{drawn}");
    assert!(drawn.ends_with("[exit 0]"), "{drawn}");
}

/// The output may be a file with a drawing, so the reason is on standard error.
#[test]
fn reports_on_standard_error_why_there_is_no_path() {
    let line = format!(
        "graph --catalog {FERRY} ferry --from ferry.v1.0.0 --channel stable --to 2.0.0 -o svg"
    );
    assert_snapshot!(transcript(&mut portolan(&line)), @"
    [stderr]
    error: no path from ferry.v1.0.0 to version 2.0.0 in channel stable
    ├── ferry.v1.2.0 can be reached in one hop
    ├── ferry.v2.0.0 is not in this channel; it is in candidate
    └── help: a path exists if all channels are used: path --all-channels (without --channel)
    [exit 1]
    ");
}

#[test]
fn end_of_a_path_requires_its_beginning() {
    let drawn = transcript(&mut in_demo(&harbor(), "graph a --to 2.0.0"));
    assert!(drawn.contains("--from <BUNDLE>"), "{drawn}");
    assert!(drawn.ends_with("[exit 2]"), "{drawn}");
}

#[test]
fn lists_valid_output_formats() {
    assert_snapshot!(drawn("png"), @"
    [stderr]
    error: invalid value 'png' for '--output <FORM>'
      [possible values: table, wide, mermaid, dot, svg, json, yaml, name]

    For more information, try '--help'.
    [exit 2]
    ");
}

/// Returns a chain with the length of the longest chain in real catalogs. The skip range of each
/// entry contains all earlier entries.
fn longest() -> Catalog {
    let chain: Vec<_> = (0..199).map(|patch| format!("1.0.{patch}")).collect();
    let covers = (1..199).map(|patch| format!("a: 1.0.{patch} covers >=1.0.0 <1.0.{patch}"));
    let lines: Vec<_> = [format!("a: {}", chain.join(" -> "))]
        .into_iter()
        .chain(covers)
        .collect();
    catalog(&lines.join("\n"))
}

#[rstest]
#[case::mermaid("mermaid", "|\"")]
#[case::graphviz("dot", " -> n")]
fn limits_arrows_of_longest_chain(#[case] form: &str, #[case] arrow: &str) {
    let folder = longest().temp();
    let drawn = transcript(&mut in_demo(&folder, &format!("graph a -o {form}")));
    let arrows = drawn.lines().filter(|line| line.contains(arrow)).count();
    // The graph contains nearly 20,000 updates, but Mermaid draws at most 500.
    assert!((198..=500).contains(&arrows), "{arrows}");
    assert!(!drawn.contains("%%"), "{drawn}");
}

#[test]
fn svg_has_title_and_description() {
    let drawn = drawn("svg");
    let title = drawn.lines().nth(2).unwrap_or_default();
    let title = title.split_once("<style>").unwrap_or_default().0;
    assert_snapshot!(title, @r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 466 630" width="466" height="630" class="graph" role="img" aria-labelledby="graph-title graph-description"><title id="graph-title">Update graph of the package a</title><desc id="graph-description">8 bundles in 2 channels, the newest at the top. Channel fast leads to a.v3.1.0. Channel stable (default) leads to a.v2.0.0.</desc>"#);
    for bundle in [
        "a.v1.0.0",
        "a.v2.0.0",
        "a.v3.1.0",
        "4 bundles",
        "stable (default)",
    ] {
        assert!(drawn.contains(&format!(">{bundle}</text>")), "{bundle}");
    }
    assert!(drawn.contains("prefers-color-scheme:dark"), "{drawn}");
    assert!(!drawn.contains("<script"), "{drawn}");
}

/// For each package in the catalogs of real operators, the command draws a graph or prints the
/// reason for an error.
#[test]
fn draws_packages_of_real_catalogs() {
    for name in ["community-v4.20", "operatorhub"] {
        let Some(folder) = portolan_kit::real_catalog(name) else {
            continue;
        };
        let given = format!("--catalog real={}", folder.display());
        let packages = transcript(&mut portolan(&format!("packages {given} -o name")));
        let packages = packages
            .lines()
            .filter_map(|it| it.strip_prefix("package/"));
        let packages: Vec<_> = packages.collect();
        assert!(packages.len() > 30, "{packages:?}");
        // To save time, tests only the packages with the largest graphs, and every sixtieth of the
        // other packages.
        let large = [
            "aws-efs-csi-driver-operator",
            "strimzi-kafka-operator",
            "camel-k",
            "etcd",
        ];
        let few = packages
            .iter()
            .step_by(60)
            .chain(large.iter().filter(|it| packages.contains(it)));
        for package in few {
            let drawn = transcript(&mut portolan(&format!("graph {given} {package} -o svg")));
            assert!(drawn.contains("</svg>"), "{package}: {drawn}");
        }
    }
}
