//! Prints results, warnings and errors.

mod again;
mod documents;
mod format;
pub(crate) mod junit;
pub(crate) mod markdown;
pub(crate) mod names;
mod page;
mod span;
mod tree;
pub(crate) mod words;

use std::collections::BTreeSet;
use std::io::{self, BufWriter, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use anstream::{AutoStream, ColorChoice};
use clap::ValueEnum;
use portolan_proto::resolver::v1::CatalogRef;
use portolan_world::WorldFault;
use serde::Serialize;
use serde_json::Value;

pub(crate) use self::again::{ChangePrinter, again};
pub(crate) use self::documents::documents;
pub(crate) use self::format::{Format, OBJECTS, OutputArgs, Remark, Render, TEXT_OR_JSON};
pub(crate) use self::page::{Page, Table, Widths};
pub(crate) use self::span::{Span, one_line};
pub(crate) use self::tree::Branch;
use crate::failure::Failure;

/// The amount of detail in text output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Prints only the beginning of long lists, with a note about the omitted lines.
    Usual,
    /// Prints everything.
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

// === impl Color ===

impl Color {
    /// Sets the amount of detail for all output that follows.
    pub(crate) fn choose(self) {
        match self {
            Self::Auto => ColorChoice::Auto,
            Self::Always => ColorChoice::Always,
            Self::Never => ColorChoice::Never,
        }
        .write_global();
    }
}

/// Prints a response of a service as JSON.
pub(crate) fn json(answer: &impl Serialize) -> Result<(), Failure> {
    // Writes to the output step by step, because the response may be long.
    let mut out = BufWriter::new(io::stdout().lock());
    let made = serde_json::to_writer_pretty(&mut out, answer).map_err(io::Error::from);
    check_write(made.and_then(|()| writeln!(out)).and_then(|()| out.flush())).map(drop)
}

/// Returns objects as one List in JSON, or as several YAML documents.
pub(crate) fn objects(format: Format, objects: &[&Value]) -> Result<String, Failure> {
    if format != Format::Json {
        return documents(objects.iter().copied());
    }
    let list = serde_json::json!({"apiVersion": "v1", "kind": "List", "items": objects});
    Ok(serde_json::to_string_pretty(&list).map_err(Failure::failed)? + "\n")
}

/// Prints a response of a service as YAML.
pub(crate) fn yaml(answer: &impl Serialize) -> Result<(), Failure> {
    // The JSON form of messages is specified, so the YAML output has the same form.
    let answer = serde_json::to_value(answer).map_err(Failure::failed)?;
    text(&serde_saphyr::to_string(&answer).map_err(Failure::failed)?)
}

// === impl Page ===

impl Page {
    /// Appends a warning for each stale catalog to the page.
    pub(crate) fn with_stale(mut self, catalogs: &[CatalogRef]) -> Self {
        warn_of_stale(&mut self, catalogs);
        self
    }
}

/// Prints a warning after the result for each stale catalog, because the content of this catalog
/// may differ from its source.
fn warn_of_stale(page: &mut Page, catalogs: &[CatalogRef]) {
    let stale = catalogs.iter().filter(|catalog| catalog.stale);
    let names: Vec<_> = stale.map(|catalog| catalog.name.as_str()).collect();
    let warning = match names.as_slice() {
        [] => return,
        [name] => format!("catalog {name} is stale, because it"),
        names => format!("catalogs {} are stale, because they", names.join(", ")),
    };
    page.lines([[Span::warning(format!(
        "{warning} could not be reloaded; run `portolan catalog list` to see the reason"
    ))]]);
}

/// Prints a page that is a part of a longer result. Returns false if the output is closed.
pub(crate) fn page(page: Page) -> Result<bool, Failure> {
    write_colored(&page.into_text())
}

/// Prints a text that already contains the colors of a page.
fn write_colored(text: &str) -> Result<bool, Failure> {
    let mut out = AutoStream::auto(io::stdout());
    check_write(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// True if warnings and notes are suppressed.
static IS_SILENT: AtomicBool = AtomicBool::new(false);

/// Suppresses all warnings and notes that follow. Used while command lines are completed.
pub(crate) fn be_silent() {
    IS_SILENT.store(true, Ordering::Relaxed);
}

pub(crate) fn is_silent() -> bool {
    IS_SILENT.load(Ordering::Relaxed)
}

/// True if a warning was printed.
static HAS_WARNED: AtomicBool = AtomicBool::new(false);

/// Returns true if a warning was printed.
pub(crate) fn has_warned() -> bool {
    HAS_WARNED.load(Ordering::Relaxed)
}

/// Prints a warning about the result.
pub(crate) fn warn(message: &str) {
    if is_silent() {
        return;
    }
    HAS_WARNED.store(true, Ordering::Relaxed);
    let start = Span::warning("warning:");
    // Ignores a failed write, because standard error may be closed.
    let _ = writeln!(anstream::stderr(), "{start} {}", one_line(message));
}

/// Prints a warning about an unreadable document. Prints only one warning for each document,
/// although the document may contain objects of several kinds.
pub(crate) fn warn_of_unread(fault: &WorldFault) {
    static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let message = fault.to_string();
    let is_new = TOLD
        .lock()
        .is_ok_and(|mut told| told.insert(message.clone()));
    if is_new {
        warn(&message);
    }
}

/// Prints an error. The command can print several errors.
pub(crate) fn error(message: &str) {
    let start = Span::error("error:");
    // Ignores a failed write, because standard error may be closed.
    let _ = writeln!(anstream::stderr(), "{start} {}", one_line(message));
}

/// Prints a message of several lines: a sentence, and the tree of its reasons.
pub(crate) fn tree(tell: fn(&str), message: &str) {
    let mut lines = message.lines();
    tell(lines.next().unwrap_or_default());
    for line in lines {
        // Ignores a failed write, because standard error may be closed.
        let _ = writeln!(anstream::stderr(), "{}", one_line(line));
    }
}

/// Prints a warning for each catalog with errors, because the result may be incomplete.
pub(crate) fn warn_of_faults(catalogs: &[CatalogRef]) {
    for catalog in catalogs.iter().filter(|each| !each.fault_digest.is_empty()) {
        warn(&format!(
            "catalog {} has errors; run `portolan catalog check` to list the errors",
            catalog.name
        ));
    }
}

/// Prints a note.
pub(crate) fn note(message: &str) {
    if is_silent() {
        return;
    }
    // Ignores a failed write, because standard error may be closed.
    let _ = writeln!(anstream::stderr(), "{}", one_line(message));
}

/// Prints a text without changes.
pub(crate) fn text(text: &str) -> Result<(), Failure> {
    check_write(io::stdout().write_all(text.as_bytes())).map(drop)
}

/// Prints one of several results as a line of JSON. Returns false if the output is closed.
pub(crate) fn json_line(answer: &impl Serialize) -> Result<bool, Failure> {
    let line = serde_json::to_string(answer).map_err(Failure::failed)? + "\n";
    let mut out = io::stdout().lock();
    check_write(out.write_all(line.as_bytes()).and_then(|()| out.flush()))
}

/// Checks the result of a write. A closed pipe is not an error, but returns false.
fn check_write(written: io::Result<()>) -> Result<bool, Failure> {
    match written {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::failed_to("cannot write the output", &error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(stale: &[(&str, bool)]) -> String {
        let catalogs = stale.iter().map(|(name, stale)| CatalogRef {
            name: (*name).to_owned(),
            stale: *stale,
            ..CatalogRef::default()
        });
        let mut page = Page::default();
        page.text_line("the answer");
        warn_of_stale(&mut page, &catalogs.collect::<Vec<_>>());
        anstream::adapter::strip_str(&page.into_text()).to_string()
    }

    #[test]
    fn prints_no_note_for_fresh_catalogs() {
        assert_eq!(render(&[("f", false), ("g", false)]), "the answer\n");
    }

    #[test]
    fn lists_stale_catalogs_on_one_line() {
        assert_eq!(
            render(&[("f", true), ("g", false), ("h", true)]),
            "the answer\n\ncatalogs f, h are stale, because they could not be reloaded; run `portolan catalog list` to see the reason\n"
        );
    }
}
