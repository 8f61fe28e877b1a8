//! Checks that each crate has only the dependencies in the table of allowed dependencies.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};
use portolan_layers::{
    CLUSTER, EDGES, GROUPS, MOST_CRATES, OBJECTS, PURE, PURE_MODULES, TEST_TOOLS, sources,
    unreached,
};

fn workspace() -> Metadata {
    MetadataCommand::new()
        .no_deps()
        .exec()
        .expect("cargo metadata must work in the workspace")
}

/// Returns the folder of a package, relative to the root of the workspace, such as
/// "core/base/names/".
fn folder(workspace: &Metadata, package: &Package) -> String {
    let folder = package
        .manifest_path
        .parent()
        .expect("a manifest must lie in a folder");
    let folder = folder
        .strip_prefix(&workspace.workspace_root)
        .expect("a member must lie inside");
    format!("{folder}/")
}

fn dependencies(package: &Package, is_wanted: fn(DependencyKind) -> bool) -> BTreeSet<&str> {
    let wanted = package
        .dependencies
        .iter()
        .filter(|dependency| is_wanted(dependency.kind));
    wanted.map(|dependency| dependency.name.as_str()).collect()
}

#[test]
fn dependencies_between_crates_equal_the_table() {
    let workspace = workspace();
    let members: BTreeSet<_> = workspace.packages.iter().map(|p| p.name.as_str()).collect();
    let found: BTreeMap<_, BTreeSet<_>> = workspace
        .packages
        .iter()
        .map(|package| {
            let built_on = dependencies(package, |kind| kind != DependencyKind::Development);
            (
                package.name.as_str(),
                built_on.intersection(&members).copied().collect(),
            )
        })
        .collect();
    let table: BTreeMap<_, BTreeSet<_>> = EDGES
        .iter()
        .map(|(from, to)| (*from, to.iter().copied().collect()))
        .collect();
    similar(&found, &table);
}

/// Compares two maps entry by entry. If an entry differs, the message contains only this entry and
/// not both maps.
fn similar(found: &BTreeMap<&str, BTreeSet<&str>>, table: &BTreeMap<&str, BTreeSet<&str>>) {
    let none = BTreeSet::new();
    let mut wrong = Vec::new();
    for name in found.keys().chain(table.keys()).collect::<BTreeSet<_>>() {
        let (is, may) = (
            found.get(name).unwrap_or(&none),
            table.get(name).unwrap_or(&none),
        );
        wrong.extend(
            is.difference(may)
                .map(|to| format!("{name} -> {to} is not in the table")),
        );
        wrong.extend(
            may.difference(is)
                .map(|to| format!("{name} -> {to} no longer exists")),
        );
        if !found.contains_key(name) || !table.contains_key(name) {
            wrong.push(format!(
                "{name} is a member or a line of the table, but not both"
            ));
        }
    }
    assert_eq!(
        wrong,
        Vec::<String>::new(),
        "the table is EDGES in tests/layers"
    );
}

#[test]
fn limits_the_number_of_crates() {
    let workspace = workspace();
    let crates = workspace.packages.iter();
    let crates = crates.filter(|package| !folder(&workspace, package).starts_with("tests/"));
    assert!(
        crates.count() <= MOST_CRATES,
        "add a module, or change ADR 26"
    );
}

#[test]
fn tests_depend_only_on_dependencies_of_their_crate_and_on_tools() {
    let workspace = workspace();
    let members: BTreeSet<_> = workspace.packages.iter().map(|p| p.name.as_str()).collect();
    for package in &workspace.packages {
        if folder(&workspace, package).starts_with("tests/") {
            continue;
        }
        let used = dependencies(package, |kind| kind == DependencyKind::Development);
        let own = EDGES
            .iter()
            .find(|(name, _)| *name == package.name.as_str());
        let own = own.map_or(&[][..], |(_, edges)| *edges);
        for name in used.intersection(&members) {
            let allowed = TEST_TOOLS.contains(name) || own.contains(name);
            assert!(
                allowed,
                "the tests of {} use {name}, which is no tool of tests",
                package.name
            );
        }
    }
}

#[test]
fn pure_crates_depend_only_on_pure_crates() {
    let workspace = workspace();
    let (pure_folder, allowed) = PURE;
    let members: BTreeSet<_> = workspace.packages.iter().map(|p| p.name.as_str()).collect();
    for package in &workspace.packages {
        if folder(&workspace, package).starts_with(pure_folder) {
            for name in dependencies(package, |kind| kind != DependencyKind::Development) {
                let fine = members.contains(name) || allowed.contains(&name);
                assert!(
                    fine,
                    "{} is pure and may not be built on {name}",
                    package.name
                );
            }
        }
    }
}

/// Paths of the standard library and of jiff that pure modules must not use, such as clocks.
const IMPURE: [&str; 8] = [
    "::now(",
    "std::env",
    "std::fs",
    "std::net",
    "std::process",
    "std::thread",
    "HashMap",
    "HashSet",
];

#[test]
fn pure_modules_use_pure_crates_and_no_other_module() {
    let workspace = workspace();
    for (place, module) in PURE_MODULES {
        let mut packages = workspace.packages.iter();
        let package = packages.find(|package| folder(&workspace, package) == *place);
        let impure = impure_paths(&workspace, package.expect("a member lies there"));
        let src = workspace.workspace_root.join(place).join("src");
        let mut files = sources(src.join(module).as_std_path());
        assert!(!files.is_empty(), "{module} has files");
        files.insert(src.join(format!("{module}.rs")).into());
        for file in files {
            let text = std::fs::read_to_string(&file).expect("a source");
            let used: Vec<_> = impure.iter().filter(|path| uses(&text, path)).collect();
            assert!(used.is_empty(), "{} uses {used:?}", file.display());
            let own = text.matches(&format!("crate::{module}::")).count();
            let all = text.matches("crate::").count();
            assert_eq!(own, all, "{} uses other modules", file.display());
        }
    }
}

/// Returns the beginnings of paths that pure modules of a crate must not use.
fn impure_paths(workspace: &Metadata, package: &Package) -> Vec<String> {
    let (pure_folder, allowed) = PURE;
    let is_pure = |name: &str| {
        let member = workspace.packages.iter().find(|it| it.name == name);
        match member.map(|member| folder(workspace, member)) {
            Some(folder) => folder.starts_with(pure_folder) || folder == "api/",
            None => allowed.contains(&name),
        }
    };
    let crates = dependencies(package, |kind| kind == DependencyKind::Normal);
    let crates = crates.into_iter().filter(|name| !is_pure(name));
    let crates = crates.map(|name| format!("{}::", name.replace('-', "_")));
    crates.chain(IMPURE.map(str::to_owned)).collect()
}

/// Returns true if the text contains a path that begins with `path`.
fn uses(text: &str, path: &str) -> bool {
    let is_inside =
        |before: &str| before.ends_with(|last: char| last.is_alphanumeric() || last == '_');
    let mut found = text.match_indices(path);
    found.any(|(at, _)| path.starts_with(':') || !is_inside(&text[..at]))
}

#[test]
fn finds_paths_that_pure_modules_do_not_use() {
    assert!(uses("let api: kube::Api<Pod>;", "kube::"));
    assert!(uses("Timestamp::now()", "::now("));
    assert!(!uses("String::new()", "ring::"));
}

#[test]
fn no_crate_depends_on_a_later_group() {
    let workspace = workspace();
    let group = |package: &Package| {
        let folder = folder(&workspace, package);
        GROUPS.iter().position(|group| folder.starts_with(group))
    };
    let groups: BTreeMap<_, _> = workspace
        .packages
        .iter()
        .filter_map(|package| Some((package.name.as_str(), group(package)?)))
        .collect();
    for package in &workspace.packages {
        let Some(own) = groups.get(package.name.as_str()) else {
            let folder = folder(&workspace, package);
            assert!(folder.starts_with("tests/"), "{folder} is in no group");
            continue;
        };
        for name in dependencies(package, |kind| kind != DependencyKind::Development) {
            let is_later = groups.get(name).is_some_and(|other| other > own);
            assert!(
                !is_later,
                "{} must not depend on {name} of a later group",
                package.name
            );
        }
    }
}

#[test]
fn only_cluster_shells_use_the_kubernetes_client() {
    only_in(CLUSTER);
}

#[test]
fn only_object_readers_use_kubernetes_types() {
    only_in(OBJECTS);
}

/// Panics if a package outside of these folders uses one of these crates.
fn only_in((crates, folders): (&[&str], &[&str])) {
    let workspace = workspace();
    for package in &workspace.packages {
        let folder = folder(&workspace, package);
        let may = folders.iter().any(|allowed| folder.starts_with(allowed));
        for name in dependencies(package, |_| true) {
            assert!(
                may || !crates.contains(&name),
                "{} may not use {name}",
                package.name
            );
        }
    }
}

#[test]
fn every_source_file_is_declared_as_a_module() {
    for package in workspace().packages {
        let roots: Vec<PathBuf> = package
            .targets
            .iter()
            .map(|target| target.src_path.clone().into())
            .collect();
        let folder = package
            .manifest_path
            .parent()
            .expect("a manifest must lie in a folder");
        let unreached = unreached(folder.as_std_path(), &roots);
        assert_eq!(
            unreached,
            BTreeSet::new(),
            "no mod of {} reaches these",
            package.name
        );
    }
}

#[test]
fn every_crate_uses_the_lints_of_the_workspace() {
    for package in workspace().packages {
        let manifest = std::fs::read_to_string(&package.manifest_path).expect("a manifest");
        assert!(
            manifest.contains("[lints]\nworkspace = true"),
            "{}",
            package.name
        );
    }
}
