//! Counts phrases that make text hard to read, for each folder.
//!
//! `english.txt` contains the maximum number of lines with such phrases for each folder. If a
//! change reduces the number, run this test with `PORTOLAN_WRITE_ENGLISH=1` to update the file.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const BUDGETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/english.txt");

/// The phrases to avoid, each with a replacement.
const HABITS: [(&str, &str); 9] = [
    (r"(?i-u)\b(tells?|told)\b", "reports, shows, returns"),
    (
        r"(?i-u)\b(nobody|somebody|anybody|whoever)\b",
        "name the user or the component",
    ),
    (r"(?i-u)\bwish(es|ed)?\b", "request, requirement, required"),
    (
        r"(?i-u)\b(looks? at|looked at|looks? again|looked for)\b",
        "check, read, reconcile",
    ),
    (
        r"(?i-u)\b(puts? right|lets? go|let go|leads? on)\b",
        "repair, release, has an update",
    ),
    (
        r"(?i-u)\b(anew|besides|as it is|is none|are none|said of|of which)\b",
        "say it directly",
    ),
    (
        r"(?i-u)\b(is|are|was|were) not there\b",
        "is missing, does not exist",
    ),
    (r"(?i-u)\bshall\b", "must, is expected to be"),
    (
        r"^ *//[/!] (Whether|What|Who|Why|That|How) ",
        "begin with a verb or a noun",
    ),
];

/// Folders whose text comes from other projects or from generators.
const SKIPPED: [&str; 7] = [
    "target",
    "gen",
    "fixtures",
    "snapshots",
    "node_modules",
    ".git",
    "crds",
];

struct Checker {
    habits: Vec<Regex>,
    prose: Regex,
}

#[test]
fn prose_keeps_within_its_budget() {
    let found = Checker::new().count(Path::new(ROOT));
    if std::env::var_os("PORTOLAN_WRITE_ENGLISH").is_some() {
        let lines = found
            .iter()
            .map(|(folder, count)| format!("{folder} {count}\n"));
        fs::write(BUDGETS, lines.collect::<String>()).expect("a file that can be written");
        return;
    }
    let text = fs::read_to_string(BUDGETS).expect("the budgets");
    let budgets: BTreeMap<_, usize> = text
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(folder, count)| (folder.to_owned(), count.parse().expect("a number")))
        .collect();
    let mut wrong = String::new();
    for (folder, count) in &found {
        let budget = budgets.get(folder).copied().unwrap_or_default();
        if *count != budget {
            let _ = writeln!(wrong, "{folder}: {count} lines, and the budget is {budget}");
        }
    }
    let rules = HABITS.map(|(habit, instead)| format!("  {habit}: {instead}\n"));
    assert!(
        wrong.is_empty(),
        "{wrong}Rewrite lines above the budget. Below it, run this test with PORTOLAN_WRITE_ENGLISH=1.\n{}",
        rules.concat()
    );
}

#[test]
fn finds_habits_in_comments_strings_and_pages_only() {
    let checker = Checker::new();
    let rust = "//! It tells.\n/// What is it?\nlet told = 1;\nlet x = \"nobody\"; // wishes\nfn told() {}\n";
    assert_eq!(checker.lines(Path::new("a.rs"), rust), 3);
    assert_eq!(
        checker.lines(Path::new("a.md"), "It tells.\nIt reports.\n"),
        1
    );
    assert_eq!(
        checker.lines(Path::new("a.yaml"), "told: 1 # reports\n# It shall.\n"),
        1
    );
}

impl Checker {
    fn new() -> Self {
        let habits = HABITS.map(|(habit, _)| Regex::new(habit).expect("an expression"));
        Self {
            habits: habits.into(),
            prose: Regex::new(r#"//.*|"(?:[^"\\]|\\.)*"|#.*"#).expect("an expression"),
        }
    }

    /// Counts the lines with a phrase to avoid, for each top-level folder of the repository.
    fn count(&self, root: &Path) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for file in files(root) {
            let place = file.strip_prefix(root).expect("a file of the repository");
            let mut parts = place
                .components()
                .map(|part| part.as_os_str().to_string_lossy());
            let first = parts.next().unwrap_or_default().into_owned();
            let folder = parts.next().map_or_else(|| ".".to_owned(), |_| first);
            let text = fs::read_to_string(&file).unwrap_or_default();
            *counts.entry(folder).or_default() += self.lines(place, &text);
        }
        counts
    }

    fn lines(&self, place: &Path, text: &str) -> usize {
        let is_page = place.extension().is_some_and(|it| it == "md");
        let has_habit = |line: &&str| {
            let prose: String = if is_page {
                (*line).to_owned()
            } else {
                self.prose.find_iter(line).map(|it| it.as_str()).collect()
            };
            self.habits.iter().any(|it| it.is_match(&prose))
        };
        text.lines().filter(has_habit).count()
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder of the repository");
    let mut files = Vec::new();
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let is_text = ["rs", "md", "yaml", "proto"]
            .iter()
            .any(|it| path.extension().is_some_and(|its| its == *it));
        if path.is_dir() && !SKIPPED.contains(&&*name) {
            files.extend(self::files(&path));
        } else if path.is_file() && is_text && name != "CHANGELOG.md" && name != "plain_english.rs"
        {
            files.push(path);
        }
    }
    files
}
