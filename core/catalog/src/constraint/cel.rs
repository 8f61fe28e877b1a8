//! Rules in CEL, the Common Expression Language.
//!
//! A rule sees one variable, `properties`: a list of maps with the keys `type` and `value`. Numbers
//! in values are doubles, as OLM's reader of JSON makes them. Beside the functions that CEL calls
//! standard there is `semver_compare`. Rules come with other people's catalogs, so nothing is
//! evaluated before [`bounds`] has said how long that can take.

mod bounds;
mod functions;
mod values;

use std::fmt;
use std::sync::{Arc, LazyLock};

use cel::common::types::CelBool;
use cel::parser::PrattParser;
use cel::{Context, Env, IdedExpr, Value};

use self::bounds::Bounds;
use crate::Candidate;

/// The one variable of a rule.
const PROPERTIES: &str = "properties";

/// The standard functions and ours; [`functions`] lists those that a rule can call.
static ENV: LazyLock<Arc<Env>> = LazyLock::new(|| Arc::new(functions::env()));

/// An expression over the properties of a candidate, parsed once.
pub struct Cel {
    rule: Box<str>,
    expression: IdedExpr,
    steps: u64,
}

// === impl Cel ===

impl Cel {
    /// Reads a rule; the refusal is one sentence. OLM would refuse the same ones, but for those
    /// that would take too long.
    pub(super) fn parse(rule: &str) -> Result<Self, String> {
        if rule.len() > bounds::LONGEST {
            return Err(format!("a rule of more than {} bytes", bounds::LONGEST));
        }
        let expression = parser().parse(rule);
        let mut expression = expression.map_err(|errors| {
            let first = errors.errors.first();
            let why = first.map_or("it is no expression", |error| error.msg.as_str());
            format!("the rule is not CEL: {why}")
        })?;
        let steps = bounds::steps(&expression)?;
        values::settle(&mut expression);
        Ok(Self {
            rule: rule.into(),
            expression,
            steps,
        })
    }

    pub fn rule(&self) -> &str {
        &self.rule
    }

    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    /// Whether the expression is true of the candidate. An error is a no, as with OLM, and so is a
    /// candidate with so many properties that the answer would take too long.
    pub(super) fn holds_for(&self, candidate: &Candidate<'_>) -> bool {
        let properties = candidate.properties();
        let Some((list, bounds)) = values::list(&properties) else {
            return false;
        };
        if !bounds::is_short(&self.expression, bounds) {
            return false;
        }
        let mut context = Context::with_env(Arc::clone(&ENV));
        context.add_variable_as_val(PROPERTIES, Box::new(list));
        let answer = Value::resolve_val(&self.expression, &context);
        answer.is_ok_and(|value| {
            value
                .downcast_ref::<CelBool>()
                .is_some_and(|holds| *holds.inner())
        })
    }
}

impl fmt::Debug for Cel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cel").field(&self.rule).finish()
    }
}

/// Unlike the other parser of the crate, this one stops where it is nested too deep, whatever the
/// text: the other one goes on to look for the end of what it cannot read.
fn parser() -> PrattParser {
    PrattParser::new().max_recursion_depth(bounds::DEEPEST)
}
