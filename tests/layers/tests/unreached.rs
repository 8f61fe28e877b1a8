//! Tests the search for files that no `mod` includes, with a small folder of source files.

use std::collections::BTreeSet;
use std::fs;

use portolan_layers::unreached;

#[test]
fn only_files_without_a_mod_declaration_are_found() {
    let root = tempfile::tempdir().expect("a temporary folder");
    let tree = [
        ("Cargo.toml", ""),
        (
            "src/lib.rs",
            "mod inner;\npub(crate) mod open;\n// mod orphan;\n",
        ),
        ("src/inner.rs", "mod leaf;\ninclude!(\"made.rs\");\n"),
        ("src/inner/leaf.rs", "#[cfg(test)]\nmod tests;\n"),
        ("src/inner/leaf/tests.rs", ""),
        ("src/open.rs", ""),
        ("src/made.rs", ""),
        ("src/orphan.rs", "mod child;\n"),
        ("src/orphan/child.rs", ""),
        ("nested/Cargo.toml", ""),
        ("nested/src/lib.rs", ""),
    ];
    for (path, text) in tree {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    let found = unreached(root.path(), &[root.path().join("src/lib.rs")]);
    let orphans = ["src/orphan.rs", "src/orphan/child.rs"].map(|path| root.path().join(path));
    assert_eq!(found, BTreeSet::from(orphans));
}
