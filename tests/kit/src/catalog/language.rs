//! Parses a text into a [`Catalog`]. The parent module documents the statements.

mod scope;
#[cfg(test)]
mod tests;
mod words;

use std::str::FromStr;

use thiserror::Error;

use self::scope::{Scope, channel_of};
use self::words::{Complaint, Words, position, statements};
use super::{Catalog, Package};

/// The reason why a catalog text is invalid, and the position of the error.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("catalog text, line {line}, column {column}: {complaint}")]
pub struct Misreading {
    pub line: usize,
    pub column: usize,
    pub complaint: String,
}

/// The package of the statements that follow, and its channels.
struct Head {
    package: usize,
    channels: Vec<String>,
}

#[derive(Default)]
struct Reader {
    catalog: Catalog,
    head: Option<Head>,
}

impl FromStr for Catalog {
    type Err = Misreading;

    fn from_str(text: &str) -> Result<Self, Misreading> {
        parse(text)
    }
}

pub(super) fn parse(text: &str) -> Result<Catalog, Misreading> {
    let mut reader = Reader::default();
    for statement in statements(text) {
        reader
            .statement(statement)
            .map_err(|Complaint { at, message }| {
                let (line, column) = position(text, at);
                Misreading {
                    line,
                    column,
                    complaint: message,
                }
            })?;
    }
    let mut catalog = reader.catalog;
    for package in &mut catalog.packages {
        let first = package.channels.first().map(|channel| channel.name.clone());
        package.default_channel = package.default_channel.take().or(first);
    }
    Ok(catalog)
}

impl Reader {
    fn statement<'t>(&mut self, statement: &'t str) -> Result<(), Complaint<'t>> {
        let body = match words::split_head(statement) {
            Some((head, body)) => {
                self.open(head)?;
                body
            }
            None => statement,
        };
        let mut words = Words::new(body);
        if words.is_done() {
            return Ok(());
        }
        let Some(head) = &self.head else {
            return Err(Complaint::new(
                body.trim(),
                "a statement stands before the first head",
            ));
        };
        let mut scope = Scope {
            package: &mut self.catalog.packages[head.package],
            channels: &head.channels,
        };
        scope.statement(&mut words)?;
        words.end()
    }

    /// Parses a head: `a`, `a/fast` or `a[stable, fast]`.
    fn open<'t>(&mut self, head: &'t str) -> Result<(), Complaint<'t>> {
        let (name, channels) = match (head.split_once('/'), head.split_once('[')) {
            (Some((name, channel)), None) => (name, vec![channel.trim()]),
            (None, Some((name, list))) => {
                let list = list.strip_suffix(']');
                let list = list.ok_or_else(|| Complaint::new(head, "a head lacks its `]`"))?;
                (name, list.split(',').map(str::trim).collect())
            }
            (None, None) => (head, Vec::new()),
            (Some(_), Some(_)) => {
                return Err(Complaint::new(
                    head,
                    "a head has either `/` or `[`, not both",
                ));
            }
        };
        if name.is_empty() || channels.contains(&"") {
            return Err(Complaint::new(
                head,
                "a head names a package and channels, like `a/fast:`",
            ));
        }
        let package = self.package(name);
        for channel in &channels {
            channel_of(&mut self.catalog.packages[package], channel);
        }
        // A head without channels means the channel `stable`. This channel exists only if it has an
        // entry.
        let channels = if channels.is_empty() {
            vec!["stable"]
        } else {
            channels
        };
        let channels = channels.into_iter().map(String::from).collect();
        self.head = Some(Head { package, channels });
        Ok(())
    }

    fn package(&mut self, name: &str) -> usize {
        let packages = &mut self.catalog.packages;
        let known = packages.iter().position(|package| package.name == name);
        known.unwrap_or_else(|| {
            packages.push(Package {
                name: name.into(),
                ..Package::default()
            });
            packages.len() - 1
        })
    }
}
