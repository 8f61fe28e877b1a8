use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use clap::{Args as _, Command, FromArgMatches as _};

use super::*;
use crate::flags::Flags;

/// The CRD of OLM that a controller needs. Portolan does not install this CRD.
const OF_OLM: &str = "operators.operators.coreos.com";

fn config(words: &[&str]) -> ControllerConfig {
    let command = Flags::augment_args(Command::new("controller"));
    let words = ["controller"].iter().chain(words);
    let matches = command.try_get_matches_from(words).expect("flags");
    let flags = Flags::from_arg_matches(&matches).expect("flags");
    let (config, _, _) = flags.split();
    config
}

/// Returns the names of the controllers that these flags enable.
fn on(words: &[&str]) -> Vec<&'static str> {
    let config = config(words);
    let on = CONTROLLERS.iter().filter(|each| (each.is_on)(&config));
    on.map(|each| each.about.name).collect()
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Returns the text of all files below a folder.
fn text(folder: &Path) -> String {
    let entries = fs::read_dir(folder).expect("the folder must exist");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let texts = paths.map(|path| {
        if path.is_dir() {
            text(&path)
        } else {
            fs::read_to_string(path).expect("a text")
        }
    });
    texts.collect()
}

#[test]
fn flags_switch_on_exactly_their_controllers() {
    assert_eq!(on(&[]), ["policies"]);
    for each in controllers() {
        for flag in each.flags {
            let required: &[&str] = match *flag {
                "--installs" => &["--enable-v2alpha1", "--plans"],
                _ => &[],
            };
            let words = [&[*flag], required].concat();
            let expected = controllers().filter(|it| {
                it.name == POLICIES.name || it.flags.iter().any(|flag| words.contains(flag))
            });
            let expected: Vec<_> = expected.map(|it| it.name).collect();
            assert_eq!(on(&words), expected, "{words:?}");
        }
    }
}

#[test]
fn names_of_controllers_are_unique() {
    let names: BTreeSet<_> = controllers().map(|it| it.name).collect();
    assert_eq!(names.len(), CONTROLLERS.len());
}

#[test]
fn operations_page_lists_all_controllers() {
    let page = fs::read_to_string(root().join("docs/operations.md")).expect("the page");
    for it in controllers() {
        let flags: Vec<_> = it.flags.iter().map(|flag| format!("`{flag}`")).collect();
        let row = format!(
            "| `{}` | {} | {} | `{}` |\n",
            it.name,
            it.objects,
            flags.join(", "),
            it.permissions
        );
        assert!(
            page.contains(&row),
            "docs/operations.md needs the row {row}"
        );
    }
}

#[test]
fn deploy_has_permissions_and_crds_of_all_controllers() {
    let crds = text(&root().join("deploy/crds"));
    for it in controllers() {
        let folder = text(&root().join("deploy").join(it.permissions));
        assert!(folder.contains("kind: ClusterRole\n"), "{}", it.name);
        let flag = it.flags.iter().any(|flag| folder.contains(flag));
        assert!(
            flag,
            "deploy/{} sets none of {:?}",
            it.permissions, it.flags
        );
        for crd in it.crds.iter().filter(|crd| **crd != OF_OLM) {
            let name = format!("  name: {crd}\n");
            assert!(crds.contains(&name), "deploy/crds has no {crd}");
        }
    }
}
