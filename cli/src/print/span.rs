//! A piece of a line with one style.

use std::fmt::{self, Display, Formatter};

use anstyle::{AnsiColor, Style};
use portolan_core_names::text::{Instead, harmless};
use unicode_width::UnicodeWidthStr;

/// A text with one style. Line breaks and characters that change the cursor or the text direction
/// are escaped.
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

    /// Creates the text of a heading.
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

    /// Returns a green span if `holds` is true, and otherwise a plain span.
    pub(crate) fn good_if(holds: bool, text: impl AsRef<str>) -> Self {
        if holds {
            Self::good(text)
        } else {
            Self::plain(text)
        }
    }

    /// Returns a span in the style of a warning if `holds` is true, and otherwise a plain span.
    pub(crate) fn warning_if(holds: bool, text: impl AsRef<str>) -> Self {
        if holds {
            Self::warning(text)
        } else {
            Self::plain(text)
        }
    }

    fn styled(text: &str, style: Style) -> Self {
        Self {
            text: one_line(text),
            style,
        }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the number of terminal columns that the span needs.
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

/// Returns the text as one line. Replaces line breaks with blanks, and escapes other unsafe
/// characters.
pub(crate) fn one_line(text: &str) -> String {
    let line = text.trim_end().replace(['\n', '\r', '\t'], " ");
    harmless(&line, Instead::Escape)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_control_characters() {
        let hostile = "a\u{1b}[31mred\u{7}\u{202e}back\u{9b}2J\n b\u{200b}";
        assert_eq!(
            one_line(hostile),
            r"a\u{1b}[31mred\u{7}\u{202e}back\u{9b}2J  b\u{200b}"
        );
    }
}
