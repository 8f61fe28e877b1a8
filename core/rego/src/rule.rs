//! A rule: read once, and asked again and again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::Timestamp;
use regorus::{Engine, Value};
use serde_json::Value as Json;
use thiserror::Error;

use crate::deep::deep;
use crate::fault::message;
use crate::text::{PACKAGE, module};
use crate::{Failure, Fault, MOST_STEPS, calls, steps, time};

/// The longest text of a rule, in bytes.
pub const LONGEST: usize = 16 * 1024;

/// The name of a module in the messages of the engine.
const FILE: &str = "policy";

/// A text that is a rule, as far as it could be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    text: String,
    /// The failure that kept it from being read; then it is not known whether it is a rule.
    unread: Option<Failure>,
}

/// The answer of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ruling {
    pub allows: bool,
    /// Whether it has looked at the time, so that another time may have another answer.
    pub asks_for_time: bool,
}

/// A question that a rule has no answer to.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Unjudged {
    #[error("takes more than {MOST_STEPS} steps")]
    TooLong,
    #[error("has an allow that is {0}, and neither true nor false")]
    NoFlag(&'static str),
    #[error("fails at {0}")]
    Fails(Fault),
    /// It could not be read before, and turns out to be none.
    #[error("is refused: {0}")]
    NoRule(Fault),
    #[error("cannot be asked here: {0}")]
    Failed(#[from] Failure),
}

// === impl Rule ===

impl Rule {
    /// Reads the rules of a module, without its package. See [`Self::unread`].
    ///
    /// # Errors
    /// The first thing that is wrong with it: it is no Rego, something in it is defined nowhere, it calls
    /// what is not offered, or it has no `allow`.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        if text.len() > LONGEST {
            let message = format!("has {} bytes, and the most are {LONGEST}", text.len());
            return Err(Fault {
                line: 1,
                column: 1,
                message,
            });
        }
        let rule = Self {
            text: text.to_owned(),
            unread: None,
        };
        match deep(|| rule.check()) {
            Ok(read) => read.map(|()| rule),
            Err(failure) => Ok(Self {
                unread: Some(failure),
                ..rule
            }),
        }
    }

    /// The failure that kept it from being read, so that it is not known whether it is a rule.
    pub fn unread(&self) -> Option<&Failure> {
        self.unread.as_ref()
    }

    fn check(&self) -> Result<(), Fault> {
        let mut engine = self.engine(Timestamp::UNIX_EPOCH, &Arc::default())?;
        let ast = engine.get_ast_as_json().map_err(|error| printed(&error))?;
        // What is nested too deep to be looked through would be to be evaluated as well.
        let ast: Json = serde_json::from_str(&ast).map_err(|_| Fault {
            line: 1,
            column: 1,
            message: "has an expression of too many parts; give some of them a name".to_owned(),
        })?;
        calls::check(&ast)?;
        let entry = format!("{PACKAGE}.allow").into();
        let compiled = engine.compile_with_entrypoint(&entry);
        compiled.map(drop).map_err(|error| printed(&error))
    }

    /// As it is written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Judges a document at a time. What the rule leaves open it does not allow.
    ///
    /// # Errors
    /// It has no answer.
    pub fn judge(&self, input: &Json, at: Timestamp) -> Result<Ruling, Unjudged> {
        deep(|| {
            if self.unread.is_some() {
                self.check().map_err(Unjudged::NoRule)?;
            }
            self.evaluate(input, at)
        })?
    }

    fn evaluate(&self, input: &Json, at: Timestamp) -> Result<Ruling, Unjudged> {
        let asked = Arc::<AtomicBool>::default();
        let mut engine = self.engine(at, &asked).map_err(Unjudged::Fails)?;
        engine.set_input(Value::from(input.clone()));
        let found = engine.eval_rule(format!("{PACKAGE}.allow"));
        let found = found.map_err(|error| {
            let text = error.to_string();
            if steps::is_about_steps(&text) {
                Unjudged::TooLong
            } else {
                Unjudged::Fails(Fault::printed(&text))
            }
        })?;
        let allows = match &found {
            Value::Bool(allows) => *allows,
            Value::Undefined => false,
            other => return Err(Unjudged::NoFlag(type_of(other))),
        };
        let asks_for_time = asked.load(Ordering::Relaxed);
        Ok(Ruling {
            allows,
            asks_for_time,
        })
    }

    fn engine(&self, at: Timestamp, asked: &Arc<AtomicBool>) -> Result<Engine, Fault> {
        let mut engine = Engine::new();
        engine.set_rego_v0(false);
        // What cannot be computed leaves the rule without an answer, where OPA goes on without it.
        engine.set_strict_builtin_errors(false);
        steps::limit(&mut engine);
        time::offer(&mut engine, at, asked);
        let read = engine.add_policy(FILE.to_owned(), module(&self.text)?);
        read.map_err(|error| printed(&error))?;
        Ok(engine)
    }
}

fn printed(error: &impl ToString) -> Fault {
    let text = error.to_string();
    let mut fault = Fault::printed(&text);
    if message(&text).contains("`package`") {
        fault.message = "leave the package out; the rule is put into one".to_owned();
    }
    fault
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Set(_) => "a set",
        Value::Object(_) => "an object",
        Value::Undefined => "undefined",
    }
}
