//! Checks that each term of the glossary in docs/concepts.md is the name of one type, in the crate
//! that the glossary names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::MetadataCommand;
use portolan_layers::sources;
use regex::{Captures, Regex};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const PAGE: &str = "docs/concepts.md";

/// A term of the glossary, and the folder of the crate that defines its type.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Term {
    name: String,
    folder: String,
}

/// Returns the terms of the glossary.
fn glossary(page: &str) -> Vec<Term> {
    let row = Regex::new(r"(?m)^\| (\w+) \| .* \| `([^`|]+)` \|$").expect("an expression");
    let (_, glossary) = page.split_once("\n## Glossary\n").expect("a glossary");
    let rows = row.captures_iter(glossary).map(|row| Term {
        name: row[1].to_owned(),
        folder: row[2].to_owned(),
    });
    rows.collect()
}

/// Finds the types that a source file defines outside of its tests.
struct TypeFinder {
    tests: Regex,
    defined: Regex,
}

impl TypeFinder {
    fn new() -> Self {
        let tests = Regex::new(r"(?m)^#\[cfg\(test\)\]\nmod \w+ \{");
        let defined = Regex::new(
            r"(?m)^ *(?:pub(?:\([^)]*\))? )?(?:struct|enum|trait) (\w+)|^(?:pub(?:\([^)]*\))? )?type (\w+)[^=]*= ([\w:]+)",
        );
        Self {
            tests: tests.expect("an expression"),
            defined: defined.expect("an expression"),
        }
    }

    /// Returns the names of the types in a source file, without generic parameters.
    ///
    /// Some aliases only set the parameters of a type with the same name, such as `type Verdict =
    /// olm::Verdict<Reason>`. These aliases are omitted, because they have the same meaning as the
    /// type.
    fn types(&self, source: &str) -> Vec<String> {
        let source = self.tests.split(source).next().unwrap_or_default();
        let name = |found: Captures<'_>| match (found.get(1), found.get(2), found.get(3)) {
            (Some(name), ..) => Some(name.as_str().to_owned()),
            (None, Some(alias), Some(of)) => {
                let instance = format!("::{}", alias.as_str());
                (!of.as_str().ends_with(&instance)).then(|| alias.as_str().to_owned())
            }
            _ => None,
        };
        self.defined
            .captures_iter(source)
            .filter_map(name)
            .collect()
    }
}

/// Returns true for a generated file, and for a file that is compiled only for tests, benchmarks or
/// examples.
fn is_other(file: &Path) -> bool {
    let is_other =
        |part: &str| matches!(part, "tests" | "tests.rs" | "benches" | "examples" | "gen");
    file.components()
        .any(|part| part.as_os_str().to_str().is_some_and(is_other))
}

/// Returns the crate folders that define a type, for each type name. A folder is repeated for each
/// definition.
fn definitions() -> BTreeMap<String, Vec<String>> {
    let workspace = MetadataCommand::new().no_deps().exec();
    let workspace = workspace.expect("the metadata of the workspace");
    let finder = TypeFinder::new();
    let mut defined: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for package in &workspace.packages {
        let folder = package.manifest_path.parent().expect("a folder");
        let name = folder
            .strip_prefix(&workspace.workspace_root)
            .expect("a member");
        if name.starts_with("tests") {
            continue;
        }
        let files: BTreeSet<PathBuf> = sources(folder.as_std_path());
        for file in files
            .iter()
            .filter(|file| !is_other(file.strip_prefix(folder).expect("a file of the crate")))
        {
            let source = fs::read_to_string(file).expect("a source");
            for of_type in finder.types(&source) {
                defined.entry(of_type).or_default().push(name.to_string());
            }
        }
    }
    defined
}

/// Returns the folders of other crates that define a type with the name of the term. Returns an
/// error message if the crate of the term defines no such type.
fn others(term: &Term, defined: &BTreeMap<String, Vec<String>>) -> Result<Vec<String>, String> {
    let mut folders = defined.get(&term.name).cloned().unwrap_or_default();
    let own = folders.iter().position(|folder| *folder == term.folder);
    let own = own.ok_or_else(|| {
        format!(
            "{PAGE}: no type {} in {}, but in {folders:?}",
            term.name, term.folder
        )
    })?;
    folders.remove(own);
    Ok(folders)
}

#[test]
fn every_term_of_the_glossary_names_exactly_one_type() {
    let page = fs::read_to_string(Path::new(ROOT).join(PAGE)).expect("the page");
    let (terms, defined) = (glossary(&page), definitions());
    assert!(terms.len() > 30, "{PAGE} has the terms {terms:?}");
    let mut wrong = Vec::new();
    for term in &terms {
        match others(term, &defined) {
            Ok(folders) => wrong.extend(folders.into_iter().map(|folder| {
                format!(
                    "{folder} defines another type {}: rename it, or the term of {PAGE}",
                    term.name
                )
            })),
            Err(message) => wrong.push(message),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_term_of_the_glossary_has_only_one_row() {
    let page = fs::read_to_string(Path::new(ROOT).join(PAGE)).expect("the page");
    let (_, table) = page.split_once("\n## Glossary\n").expect("a glossary");
    let lines = table.lines().filter(|line| line.starts_with("| ")).skip(1);
    let names: Vec<_> = glossary(&page).into_iter().map(|term| term.name).collect();
    assert_eq!(
        lines.count(),
        names.len(),
        "a row that is not term, meaning, crate"
    );
    let mut sorted = names.clone();
    sorted.sort_by_key(|name| name.to_lowercase());
    sorted.dedup();
    assert_eq!(names, sorted, "the terms are sorted, and each has one row");
}

#[test]
fn type_finder_finds_the_types_of_a_source_file() {
    let source = "pub(crate) enum A<T> {\n    struct_like {},\n}\ncodes! {\n    pub enum B;\n}\n\
                  pub type C = other::C<D>;\npub type E<T> = Vec<T>;\ntrait F: G {\n    type H;\n}\n\
                  #[cfg(test)]\nmod tests {\n    struct I;\n}\n";
    assert_eq!(TypeFinder::new().types(source), ["A", "B", "E", "F"]);
}
