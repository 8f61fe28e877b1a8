//! Evaluates constraints in CEL, the Common Expression Language.
//!
//! An expression has one variable, `properties`: a list of maps with the keys `type` and `value`.
//! Numbers in values are doubles, as in the JSON parser of OLM. In addition to the standard
//! functions of CEL, expressions can call `semver_compare`.

mod functions;

use std::borrow::Cow;
use std::sync::LazyLock;

use portolan_core_rules::cel::{Dialect, Numbers, Rule, Value};
use serde_json::json;

use crate::Candidate;

/// The name of the only variable of an expression.
const PROPERTIES: &str = "properties";

/// The maximum size of a candidate's properties in bytes. Expressions are not evaluated on more
/// bytes. Real bundles have a few thousand bytes of properties.
const MOST_BYTES: usize = 1 << 20;

static DIALECT: LazyLock<Dialect> = LazyLock::new(|| {
    let functions = &[functions::SEMVER_COMPARE];
    Dialect::with(PROPERTIES, Numbers::Doubles, functions, functions::declare)
});

/// An expression about the properties of a candidate. It is parsed only once.
#[derive(Debug)]
pub struct Cel(Rule);

// === impl Cel ===

impl Cel {
    /// Parses an expression. The error is one sentence. OLM rejects the same expressions, except
    /// expressions whose evaluation could take too long, which only Portolan rejects.
    pub(super) fn parse(rule: &str) -> Result<Self, String> {
        Rule::parse(&DIALECT, rule).map(Self)
    }

    pub fn rule(&self) -> &str {
        self.0.text()
    }

    pub(super) fn steps(&self) -> u64 {
        self.0.steps()
    }

    /// Returns true if the expression is true for the candidate. Returns false if the evaluation
    /// fails, as in OLM. Also returns false if the candidate has so many properties that the
    /// evaluation would take too long.
    pub(super) fn holds_for(&self, candidate: &Candidate<'_>) -> bool {
        let value = list(&candidate.properties());
        let answer = value.map(|value| self.0.holds_for(&DIALECT, value));
        matches!(answer, Some(Ok(true)))
    }
}

/// Returns the properties as a CEL value. Returns None if they are too large, or if a value is not
/// JSON.
fn list(properties: &[(&str, Cow<'_, str>)]) -> Option<Value> {
    let bytes: usize = properties.iter().map(|(_, value)| value.len()).sum();
    if bytes > MOST_BYTES {
        return None;
    }
    let properties = properties.iter().map(|(kind, value)| {
        let value: serde_json::Value = serde_json::from_str(value).ok()?;
        Some(json!({"type": kind, "value": value}))
    });
    let all: Option<serde_json::Value> = properties.collect();
    Some(Value::of(all?, Numbers::Doubles))
}
