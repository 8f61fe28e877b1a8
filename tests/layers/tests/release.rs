//! The names in the release workflow: everything that it builds, copies or fills in must exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::MetadataCommand;

const WORKFLOW: &str = ".github/workflows/release.yaml";
const KREW: &str = "deploy/krew/portolan.yaml";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).expect("a file of the repository")
}

/// The words of the workflow, without its comments.
fn words(workflow: &str) -> Vec<&str> {
    let lines = workflow.lines().map(str::trim);
    let lines = lines.filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace).collect()
}

/// The words that follow a flag.
fn given<'a>(words: &[&'a str], flag: &str) -> BTreeSet<&'a str> {
    let pairs = words.iter().zip(words.iter().skip(1));
    let pairs = pairs.filter(|(word, _)| **word == flag);
    pairs.map(|(_, value)| *value).collect()
}

#[test]
fn release_builds_existing_packages() {
    let workflow = read(WORKFLOW);
    let words = words(&workflow);
    let metadata = MetadataCommand::new().no_deps().exec();
    let metadata = metadata.expect("cargo metadata must work in the workspace");
    let packages = metadata.packages.iter();
    let packages: BTreeSet<_> = packages.map(|package| package.name.as_str()).collect();
    let named = given(&words, "--package");
    assert!(!named.is_empty() && named.is_subset(&packages), "{named:?}");
    let manifest = read("Cargo.toml");
    for profile in given(&words, "--profile") {
        assert!(
            manifest.contains(&format!("[profile.{profile}]")),
            "{profile}"
        );
        assert!(
            words.contains(&format!("target/{profile}/portolan").as_str()),
            "{profile}"
        );
    }
    let dockerfile = read("deploy/images/Dockerfile");
    for package in given(
        &dockerfile.split_whitespace().collect::<Vec<_>>(),
        "--package",
    ) {
        assert!(packages.contains(package), "{package}");
    }
}

/// Files of the repository are words with a dot or a slash and nothing that a shell fills in.
#[test]
fn release_names_existing_files() {
    let workflow = read(WORKFLOW);
    let mut missing = Vec::new();
    for word in words(&workflow) {
        let word = word.trim_matches(['"', '\\']);
        let is_file = word.starts_with("deploy/") || word.ends_with(".md") || word == "LICENSE";
        if is_file && !root().join(word).exists() {
            missing.push(word);
        }
    }
    assert_eq!(missing, Vec::<&str>::new());
}

/// A platform of the plugin is one whose archive the workflow makes, with the program in it.
#[test]
fn plugin_manifest_lists_the_built_platforms() {
    let (workflow, krew) = (read(WORKFLOW), read(KREW));
    let values = |name: &str| -> Vec<String> {
        let lines = krew.lines().map(str::trim);
        let values = lines.filter_map(|line| line.strip_prefix(name));
        values.map(|value| value.trim().to_owned()).collect()
    };
    let platforms = values("os:").into_iter().zip(values("arch:"));
    let archives: Vec<_> = platforms
        .map(|(os, arch)| format!("-{os}-{arch}\""))
        .collect();
    assert!(!archives.is_empty());
    for archive in archives {
        assert!(workflow.contains(&archive), "no archive {archive}");
    }
    for program in values("- from:") {
        let name = program.trim_matches('"').trim_start_matches("*/");
        let is_archived = workflow.lines().any(|line| {
            let mut words = line.split_whitespace();
            words.next() == Some("cp") && words.any(|word| word.ends_with(name))
        });
        assert!(is_archived, "{name} is not in the archive");
    }
    // The workflow fills in each mark.
    let marks: BTreeSet<_> = krew.split('@').skip(1).step_by(2).collect();
    assert_eq!(marks, BTreeSet::from(["HOME", "SHA256", "URI", "VERSION"]));
    for mark in marks {
        assert!(workflow.contains(&format!("s|@{mark}@|")), "{mark}");
    }
}
