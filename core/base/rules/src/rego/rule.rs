//! Rules in Rego. A rule is parsed once and evaluated many times.

use std::collections::BTreeSet;
use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::Timestamp;
use regorus::{Engine, Value};
use serde_json::Value as Json;
use thiserror::Error;

use crate::rego::deep::deep;
use crate::rego::fault::message;
use crate::rego::text::{PACKAGE, module};
use crate::rego::{Failure, MOST_STEPS, RuleFault, steps, time, tokens, tree};

/// The maximum length of a rule, in bytes.
pub const LONGEST: usize = 16 * 1024;

/// The name of the module in messages of the engine.
pub(crate) const FILE: &str = "policy";

/// A parsed rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    text: String,
    inputs: BTreeSet<Vec<String>>,
}

/// The result of evaluating a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ruling {
    pub allows: bool,
    /// True if the rule has read the time. Then its result may be different at another time.
    pub asks_for_time: bool,
}

/// The reason why the evaluation of a rule has no result.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Unjudged {
    #[error("takes more than {MOST_STEPS} steps")]
    TooLong,
    #[error("its allow is {0}; it must be true or false")]
    NoFlag(&'static str),
    #[error("fails at {0}")]
    Fails(RuleFault),
    #[error("cannot be evaluated here: {0}")]
    Failed(#[from] Failure),
}

// === impl Rule ===

impl Rule {
    /// Parses a rule: the text of a module without its package. Takes a few milliseconds at most,
    /// and starts no thread.
    ///
    /// # Errors
    /// Returns the first fault. A rule has a fault if it takes too long to parse, is not valid
    /// Rego, uses undefined names, calls unsupported functions, or does not define `allow`.
    pub fn parse(text: &str) -> Result<Self, RuleFault> {
        if text.len() > LONGEST {
            let message = format!("has {} bytes; at most {LONGEST} are allowed", text.len());
            return Err(fault_of_all(message));
        }
        // A text that makes the engine panic does so each time, so it is never a valid rule.
        let checked = panic::catch_unwind(|| check(text));
        let checked = checked.unwrap_or_else(|_| Err(fault_of_all(Failure::Engine.to_string())));
        Ok(Self {
            text: text.to_owned(),
            inputs: checked?,
        })
    }

    /// Returns the fields of the input document that the rule reads, as paths without `input`. A
    /// path ends before the first part that is known only during evaluation. Returns no fields if
    /// the rule replaces its input.
    pub fn inputs(&self) -> &BTreeSet<Vec<String>> {
        &self.inputs
    }

    /// Returns the text of the rule.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Evaluates the rule on an input document at a time. If `allow` is undefined, the result is a
    /// denial.
    ///
    /// # Errors
    /// Returns an error if the evaluation fails or exceeds a limit.
    pub fn judge(&self, input: &Json, at: Timestamp) -> Result<Ruling, Unjudged> {
        deep(|| self.evaluate(input, at))?
    }

    fn evaluate(&self, input: &Json, at: Timestamp) -> Result<Ruling, Unjudged> {
        let asked = Arc::<AtomicBool>::default();
        let module = module(&self.text).map_err(Unjudged::Fails)?;
        let mut engine = engine(module, at, &asked).map_err(Unjudged::Fails)?;
        engine.set_input(Value::from(input.clone()));
        let found = engine.eval_rule(format!("{PACKAGE}.allow"));
        let found = found.map_err(|error| {
            let text = error.to_string();
            if steps::is_about_steps(&text) {
                Unjudged::TooLong
            } else {
                Unjudged::Fails(RuleFault::printed(&text))
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
}

fn engine(module: String, at: Timestamp, asked: &Arc<AtomicBool>) -> Result<Engine, RuleFault> {
    let mut engine = Engine::new();
    engine.set_rego_v0(false);
    // In strict mode, the rule has no result if a built-in function fails. OPA is not strict: it
    // continues without the result of the function.
    engine.set_strict_builtin_errors(false);
    steps::limit(&mut engine);
    time::offer(&mut engine, at, asked);
    let read = engine.add_policy(FILE.to_owned(), module);
    read.map_err(|error| printed(&error))?;
    Ok(engine)
}

/// Checks the text of a rule. Returns the fields of the input document that the rule reads.
fn check(text: &str) -> Result<BTreeSet<Vec<String>>, RuleFault> {
    let module = module(text)?;
    tokens::check(&module)?;
    let mut engine = engine(module, Timestamp::UNIX_EPOCH, &Arc::default())?;
    let mut inputs = BTreeSet::new();
    for module in engine.get_modules().iter() {
        inputs.extend(tree::check(module)?);
    }
    let entry = format!("{PACKAGE}.allow").into();
    let compiled = engine.compile_with_entrypoint(&entry);
    compiled.map_err(|error| printed(&error))?;
    Ok(inputs)
}

fn fault_of_all(message: String) -> RuleFault {
    RuleFault {
        line: 1,
        column: 1,
        message,
    }
}

fn printed(error: &impl ToString) -> RuleFault {
    let text = error.to_string();
    let mut fault = RuleFault::printed(&text);
    if message(&text).contains("`package`") {
        fault.message = "omit the package; it is added automatically".to_owned();
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
