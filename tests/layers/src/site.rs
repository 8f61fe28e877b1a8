//! The documentation as a book: pages of `docs` and of the root, with links that work in a site.
//!
//! `docs/README.md` is the table of contents, so the book needs no second one. `mdbook` builds the
//! site from the files that this module writes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};
use std::{fs, io};

use regex::{Captures, Regex};

use crate::files_with;

/// The folder with the documentation pages.
const DOCS: &str = "docs";
const CONTENTS: &str = "docs/README.md";
/// The page that lists all decisions. It exists only in the site.
const DECISIONS: &str = "docs/adr";
/// Pages in the root folder of the repository, and their file names in the site.
const OF_ROOT: [(&str, &str); 6] = [
    ("README.md", "overview.md"),
    ("ARCHITECTURE.md", "architecture.md"),
    ("CHANGELOG.md", "changelog.md"),
    ("CONTRIBUTING.md", "contributing.md"),
    ("SECURITY.md", "security.md"),
    ("CODE_OF_CONDUCT.md", "code-of-conduct.md"),
];

/// The files of the book: the content of each file by its path in the book.
pub type Book = BTreeMap<PathBuf, Vec<u8>>;

/// Reads all pages of the repository, and returns the files of the book. Links to other files lead
/// to the repository, or are text if the repository has no address.
/// # Errors
/// A page cannot be read, or the table of contents does not list it.
pub fn book(root: &Path, repository: Option<&str>) -> io::Result<Book> {
    let places = places(root);
    let decisions = decisions(root, &places)?;
    let site = Site {
        places: &places,
        repository,
        link: link(),
    };
    let mut book = Book::new();
    for (file, place) in &places {
        let content = match file.extension() {
            _ if file == Path::new(DECISIONS) => decisions.clone().into_bytes(),
            Some(it) if it == "md" => {
                let text = fs::read_to_string(root.join(file))?;
                site.with_links(file, &text).into_bytes()
            }
            _ => fs::read(root.join(file))?,
        };
        book.insert(place.clone(), content);
    }
    let contents = fs::read_to_string(root.join(CONTENTS))?;
    let summary = site.summary(&contents, &decisions);
    let missing = unlisted(&places, &summary);
    if !missing.is_empty() {
        let pages = missing.join(", ");
        return Err(io::Error::other(format!("{CONTENTS} lists no {pages}")));
    }
    book.insert("SUMMARY.md".into(), summary.into_bytes());
    Ok(book)
}

/// Returns the path of each file in the book, by its path in the repository.
fn places(root: &Path) -> BTreeMap<PathBuf, PathBuf> {
    let of_root = OF_ROOT.iter().filter(|(file, _)| root.join(file).exists());
    let of_root = of_root.map(|(file, place)| (PathBuf::from(file), PathBuf::from(place)));
    let files = files_with(&root.join(DOCS), &["md", "json", "svg", "png"]);
    let of_docs = files.into_iter().filter_map(|path| {
        let file = path.strip_prefix(root).ok()?.to_owned();
        let place = file.strip_prefix(DOCS).ok()?.to_owned();
        Some((file, place))
    });
    let decisions = (PathBuf::from(DECISIONS), PathBuf::from("adr/README.md"));
    of_root.chain(of_docs).chain([decisions]).collect()
}

/// Returns the page that lists all decisions. Its links are relative to the folder of the
/// decisions.
fn decisions(root: &Path, places: &BTreeMap<PathBuf, PathBuf>) -> io::Result<String> {
    let mut page = "# Decisions\n\nThe reasons for the design of Portolan.\n\n".to_owned();
    for file in places
        .keys()
        .filter(|file| file.parent() == Some(Path::new(DECISIONS)))
    {
        let text = fs::read_to_string(root.join(file))?;
        let title = text.lines().next().unwrap_or("").trim_start_matches("# ");
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let _ = writeln!(page, "- [{title}]({name})");
    }
    Ok(page)
}

/// Returns the pages of the book that the summary does not list.
fn unlisted(places: &BTreeMap<PathBuf, PathBuf>, summary: &str) -> Vec<String> {
    let pages = places
        .values()
        .filter(|place| place.extension().is_some_and(|it| it == "md"));
    let pages = pages.map(|place| place.display().to_string());
    pages
        .filter(|page| !summary.contains(&format!("({page})")))
        .collect()
}

struct Site<'a> {
    places: &'a BTreeMap<PathBuf, PathBuf>,
    repository: Option<&'a str>,
    link: Regex,
}

// === impl Site ===

impl Site<'_> {
    /// Returns a page in which each link works in the site. Does not change blocks of code.
    fn with_links(&self, file: &Path, text: &str) -> String {
        let replace = |link: &Captures<'_>| self.link(file, &link[1], &link[2]);
        // A link can continue on the next line, so the text between two code blocks is processed as
        // a whole.
        let pieces = text.split("```").enumerate();
        let pieces = pieces.map(|(index, piece)| match index % 2 {
            0 => self.link.replace_all(piece, replace).into_owned(),
            _ => piece.to_owned(),
        });
        pieces.collect::<Vec<_>>().join("```")
    }

    fn link(&self, file: &Path, text: &str, target: &str) -> String {
        if target.contains("://") || target.starts_with('#') {
            return format!("[{text}]({target})");
        }
        let (path, heading) = match target.split_once('#') {
            Some((path, heading)) => (path, format!("#{heading}")),
            None => (target, String::new()),
        };
        let path = normal(&file.parent().unwrap_or(Path::new("")).join(path));
        match (self.places.get(&path), self.repository) {
            (Some(place), _) => {
                let own = self.places.get(file).and_then(|own| own.parent());
                let up = own.map_or(0, |own| own.components().count());
                // mdbook converts each README.md to the index page of its folder.
                let place = place.with_file_name(match place.file_name() {
                    Some(name) if name == "README.md" => "index.md".into(),
                    name => name.unwrap_or_default().to_owned(),
                });
                format!("[{text}]({}{}{heading})", "../".repeat(up), place.display())
            }
            (None, Some(repository)) => {
                format!(
                    "[{text}]({repository}/blob/HEAD/{}{heading})",
                    path.display()
                )
            }
            (None, None) => text.to_owned(),
        }
    }

    /// Returns the table of contents for mdbook, with the sections and pages of our table of
    /// contents. Each page is listed once.
    fn summary(&self, contents: &str, decisions: &str) -> String {
        let mut summary = "# Summary\n\n[Documentation](README.md)\n".to_owned();
        let mut listed = BTreeSet::from([PathBuf::from("README.md")]);
        for line in contents.lines() {
            if let Some(section) = line.strip_prefix("## ") {
                let _ = write!(summary, "\n# {section}\n\n");
            }
            for link in self.link.captures_iter(line) {
                let Some(place) = self.places.get(&normal(&Path::new(DOCS).join(&link[2]))) else {
                    continue;
                };
                // Omits pictures, which are not pages.
                if place.extension().is_none_or(|it| it != "md") {
                    continue;
                }
                if listed.insert(place.clone()) {
                    let _ = writeln!(summary, "- [{}]({})", &link[1], place.display());
                }
                if place == Path::new("adr/README.md") {
                    let links = decisions.lines().filter(|line| line.starts_with("- ["));
                    let links = links.map(|line| line.replace("](", "](adr/"));
                    summary.extend(links.map(|line| format!("  {line}\n")));
                }
            }
        }
        summary
    }
}

/// Returns an expression that matches a link whose target contains no spaces.
fn link() -> Regex {
    Regex::new(r"\[([^\]]*)\]\(([^) ]+)\)").expect("an expression")
}

/// Returns the path without the components `.` and `..`.
pub fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                normal.pop();
            }
            Component::CurDir => {}
            _ => normal.push(part),
        }
    }
    normal
}

/// Returns the links of a built site that lead nowhere, as "page: target".
/// # Errors
/// A page cannot be read.
pub fn broken_links(site: &Path) -> io::Result<Vec<String>> {
    let link = Regex::new(r#"(?:href|src)="([^"]+)""#).expect("an expression");
    let mut broken = Vec::new();
    for page in files_with(site, &["html"]) {
        // mdbook writes the links of these two pages for another location.
        if page.ends_with("404.html") || page.ends_with("print.html") {
            continue;
        }
        let text = fs::read_to_string(&page)?;
        for target in link.captures_iter(&text).map(|found| found[1].to_owned()) {
            if !target.contains(':') && !leads_somewhere(site, &page, &target) {
                let page = page.strip_prefix(site).unwrap_or(&page);
                broken.push(format!("{}: {target}", page.display()));
            }
        }
    }
    Ok(broken)
}

fn leads_somewhere(site: &Path, page: &Path, target: &str) -> bool {
    let (file, id) = target.split_once('#').unwrap_or((target, ""));
    let path = match file {
        "" => page.to_owned(),
        _ => normal(&page.parent().unwrap_or(site).join(file)),
    };
    let has_id = |text: String| id.is_empty() || text.contains(&format!("id=\"{id}\""));
    match path.extension() {
        Some(it) if it == "html" => fs::read_to_string(&path).is_ok_and(has_id),
        _ => path.exists(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rewrites_links_to_pages_of_the_site() {
        let places = [
            ("docs/a.md", "a.md"),
            ("docs/adr/1.md", "adr/1.md"),
            ("README.md", "o.md"),
        ];
        let places = places
            .map(|(file, place)| (file.into(), place.into()))
            .into();
        let site = |repository| Site {
            places: &places,
            repository,
            link: link(),
        };
        let page = "[A](../a.md#b) [R](../../README.md) [C](../../cli/src) [W](https://a.b)\n\
                    ```\n[A](../a.md)\n```\n";
        let file = Path::new("docs/adr/1.md");
        assert_eq!(
            site(None).with_links(file, page),
            "[A](../a.md#b) [R](../o.md) C [W](https://a.b)\n```\n[A](../a.md)\n```\n"
        );
        let page = site(Some("https://git.example/p")).with_links(file, page);
        assert!(
            page.contains("[C](https://git.example/p/blob/HEAD/cli/src)"),
            "{page}"
        );
    }

    #[test]
    fn summary_lists_each_page_once() {
        let places = [
            ("docs/a.md", "a.md"),
            ("docs/b.md", "b.md"),
            ("docs/c.svg", "c.svg"),
        ];
        let places = places
            .map(|(file, place)| (file.into(), place.into()))
            .into();
        let site = Site {
            places: &places,
            repository: None,
            link: link(),
        };
        let contents =
            "# Docs\n\n![C](c.svg)\n\n## Start\n\n- [A](a.md): and [B](b.md).\n- [A](a.md)\n";
        let summary = site.summary(contents, "");
        assert!(
            summary.ends_with("\n# Start\n\n- [A](a.md)\n- [B](b.md)\n"),
            "{summary}"
        );
        assert_eq!(unlisted(&places, "- [A](a.md)"), ["b.md"]);
    }
}
