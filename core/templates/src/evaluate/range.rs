//! Loops.

use std::rc::Rc;

use super::{Done, Evaluation, Flow, assigned};
use crate::origin::Origins;
use crate::tree::{Branch, Pipe};
use crate::value::{Elements, Shape, Value};

/// The rounds of a loop.
enum Rounds {
    Count(i64, fn(i64) -> Shape),
    List(Elements, Rc<[Value]>),
    Map(Vec<(Value, Value)>),
}

// === impl Evaluation ===

impl<'t> Evaluation<'t, '_, '_> {
    pub(super) fn range(&mut self, dot: &Value, branch: &'t Branch) -> Done<Flow> {
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
        let is_empty = rounds.len() == 0;
        let mut flow = Flow::On;
        for (index, element) in rounds.iter() {
            self.steps(1)?;
            let inner = self.variables.len();
            let element = element.depending_on(&value.origins);
            self.round(&branch.pipe, index, &element)?;
            let ended = self.walk(&element, &branch.body)?;
            self.variables.truncate(inner);
            if ended == Flow::Break {
                break;
            }
        }
        if is_empty {
            flow = self.walk(dot, &branch.otherwise)?;
        }
        let left = std::mem::replace(&mut self.left, outer);
        if !left.is_empty() {
            if self.host.branch.is_empty() {
                self.out.hide_from(place, &left);
            }
            self.taint(&left, branch);
        }
        self.exit(before, branch);
        self.variables.truncate(variables);
        Ok(flow)
    }

    /// Gives the variables of a loop their values for a round.
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
                let value = self.said(value);
                self.fail(format!(
                    "can't use {value} to iterate over more than one variable"
                ))
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
                self.steps(map.entries.len())?;
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
                let value = self.said(value);
                self.fail(format!("range can't iterate over {value}"))
            }
        }
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

    fn iter(&self) -> impl Iterator<Item = (Option<Value>, Value)> {
        (0..self.len()).map(|at| match self {
            Self::Count(_, shape) => (None, shape(i64::try_from(at).unwrap_or(i64::MAX)).into()),
            Self::List(elements, values) => {
                let value = values[at].clone().in_list_of(*elements);
                (Some(Value::length(at)), value)
            }
            Self::Map(entries) => {
                let (key, value) = entries[at].clone();
                (Some(key), value)
            }
        })
    }
}
