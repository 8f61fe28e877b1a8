//! Rules in CEL, and the dialects that define their variables and functions.

use std::fmt;
use std::sync::Arc;

use cel::common::types::CelBool;
use cel::parser::PrattParser;
use cel::{Context, Env, ExecutionError, IdedExpr};

use crate::cel::bounds;
use crate::cel::functions;
use crate::cel::values::{self, Numbers, Value};

/// A dialect: the variable and the functions that rules of one kind can use.
#[derive(Clone)]
pub struct Dialect {
    variable: &'static str,
    /// The names of the additional functions. The standard functions are in [`functions`].
    functions: &'static [&'static str],
    numbers: Numbers,
    env: Arc<Env>,
}

/// A parsed rule.
#[derive(Clone)]
pub struct Rule {
    text: Arc<str>,
    expression: Arc<IdedExpr>,
    steps: u64,
}

/// The reason why a rule cannot be evaluated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unevaluated {
    /// The value lacks a field that the rule reads.
    NoField(String),
    /// The value is so large that the evaluation would take too long.
    TooLong,
    DividesByZero,
    /// An index or a number is out of range.
    OutOfBounds,
    /// An operation is applied to a value of the wrong type.
    OtherTypes,
}

// === impl Dialect ===

impl Dialect {
    /// Creates a dialect with a variable and the standard functions.
    pub fn new(variable: &'static str, numbers: Numbers) -> Self {
        Self::with(variable, numbers, &[], |_| {})
    }

    /// Creates a dialect with additional functions. `declare` must register each function in
    /// `functions`, and each of them must return a scalar.
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

    /// Returns the type of numbers in values.
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
    /// Parses a rule.
    ///
    /// # Errors
    /// Returns one sentence if the rule is not valid CEL, uses unknown names, may not be a boolean,
    /// or would take too long.
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

    /// Returns the text of the rule.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the maximum number of steps to evaluate the rule, except on very large values.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Returns true if the rule is true for a value.
    ///
    /// # Errors
    /// Returns an error if the rule cannot be evaluated.
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

/// Returns a parser that stops at the maximum nesting depth. The other parser of the `cel` crate
/// continues to search for the end of invalid input.
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

/// The messages contain no part of the value. They may contain names of fields, which are also in
/// the rule.
impl fmt::Display for Unevaluated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoField(name) => write!(f, "there is no field {name:?}"),
            Self::TooLong => f.write_str(
                "the object is too large for the rule, which would take \
             too long",
            ),
            Self::DividesByZero => f.write_str("it divides by zero"),
            Self::OutOfBounds => f.write_str("an index is out of range, or a number is too large"),
            Self::OtherTypes => f.write_str("a value has another type than the rule expects"),
        }
    }
}

impl std::error::Error for Unevaluated {}

#[cfg(test)]
mod tests;
