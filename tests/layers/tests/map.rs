//! Checks that ARCHITECTURE.md names only paths that exist, and names each crate.

use std::fs;
use std::path::Path;

use cargo_metadata::MetadataCommand;
use regex::Regex;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const PAGES: [&str; 3] = [
    "ARCHITECTURE.md",
    "docs/internals.md",
    "docs/where-things-go.md",
];
/// The maximum number of lines in ARCHITECTURE.md. A new developer must be able to read the page
/// without a break.
const MOST_LINES: usize = 150;

fn read(page: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(page)).expect("a page")
}

/// Returns the paths in a page. A path is a code span without blanks that begins with a folder of
/// the repository.
fn paths(page: &str) -> Vec<String> {
    let path = Regex::new(
        r"`((?:\.ci|cli|controller|core|deploy|docs|proto|services|tests)(?:/[A-Za-z0-9_.-]+)+)`",
    );
    let path = path.expect("an expression");
    path.captures_iter(page)
        .map(|found| found[1].to_owned())
        .collect()
}

#[test]
fn paths_that_pages_name_exist() {
    for page in PAGES {
        let text = read(page);
        let paths = paths(&text);
        let missing: Vec<_> = paths
            .iter()
            .filter(|path| !Path::new(ROOT).join(path).exists())
            .collect();
        assert!(paths.len() > 10, "{page} names {paths:?}");
        assert!(missing.is_empty(), "{page} names {missing:?}");
    }
}

/// Each row has the form "`NAME` in `FILE`", so that a reader can search for the name in the file.
#[test]
fn names_in_where_things_go_exist_in_their_files() {
    let named = r"`(?:[A-Za-z0-9_]+::)?([A-Za-z_][A-Za-z0-9_]*)` in `([A-Za-z0-9_./-]+\.rs)`";
    let named = Regex::new(named).expect("an expression");
    let text = read("docs/where-things-go.md");
    let found: Vec<_> = named
        .captures_iter(&text)
        .map(|it| it.extract().1)
        .collect();
    let missing: Vec<_> = found
        .iter()
        .filter(|[name, file]| {
            let word = Regex::new(&format!(r"\b{name}\b")).expect("a name");
            file.contains('/') && !word.is_match(&read(file))
        })
        .collect();
    assert!(found.len() > 100, "the map names {found:?}");
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn architecture_lists_every_crate() {
    let text = read("ARCHITECTURE.md");
    let workspace = MetadataCommand::new().no_deps().exec();
    let workspace = workspace.expect("the metadata of the workspace");
    for package in &workspace.packages {
        let folder = package.manifest_path.parent().expect("a folder");
        let folder = folder.strip_prefix(&workspace.workspace_root);
        let row = format!("| `{}` | {} |", folder.expect("a member"), package.name);
        assert!(text.contains(&row), "ARCHITECTURE.md has no row {row}");
    }
    assert!(text.lines().count() <= MOST_LINES);
}
