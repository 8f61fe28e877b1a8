//! Finds the code blocks of a Markdown text, and the commands in them.

/// A fenced block of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block<'a> {
    /// The number of the line with the opening fence. The first line has the number 1.
    pub line: usize,
    /// The language after the opening fence. Empty if no language is given.
    pub language: &'a str,
    pub lines: Vec<&'a str>,
}

/// A command of a console block, with its output.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Command {
    /// The text after `$ `. If a line ends in `\`, the text continues on the next line.
    pub typed: String,
    /// The expected lines of the output. The line `...` matches any number of lines.
    pub shown: Vec<String>,
}

/// Returns the rows of tables that begin with a code span. Each row is one line.
pub fn rows_of_words(text: &str) -> String {
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    rows.map(|line| format!("{line}\n")).collect()
}

/// Returns the code blocks. A fence has three backticks at the beginning of a line.
pub fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut found = Vec::new();
    let mut open: Option<Block<'_>> = None;
    for (at, line) in text.lines().enumerate() {
        match (line.strip_prefix("```"), open.take()) {
            (Some(_), Some(block)) => found.push(block),
            (Some(language), None) => {
                open = Some(Block {
                    line: at + 1,
                    language: language.trim(),
                    lines: Vec::new(),
                });
            }
            (None, Some(mut block)) => {
                block.lines.push(line);
                open = Some(block);
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is never closed: {open:?}");
    found
}

/// Returns the commands of a console block. Ignores the text before the first command.
pub fn commands(block: &Block<'_>) -> Vec<Command> {
    let mut found: Vec<Command> = Vec::new();
    let mut goes_on = false;
    for line in &block.lines {
        match (line.strip_prefix("$ "), found.last_mut()) {
            (_, Some(last)) if goes_on => last.typed += &format!("\n{line}"),
            (Some(typed), _) => found.push(Command {
                typed: typed.to_owned(),
                shown: Vec::new(),
            }),
            (None, Some(last)) => last.shown.push((*line).to_owned()),
            (None, None) => panic!("`{line}` must follow a line that begins with `$ `"),
        }
        let typed = found.last().map(|last| last.typed.as_str());
        let is_typed = found.last().is_some_and(|last| last.shown.is_empty());
        goes_on = is_typed && typed.is_some_and(|typed| typed.ends_with('\\'));
    }
    found
}

/// Returns true if the lines match the expected output. The line `...` matches any number of lines.
/// The character `…` matches any text within a line.
pub fn matches<L: AsRef<str>, S: AsRef<str>>(lines: &[L], shown: &[S]) -> bool {
    match shown.split_first() {
        None => lines.is_empty(),
        Some((any, rest)) if any.as_ref() == "..." => {
            (0..=lines.len()).any(|taken| matches(&lines[taken..], rest))
        }
        Some((wanted, rest)) => lines.split_first().is_some_and(|(line, others)| {
            is_like(line.as_ref(), wanted.as_ref()) && matches(others, rest)
        }),
    }
}

fn is_like(line: &str, shown: &str) -> bool {
    let Some((begin, rest)) = shown.split_once('…') else {
        return line == shown;
    };
    let Some(behind) = line.strip_prefix(begin) else {
        return false;
    };
    let mut places = behind.char_indices().map(|(at, _)| at);
    places.any(|at| is_like(&behind[at..], rest)) || rest.is_empty()
}

#[test]
fn blocks_of_a_page_have_a_language_and_a_line_number() {
    let text = "# Try\n\n```console\n$ date\n```\n\ntext\n```\nplain\n```\n";
    let block = |line, language, lines: &[&'static str]| Block {
        line,
        language,
        lines: lines.to_vec(),
    };
    assert_eq!(
        blocks(text),
        [block(3, "console", &["$ date"]), block(8, "", &["plain"]),]
    );
}

#[test]
fn commands_of_a_block_have_the_output_lines_below_them() {
    let text = "```console\n$ one &\n$ two \\\n    --three\nshown\n\nbelow\n$ four\n```\n";
    let command = |typed: &str, shown: &[&str]| Command {
        typed: typed.to_owned(),
        shown: shown.iter().map(|line| (*line).to_owned()).collect(),
    };
    assert_eq!(
        commands(&blocks(text)[0]),
        [
            command("one &", &[]),
            command("two \\\n    --three", &["shown", "", "below"]),
            command("four", &[]),
        ]
    );
}

#[test]
#[should_panic(expected = "`date` must follow a line that begins with `$ `")]
fn output_without_a_command_is_an_error() {
    commands(&blocks("```console\ndate\n```\n")[0]);
}

#[test]
#[should_panic(expected = "a block is never closed")]
fn block_without_an_end_is_an_error() {
    blocks("```sh\ndate\n");
}

#[test]
fn ellipsis_within_a_line_matches_any_text() {
    for (shown, line) in [
        ("approve install-…", "approve install-x7k2p"),
        ("… of … in all", "3 of 4 in all"),
        ("pod a-… ends", "pod a-7f ends"),
        ("all…", "all"),
        ("…", ""),
    ] {
        assert!(matches(&[line], &[shown]), "{shown}");
    }
    for (shown, line) in [("a…c", "ab"), ("a…", "xa"), ("…b…c", "cb")] {
        assert!(!matches(&[line], &[shown]), "{shown}");
    }
}

#[test]
fn ellipsis_matches_any_lines() {
    let lines = ["a", "b", "c"];
    for shown in [
        &["a", "b", "c"][..],
        &["..."],
        &["a", "..."],
        &["...", "c"],
        &["a", "...", "b", "c"],
    ] {
        assert!(matches(&lines, shown), "{shown:?}");
    }
    for shown in [
        &["a", "b"][..],
        &[],
        &["...", "b"],
        &["a", "...", "d"],
        &["a", "..", "c"],
    ] {
        assert!(!matches(&lines, shown), "{shown:?}");
    }
}
