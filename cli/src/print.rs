//! Answers as people and programs read them.

mod page;
mod span;
mod stale;
mod tree;
pub(crate) mod words;

use std::io::{self, Write};

use anstream::{AutoStream, ColorChoice};
use clap::{Args, ValueEnum};
use serde::Serialize;
use thiserror::Error;

pub(crate) use self::page::{Columns, Page};
pub(crate) use self::span::{Span, one_line};
pub(crate) use self::stale::Sourced;
pub(crate) use self::tree::Branch;
use crate::failure::Failure;

/// The form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// Columns, for people.
    Table,
    /// Columns with nothing left out.
    Wide,
    /// The gRPC answer as JSON, for programs.
    Json,
}

/// How much of an answer people see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Long lists are cut short, and say so.
    Usual,
    /// Everything.
    Whole,
}

/// When to use colors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Everywhere.
    Always,
    /// Nowhere.
    Never,
}

/// How an answer is printed.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Form {
    /// Form of the answer.
    #[arg(short, long, value_name = "FORM", default_value = "table")]
    output: Output,
}

/// Standard output takes no more.
#[derive(Debug, Error)]
#[error("write the answer")]
struct WriteAnswer(#[source] io::Error);

// === impl Color ===

impl Color {
    /// Settles it for all that is printed from now on.
    pub(crate) fn choose(self) {
        match self {
            Self::Auto => ColorChoice::Auto,
            Self::Always => ColorChoice::Always,
            Self::Never => ColorChoice::Never,
        }
        .write_global();
    }
}

// === impl Form ===

impl Form {
    /// How much people see; none where a program reads.
    pub(crate) fn detail(self) -> Option<Detail> {
        match self.output {
            Output::Table => Some(Detail::Usual),
            Output::Wide => Some(Detail::Whole),
            Output::Json => None,
        }
    }

    /// Prints an answer in this form.
    pub(crate) fn print<T: Serialize + Sourced>(
        self,
        answer: &T,
        render: impl FnOnce(&T, Detail) -> Page,
    ) -> Result<(), Failure> {
        match self.detail() {
            Some(detail) => table(answer, detail, render),
            None => json(answer),
        }
    }
}

/// Prints the answer of a service as everybody's JSON.
pub(crate) fn json(answer: &impl Serialize) -> Result<(), Failure> {
    text(&(serde_json::to_string_pretty(answer).map_err(Failure::failed)? + "\n"))
}

/// Prints what people read, in colors where they are wanted.
pub(crate) fn table<T: Sourced>(
    answer: &T,
    detail: Detail,
    render: impl FnOnce(&T, Detail) -> Page,
) -> Result<(), Failure> {
    let mut answered = render(answer, detail);
    stale::warn(&mut answered, answer.catalogs());
    page(answered).map(drop)
}

/// Prints a part of an answer that comes piece by piece; whether somebody still reads.
pub(crate) fn page(page: Page) -> Result<bool, Failure> {
    let mut out = AutoStream::auto(io::stdout());
    let text = page.into_text();
    written(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Tells something beside the answer that bears on it.
pub(crate) fn warn(message: &str) {
    let start = Span::warning("warning:");
    // Whoever closed standard error wants to be told nothing.
    let _ = writeln!(anstream::stderr(), "{start} {}", one_line(message));
}

/// Tells something beside the answer.
pub(crate) fn note(message: &str) {
    // As above.
    let _ = writeln!(anstream::stderr(), "{}", one_line(message));
}

/// Prints what another program draws.
pub(crate) fn text(text: &str) -> Result<(), Failure> {
    written(io::stdout().write_all(text.as_bytes())).map(drop)
}

/// Prints an answer of many as one line of JSON; whether somebody still reads.
pub(crate) fn json_line(answer: &impl Serialize) -> Result<bool, Failure> {
    let line = serde_json::to_string(answer).map_err(Failure::failed)? + "\n";
    let mut out = io::stdout().lock();
    written(out.write_all(line.as_bytes()).and_then(|()| out.flush()))
}

/// Whoever read enough has closed the pipe; that is no failure.
fn written(written: io::Result<()>) -> Result<bool, Failure> {
    match written {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::failed(WriteAnswer(error))),
    }
}
