//! Checks that each link between pages refers to an existing file, and to an existing heading in
//! this file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use portolan_layers::site::normal;
use regex::Regex;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

#[test]
fn links_between_pages_are_valid() {
    let root = Path::new(ROOT);
    let pages = pages(root);
    let link = Regex::new(r"\]\(([^) ]+)\)").expect("an expression");
    let mut broken = Vec::new();
    for (page, text) in &pages {
        let links = link.captures_iter(text).map(|found| found[1].to_owned());
        for target in links.filter(|target| !target.contains("://")) {
            let (file, heading) = target.split_once('#').unwrap_or((&target, ""));
            let folder = page.parent().unwrap_or(Path::new(""));
            let path = match file {
                "" => page.clone(),
                _ => normal(&folder.join(file)),
            };
            let headings = pages.get(&path).map(|text| headings(text));
            let is_heading = headings.is_none_or(|all| heading.is_empty() || all.contains(heading));
            if !root.join(&path).exists() || !is_heading {
                broken.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "broken links:\n{}", broken.join("\n"));
}

#[test]
fn headings_have_the_anchors_of_github() {
    let page = "# A \"no\" has reasons\n```sh\n# no heading\n```\n## `status.x`, and more\n";
    let expected = ["a-no-has-reasons", "statusx-and-more"];
    assert_eq!(headings(page), expected.map(str::to_owned).into());
}

/// Returns the text of each page, by its path in the repository.
fn pages(root: &Path) -> BTreeMap<PathBuf, String> {
    let mut pages = BTreeMap::new();
    for folder in ["", "docs", "docs/adr", "docs/tutorials"] {
        let entries = fs::read_dir(root.join(folder)).expect("a folder of the repository");
        for path in entries.map(|entry| entry.expect("an entry").path()) {
            if path.extension().is_some_and(|it| it == "md") {
                let name = path.file_name().unwrap_or_default();
                let text = fs::read_to_string(&path).expect("a page");
                pages.insert(Path::new(folder).join(name), text);
            }
        }
    }
    pages
}

fn headings(text: &str) -> BTreeSet<String> {
    let mut is_code = false;
    let mut headings = BTreeSet::new();
    for line in text.lines() {
        is_code ^= line.starts_with("```");
        if line.starts_with('#') && !is_code {
            let title = line.trim_start_matches('#').trim().to_lowercase();
            let kept = title
                .chars()
                .filter(|it| it.is_alphanumeric() || "_- ".contains(*it));
            headings.insert(kept.map(|it| if it == ' ' { '-' } else { it }).collect());
        }
    }
    headings
}
