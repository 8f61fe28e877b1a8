//! Creates the failures of an evaluation, with their positions. A failure that depends on a Secret
//! contains nothing that could reveal the Secret.

use super::{Done, Evaluation, Stop};
use crate::fault::{Limit, TemplateFault};
use crate::host::Failure;
use crate::origin::Origins;
use crate::print::plain;
use crate::value::{Shape, Value};

/// The state at the start of a branch, to which the evaluation returns after a hidden failure.
#[derive(Clone)]
pub(super) struct Around {
    depth: usize,
    levels: usize,
    left: Origins,
}

impl Evaluation<'_, '_, '_> {
    pub(super) fn around(&self) -> Around {
        Around {
            depth: self.depth,
            levels: self.levels,
            left: self.left.clone(),
        }
    }

    /// Ends the effect of a hidden failure after the branch in which it occurred, if the position
    /// after the branch does not depend on a Secret. Then returns `instead`, and the evaluation
    /// continues.
    pub(super) fn contained<T>(
        &mut self,
        before: &Origins,
        around: Around,
        done: Done<T>,
        instead: T,
    ) -> Done<T> {
        match done {
            Err(Stop::Hidden) if before.is_empty() && !self.host.is_spent() => {
                self.host.has_failed = true;
                let Around {
                    depth,
                    levels,
                    left,
                } = around;
                (self.depth, self.levels, self.left) = (depth, levels, left);
                Ok(instead)
            }
            done => done,
        }
    }

    /// Returns the text of a value for a message. The value must not depend on a Secret.
    pub(super) fn plain_text(value: &Value) -> String {
        let text = plain(value).unwrap_or_default();
        String::from_utf8_lossy(&text).into_owned()
    }

    pub(super) fn cut(&self, limit: Limit) -> Stop {
        self.stop(limit.to_string())
    }

    pub(super) fn cut_about(&self, origins: &Origins, limit: Limit) -> Stop {
        if origins.is_empty() {
            return self.cut(limit);
        }
        Stop::Hidden
    }

    pub(super) fn fail<T>(&self, message: impl Into<String>) -> Done<T> {
        Err(self.stop(message.into()))
    }

    /// Fails because of a value that depends on these Secrets.
    pub(super) fn fail_about(
        &mut self,
        origins: &Origins,
        message: impl Into<String>,
    ) -> Done<Value> {
        if origins.is_empty() {
            return self.fail(message);
        }
        self.hidden(origins)
    }

    /// Returns a replacement for a value whose computation failed because of these Secrets.
    pub(super) fn hidden(&mut self, origins: &Origins) -> Done<Value> {
        if !self.host.branch.is_empty() || self.host.is_spent() {
            return Err(Stop::Hidden);
        }
        self.host.has_failed = true;
        Ok(Value::from(Shape::Missing).depending_on(&origins.chosen()))
    }

    pub(super) fn failed(&self, name: &str, failure: Failure) -> Stop {
        match failure {
            Failure::Unread => Stop::Unread,
            Failure::Hidden(_) => Stop::Hidden,
            Failure::Cut(limit) => self.cut(limit),
            Failure::Said(message) => self.stop(format!("error calling {name}: {message}")),
        }
    }

    pub(super) fn stop(&self, message: String) -> Stop {
        if self.host.branch.is_empty() {
            self.fault(message)
        } else {
            Stop::Hidden
        }
    }

    pub(super) fn fault(&self, message: String) -> Stop {
        let (at, part) = self.place;
        let before = &self.template.text[..at];
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        Stop::Fault(TemplateFault {
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: Some(before.len() - before.rfind('\n').map_or(0, |end| end + 1)),
            executing: Some((self.name.to_owned(), part.to_string())),
            message,
        })
    }
}
