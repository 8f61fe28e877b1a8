//! Evaluates `range` loops.

use std::rc::Rc;

use super::stop::Around;
use super::{Done, Evaluation, Flow, Stop, assigned, shape_origins};
use crate::origin::Origins;
use crate::output::OutputPosition;
use crate::tree::{Branch, Pipe};
use crate::value::{Elements, Shape, Value};

/// The iterations of a loop.
enum Rounds {
    Count(i64, fn(i64) -> Shape),
    List(Elements, Rc<[Value]>),
    Map(Vec<(Value, Value)>),
}

/// A loop that is being evaluated, and the state that is restored after it.
struct Begun {
    value: Value,
    rounds: Rounds,
    /// The Secrets that determine whether the evaluation reaches the loop. `within` adds the
    /// Secrets that determine whether it reaches the body of the loop.
    before: Origins,
    within: Origins,
    /// The Secrets that determined the number of iterations of the enclosing loop.
    outer: Origins,
    around: Around,
    place: OutputPosition,
    variables: usize,
}

// === impl Evaluation ===

impl<'t> Evaluation<'t, '_, '_> {
    // This function is recursive. It has few local variables, because each level needs a stack
    // frame.
    pub(super) fn range(&mut self, dot: &Value, branch: &'t Branch) -> Done<Flow> {
        let begun = self.begin_rounds(dot, branch)?;
        let flow = self.walk_rounds(dot, branch, &begun);
        self.end_rounds(begun, branch, flow)
    }

    fn begin_rounds(&mut self, dot: &Value, branch: &'t Branch) -> Done<Begun> {
        let variables = self.variables.len();
        let value = self.pipe(dot, &branch.pipe)?;
        let rounds = self.rounds(&value, branch)?;
        let before = self.enter(&value);
        let mut outer = std::mem::take(&mut self.left);
        if outer.is_empty() && assigned::leaves_without_rounds(branch) {
            outer = self.host.branch.clone();
        }
        let place = self.out.place();
        self.hide(&before, branch)?;
        self.left = Origins::default();
        Ok(Begun {
            value,
            rounds,
            before,
            outer,
            within: self.host.branch.clone(),
            around: self.around(),
            place,
            variables,
        })
    }

    fn end_rounds(&mut self, begun: Begun, branch: &'t Branch, flow: Done<Flow>) -> Done<Flow> {
        let Begun {
            value: _,
            rounds: _,
            before,
            outer,
            within,
            around,
            place,
            variables,
        } = begun;
        let has_failed = matches!(flow, Err(Stop::Hidden));
        let flow = self.contained(&before, around, flow, Flow::On)?;
        if has_failed {
            self.left = self.host.branch.clone();
        }
        self.host.branch = within;
        let left = std::mem::replace(&mut self.left, outer);
        if !left.is_empty() {
            if self.host.branch.is_empty() {
                self.out.hide_from(&place, &left);
            }
            self.taint(&left, branch);
        }
        self.exit(before, branch);
        self.variables.truncate(variables);
        Ok(flow)
    }

    fn walk_rounds(&mut self, dot: &Value, branch: &'t Branch, begun: &Begun) -> Done<Flow> {
        if begun.rounds.len() == 0 {
            return self.walk(dot, &branch.otherwise);
        }
        for at in 0..begun.rounds.len() {
            let inner = self.variables.len();
            let element = self.begin_round(branch, begun, at)?;
            let ended = self.walk(&element, &branch.body)?;
            self.variables.truncate(inner);
            if ended == Flow::Break {
                break;
            }
        }
        Ok(Flow::On)
    }

    fn begin_round(&mut self, branch: &'t Branch, begun: &Begun, at: usize) -> Done<Value> {
        self.steps(1)?;
        let (index, element) = begun.rounds.at(at);
        let element = element.depending_on(&begun.value.origins);
        self.round(&branch.pipe, index, &element)?;
        Ok(element)
    }

    /// Sets the variables of a loop for one iteration.
    fn round(&mut self, pipe: &'t Pipe, index: Option<Value>, element: &Value) -> Done<()> {
        let index = index.unwrap_or(Shape::Missing.into());
        let values: &[&Value] = match pipe.variables.len() {
            0 => return Ok(()),
            1 => &[element],
            _ => &[&index, element],
        };
        for (variable, value) in pipe.variables.iter().zip(values) {
            self.assign(variable, (*value).clone())?;
        }
        Ok(())
    }

    fn rounds(&mut self, value: &Value, branch: &'t Branch) -> Done<Rounds> {
        let has_two = branch.pipe.variables.len() > 1;
        match &value.shape {
            Shape::Int(_) | Shape::Int64(_) | Shape::Uint64(_) | Shape::Byte(_) if has_two => {
                let said = Self::plain_text(value);
                self.no_rounds(
                    value,
                    format!("can't use {said} to iterate over more than one variable"),
                )
            }
            Shape::Int(count) => Ok(Rounds::Count(*count, Shape::Int)),
            Shape::Int64(count) => Ok(Rounds::Count(*count, Shape::Int64)),
            Shape::Uint64(count) => {
                let count = i64::try_from(*count).unwrap_or(i64::MAX);
                Ok(Rounds::Count(count, |at| Shape::Uint64(at.unsigned_abs())))
            }
            Shape::Byte(count) => Ok(Rounds::Count((*count).into(), |at| {
                Shape::Byte(u8::try_from(at).unwrap_or(u8::MAX))
            })),
            Shape::List(elements, values) => Ok(Rounds::List(*elements, values.clone())),
            Shape::Map(map) => {
                let map = map.borrow();
                let origins = shape_origins(value);
                let counted = self.host.steps_about(map.entries.len(), &origins);
                counted.map_err(|limit| self.cut_about(&origins, limit))?;
                let entries = map.entries.iter().map(|(key, value)| {
                    let key = Value::text(key.clone()).depending_on(&map.origins);
                    (key, value.clone().in_list_of(map.elements))
                });
                Ok(Rounds::Map(entries.collect()))
            }
            Shape::Missing | Shape::Null => Ok(Rounds::Map(Vec::new())),
            Shape::Bool(_)
            | Shape::Float(_)
            | Shape::Text(_)
            | Shape::Version(_)
            | Shape::Time(_)
            | Shape::Empty => {
                let said = Self::plain_text(value);
                self.no_rounds(value, format!("range can't iterate over {said}"))
            }
        }
    }

    fn no_rounds(&mut self, value: &Value, message: String) -> Done<Rounds> {
        self.fail_about(&value.origins, message)?;
        Ok(Rounds::Map(Vec::new()))
    }
}

// === impl Rounds ===

impl Rounds {
    fn len(&self) -> usize {
        match self {
            Self::Count(count, _) => usize::try_from(*count).unwrap_or(0),
            Self::List(_, values) => values.len(),
            Self::Map(entries) => entries.len(),
        }
    }

    /// Returns the index and the element of one iteration.
    fn at(&self, at: usize) -> (Option<Value>, Value) {
        match self {
            Self::Count(_, shape) => (None, shape(i64::try_from(at).unwrap_or(i64::MAX)).into()),
            Self::List(elements, values) => {
                let value = values[at].clone().in_list_of(*elements);
                (Some(Value::length(at)), value)
            }
            Self::Map(entries) => {
                let (key, value) = entries[at].clone();
                (Some(key), value)
            }
        }
    }
}
