//! A text for people, built from lines and tables.

use super::span::Span;
use super::tree::{self, Branch};

/// What stands between two columns.
const GAP: &str = "   ";

/// A text for people. Colors are in it; the terminal that it is printed on may leave them out.
#[derive(Debug, Default)]
pub(crate) struct Page {
    text: String,
}

/// The columns of a table that comes piece by piece.
#[derive(Debug, Clone)]
pub(crate) struct Columns<const N: usize> {
    widths: [usize; N],
}

// === impl Page ===

impl Page {
    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// Adds another text.
    pub(crate) fn append(&mut self, other: Self) {
        self.text.push_str(&other.text);
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
        self.behind("", spans);
    }

    /// A line below another one.
    pub(crate) fn below(&mut self, spans: impl IntoIterator<Item = Span>) {
        self.indented(1, spans);
    }

    /// A line that many levels below another one.
    pub(crate) fn indented(&mut self, levels: usize, spans: impl IntoIterator<Item = Span>) {
        self.behind(&"  ".repeat(levels), spans);
    }

    /// Pieces of one line behind its start.
    pub(super) fn behind(&mut self, start: &str, spans: impl IntoIterator<Item = Span>) {
        let mut before = start;
        for span in spans {
            self.text.push_str(before);
            self.text.push_str(&span.to_string());
            before = " ";
        }
        self.text.push('\n');
    }

    /// Branches that grow out of the line before.
    pub(crate) fn tree(&mut self, branches: &[Branch]) {
        tree::draw(self, branches);
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
        Columns::default().rows(self, rows);
    }
}

// === impl Columns ===

impl<const N: usize> Default for Columns<N> {
    fn default() -> Self {
        Self { widths: [0; N] }
    }
}

impl<const N: usize> Columns<N> {
    /// Adds rows below those that were added before. A column that must be wider now is so from
    /// here on.
    pub(crate) fn rows(&mut self, page: &mut Page, rows: &[[Span; N]]) {
        for (column, width) in self.widths.iter_mut().enumerate() {
            let widest = rows.iter().map(|row| row[column].width()).max();
            *width = widest.unwrap_or_default().max(*width);
        }
        for row in rows {
            self.row(page, row);
        }
    }

    fn row(&self, page: &mut Page, row: &[Span; N]) {
        let mut missing = 0;
        for (at, (cell, width)) in row.iter().zip(self.widths).enumerate() {
            if cell.width() > 0 {
                page.text.push_str(&" ".repeat(missing));
                page.text.push_str(&cell.to_string());
                missing = 0;
            }
            missing += width - cell.width();
            if at + 1 < N {
                missing += GAP.len();
            }
        }
        page.text.push('\n');
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

    #[test]
    fn rows_that_come_later_stand_in_the_columns_of_those_before() {
        let mut columns = Columns::default();
        let mut told = |rows: &[[&str; 3]]| {
            let mut page = Page::default();
            let rows: Vec<_> = rows.iter().map(|row| row.map(Span::plain)).collect();
            columns.rows(&mut page, &rows);
            page.into_text()
        };
        assert_eq!(told(&[["NAME", "HEALTH", "WHY"]]), "NAME   HEALTH   WHY\n");
        assert_eq!(told(&[["a", "Yes", "-"]]), "a      Yes      -\n");
        assert_eq!(told(&[["harbor", "Yes", "-"]]), "harbor   Yes      -\n");
        assert_eq!(told(&[["a", "Yes", "-"]]), "a        Yes      -\n");
    }
}
