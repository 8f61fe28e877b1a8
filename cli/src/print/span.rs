//! A piece of a line in one style.

use std::fmt::{self, Display, Formatter, Write};

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr;

/// Text that moves no cursor, breaks no line and turns no direction, in one style.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Span {
    text: String,
    style: Style,
}

// === impl Span ===

impl Span {
    pub(crate) fn plain(text: impl AsRef<str>) -> Self {
        Self::styled(text.as_ref(), Style::new())
    }

    /// What a table or a part begins with.
    pub(crate) fn heading(text: impl AsRef<str>) -> Self {
        Self::styled(text.as_ref(), Style::new().bold())
    }

    pub(crate) fn error(text: impl AsRef<str>) -> Self {
        Self::styled(text.as_ref(), AnsiColor::Red.on_default())
    }

    pub(crate) fn warning(text: impl AsRef<str>) -> Self {
        Self::styled(text.as_ref(), AnsiColor::Yellow.on_default())
    }

    pub(crate) fn good(text: impl AsRef<str>) -> Self {
        Self::styled(text.as_ref(), AnsiColor::Green.on_default())
    }

    fn styled(text: &str, style: Style) -> Self {
        Self {
            text: one_line(text),
            style,
        }
    }

    /// The columns that it takes on a terminal.
    pub(super) fn width(&self) -> usize {
        self.text.width()
    }
}

impl Display for Span {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { text, style } = self;
        write!(f, "{style}{text}{style:#}")
    }
}

impl From<&str> for Span {
    fn from(text: &str) -> Self {
        Self::plain(text)
    }
}

impl From<&String> for Span {
    fn from(text: &String) -> Self {
        Self::plain(text)
    }
}

impl From<String> for Span {
    fn from(text: String) -> Self {
        Self::plain(text)
    }
}

/// Words as one line: whitespace becomes a blank, and what a terminal would obey is written out.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for letter in text.trim_end().chars() {
        match letter {
            '\n' | '\r' | '\t' => line.push(' '),
            letter if is_obeyed(letter) => {
                // A String takes whatever is written to it.
                let _ = write!(line, "{}", letter.escape_unicode());
            }
            letter => line.push(letter),
        }
    }
    line
}

/// Whether a terminal does something else with it than to show it, such as to turn the direction
/// of the letters behind it.
fn is_obeyed(letter: char) -> bool {
    let turns = matches!(
        letter,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    let breaks = matches!(letter, '\u{2028}' | '\u{2029}');
    let hides = matches!(letter, '\u{200b}' | '\u{2060}' | '\u{feff}');
    letter.is_control() || turns || breaks || hides
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_obeys_nothing_of_a_text() {
        let hostile = "a\u{1b}[31mred\u{7}\u{202e}back\u{9b}2J\n b\u{200b}";
        assert_eq!(
            one_line(hostile),
            r"a\u{1b}[31mred\u{7}\u{202e}back\u{9b}2J  b\u{200b}"
        );
    }
}
