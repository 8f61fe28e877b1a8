//! Collects the faults of a bundle while its files are parsed.

use std::sync::Arc;

use portolan_core_catalog::node::{self, Broken, Cause, Node};

use crate::fault::{self, BundleFault, Code, Severity};
use crate::folder::Limits;
use crate::json;
use crate::typed::{self, LostFields, Misfit};

/// The faults that were found, and the amount of data that may still be parsed.
pub(super) struct Faults {
    pub(super) all: fault::Faults,
    limits: Limits,
    /// True if a document could not be parsed.
    pub(super) are_unread: bool,
    /// The number of values and of text bytes that may still be parsed. Values that aliases repeat
    /// count each time.
    values: usize,
    bytes: usize,
}

// === impl Faults ===

impl Faults {
    pub(super) fn within(limits: Limits) -> Self {
        Self {
            all: fault::Faults::up_to(limits.faults),
            limits,
            are_unread: false,
            values: limits.values,
            bytes: limits.bytes.saturating_mul(2),
        }
    }

    pub(super) fn add(&mut self, fault: BundleFault) {
        self.all.push(fault);
    }

    /// Calls `read` for a file that OLM v1 ignores. Its errors become warnings, so that they do not
    /// make the bundle invalid.
    pub(super) fn aside<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let told = fault::Faults::up_to(self.limits.faults);
        let before = std::mem::replace(&mut self.all, told);
        let taken = read(self);
        let aside = std::mem::replace(&mut self.all, before);
        for fault in aside.into_faults() {
            self.add(BundleFault {
                severity: Severity::Warning,
                ..fault
            });
        }
        taken
    }

    pub(super) fn misfit(&mut self, file: &Arc<str>, misfit: Misfit) {
        let Misfit { line, sentence, .. } = misfit;
        self.add(BundleFault::error(file, line, Code::Type, sentence));
    }

    pub(super) fn miss(&mut self, file: &str, code: Code, sentence: &str) {
        self.add(BundleFault::error(
            &file.into(),
            0,
            code,
            sentence.to_owned(),
        ));
    }

    pub(super) fn are_fatal(&self) -> bool {
        self.all.are_fatal()
    }

    /// Returns the valid documents of a file. Reports and removes duplicate keys.
    pub(super) fn documents<'b>(&mut self, file: &Arc<str>, bytes: &'b [u8]) -> Vec<Node<'b>> {
        let limits = portolan_core_catalog::Limits {
            values: self.limits.values,
            depth: self.limits.depth,
            document: self.limits.bytes,
            ..Default::default()
        };
        let mut documents = Vec::new();
        for document in node::documents(bytes, &limits) {
            if self.is_spent() {
                break;
            }
            match document.and_then(|document| self.spend(document)) {
                Ok(mut document) => {
                    let mut twins = Vec::new();
                    json::without_twins(&mut document, &mut twins);
                    for (line, key) in twins {
                        let key = typed::shortened(&key);
                        let sentence =
                            format!("`{key}` appears twice in its object; the last one is used");
                        self.add(BundleFault::warning(file, line, Code::KeyTwice, sentence));
                    }
                    documents.push(document);
                }
                Err(broken) => {
                    self.are_unread = true;
                    self.add(BundleFault::broken(file, broken));
                }
            }
        }
        documents
    }

    /// Returns true if the limits do not allow more data.
    fn is_spent(&self) -> bool {
        self.values == 0 || self.bytes == 0
    }

    /// Subtracts the size of a document from the amount of data that may still be parsed.
    fn spend<'b>(&mut self, document: Node<'b>) -> Result<Node<'b>, Broken> {
        let Limits { values, bytes, .. } = self.limits;
        let beyond = |cause| Broken {
            line: document.line,
            cause,
        };
        self.values = self.values.saturating_sub(document.values());
        if self.values == 0 {
            return Err(beyond(Cause::Values(values)));
        }
        self.bytes = self.bytes.saturating_sub(document.bytes());
        if self.bytes == 0 {
            return Err(beyond(Cause::Bytes(bytes.saturating_mul(2))));
        }
        Ok(document)
    }

    /// Adds a warning for each field that the type does not define.
    pub(super) fn lost(&mut self, file: &Arc<str>, what: &str, lost: &LostFields) {
        for (line, field) in &lost.fields {
            let sentence = format!("{what} has no field `{field}`, so it is dropped");
            self.add(BundleFault::warning(
                file,
                *line,
                Code::UnknownField,
                sentence,
            ));
        }
        if lost.others > 0 {
            let others = lost.others;
            let sentence = format!("{what} has {others} more fields that are dropped");
            self.add(BundleFault::warning(file, 0, Code::UnknownField, sentence));
        }
    }
}
