//! Tests of `portolan packages` and `portolan bundle show`: the content of catalogs.

use insta::assert_snapshot;
use portolan_kit::{Catalog, catalog};

use crate::program::{in_demo, portolan, transcript};

fn market() -> Catalog {
    catalog(
        "a: 1.0.0 -> 1.1.0 provides a.test/v1/Anchor
         a: 1.1.0 requires b >=1.0.0 <2.0.0
         a: 1.1.0 requires b.test/v1/Buoy
         a: 1.0.0 deprecated \"old\"
         a/fast: 1.1.0
         channel fast deprecated \"too fast\"
         b: 1.0.0 provides b.test/v1/Buoy
         package deprecated \"use a\"",
    )
}

fn packages(line: &str) -> String {
    transcript(&mut in_demo(&market().temp(), line))
}

#[test]
fn prints_packages_as_table() {
    assert_snapshot!(packages("packages"), @r#"
    [stdout]
    PACKAGE   CATALOG   DEFAULT   HEAD       CHANNELS   BUNDLES   NOTE
    a         demo      stable    a.v1.1.0   2          2
    b         demo      stable    b.v1.0.0   1          1         deprecated
    [exit 0]
    "#);
}

#[test]
fn wide_table_shows_deprecation_message() {
    assert!(packages("packages -o wide").contains("deprecated: use a"));
}

#[test]
fn table_shows_first_of_many_heads() {
    let folder = catalog("a: 1.0.0; 2.0.0; 3.0.0; 4.0.0; 5.0.0").temp();
    let narrow = transcript(&mut in_demo(&folder, "packages"));
    assert!(narrow.contains(" a.v5.0.0, a.v4.0.0 +3 "), "{narrow}");
    let wide = transcript(&mut in_demo(&folder, "packages -o wide"));
    let all = " a.v5.0.0, a.v4.0.0, a.v3.0.0, a.v2.0.0, a.v1.0.0 ";
    assert!(wide.contains(all), "{wide}");
}

#[test]
fn rejects_folder_and_image_name_without_catalog() {
    let empty = portolan_kit::TempFolder::empty();
    assert_snapshot!(transcript(&mut in_demo(&empty, "packages")), @r#"
    [stderr]
    error: cannot read catalog demo: no catalog file found in .; names of catalog files end in .yaml, .yml, .json or .jsonl, optionally followed by .gz
    [exit 2]
    "#);
    let image = "packages --catalog demo=quay.test/harbor/catalog:latest";
    assert_snapshot!(transcript(&mut portolan(image)), @r#"
    [stderr]
    error: cannot read catalog demo: quay.test/harbor/catalog:latest does not exist; if it is an image, write oci://quay.test/harbor/catalog:latest
    [exit 2]
    "#);
    let pipe = "packages --catalog demo=/dev/stdin";
    assert_snapshot!(transcript(&mut portolan(pipe)), @r#"
    [stderr]
    error: cannot read catalog demo: /dev/stdin is neither a file nor a folder: save its output to a file, such as catalog.yaml, and use this file
    [exit 2]
    "#);
}

#[test]
fn warns_about_faults_that_may_hide_packages() {
    let folder = catalog("a: 1.0.0").temp();
    std::fs::write(folder.join("b.yaml"), "schema: [olm.package\n").expect("a file");
    let output = transcript(&mut in_demo(&folder, "packages"));
    let warning = "warning: catalog demo has errors; run `portolan catalog check` to list the errors\n[exit 3]";
    assert!(output.ends_with(warning), "{output}");
}

#[test]
fn shows_channels_and_bundles_of_package() {
    assert_snapshot!(packages("packages a"), @r#"
    [stdout]
    Package:           a
    Catalog:           demo
    Default channel:   stable

    CHANNEL   HEAD       ENTRIES   NOTE
    fast      a.v1.1.0   1         deprecated
    stable    a.v1.1.0   2

    BUNDLE     VERSION   CHANNELS       NOTE
    a.v1.1.0   1.1.0     fast, stable
    a.v1.0.0   1.0.0     stable         deprecated
    [exit 0]
    "#);
}

#[test]
fn shows_newest_of_many_bundles() {
    let chain: Vec<_> = (0..13).map(|minor| format!("1.{minor}.0")).collect();
    let folder = catalog(&format!("a: {}", chain.join(" -> "))).temp();
    let narrow = transcript(&mut in_demo(&folder, "packages a"));
    assert!(
        narrow.contains("\n... 3 older bundles (-o wide shows all)\n"),
        "{narrow}"
    );
    let wide = transcript(&mut in_demo(&folder, "packages a -o wide"));
    assert!(wide.contains("\na.v1.0.0 "), "{wide}");
}

#[test]
fn prints_all_pages() {
    let packages: Vec<_> = (0..1001).map(|at| format!("p{at:04}: 1.0.0")).collect();
    let folder = catalog(&packages.join("\n")).temp();
    let table = transcript(&mut in_demo(&folder, "packages"));
    assert!(table.contains("\np1000 "), "{table}");
    let json = transcript(&mut in_demo(&folder, "packages -o json"));
    assert!(json.contains("\"name\": \"p1000\""));
    assert!(json.contains("\"nextPageToken\": \"\""));
}

#[test]
fn bundle_shows_provided_and_required_apis() {
    assert_snapshot!(packages("bundle show a a.v1.1.0"), @r#"
    [stdout]
    Bundle:     a.v1.1.0
    Version:    1.1.0
    Package:    a
    Channels:   fast, stable
    Image:      registry.example/a:v1.1.0

    Provides:
      Anchor a.test/v1

    Requires:
      Buoy b.test/v1
      package b in >=1.0.0 <2.0.0
    [exit 0]
    "#);
}

#[test]
fn names_argument_of_invalid_package() {
    assert_snapshot!(packages("packages A"), @r#"
    [stderr]
    error: <PACKAGE>: "A" is not a package name: at column 1, "A" is not a lower-case letter, digit, hyphen or dot
    [exit 2]
    "#);
}

#[test]
fn suggests_the_most_similar_bundle() {
    assert_snapshot!(packages("bundle show a a.v1.1.1"), @r#"
    [stderr]
    error: package a has no bundle a.v1.1.1; did you mean a.v1.1.0?
    [exit 2]
    "#);
}

#[test]
fn icon_requires_package() {
    let output = packages("packages --icon");
    assert!(
        output.contains("required arguments were not provided"),
        "{output}"
    );
    assert!(output.ends_with("[exit 2]"), "{output}");
}
