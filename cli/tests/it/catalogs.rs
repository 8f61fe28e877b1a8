//! Tests of `portolan catalog list` and `portolan catalog check`.

use insta::assert_snapshot;
use portolan_kit::{TempFolder, catalog};

use crate::program::{FERRY, in_demo, portolan, run, transcript};

/// Returns a folder with three files: a package with warnings, a package with an error, and a file
/// that is not a catalog.
fn reef() -> TempFolder {
    let folder = catalog(
        "a: 1.0.0 -> 3.0.0 -> 2.0.0
         b: 1.0.0; 2.0.0
         b: 2.0.0 covers >=9.0.0",
    )
    .temp();
    std::fs::write(folder.join("wreck.yaml"), "schema: [olm.package\n").expect("must be written");
    folder
}

#[test]
fn prints_catalogs_as_table() {
    let line = format!("catalog list --catalog {FERRY} --catalog twin=tests/fixtures/catalogs");
    assert_snapshot!(transcript(&mut portolan(&line)), @r#"
    [stdout]
    NAME   STATE     PRIORITY   PACKAGES   CHANNELS   BUNDLES   FAULTS   DIGEST
    demo   serving   0          1          2          4         0        97fdfc76773b
    twin   serving   0          1          2          4         0        97fdfc76773b
    [exit 0]
    "#);
}

#[test]
fn wide_table_shows_source_of_catalog() {
    let output = transcript(&mut portolan(&format!(
        "catalog list --catalog {FERRY} -o wide"
    )));
    assert!(
        output.contains("Folder tests/fixtures/catalogs/ferry\n"),
        "{output}"
    );
    assert!(
        output.contains(" sha256:97fdfc76773b7d6c18a7fbebefa92b37ad67925c"),
        "{output}"
    );
}

#[test]
fn lists_one_catalog_by_name() {
    let line =
        format!("catalog list --catalog {FERRY} --catalog twin=tests/fixtures/catalogs --in twin");
    let output = transcript(&mut portolan(&line));
    assert!(
        output.contains("\ntwin ") && !output.contains("\ndemo "),
        "{output}"
    );
}

#[test]
fn check_fails_for_catalog_with_errors() {
    assert_snapshot!(transcript(&mut in_demo(&reef(), "catalog check")), @r#"
    [stdout]
    catalog demo
    error   Syntax   wreck.yaml:1: not YAML: unclosed bracket '['

    package b of catalog demo
    error     SeveralHeads   b/catalog.yaml:5: channel stable has several heads: b.v1.0.0, b.v2.0.0
    warning   IdleRange      b/catalog.yaml:5: channel stable has an entry b.v2.0.0 whose skip range covers no older entry: >=9.0.0

    package a of catalog demo
    warning   LeadsDown   a/catalog.yaml:5: channel stable has an upgrade from a.v3.0.0 to a.v2.0.0, which is a lower version
    warning   LowHead     a/catalog.yaml:5: channel stable has the head a.v2.0.0, although a.v3.0.0 is a higher version

    Checked 2 packages, 2 channels and 5 bundles: 2 errors, 3 warnings and 0 notes
    [exit 1]
    "#);
}

#[test]
fn check_counts_content_of_valid_catalog() {
    for place in [
        &format!("--catalog {FERRY}"),
        "tests/fixtures/catalogs/ferry",
        "demo=tests/fixtures/catalogs/ferry",
    ] {
        let output = transcript(&mut portolan(&format!("catalog check {place}")));
        let yes = "[stdout]\nChecked 1 package, 2 channels and 4 bundles: 0 errors, 0 warnings and 0 \
                   notes\n[exit 0]";
        assert_eq!(output, yes);
    }
}

#[test]
fn check_rejects_path_without_catalog() {
    let empty = TempFolder::empty();
    let mut check = portolan("catalog check .");
    assert_snapshot!(transcript(check.current_dir(&empty)), @r#"
    [stderr]
    error: cannot read catalog catalog: no catalog file found in .; names of catalog files end in .yaml, .yml, .json or .jsonl, optionally followed by .gz
    [exit 2]
    "#);
    std::fs::write(empty.join("c.yaml"), "").expect("a file");
    let mut check = portolan("catalog check c.yaml");
    assert_snapshot!(transcript(check.current_dir(&empty)), @r#"
    [stderr]
    error: cannot read catalog c: c.yaml is not a catalog: no document in its only file contains an olm.package
    [exit 2]
    "#);
}

#[test]
fn only_strict_check_fails_on_warnings() {
    let folder = catalog("a: 1.0.0 -> 3.0.0 -> 2.0.0").temp();
    let exit = |line: &str| run(&mut in_demo(&folder, line)).status.code();
    assert_eq!(exit("catalog check"), Some(0));
    assert_eq!(exit("catalog check --strict"), Some(1));
    let strict = format!("catalog check --strict --catalog {FERRY}");
    assert_eq!(run(&mut portolan(&strict)).status.code(), Some(0));
}

#[test]
fn check_prints_all_pages_of_faults() {
    let packages: Vec<_> = (0..1001)
        .map(|at| format!("p{at:04}: 1.0.0; 2.0.0"))
        .collect();
    let folder = catalog(&packages.join("\n")).temp();
    let table = transcript(&mut in_demo(&folder, "catalog check"));
    assert!(
        table.contains("\npackage p1000 of catalog demo\n"),
        "{table}"
    );
    assert!(table.ends_with(" notes\n[exit 1]"), "{table}");
    let json = transcript(&mut in_demo(&folder, "catalog check -o json"));
    assert!(json.contains("\"package\": \"p1000\""));
    assert!(json.contains("\"nextPageToken\": \"\""));
}

#[test]
fn command_group_requires_subcommand() {
    let output = transcript(&mut portolan("catalog"));
    assert!(
        output.contains("check") && output.ends_with("[exit 2]"),
        "{output}"
    );
}

/// CI systems show JUnit results. Each package has one test case.
#[test]
fn junit_has_test_case_for_each_package() {
    let junit = |line: &str| {
        transcript(&mut in_demo(
            &reef(),
            &format!("catalog check -o junit {line}"),
        ))
    };
    assert_snapshot!(junit(""), @r#"
    [stdout]
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites tests="3" failures="2" errors="0">
      <testsuite name="catalog check" tests="3" failures="2" errors="0">
        <testcase classname="demo" name="files">
          <failure message="Syntax">Syntax: wreck.yaml:1: not YAML: unclosed bracket '['
    </failure>
        </testcase>
        <testcase classname="demo" name="b">
          <failure message="SeveralHeads">SeveralHeads: b/catalog.yaml:5: channel stable has several heads: b.v1.0.0, b.v2.0.0
    </failure>
        <system-out>IdleRange: b/catalog.yaml:5: channel stable has an entry b.v2.0.0 whose skip range covers no older entry: &gt;=9.0.0
    </system-out></testcase>
        <testcase classname="demo" name="a"><system-out>LeadsDown: a/catalog.yaml:5: channel stable has an upgrade from a.v3.0.0 to a.v2.0.0, which is a lower version
    LowHead: a/catalog.yaml:5: channel stable has the head a.v2.0.0, although a.v3.0.0 is a higher version
    </system-out></testcase>
      </testsuite>
    </testsuites>
    [exit 1]
    "#);
    let strict = junit("--strict");
    assert!(strict.contains("failures=\"3\""), "{strict}");
    let fine = transcript(&mut portolan(&format!(
        "catalog check --catalog {FERRY} -o junit"
    )));
    assert!(fine.contains("tests=\"1\" failures=\"0\""), "{fine}");
}
