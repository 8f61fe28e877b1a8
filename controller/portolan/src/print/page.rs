//! A text for people, built from lines and tables.

use super::span::Span;

/// What stands between two columns.
const GAP: &str = "   ";

/// A text for people. Colors are in it; the terminal that it is printed on may leave them out.
#[derive(Debug, Default)]
pub(crate) struct Page {
    text: String,
}

// === impl Page ===

impl Page {
    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// Begins a part: a blank line, unless it is the first one.
    pub(crate) fn part(&mut self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    /// A part under a heading.
    pub(crate) fn section(&mut self, heading: impl AsRef<str>) {
        self.part();
        self.line([Span::heading(heading)]);
    }

    pub(crate) fn say(&mut self, text: impl AsRef<str>) {
        self.line([Span::plain(text)]);
    }

    /// Pieces of one line, with a blank between them.
    pub(crate) fn line(&mut self, spans: impl IntoIterator<Item = Span>) {
        self.indented("", spans);
    }

    /// A line below another one.
    pub(crate) fn below(&mut self, spans: impl IntoIterator<Item = Span>) {
        self.indented("  ", spans);
    }

    fn indented(&mut self, start: &'static str, spans: impl IntoIterator<Item = Span>) {
        let mut before = start;
        for span in spans {
            self.text.push_str(before);
            self.text.push_str(&span.to_string());
            before = " ";
        }
        self.text.push('\n');
    }

    /// Lines as they are, such as those of a tree.
    pub(crate) fn block(&mut self, text: &str) {
        for line in text.lines() {
            self.say(line);
        }
    }

    /// Rows under a header, each column as wide as its widest cell.
    pub(crate) fn table<const N: usize>(&mut self, header: [&str; N], rows: Vec<[Span; N]>) {
        let mut all = vec![header.map(Span::heading)];
        all.extend(rows);
        self.rows(&all);
    }

    /// Rows without a header.
    pub(crate) fn rows<const N: usize>(&mut self, rows: &[[Span; N]]) {
        let width = |column: usize| rows.iter().map(|row| row[column].width()).max();
        let widths: [usize; N] = std::array::from_fn(|column| width(column).unwrap_or_default());
        for row in rows {
            let mut missing = 0;
            for (at, (cell, width)) in row.iter().zip(widths).enumerate() {
                if cell.width() > 0 {
                    self.text.push_str(&" ".repeat(missing));
                    self.text.push_str(&cell.to_string());
                    missing = 0;
                }
                missing += width - cell.width();
                if at + 1 < N {
                    missing += GAP.len();
                }
            }
            self.text.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_a_terminal_shows_them() {
        let mut page = Page::default();
        let rows = [["港", "x"], ["abc", ""], ["", "y"]];
        page.rows(&rows.map(|row| row.map(Span::plain)));
        assert_eq!(page.into_text(), "港    x\nabc\n      y\n");
    }
}
