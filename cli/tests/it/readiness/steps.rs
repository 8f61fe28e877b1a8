//! Tests of `readiness --plan` and `readiness --check`.

use std::fs;
use std::path::Path;

use insta::assert_snapshot;
use portolan_kit::TempFolder;

use super::cluster::{Cluster, crane};
use super::{SHOP_21, SHOP_22, WORLD};
use crate::program::{portolan, transcript};

/// Writes the steps of the example in the documentation.
fn plan(folder: &Path) -> String {
    let line = format!("readiness {WORLD} --openshift 4.22 {SHOP_21} {SHOP_22} --plan");
    transcript(portolan(&line).arg(folder))
}

fn check(folder: &Path, world: &Path) -> String {
    let mut command = portolan("readiness --check");
    transcript(command.arg(folder).arg("--world").arg(world))
}

/// Returns the names and the contents of all files except `steps.json`.
fn files(folder: &Path) -> String {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    let texts = paths.iter().filter_map(|path| {
        let name = path.file_name()?.to_str()?;
        let text = fs::read_to_string(path).ok()?;
        (name != "steps.json").then(|| format!("== {name}\n{text}"))
    });
    texts.collect()
}

#[test]
fn plan_has_a_file_for_each_changed_object() {
    let folder = TempFolder::empty();
    let printed = plan(&folder);
    assert!(printed.contains("wrote 5 steps to "), "{printed}");
    assert!(printed.ends_with("[exit 1]"), "{printed}");
    assert_snapshot!(files(&folder));
}

#[test]
fn plan_refuses_a_folder_with_files() {
    let folder = TempFolder::empty();
    fs::write(folder.join("notes.txt"), "keep").expect("a file");
    let printed = plan(&folder);
    assert!(
        printed.contains("(--plan) is not empty; use a new folder\n[exit 2]"),
        "{printed}"
    );
    assert_eq!(files(&folder), "== notes.txt\nkeep");
}

#[test]
fn check_lists_steps_that_are_not_yet_done() {
    let folder = TempFolder::empty();
    let cluster = Cluster::of(
        &crane("Manual", "1.0.0"),
        "crane: 1.0.0 -> 1.1.0 -> 1.2.0",
        "crane: 1.2.0",
    );
    let line = format!("--kubernetes 1.35 --from 1.34 --plan {}", folder.display());
    cluster.readiness(&line);
    assert_snapshot!(check(&folder, &cluster.world));
    // This is the first of two updates, so the step is not done yet.
    cluster.replace("crane.v1.0.0", "crane.v1.1.0");
    assert!(check(&folder, &cluster.world).ends_with("[exit 1]"));
    cluster.replace("crane.v1.1.0", "crane.v1.2.0");
    let done = check(&folder, &cluster.world);
    assert_snapshot!(done);
}

#[test]
fn check_rejects_folder_that_plan_did_not_write() {
    let folder = TempFolder::empty();
    let world = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../tests/fixtures/readiness/world"
    );
    let printed = check(&folder, Path::new(world));
    assert!(
        printed.contains("(--check) was not written by readiness --plan: it has no steps.json"),
        "{printed}"
    );
    assert!(printed.ends_with("[exit 2]"), "{printed}");
}

#[test]
fn plan_and_check_need_one_cluster() {
    let two = format!("readiness {WORLD} {WORLD} --openshift 4.22 --plan ./new");
    let printed = transcript(&mut portolan(&two));
    assert!(
        printed.contains("--plan needs one cluster; use --world only once, and with one dump"),
        "{printed}"
    );
}
