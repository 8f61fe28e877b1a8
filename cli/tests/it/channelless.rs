//! Tests with packages that have no channels. This happens if the `olm.channel` documents of a
//! catalog are unreadable.

use std::fs;

use portolan_kit::TempFolder;
use rstest::rstest;

use crate::program::{in_demo, portolan, transcript};
use crate::up::demo;

/// Returns a catalog with a package whose default channel does not exist.
fn void() -> TempFolder {
    let folder = TempFolder::empty();
    let package = r#"{"schema":"olm.package","name":"void","defaultChannel":"c"}"#;
    fs::write(folder.join("c.json"), package).expect("must be written");
    folder
}

/// Returns the sample world with two changes: the catalog `olm/coastal` has no channels, and the
/// Subscriptions name no channel.
fn demo_without_channels() -> TempFolder {
    let demo = demo();
    let coastal = demo.join("catalogsources/olm/coastal");
    for file in fs::read_dir(&coastal).expect("a catalog") {
        let path = file.expect("a file").path();
        let text = fs::read_to_string(&path).expect("a text");
        let documents = text.split("---\n");
        let kept = documents.filter(|document| !document.contains("schema: olm.channel"));
        fs::write(&path, kept.collect::<Vec<_>>().join("---\n")).expect("must be written");
    }
    for file in fs::read_dir(demo.join("cluster")).expect("objects") {
        let path = file.expect("a file").path();
        let text = fs::read_to_string(&path).expect("a text");
        let text = text.replace("  channel: stable\n", "");
        fs::write(&path, text).expect("must be written");
    }
    demo
}

#[rstest]
#[case::upgrades(
    "upgrades void --from void.v1.0.0",
    "NoChannel: package void has no channels",
    0
)]
#[case::path_to_the_head("path void --from void.v1.0.0 --to head", "void has no channels", 3)]
#[case::path_to_a_version("path void --from void.v1.0.0 --to 2.0.0", "void has no channels", 3)]
#[case::upgrades_in_a_channel(
    "upgrades void --from void.v1.0.0 --channel c",
    "package void has no channels, so no channel c (c.json:1: package void: the default channel",
    2
)]
#[case::graph("graph void", "no channel", 0)]
#[case::graph_for_programs("graph void -o json", "\"package\": \"void\"", 0)]
#[case::packages("packages", "void", 0)]
#[case::package("packages void", "no channel", 0)]
#[case::resolve("resolve void", "void", 1)]
fn reports_package_without_channels(#[case] line: &str, #[case] reason: &str, #[case] exit: i32) {
    let output = transcript(&mut in_demo(&void(), line));
    assert!(output.contains(reason), "{output}");
    assert!(output.ends_with(&format!("[exit {exit}]")), "{output}");
}

#[test]
fn reports_catalog_error_that_dropped_all_channels() {
    let output = transcript(&mut in_demo(&void(), "upgrades void --from void.v1.0.0"));
    assert!(
        output.contains("default channel c is not among"),
        "{output}"
    );
}

#[test]
fn upgrades_lists_operators_despite_missing_channels() {
    let demo = demo_without_channels();
    let output = transcript(portolan("upgrades --world").arg(&*demo));
    for row in ["dredger.v1.0.1", "ferry.v1.1.0", "NoChannel"] {
        assert!(output.contains(row), "{row}: {output}");
    }
    assert!(output.ends_with("[exit 0]"), "{output}");
}

#[test]
fn diagnose_lists_operators_despite_missing_channels() {
    let demo = demo_without_channels();
    let output = transcript(portolan("diagnose -o wide --world").arg(&*demo));
    for subject in [
        "dredger",
        "ferry",
        "tug",
        "barge",
        "pilot",
        "has no channels",
    ] {
        assert!(output.contains(subject), "{subject}: {output}");
    }
    assert!(output.ends_with("[exit 1]"), "barge is broken: {output}");
}

/// There are two catalogs, and no document of one catalog can be read.
#[rstest]
#[case::upgrades("upgrades", "unknown: catalog olm/coastal could not be read")]
#[case::packages("packages", "catalog olm/coastal are not listed")]
fn unreadable_catalog_gives_exit_code_3(#[case] line: &str, #[case] reason: &str) {
    let demo = demo();
    fs::remove_dir_all(demo.join("catalogsources/olm/coastal")).expect("a catalog");
    fs::write(demo.join("catalogsources/olm/coastal"), "no folder").expect("must be written");
    let output = transcript(portolan(&format!("{line} --world")).arg(&*demo));
    assert!(output.contains(reason), "{output}");
    assert!(output.contains("dredger"), "{output}");
    assert!(output.ends_with("[exit 3]"), "{output}");
}

#[rstest]
#[case::packages("packages")]
#[case::a_package("packages a")]
#[case::its_graph("graph a")]
#[case::its_graph_for_programs("graph a -o json")]
fn unreadable_document_gives_exit_code_3(#[case] line: &str) {
    let folder = portolan_kit::catalog("a: 1.0.0 -> 2.0.0").temp();
    fs::write(folder.join("wreck.yaml"), "schema: [olm.package\n").expect("must be written");
    let output = transcript(&mut in_demo(&folder, line));
    assert!(
        output.contains("a.v2.0.0") && output.ends_with("[exit 3]"),
        "{output}"
    );
}
