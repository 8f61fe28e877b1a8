//! Checks the names and versions of a release. Everything that the release workflow builds, copies
//! or uses must exist. The chart and the manifests must have the version of the program.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::MetadataCommand;
use portolan_layers::files_with;

const WORKFLOW: &str = ".github/workflows/release.yaml";
const KREW: &str = "deploy/krew/portolan.yaml";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).expect("a file of the repository")
}

/// Returns the words of the workflow file without comments.
fn words(workflow: &str) -> Vec<&str> {
    let lines = workflow.lines().map(str::trim);
    let lines = lines.filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace).collect()
}

/// Returns the values of a flag: the words that follow it.
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
            workflow.contains(&format!("/{profile}/portolan")),
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

/// A word is the path of a file if it begins with `deploy/` or ends in `.md`, or if it is
/// `LICENSE`.
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

/// Returns the platforms that `portolan-rig release` supports, each with its Rust target.
fn platforms() -> BTreeSet<(String, String)> {
    let source = read("tests/cluster/rig/src/release/platform.rs");
    let lines = source.lines().map(str::trim);
    let lines = lines.filter(|line| line.starts_with("Platform::new("));
    let platforms = lines.map(|line| {
        let words: Vec<_> = line.split('"').skip(1).step_by(2).collect();
        let [os, arch, target] = words.as_slice() else {
            panic!("{line} must have three words");
        };
        (format!("{os}-{arch}"), (*target).to_owned())
    });
    platforms.collect()
}

#[test]
fn workflow_builds_each_platform() {
    let workflow = read(WORKFLOW);
    let values = |name: &str| -> Vec<String> {
        let lines = workflow.lines().map(str::trim);
        let values = lines.filter_map(|line| line.trim_start_matches("- ").strip_prefix(name));
        values.map(|value| value.trim().to_owned()).collect()
    };
    let built: BTreeSet<_> = values("platform: ")
        .into_iter()
        .zip(values("target: "))
        .collect();
    assert_eq!(built, platforms());
    assert_eq!(built.len(), 5);
}

#[test]
fn each_placeholder_of_a_template_is_replaced() {
    let source = read("tests/cluster/rig/src/release/installers.rs");
    for template in [KREW, "deploy/install.sh"] {
        let text = read(template);
        let words = text.split(|letter: char| !(letter == '@' || letter.is_ascii_uppercase()));
        let marks: BTreeSet<_> = words
            .filter(|word| word.len() > 2 && word.starts_with('@') && word.ends_with('@'))
            .collect();
        assert!(!marks.is_empty());
        for mark in marks {
            assert!(source.contains(mark), "{mark} of {template}");
        }
    }
}

/// Files that contain the version of the program, each with the text before the version.
const VERSIONED: [(&str, &str); 5] = [
    ("deploy/chart/Chart.yaml", "\nversion: "),
    ("deploy/chart/Chart.yaml", "\nappVersion: "),
    ("deploy/base/kustomization.yaml", "newTag: "),
    ("docs/operations.md", "REGISTRY/portolan:"),
    ("docs/comparison.md", "The version is "),
];

#[test]
fn chart_manifests_and_pages_have_the_version_of_the_program() {
    let overlays = files_with(&root().join("deploy/overlays"), &["yaml"]);
    let overlays = overlays.iter().map(|path| (path.clone(), "newTag: "));
    let others = VERSIONED.map(|(path, start)| (root().join(path), start));
    for (path, start) in others.into_iter().chain(overlays) {
        let text = fs::read_to_string(&path).expect("a file of the repository");
        let is_overlay = path.starts_with(root().join("deploy/overlays"));
        assert!(is_overlay || text.contains(start), "{path:?}: {start:?}");
        for rest in text.split(start).skip(1) {
            let version = rest.split_whitespace().next().unwrap_or_default();
            let version = version.trim_end_matches('.');
            assert_eq!(version, env!("CARGO_PKG_VERSION"), "{path:?}: {start:?}");
        }
    }
}
