//! Evaluates rules in CEL, the Common Expression Language.
//!
//! A rule has one variable, `properties`: a list of maps with the keys `type` and `value`. Numbers
//! in values are doubles, as in the JSON parser of OLM. The function `semver_compare` is available
//! in addition to the standard functions of CEL.

mod functions;

use std::borrow::Cow;
use std::sync::LazyLock;

use portolan_core_rules::cel::{Dialect, Numbers, Rule, Value};
use serde_json::json;

use crate::Candidate;

/// The only variable of a rule.
const PROPERTIES: &str = "properties";

/// The maximum size in bytes of the properties on which a rule is evaluated. Real bundles have a
/// few thousand bytes of properties.
const MOST_BYTES: usize = 1 << 20;

static DIALECT: LazyLock<Dialect> = LazyLock::new(|| {
    let functions = &[functions::SEMVER_COMPARE];
    Dialect::with(PROPERTIES, Numbers::Doubles, functions, functions::declare)
});

/// An expression over the properties of a candidate, parsed once.
#[derive(Debug)]
pub struct Cel(Rule);

// === impl Cel ===

impl Cel {
    /// Parses a rule. The error is one sentence. OLM rejects the same rules, except those whose
    /// evaluation would take too long.
    pub(super) fn parse(rule: &str) -> Result<Self, String> {
        Rule::parse(&DIALECT, rule).map(Self)
    }

    pub fn rule(&self) -> &str {
        self.0.text()
    }

    pub(super) fn steps(&self) -> u64 {
        self.0.steps()
    }

    /// Returns true if the expression is true for the candidate. Returns false after an error, as
    /// in OLM, and for a candidate with so many properties that the evaluation would take too long.
    pub(super) fn holds_for(&self, candidate: &Candidate<'_>) -> bool {
        let value = list(&candidate.properties());
        let answer = value.map(|value| self.0.holds_for(&DIALECT, value));
        matches!(answer, Some(Ok(true)))
    }
}

/// Returns the properties as values of CEL. Returns None if they are too large or a value is not
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
