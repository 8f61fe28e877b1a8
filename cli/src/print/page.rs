//! A text for users, built from lines, tables and trees.

use super::Detail;
use super::span::Span;
use super::tree::{self, Branch};

/// The gap between two columns.
const GAP: &str = "   ";

/// A text for users, with colors. If the output is not a terminal, the colors are removed when the
/// text is printed.
#[derive(Debug, Default)]
pub(crate) struct Page {
    text: String,
}

/// A table with one row for each item. The caller adds the columns, one after the other.
#[derive(Debug)]
pub(crate) struct Table<'a, T> {
    rows: &'a [T],
    detail: Detail,
    /// The lines of the table. The first line is the header.
    lines: Vec<Vec<Span>>,
}

/// The column widths of a table that is printed row by row.
#[derive(Debug, Default)]
pub(crate) struct Widths(Vec<usize>);

// === impl Page ===

impl Page {
    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// Appends another page.
    pub(crate) fn append(&mut self, other: Self) {
        self.text.push_str(&other.text);
    }

    /// Begins a section. A blank line precedes every section except the first.
    pub(crate) fn part(&mut self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    /// Begins a section with a heading.
    pub(crate) fn section(&mut self, heading: impl AsRef<str>) {
        self.part();
        self.line([Span::heading(heading)]);
    }

    pub(crate) fn text_line(&mut self, text: impl AsRef<str>) {
        self.line([Span::plain(text)]);
    }

    /// Adds a line. Its spans are separated by blanks.
    pub(crate) fn line(&mut self, spans: impl IntoIterator<Item = Span>) {
        self.behind("", spans);
    }

    /// Adds a line below the previous line, with indentation.
    pub(crate) fn below(&mut self, spans: impl IntoIterator<Item = Span>) {
        self.indented(1, spans);
    }

    /// Adds a line with this number of indentation levels.
    pub(crate) fn indented(&mut self, levels: usize, spans: impl IntoIterator<Item = Span>) {
        self.behind(&"  ".repeat(levels), spans);
    }

    /// Adds a line that begins with `start`, followed by the spans.
    pub(super) fn behind(&mut self, start: &str, spans: impl IntoIterator<Item = Span>) {
        let mut before = start;
        for span in spans {
            self.text.push_str(before);
            self.text.push_str(&span.to_string());
            before = " ";
        }
        self.text.push('\n');
    }

    /// Adds the branches of a tree below the previous line.
    pub(crate) fn tree(&mut self, branches: &[Branch]) {
        tree::draw(self, branches);
    }

    /// Adds lines unchanged, for example the lines of a tree.
    pub(crate) fn block(&mut self, text: &str) {
        for line in text.lines() {
            self.text_line(line);
        }
    }

    /// Adds a section of lines. Adds nothing if there are no lines.
    pub(crate) fn lines<const N: usize>(&mut self, lines: impl IntoIterator<Item = [Span; N]>) {
        for (at, line) in lines.into_iter().enumerate() {
            if at == 0 {
                self.part();
            }
            self.line(line);
        }
    }

    /// Adds a section of lines with a heading. Adds nothing if there are no lines.
    pub(crate) fn list(&mut self, heading: &str, lines: impl IntoIterator<Item = String>) {
        for (at, line) in lines.into_iter().enumerate() {
            if at == 0 {
                self.section(heading);
            }
            self.below([line.into()]);
        }
    }

    /// Adds one line for each label and its value. Omits a label without a value.
    pub(crate) fn facts<const N: usize>(&mut self, facts: [(&str, Span); N]) {
        let facts = facts.into_iter().filter(|(_, fact)| fact.width() > 0);
        let lines = facts.map(|(label, fact)| vec![Span::heading(label), fact]);
        self.rows(&lines.collect::<Vec<_>>());
    }

    /// Adds a table. Each column has the width of its widest cell.
    pub(crate) fn table<T>(&mut self, table: Table<'_, T>) {
        self.rows(&table.lines);
    }

    /// Adds rows without a header.
    pub(crate) fn rows(&mut self, rows: &[Vec<Span>]) {
        Widths::default().rows(self, rows);
    }
}

// === impl Table ===

impl<'a, T> Table<'a, T> {
    pub(crate) fn of(rows: &'a [T], detail: Detail) -> Self {
        Self {
            rows,
            detail,
            lines: vec![Vec::new(); rows.len() + 1],
        }
    }

    pub(crate) fn column(mut self, header: &str, cell: &dyn Fn(&T) -> Span) -> Self {
        let header = std::iter::once(Span::heading(header));
        let cells = header.chain(self.rows.iter().map(cell));
        for (line, cell) in self.lines.iter_mut().zip(cells) {
            line.push(cell);
        }
        self
    }

    /// Adds a column with plain text. If the text is empty, the cell shows a dash.
    pub(crate) fn text(self, header: &str, cell: &dyn Fn(&T) -> &str) -> Self {
        self.column(header, &|row| super::words::or_none(cell(row)).into())
    }

    /// Adds a column that only wide tables show. Its cells have a style.
    pub(crate) fn wide(self, header: &str, cell: &dyn Fn(&T) -> Span) -> Self {
        match self.detail {
            Detail::Usual => self,
            Detail::Whole => self.column(header, cell),
        }
    }

    /// Adds a column with plain text that only wide tables show.
    pub(crate) fn wide_text(self, header: &str, cell: &dyn Fn(&T) -> &str) -> Self {
        match self.detail {
            Detail::Usual => self,
            Detail::Whole => self.text(header, cell),
        }
    }

    /// Returns the table as Markdown. The function `cell` escapes the text of each cell.
    pub(crate) fn into_markdown(self, cell: fn(&str) -> String) -> String {
        let lines = self.lines.iter().map(|line| {
            let cells: Vec<_> = line.iter().map(|span| cell(span.text())).collect();
            format!("| {} |\n", cells.join(" | "))
        });
        let mut lines: Vec<_> = lines.collect();
        lines.insert(1, format!("|{}\n", "---|".repeat(self.lines[0].len())));
        lines.concat()
    }

    /// Returns one line for each row, with the header before the first row.
    pub(crate) fn into_lines(self) -> Vec<Vec<Span>> {
        self.lines
    }
}

// === impl Widths ===

impl Widths {
    /// Adds rows below the rows that were already added. If a row needs a wider column, the column
    /// is wider from these rows on.
    pub(crate) fn rows(&mut self, page: &mut Page, rows: &[Vec<Span>]) {
        for row in rows {
            self.0.resize(row.len().max(self.0.len()), 0);
            for (width, cell) in self.0.iter_mut().zip(row) {
                *width = cell.width().max(*width);
            }
        }
        for row in rows {
            self.row(page, row);
        }
    }

    fn row(&self, page: &mut Page, row: &[Span]) {
        let mut missing = 0;
        for (cell, width) in row.iter().zip(&self.0) {
            if cell.width() > 0 {
                page.text.push_str(&" ".repeat(missing));
                page.text.push_str(&cell.to_string());
                missing = 0;
            }
            missing += width - cell.width() + GAP.len();
        }
        page.text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aligns_columns_by_display_width() {
        let mut page = Page::default();
        let rows = [["港", "x"], ["abc", ""], ["", "y"]];
        page.rows(&rows.map(|row| row.map(Span::plain).to_vec()));
        assert_eq!(page.into_text(), "港    x\nabc\n      y\n");
    }

    #[test]
    fn later_rows_keep_column_widths() {
        let mut widths = Widths::default();
        let mut render = |rows: &[[&str; 3]]| {
            let mut page = Page::default();
            let rows: Vec<_> = rows
                .iter()
                .map(|row| row.map(Span::plain).to_vec())
                .collect();
            widths.rows(&mut page, &rows);
            page.into_text()
        };
        assert_eq!(
            render(&[["NAME", "HEALTH", "WHY"]]),
            "NAME   HEALTH   WHY\n"
        );
        assert_eq!(render(&[["a", "Yes", "-"]]), "a      Yes      -\n");
        assert_eq!(render(&[["harbor", "Yes", "-"]]), "harbor   Yes      -\n");
        assert_eq!(render(&[["a", "Yes", "-"]]), "a        Yes      -\n");
    }
}
