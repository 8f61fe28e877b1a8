//! Finds source files that no `mod` includes. Their code is never compiled, and their tests never
//! run.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the `.rs` files below `folder` that no module tree from `roots` includes.
pub fn unreached(folder: &Path, roots: &[PathBuf]) -> BTreeSet<PathBuf> {
    let mut reached = BTreeSet::new();
    let mut border = roots.to_vec();
    while let Some(file) = border.pop() {
        if let Ok(text) = fs::read_to_string(&file)
            && reached.insert(file.clone())
        {
            border.extend(text.lines().flat_map(|line| mentioned(&file, line, roots)));
        }
    }
    sources(folder).difference(&reached).cloned().collect()
}

/// Returns all source files of one package. Omits subfolders with their own Cargo.toml, which are
/// other packages.
pub fn sources(folder: &Path) -> BTreeSet<PathBuf> {
    let mut sources = BTreeSet::new();
    collect(folder, &mut sources);
    sources
}

/// Returns all files below a folder with one of these extensions, including those of packages in
/// subfolders.
pub fn files_with(folder: &Path, extensions: &[&str]) -> BTreeSet<PathBuf> {
    let mut files = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        let entries = fs::read_dir(next).into_iter().flatten();
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            let extension = path.extension().and_then(|it| it.to_str());
            if path.is_dir() {
                folders.push(path);
            } else if extension.is_some_and(|it| extensions.contains(&it)) {
                files.insert(path);
            }
        }
    }
    files
}

/// Returns the files to which a line can refer, with `mod name;` or with `include!("file")`.
fn mentioned(file: &Path, line: &str, roots: &[PathBuf]) -> Vec<PathBuf> {
    let folder = file.parent().unwrap_or(Path::new(""));
    let line = line.trim();
    if let Some((_, rest)) = line.split_once("include!(\"") {
        return rest
            .split('"')
            .take(1)
            .map(|name| folder.join(name))
            .collect();
    }
    let declaration = line.rsplit_once("mod ").filter(|(before, _)| {
        before.is_empty() || before.starts_with("pub") && before.ends_with(' ')
    });
    let Some(name) = declaration.and_then(|(_, name)| name.strip_suffix(';')) else {
        return Vec::new();
    };
    // The modules of a root file are in the same folder. The modules of another file are in a
    // subfolder with the name of the file.
    let folder = if roots.iter().any(|root| root == file) {
        folder.to_owned()
    } else {
        file.with_extension("")
    };
    vec![folder.join(format!("{name}.rs"))]
}

fn collect(folder: &Path, sources: &mut BTreeSet<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let is_package = path.join("Cargo.toml").is_file() || path.ends_with("target");
        if path.is_dir() && !is_package {
            collect(&path, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            sources.insert(path);
        }
    }
}
