//! The documents of one file.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::document::{Document, Interner, Note};
use crate::fault::{Defect, Fault};
use crate::{Limits, Reader};

/// The parsed documents of a file, and the faults of the documents that could not be parsed.
///
/// A reading never changes. [`Catalog::of`](crate::Catalog::of) combines several readings into a
/// catalog. A caller that keeps its readings only reads changed files again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    pub(crate) file: Arc<str>,
    pub(crate) documents: Vec<Document>,
    pub(crate) faults: Vec<Fault>,
    pub(crate) foreign: BTreeMap<String, u64>,
}

/// The maximum number of foreign schemas of a file that are listed. Further ones are counted
/// together.
const MOST_SCHEMAS: usize = 100;

/// A reading under construction.
#[derive(Debug)]
pub(crate) struct Builder {
    pub(crate) reading: Reading,
    pub(crate) interner: Interner,
    pub(crate) limits: Limits,
    /// The number of faults beyond the maximum, and the line of the first of them.
    unlisted: Option<(u64, u64)>,
}

// === impl Reading ===

impl Reading {
    /// Reads a file that is in memory.
    pub fn of(file: &str, bytes: &[u8]) -> Self {
        let mut reader = Reader::new(file);
        // The bytes beyond the limit are skipped, and a fault reports them, as for a file.
        let _ = reader.feed(bytes);
        reader.finish()
    }

    /// Returns the file, as named by the caller.
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

    /// Records a fault of the whole file, or of a document that cannot be read at all.
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

    /// Counts faults that are not listed.
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
