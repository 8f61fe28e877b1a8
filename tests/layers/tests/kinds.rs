//! Checks the table of commands and kinds in `docs/kinds.md`. Each `yes` has a test in
//! `tests/kinds.md`, each other cell has a reason, and each command has a row.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use portolan_layers::kept_by::{missing, rows, ungated};

/// Commands that need no row: commands that run servers, and commands that read no objects of these
/// kinds.
const WITHOUT_KINDS: [&str; 5] = ["check", "help", "serve", "uninstall", "version"];

/// A row of the table: a command, and its cell for each kind.
struct Command {
    name: String,
    cells: Vec<Cell>,
}

struct Cell {
    column: String,
    /// The content of the cell: `yes`, the letter of a reason, or `yes` and the letter of a
    /// restriction.
    words: Vec<String>,
}

fn read(page: &str) -> String {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    fs::read_to_string(root.join(page)).expect("a page")
}

/// Returns the first field of a row, and then all other fields.
fn fields(line: &str) -> (String, Vec<String>) {
    let mut fields = line.trim_matches('|').split('|').map(str::trim);
    let first = fields.next().unwrap_or_default().trim_matches('`');
    (first.to_owned(), fields.map(str::to_owned).collect())
}

/// Returns the rows of the table in the page.
fn commands(page: &str) -> Vec<Command> {
    let lines = page
        .lines()
        .skip_while(|line| !line.starts_with("| command "));
    let mut table = lines.take_while(|line| line.starts_with('|')).map(fields);
    let (_, columns) = table.next().expect("a table");
    let commands = table.skip(1).map(|(name, cells)| {
        assert_eq!(cells.len(), columns.len(), "{name}");
        let cells = columns.iter().zip(cells).map(|(column, text)| Cell {
            column: column.clone(),
            words: text.split_whitespace().map(str::to_owned).collect(),
        });
        Command {
            name,
            cells: cells.collect(),
        }
    });
    commands.collect()
}

/// Returns the letters that the page explains below the table.
fn explained(page: &str) -> BTreeSet<&str> {
    let reasons = page
        .lines()
        .filter_map(|line| line.strip_prefix("- ")?.split_once(": "));
    reasons.map(|(letter, _)| letter).collect()
}

/// Returns true if `command` equals `other` or is a subcommand of `other`.
fn is_within(command: &str, other: &str) -> bool {
    let rest = command.strip_prefix(other);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

#[test]
fn each_supported_kind_names_an_existing_test() {
    let commands = commands(&read("docs/kinds.md"));
    let supported: Vec<_> = commands
        .iter()
        .flat_map(|command| command.cells.iter().map(move |cell| (command, cell)))
        .filter(|(_, cell)| cell.words.first().is_some_and(|word| word == "yes"))
        .map(|(command, cell)| format!("{} / {}", command.name, cell.column))
        .collect();
    let rows = rows("tests/kinds.md");
    let tested: Vec<_> = rows.iter().map(|row| row.number.clone()).collect();
    assert_eq!(tested, supported);
    assert_eq!(missing(&rows), BTreeSet::new(), "no such tests");
    assert_eq!(ungated(&rows), BTreeSet::new(), "only ignored tests");
    for row in &rows {
        assert!(row.kept_by.starts_with('`'), "{} has no test", row.number);
    }
}

#[test]
fn each_cell_without_a_test_has_a_reason() {
    let page = read("docs/kinds.md");
    let commands = commands(&page);
    let mut letters = BTreeSet::new();
    for command in &commands {
        for Cell { column, words } in &command.cells {
            let words: Vec<_> = words.iter().map(String::as_str).collect();
            match words[..] {
                ["yes"] => {}
                ["yes", letter] | [letter] => {
                    letters.insert(letter.to_owned());
                }
                _ => panic!("{} / {column} is {words:?}", command.name),
            }
        }
    }
    let explained: BTreeSet<_> = explained(&page).into_iter().map(str::to_owned).collect();
    assert_eq!(letters, explained);
}

#[test]
fn each_command_has_a_row() {
    let rows = commands(&read("docs/kinds.md"));
    let page = read("docs/commands.md");
    let headings = page.lines().filter_map(|line| {
        let title = line.strip_prefix("##")?.trim_start_matches('#');
        title.strip_prefix(" portolan ")
    });
    let without_row: Vec<_> = headings
        .filter(|command| !WITHOUT_KINDS.iter().any(|it| is_within(command, it)))
        .filter(|command| {
            let mut rows = rows.iter();
            !rows.any(|row| is_within(command, &row.name) || is_within(&row.name, command))
        })
        .collect();
    assert_eq!(without_row, Vec::<&str>::new());
}
