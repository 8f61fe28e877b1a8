//! Computes the maximum cost of a rule before the rule is evaluated.
//!
//! The analysis traverses an expression once, with the sizes of values instead of the values. The
//! size is the maximum length of any list in the value, and the total number of its parts. A
//! comprehension (`all`, `exists`, `map` and similar macros) evaluates its body once for each
//! element. CEL has no other loops and no recursion, so the real cost is never above the computed
//! cost.
//!
//! The analysis also rejects unknown names, unknown functions, and expressions whose result may not
//! be a boolean.

use cel::IdedExpr;
use cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, LiteralValue, operators};

use crate::cel::functions::{CLAIMS, TYPES, is_claim};
use crate::cel::rule::Dialect;

/// The maximum length of a rule, in bytes.
pub const LONGEST: usize = 4096;

/// The maximum nesting depth of an expression after its macros are expanded.
pub(crate) const DEEPEST: u16 = 64;

/// The maximum number of steps to evaluate a rule on one value. They take about 50 milliseconds.
const MOST_STEPS: u64 = 1_000_000;

const TOO_LONG: &str = "the rule would take too long: it iterates over nested lists";

/// The maximum number of names in scope. Each comprehension adds two names, so four comprehensions
/// can be nested. The time of this analysis doubles with each nested comprehension.
const MOST_NAMES: usize = 8;

/// The size of a large value. A rule is rejected if its evaluation on a value of this size needs
/// too many steps.
const MANY: Bounds = Bounds {
    longest: 64,
    parts: 1024,
};

/// The number of bytes of text that count as one part.
const TEXT_PART: usize = 16;

/// The size of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The maximum length of any list or map in the value, including the value itself.
    longest: u64,
    /// The number of parts of the value. Each scalar is a part. A long text counts as several
    /// parts.
    parts: u64,
}

/// The number of steps to evaluate an expression, and the size of its result.
struct Cost {
    steps: u64,
    value: Bounds,
}

/// The names that an expression can use. Names of inner comprehensions are last.
struct Scope<'e> {
    dialect: &'e Dialect,
    names: Vec<(&'e str, Bounds)>,
    depth: u16,
}

/// Returns the maximum number of steps to evaluate a rule, except on very large values.
///
/// # Errors
///
/// Returns the reason why the rule is rejected, as a sentence.
pub(crate) fn steps(dialect: &Dialect, rule: &IdedExpr) -> Result<u64, String> {
    let cost = Scope::over(dialect, MANY).expression(rule)?;
    if !is_claim(&rule.expr) {
        return Err("the rule must be true or false".to_owned());
    }
    match cost.steps {
        steps @ ..=MOST_STEPS => Ok(steps),
        _ => Err(TOO_LONG.to_owned()),
    }
}

/// Returns true if the rule can be evaluated quickly on a value of this size.
pub(crate) fn is_short(dialect: &Dialect, rule: &IdedExpr, value: Bounds) -> bool {
    let cost = Scope::over(dialect, value).expression(rule);
    cost.is_ok_and(|cost| cost.steps <= MOST_STEPS)
}

// === impl Bounds ===

impl Bounds {
    /// The size of a scalar.
    pub(crate) const ONE: Self = Self {
        longest: 0,
        parts: 1,
    };

    pub(crate) fn of_list(length: usize) -> Self {
        Self {
            longest: length as u64,
            parts: length as u64 + 1,
        }
    }

    pub(crate) fn of_text(bytes: usize) -> Self {
        Self {
            longest: 0,
            parts: (bytes / TEXT_PART) as u64 + 1,
        }
    }

    /// Adds the size of another value in the same container.
    pub(crate) fn add(&mut self, other: Self) {
        self.longest = self.longest.max(other.longest);
        self.parts = self.parts.saturating_add(other.parts);
    }

    pub(crate) fn add_text(&mut self, bytes: usize) {
        self.add(Self::of_text(bytes));
    }

    /// Returns the size of the concatenation of two values, as with the operator `+`.
    fn joined(self, other: Self) -> Self {
        Self {
            longest: self.longest.saturating_add(other.longest),
            parts: self.parts.saturating_add(other.parts),
        }
    }
}

// === impl Scope ===

impl<'e> Scope<'e> {
    fn over(dialect: &'e Dialect, value: Bounds) -> Self {
        Self {
            dialect,
            names: vec![(dialect.variable(), value)],
            depth: 0,
        }
    }

    fn expression(&mut self, expression: &'e IdedExpr) -> Result<Cost, String> {
        if self.depth > DEEPEST {
            return Err(format!("the rule is nested deeper than {DEEPEST}"));
        }
        self.depth += 1;
        let cost = match &expression.expr {
            Expr::Ident(name) => self.name(name).map(Cost::free),
            Expr::Literal(literal) => Ok(Cost::free(literal_size(literal))),
            Expr::Select(select) => self.expression(&select.operand).map(Cost::and_one),
            Expr::List(list) => self.all(&list.elements),
            Expr::Map(map) => self.entries(map.entries.iter().map(|entry| &entry.expr)),
            Expr::Call(call) => self.call(call),
            Expr::Comprehension(comprehension) => self.comprehension(comprehension),
            Expr::Struct(_) => Err("a rule knows no messages".to_owned()),
            Expr::Unspecified => Err("the rule is not CEL".to_owned()),
        };
        self.depth -= 1;
        cost
    }

    fn name(&self, name: &str) -> Result<Bounds, String> {
        let mut known = self.names.iter().rev();
        match known.find(|(known, _)| *known == name) {
            Some((_, size)) => Ok(*size),
            None if TYPES.contains(&name) => Ok(Bounds::ONE),
            None => Err(format!(
                "the rule uses {name:?}, but only {:?} exists",
                self.dialect.variable()
            )),
        }
    }

    /// Returns the cost of the elements of a list literal.
    fn all(&mut self, elements: &'e [IdedExpr]) -> Result<Cost, String> {
        let mut cost = Cost::free(Bounds::of_list(elements.len()));
        for element in elements {
            cost.add(self.expression(element)?);
        }
        Ok(cost)
    }

    fn entries(&mut self, entries: impl Iterator<Item = &'e EntryExpr>) -> Result<Cost, String> {
        let mut cost = Cost::free(Bounds::ONE);
        for entry in entries {
            let EntryExpr::MapEntry(entry) = entry else {
                return Err("a rule knows no messages".to_owned());
            };
            cost.add(self.expression(&entry.key)?);
            cost.add(self.expression(&entry.value)?);
            cost.value.longest = cost.value.longest.saturating_add(1);
        }
        Ok(cost)
    }

    /// Returns the cost of a function call. A function may read all its arguments, and its result
    /// is not larger than all arguments together.
    fn call(&mut self, call: &'e CallExpr) -> Result<Cost, String> {
        let name = call.func_name.as_str();
        if !self.dialect.has_function(name) {
            return Err(format!(
                "the rule calls {name:?}, which is not available in rules"
            ));
        }
        let is_plain = [operators::INDEX, operators::CONDITIONAL].contains(&name);
        let mut cost = Cost::free(Bounds::ONE);
        for argument in call.target.iter().map(AsRef::as_ref).chain(&call.args) {
            let Cost { steps, value } = self.expression(argument)?;
            let looked_at = if is_plain { 1 } else { value.parts };
            cost.steps = cost.steps.saturating_add(steps).saturating_add(looked_at);
            cost.value = cost.value.joined(value);
        }
        let is_single = ["size", "type"].contains(&name) || self.dialect.is_own(name);
        if CLAIMS.contains(&name) || is_single {
            cost.value = Bounds::ONE;
        }
        Ok(cost)
    }

    /// Returns the cost of a comprehension. The cost of the body is linear in the size of the
    /// element, because no operation multiplies the sizes of two values. So the total cost is the
    /// cost of all iterations with empty elements, and once the linear cost for the whole list.
    fn comprehension(&mut self, all: &'e ComprehensionExpr) -> Result<Cost, String> {
        let range = self.expression(&all.iter_range)?;
        let start = self.expression(&all.accu_init)?;
        let turns = range.value.longest;
        let element = |parts| Bounds {
            longest: turns,
            parts,
        };
        let least = self.body(all, element(0), start.value)?;
        let most = self.body(all, element(range.value.parts), start.value)?;
        let total = |least: u64, most: u64| {
            let line = most.saturating_sub(least);
            turns.saturating_mul(least).saturating_add(line)
        };
        let value = Bounds {
            longest: turns.max(most.value.longest),
            parts: total(least.value.parts, most.value.parts).saturating_add(start.value.parts),
        };
        self.names.push((&all.accu_var, value));
        let result = self.expression(&all.result)?;
        self.names.pop();
        let turned = total(least.steps.saturating_add(1), most.steps.saturating_add(1));
        // Evaluation copies every element.
        let steps = [
            range.steps,
            range.value.parts,
            start.steps,
            turned,
            result.steps,
        ];
        Ok(Cost {
            steps: steps.into_iter().fold(0, u64::saturating_add),
            value: result.value,
        })
    }

    /// Returns the cost of one iteration with this element and this accumulator.
    fn body(
        &mut self,
        all: &'e ComprehensionExpr,
        element: Bounds,
        gathered: Bounds,
    ) -> Result<Cost, String> {
        let outer = self.names.len();
        if outer > MOST_NAMES {
            return Err(TOO_LONG.to_owned());
        }
        self.names.push((&all.accu_var, gathered));
        self.names.push((&all.iter_var, element));
        let condition = self.expression(&all.loop_cond)?;
        let mut step = self.expression(&all.loop_step)?;
        self.names.truncate(outer);
        step.steps = step.steps.saturating_add(condition.steps);
        Ok(step)
    }
}

fn literal_size(literal: &LiteralValue) -> Bounds {
    match literal {
        LiteralValue::String(text) => Bounds::of_text(text.inner().len()),
        LiteralValue::Bytes(bytes) => Bounds::of_text(bytes.inner().len()),
        LiteralValue::Boolean(_)
        | LiteralValue::Double(_)
        | LiteralValue::Int(_)
        | LiteralValue::Null
        | LiteralValue::UInt(_) => Bounds::ONE,
    }
}

// === impl Cost ===

impl Cost {
    fn free(value: Bounds) -> Self {
        Self { steps: 0, value }
    }

    fn and_one(self) -> Self {
        Self {
            steps: self.steps.saturating_add(1),
            value: self.value,
        }
    }

    /// Adds the cost of an expression whose value becomes a part of this value.
    fn add(&mut self, other: Self) {
        self.steps = self
            .steps
            .saturating_add(other.steps)
            .saturating_add(other.value.parts);
        self.value.add(other.value);
    }
}
