//! Checks that each section header `// === impl X ===` is directly above an `impl` of X.

use std::fs;
use std::path::Path;

use cargo_metadata::MetadataCommand;
use portolan_layers::sources;
use regex::Regex;

fn word() -> Regex {
    Regex::new(r"\w+").expect("an expression")
}

/// Returns the section headers of a source file that do not match the code below them, each with
/// its line.
fn stale(source: &str, word: &Regex) -> Vec<String> {
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let headers = lines.iter().enumerate().filter_map(|(at, line)| {
        let header = line.strip_prefix("// === ")?.strip_suffix(" ===")?;
        let is_code =
            |line: &&&str| !line.is_empty() && !line.starts_with("//") && !line.starts_with('#');
        let mut code = lines[at + 1..].iter().filter(is_code);
        let mut head = String::new();
        for line in code.by_ref() {
            head.push_str(line);
            head.push(' ');
            if line.contains('{') {
                break;
            }
        }
        let head: Vec<_> = word.find_iter(&head).map(|found| found.as_str()).collect();
        let mut names = word.find_iter(header).map(|found| found.as_str());
        let is_stale = !names.all(|name| head.contains(&name));
        is_stale.then(|| format!("line {}: {line}", at + 1))
    });
    headers.collect()
}

#[test]
fn section_headers_name_the_impl_below() {
    let workspace = MetadataCommand::new().no_deps().exec();
    let workspace = workspace.expect("the metadata of the workspace");
    let (word, mut wrong) = (word(), Vec::new());
    for package in &workspace.packages {
        let folder = package.manifest_path.parent().expect("a folder");
        for file in sources(Path::new(folder)) {
            let source = fs::read_to_string(&file).expect("a source");
            let found = stale(&source, &word);
            wrong.extend(
                found
                    .iter()
                    .map(|line| format!("{}, {line}", file.display())),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn stale_headers_are_found() {
    let source = "// === impl A ===\n\nimpl<T> A<T>\nwhere\n    T: B,\n{\n}\n\n// === impl A ===\n\n\
                  /// A doc comment.\nimpl B {}\n// === impl B ===\n\nfn free(b: B) {}\n";
    assert_eq!(
        stale(source, &word()),
        ["line 9: // === impl A ===", "line 13: // === impl B ==="]
    );
}
