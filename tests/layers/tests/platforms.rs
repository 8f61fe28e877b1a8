//! Checks that a single module contains all calls that only some operating systems support. Other
//! code then compiles on all platforms of a release.

use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, MetadataCommand};
use portolan_layers::files_with;

/// The module that may contain these calls.
const MODULE: &str = "services/shell/src/platform";
/// The folders with the code of the program.
const PROGRAM: [&str; 5] = ["core", "proto", "services", "controller", "cli"];
/// Texts that show such a call.
const MARKS: [&str; 8] = [
    "std::os::",
    "rustix::",
    "libc::",
    "signal::unix",
    "cfg(unix",
    "cfg(windows",
    "cfg(not(unix",
    "target_os",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the text of a source file, up to its unit tests.
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests {").next().unwrap_or("")
}

fn is_program(path: &str) -> bool {
    path.contains("/src/") && !path.ends_with("/tests.rs") && !path.contains("/tests/")
}

#[test]
fn platform_specific_calls_are_in_a_single_module() {
    let (mut wrong, mut checked) = (Vec::new(), 0);
    for path in PROGRAM
        .iter()
        .flat_map(|folder| files_with(&root().join(folder), &["rs"]))
    {
        let name = path.strip_prefix(root()).expect("a path of the repository");
        let name = name.to_string_lossy().into_owned();
        if !is_program(&name) || name.starts_with(MODULE) {
            continue;
        }
        checked += 1;
        let text = fs::read_to_string(&path).expect("a source");
        let marks = MARKS.iter();
        let found = marks.filter(|mark| without_tests(&text).contains(**mark));
        wrong.extend(found.map(|mark| format!("{name}: {mark}")));
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(checked > 500, "only {checked} sources are checked");
}

#[test]
fn only_one_crate_of_the_program_depends_on_unix() {
    let metadata = MetadataCommand::new().no_deps().exec();
    let metadata = metadata.expect("cargo metadata must work in the workspace");
    for package in &metadata.packages {
        if package.manifest_path.as_str().contains("/tests/") {
            continue;
        }
        for dependency in &package.dependencies {
            let is_built = dependency.kind == DependencyKind::Normal;
            let is_unix = dependency.target.is_some();
            if is_built && ["rustix", "libc", "nix"].contains(&dependency.name.as_str()) {
                assert!(
                    package.name == "portolan-shell" && is_unix,
                    "{} depends on {}",
                    package.name,
                    dependency.name
                );
            }
        }
    }
}

#[test]
fn platform_specific_call_in_a_module_is_found() {
    let unix = fs::read_to_string(root().join(MODULE).join("unix.rs")).expect("the module");
    let found = MARKS.iter().filter(|mark| unix.contains(**mark)).count();
    assert!(found >= 4, "{found}");
}
