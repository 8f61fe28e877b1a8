//! Checks that the documentation site contains all pages, and that its table of contents lists each
//! page.

use std::path::Path;

use portolan_layers::site::book;

#[test]
fn contents_list_each_page() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let book = book(root, None).expect("a book of all pages");
    let summary = String::from_utf8_lossy(&book[Path::new("SUMMARY.md")]).into_owned();
    for part in [
        "# Tutorials",
        "(tutorials/diagnose.md)",
        "(overview.md)",
        "(adr/0001-",
    ] {
        assert!(summary.contains(part), "{part} is missing in {summary}");
    }
}
