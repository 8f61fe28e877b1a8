//! Packages without channels, as a catalog has them whose `olm.channel` documents cannot be read.

use std::fs;

use portolan_kit::TempFolder;
use rstest::rstest;

use crate::program::{in_demo, portolan, transcript};
use crate::up::demo;

/// A package whose default channel does not exist.
fn void() -> TempFolder {
    let folder = TempFolder::empty();
    let package = r#"{"schema":"olm.package","name":"void","defaultChannel":"c"}"#;
    fs::write(folder.join("c.json"), package).expect("must be written");
    folder
}

/// The sample world, in which the catalog `olm/coastal` has lost the channels of all packages, and
/// no Subscription names a channel.
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
fn a_package_without_channels_is_a_no_with_the_reason(
    #[case] line: &str,
    #[case] reason: &str,
    #[case] exit: i32,
) {
    let said = transcript(&mut in_demo(&void(), line));
    assert!(said.contains(reason), "{said}");
    assert!(said.ends_with(&format!("[exit {exit}]")), "{said}");
}

#[test]
fn the_fault_that_removed_the_channels_is_told() {
    let said = transcript(&mut in_demo(&void(), "upgrades void --from void.v1.0.0"));
    assert!(said.contains("default channel c is not among"), "{said}");
}

#[test]
fn upgrades_answers_for_the_others_where_packages_lost_their_channels() {
    let demo = demo_without_channels();
    let said = transcript(portolan("upgrades --world").arg(&*demo));
    for row in ["dredger.v1.0.1", "ferry.v1.1.0", "NoChannel"] {
        assert!(said.contains(row), "{row}: {said}");
    }
    assert!(said.ends_with("[exit 0]"), "{said}");
}

#[test]
fn diagnose_answers_for_all_where_packages_lost_their_channels() {
    let demo = demo_without_channels();
    let said = transcript(portolan("diagnose -o wide --world").arg(&*demo));
    for subject in [
        "dredger",
        "ferry",
        "tug",
        "barge",
        "pilot",
        "has no channels",
    ] {
        assert!(said.contains(subject), "{subject}: {said}");
    }
    assert!(said.ends_with("[exit 1]"), "barge is broken: {said}");
}

/// One of two catalogs cannot be read at all, and a document of another one.
#[rstest]
#[case::upgrades("upgrades", "unknown: catalog olm/coastal could not be read")]
#[case::packages("packages", "catalog olm/coastal are not listed")]
fn an_unreadable_catalog_leaves_the_exit_code_unknown(#[case] line: &str, #[case] reason: &str) {
    let demo = demo();
    fs::remove_dir_all(demo.join("catalogsources/olm/coastal")).expect("a catalog");
    fs::write(demo.join("catalogsources/olm/coastal"), "no folder").expect("must be written");
    let said = transcript(portolan(&format!("{line} --world")).arg(&*demo));
    assert!(said.contains(reason), "{said}");
    assert!(said.contains("dredger"), "{said}");
    assert!(said.ends_with("[exit 3]"), "{said}");
}

#[rstest]
#[case::packages("packages")]
#[case::a_package("packages a")]
#[case::its_graph("graph a")]
#[case::its_graph_for_programs("graph a -o json")]
fn an_unreadable_document_leaves_the_exit_code_unknown(#[case] line: &str) {
    let folder = portolan_kit::catalog("a: 1.0.0 -> 2.0.0").temp();
    fs::write(folder.join("wreck.yaml"), "schema: [olm.package\n").expect("must be written");
    let said = transcript(&mut in_demo(&folder, line));
    assert!(
        said.contains("a.v2.0.0") && said.ends_with("[exit 3]"),
        "{said}"
    );
}
