//! Checks that only `core/base/names` defines the types that refer to objects of a cluster. Types
//! for other identities must have other names, such as `BundleIdentity`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use cargo_metadata::MetadataCommand;
use portolan_layers::sources;
use regex::Regex;

/// The only file that defines these types.
const HOME: &str = "core/base/names/src/object.rs";
const TYPES: [&str; 4] = ["GroupKind", "Gvk", "Key", "ObjectRef"];
/// Old type names, which no type may have.
const FORMER: [&str; 2] = ["Identity", "ObjectId"];

/// Returns the definitions of types with one of these names: the type and its file. Ignores tests
/// and generated code.
fn definitions() -> BTreeSet<(String, String)> {
    let workspace = MetadataCommand::new().no_deps().exec();
    let workspace = workspace.expect("cargo metadata");
    let root = workspace.workspace_root.as_std_path();
    let names = [&TYPES[..], &FORMER].concat().join("|");
    let pattern = format!(r"(?m)^\s*(?:pub(?:\([^)]*\))? )?(?:struct|enum|type) ({names})\b");
    let pattern = Regex::new(&pattern).expect("a pattern");
    let folders = workspace.packages.iter();
    let folders = folders.filter_map(|package| package.manifest_path.as_std_path().parent());
    let files = folders.flat_map(|folder| sources(&folder.join("src")));
    let mut found = BTreeSet::new();
    for file in files {
        let path = file.strip_prefix(root).expect("a file of the workspace");
        let text = fs::read_to_string(&file).expect("a source file");
        let path = path.to_string_lossy().into_owned();
        if !is_exempt(Path::new(&path)) {
            let names = pattern
                .captures_iter(&text)
                .map(|found| found[1].to_owned());
            found.extend(names.map(|name| (name, path.clone())));
        }
    }
    found
}

/// Returns true for tests and for generated code.
fn is_exempt(path: &Path) -> bool {
    path.starts_with("tests")
        || path.ends_with("tests.rs")
        || path.iter().any(|part| part == "tests" || part == "gen")
}

#[test]
fn references_to_objects_are_defined_once() {
    let expected = TYPES.map(|name| (name.to_owned(), HOME.to_owned()));
    assert_eq!(definitions(), BTreeSet::from(expected));
}
