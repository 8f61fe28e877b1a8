//! A rule, and what it may use.

use std::fmt;
use std::sync::Arc;

use cel::common::types::CelBool;
use cel::parser::PrattParser;
use cel::{Context, Env, ExecutionError, IdedExpr};

use crate::cel::bounds;
use crate::cel::functions;
use crate::cel::values::{self, Numbers, Value};

/// The variable that rules of one sort are about, and the functions that they may call.
#[derive(Clone)]
pub struct Dialect {
    variable: &'static str,
    /// Beside the standard ones, which [`functions`] lists.
    functions: &'static [&'static str],
    numbers: Numbers,
    env: Arc<Env>,
}

/// A rule, parsed once.
#[derive(Clone)]
pub struct Rule {
    text: Arc<str>,
    expression: Arc<IdedExpr>,
    steps: u64,
}

/// Why it is not known whether a rule holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unevaluated {
    /// The value has no such field.
    NoField(String),
    /// The value is so big that it would take too long.
    TooLong,
    DividesByZero,
    /// A list is not as long, or a number would be too large.
    OutOfBounds,
    /// Something is of another type than what is done with it takes.
    OtherTypes,
}

// === impl Dialect ===

impl Dialect {
    /// Rules about a variable, which call the standard functions alone.
    pub fn new(variable: &'static str, numbers: Numbers) -> Self {
        Self::with(variable, numbers, &[], |_| {})
    }

    /// Rules that call these functions besides, which `declare` brings. What comes of each is a single
    /// value.
    pub fn with(
        variable: &'static str,
        numbers: Numbers,
        functions: &'static [&'static str],
        declare: impl FnOnce(&mut Env),
    ) -> Self {
        let mut env = Env::stdlib();
        values::declare(&mut env);
        declare(&mut env);
        Self {
            variable,
            functions,
            numbers,
            env: Arc::new(env),
        }
    }

    pub(crate) fn variable(&self) -> &'static str {
        self.variable
    }

    /// The way in which numbers of values are read.
    pub fn numbers(&self) -> Numbers {
        self.numbers
    }

    pub(crate) fn has_function(&self, name: &str) -> bool {
        functions::is_standard(name) || self.is_own(name)
    }

    pub(crate) fn is_own(&self, name: &str) -> bool {
        self.functions.contains(&name)
    }
}

impl fmt::Debug for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Dialect").field(&self.variable).finish()
    }
}

// === impl Rule ===

impl Rule {
    /// Reads a rule.
    ///
    /// # Errors
    /// One sentence: it is no CEL, names what there is not, is not plainly true or false, or would
    /// take too long.
    pub fn parse(dialect: &Dialect, text: &str) -> Result<Self, String> {
        if text.len() > bounds::LONGEST {
            return Err(format!("a rule of more than {} bytes", bounds::LONGEST));
        }
        let expression = parser().parse(text);
        let mut expression = expression.map_err(|errors| {
            let first = errors.errors.first();
            let why = first.map_or("it is no expression", |error| error.msg.as_str());
            format!("the rule is not CEL: {why}")
        })?;
        let steps = bounds::steps(dialect, &expression)?;
        values::settle(&mut expression);
        Ok(Self {
            text: text.into(),
            expression: Arc::new(expression),
            steps,
        })
    }

    /// As it is written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The most steps that it takes for all but the biggest values.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Whether it is true of a value.
    ///
    /// # Errors
    /// The answer is not known.
    pub fn holds_for(&self, dialect: &Dialect, value: Value) -> Result<bool, Unevaluated> {
        if !bounds::is_short(dialect, &self.expression, value.bounds) {
            return Err(Unevaluated::TooLong);
        }
        let mut context = Context::with_env(Arc::clone(&dialect.env));
        context.add_variable_as_val(dialect.variable, value.val);
        let answer = cel::Value::resolve_val(&self.expression, &context);
        let answer = answer.map_err(|error| Unevaluated::of(&error))?;
        let claim = answer.downcast_ref::<CelBool>().map(|claim| *claim.inner());
        claim.ok_or(Unevaluated::OtherTypes)
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Rule {}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Rule").field(&self.text).finish()
    }
}

/// Unlike the other parser of the crate, this one stops where it is nested too deep, whatever the
/// text: the other one goes on to look for the end of what it cannot read.
fn parser() -> PrattParser {
    PrattParser::new().max_recursion_depth(bounds::DEEPEST)
}

// === impl Unevaluated ===

impl Unevaluated {
    fn of(error: &ExecutionError) -> Self {
        use ExecutionError as Error;
        if let Error::NoSuchKey(name) = error {
            Self::NoField(name.to_string())
        } else if let Error::DivisionByZero(_) | Error::RemainderByZero(_) = error {
            Self::DividesByZero
        } else if let Error::IndexOutOfBounds(_) | Error::Overflow(..) = error {
            Self::OutOfBounds
        } else {
            Self::OtherTypes
        }
    }
}

/// It says nothing of what the value holds but for names of fields, which the rule has as well.
impl fmt::Display for Unevaluated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoField(name) => write!(f, "there is no field {name:?}"),
            Self::TooLong => f.write_str("the object is so big that the rule would take too long"),
            Self::DividesByZero => f.write_str("it divides by zero"),
            Self::OutOfBounds => {
                f.write_str("a list is not as long as it takes, or a number is too large")
            }
            Self::OtherTypes => {
                f.write_str("something is of another type than the rule takes it for")
            }
        }
    }
}

impl std::error::Error for Unevaluated {}

#[cfg(test)]
mod tests;
