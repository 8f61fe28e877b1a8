//! Splits the text into statements and tokens. Each token is a slice of the text, so that an error
//! can contain its position.

use std::iter;

/// An error, and the slice of the text with the error.
#[derive(Debug)]
pub(super) struct Complaint<'t> {
    pub(super) at: &'t str,
    pub(super) message: String,
}

impl<'t> Complaint<'t> {
    pub(super) fn new(at: &'t str, message: impl Into<String>) -> Self {
        Self {
            at,
            message: message.into(),
        }
    }
}

/// Returns the line and the column of a slice of `text`. The first line and the first column have
/// the number 1.
pub(super) fn position(text: &str, at: &str) -> (usize, usize) {
    let offset = at.as_ptr() as usize - text.as_ptr() as usize;
    let before = &text[..offset];
    let line = before.matches('\n').count() + 1;
    let column = before
        .rsplit('\n')
        .next()
        .map_or(0, |line| line.chars().count())
        + 1;
    (line, column)
}

/// Splits at `;` and at the ends of lines, and removes comments. Quoted text is not split.
pub(super) fn statements(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').flat_map(|line| {
        let mut rest = Some(line);
        iter::from_fn(move || {
            let line = rest?;
            let mut quoted = false;
            let stop = line.find(|letter| {
                quoted ^= letter == '"';
                !quoted && matches!(letter, ';' | '#')
            });
            let (statement, after) = line.split_at(stop.unwrap_or(line.len()));
            rest = after.strip_prefix(';');
            Some(statement)
        })
    })
}

/// Splits a statement after its head, at the first colon. Returns None if the text before the colon
/// is not a head, because it contains whitespace.
pub(super) fn split_head(statement: &str) -> Option<(&str, &str)> {
    let (head, body) = statement.split_once(':')?;
    let head = head.trim();
    let plain = head.split('[').next().unwrap_or(head);
    (!plain.contains(char::is_whitespace)).then_some((head, body))
}

/// The tokens of a statement, from left to right.
#[derive(Debug)]
pub(super) struct Words<'t> {
    rest: &'t str,
}

impl<'t> Words<'t> {
    pub(super) fn new(statement: &'t str) -> Self {
        Self {
            rest: statement.trim(),
        }
    }

    pub(super) fn is_done(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn end(&self) -> Result<(), Complaint<'t>> {
        if self.is_done() {
            Ok(())
        } else {
            Err(Complaint::new(
                self.rest,
                format!("`{}` is left over", self.rest),
            ))
        }
    }

    /// Returns the next word. A word ends at whitespace, a comma or an arrow.
    pub(super) fn word(&mut self, wanted: &str) -> Result<&'t str, Complaint<'t>> {
        let space = self
            .rest
            .find(|letter: char| letter.is_whitespace() || letter == ',');
        let ends = [space, self.rest.find("->"), Some(self.rest.len())];
        let end = ends.into_iter().flatten().min().unwrap_or_default();
        let (word, rest) = self.rest.split_at(end);
        if word.is_empty() {
            return Err(Complaint::new(
                self.rest,
                format!("{wanted} is wanted here"),
            ));
        }
        self.rest = rest.trim_start();
        Ok(word)
    }

    pub(super) fn keyword(&mut self, wanted: &str) -> Result<(), Complaint<'t>> {
        match self.word(&format!("`{wanted}`"))? {
            word if word == wanted => Ok(()),
            word => Err(Complaint::new(
                word,
                format!("`{wanted}` is wanted here, not `{word}`"),
            )),
        }
    }

    pub(super) fn arrow(&mut self) -> bool {
        self.skip("->")
    }

    /// Returns words that are separated by commas.
    pub(super) fn list(&mut self, wanted: &str) -> Result<Vec<&'t str>, Complaint<'t>> {
        let mut list = vec![self.word(wanted)?];
        while self.skip(",") {
            list.push(self.word(wanted)?);
        }
        Ok(list)
    }

    /// Returns the rest of the statement. Removes the quotes around it.
    pub(super) fn rest(&mut self, wanted: &str) -> Result<&'t str, Complaint<'t>> {
        match self.take() {
            "" => Err(Complaint::new(
                self.rest,
                format!("{wanted} is wanted here"),
            )),
            rest => Ok(unquoted(rest).unwrap_or(rest)),
        }
    }

    /// Returns a quoted message, which may be empty.
    pub(super) fn message(&mut self) -> Result<&'t str, Complaint<'t>> {
        let rest = self.take();
        unquoted(rest).ok_or_else(|| Complaint::new(rest, "a message in quotes is wanted here"))
    }

    fn take(&mut self) -> &'t str {
        let (rest, end) = self.rest.split_at(self.rest.len());
        self.rest = end;
        rest
    }

    fn skip(&mut self, mark: &str) -> bool {
        match self.rest.strip_prefix(mark) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }
}

fn unquoted(text: &str) -> Option<&str> {
    text.strip_prefix('"')?.strip_suffix('"')
}
