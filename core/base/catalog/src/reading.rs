//! The parsed documents of one file.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::document::{Document, Interner, Note};
use crate::fault::{Defect, Fault};
use crate::{Limits, Reader};

/// The parsed documents of a file, and the faults of its invalid documents.
///
/// A Reading is immutable. [`Catalog::of`](crate::Catalog::of) combines the Readings of several
/// files into a catalog. A caller that keeps the Readings must read only changed files again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    pub(crate) file: Arc<str>,
    pub(crate) documents: Vec<Document>,
    pub(crate) faults: Vec<Fault>,
    pub(crate) foreign: BTreeMap<String, u64>,
}

/// The maximum number of unknown schemas that are counted separately for a file. Further schemas
/// are counted together.
const MOST_SCHEMAS: usize = 100;

/// Builds a [`Reading`].
#[derive(Debug)]
pub(crate) struct Builder {
    pub(crate) reading: Reading,
    pub(crate) interner: Interner,
    pub(crate) limits: Limits,
    /// The line of the first fault that is not listed, and the number of such faults.
    unlisted: Option<(u64, u64)>,
}

// === impl Reading ===

impl Reading {
    /// Reads a file that is in memory.
    pub fn of(file: &str, bytes: &[u8]) -> Self {
        let mut reader = Reader::new(file);
        // If the file is too large, the bytes beyond the limit are skipped. A fault reports this,
        // so the result of `feed` is not needed.
        let _ = reader.feed(bytes);
        reader.finish()
    }

    /// Returns the name of the file that the caller gave.
    pub fn file(&self) -> &str {
        &self.file
    }

    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }
}

// === impl Builder ===

impl Builder {
    pub(crate) fn new(file: &str, limits: &Limits) -> Self {
        Self {
            reading: Reading {
                file: file.into(),
                documents: Vec::new(),
                faults: Vec::new(),
                foreign: BTreeMap::new(),
            },
            interner: Interner::default(),
            limits: *limits,
            unlisted: None,
        }
    }

    /// Adds a fault of the whole file, or of a document that cannot be parsed.
    pub(crate) fn fault(&mut self, line: u64, defect: Defect) {
        self.fault_of(
            None,
            Note {
                line,
                subject: String::new(),
                defect,
            },
        );
    }

    pub(crate) fn fault_of(&mut self, package: Option<&str>, note: Note) {
        let Note {
            line,
            subject,
            defect,
        } = note;
        if self.reading.faults.len() >= self.limits.faults {
            return self.leave_out(line, 1);
        }
        self.reading.faults.push(Fault {
            file: Arc::clone(&self.reading.file),
            line,
            package: package.map(|name| crate::node::excerpt(name).into_owned()),
            subject,
            defect,
        });
    }

    /// Counts faults that are not listed. `line` is the line of the first of them.
    pub(crate) fn leave_out(&mut self, line: u64, faults: u64) {
        if faults > 0 {
            let (_, count) = self.unlisted.get_or_insert((line, 0));
            *count += faults;
        }
    }

    pub(crate) fn foreign(&mut self, schema: &str) {
        let foreign = &mut self.reading.foreign;
        let schema = if foreign.len() < MOST_SCHEMAS || foreign.contains_key(schema) {
            crate::node::excerpt(schema).into_owned()
        } else {
            "…".to_owned()
        };
        *foreign.entry(schema).or_default() += 1;
    }

    pub(crate) fn finish(self) -> Reading {
        let mut reading = self.reading;
        if let Some((line, count)) = self.unlisted {
            reading.faults.push(Fault {
                file: Arc::clone(&reading.file),
                line,
                package: None,
                subject: String::new(),
                defect: Defect::More(count),
            });
        }
        reading
    }
}
