//! Answers as people and programs read them.

use std::io::{self, Write};

use clap::ValueEnum;
use serde::Serialize;
use thiserror::Error;

use crate::failure::Failure;

/// The form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// Columns, for people.
    Table,
    /// The gRPC answer as JSON, for programs.
    Json,
}

/// Standard output takes no more.
#[derive(Debug, Error)]
#[error("write the answer")]
struct WriteAnswer(#[source] io::Error);

/// Prints an answer in the asked form.
pub(crate) fn answer<T: Serialize>(
    output: Output,
    answer: &T,
    table: impl FnOnce(&T) -> String,
) -> Result<(), Failure> {
    let text = match output {
        Output::Table => table(answer),
        Output::Json => serde_json::to_string_pretty(answer).map_err(Failure::failed)? + "\n",
    };
    match io::stdout().lock().write_all(text.as_bytes()) {
        // Whoever read enough has closed the pipe.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|source| Failure::failed(WriteAnswer(source))),
    }
}

/// Rows under a header, each column as wide as its widest cell.
pub(crate) fn columns<const N: usize>(header: [&str; N], rows: &[[String; N]]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells
            .chain([header[column].len()])
            .max()
            .unwrap_or_default()
    };
    let mut text = String::new();
    let header = header.map(str::to_owned);
    for row in [&header].into_iter().chain(rows) {
        let cells = row
            .iter()
            .enumerate()
            .map(|(at, cell)| format!("{cell:<0$}", width(at)));
        text.push_str(cells.collect::<Vec<_>>().join("   ").trim_end());
        text.push('\n');
    }
    text
}
