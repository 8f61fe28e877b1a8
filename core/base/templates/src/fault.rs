//! Faults of templates with their positions, in the wording of Go's text/template.

use thiserror::Error;

/// The reason why a template has no result.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}", self.sentence())]
pub struct TemplateFault {
    /// The line number, starting at 1.
    pub line: u32,
    /// The number of bytes before the node on its line. None for a fault in a
    /// text that could not be parsed.
    pub column: Option<usize>,
    /// The name of the template, and the node that was being evaluated.
    pub executing: Option<(String, String)>,
    pub message: String,
}

/// The limits of an evaluation. Their purpose is that a template of an untrusted author, or with a
/// mistake, ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Limit {
    #[error("it takes more than {MOST_STEPS} steps; a loop in it has too many rounds")]
    Steps,
    #[error("it makes more than {MOST_BYTES} bytes of text")]
    Bytes,
    #[error("templates invoke each other more than {DEEPEST} deep")]
    Depth,
    #[error(
        "branches and pipelines in templates that invoke each other are nested more than {MOST_LEVELS} deep"
    )]
    Levels,
    #[error("it reads more than {MOST_OBJECTS} objects or lists of them")]
    Objects,
    #[error("a value in it is nested too deeply")]
    Nesting,
}

pub(crate) const MOST_STEPS: u64 = 1_000_000;
pub(crate) const MOST_BYTES: usize = 1 << 20;
/// The maximum number of objects that a template looks up. Portolan watches each of these objects.
pub(crate) const MOST_OBJECTS: usize = 50;
pub(crate) const DEEPEST: usize = 50;
/// The maximum nesting depth of calls. The evaluation is recursive, so it limits the stack.
pub(crate) const MOST_LEVELS: usize = 250;

// === impl TemplateFault ===

impl TemplateFault {
    pub(crate) fn parsing(line: u32, message: impl Into<String>) -> Self {
        Self {
            line,
            column: None,
            executing: None,
            message: message.into(),
        }
    }

    fn sentence(&self) -> String {
        let mut sentence = format!("template: tmpl:{}", self.line);
        if let Some(column) = self.column {
            sentence += &format!(":{column}");
        }
        if let Some((name, part)) = &self.executing {
            sentence += &format!(": executing {name:?} at <{part}>");
        }
        sentence + ": " + &self.message
    }
}
