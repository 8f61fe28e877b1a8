//! Evaluates commands: operands and function calls.

use super::assigned::changes_maps;
use super::{Done, Evaluation, Stop, shape_origins};
use crate::functions::{Function, Kind, find};
use crate::host::Failure;
use crate::origin::Origins;
use crate::tree::{Command, Number, Operand, Term};
use crate::value::{Elements, Shape, Value};

impl<'t> Evaluation<'t, '_, '_> {
    /// Evaluates a command. `last` is the value of the previous command in the pipeline, which
    /// becomes the last argument.
    pub(super) fn command(
        &mut self,
        dot: &Value,
        command: &'t Command,
        last: Option<Value>,
    ) -> Done<Value> {
        self.steps(1)?;
        let first = &command.words[0];
        let arguments = command.words.len() - 1 + usize::from(last.is_some());
        match &first.term {
            Term::Function(name) => {
                self.place = (first.at, first);
                let value = self.call(dot, name, &command.words[1..], last, |evaluation| {
                    evaluation.place = (first.at, command);
                })?;
                Ok(value)
            }
            Term::Field(fields) => {
                self.place = (first.at, first);
                self.fields(dot.clone(), fields, arguments)
            }
            Term::Chain(base, fields) => {
                self.place = (first.at, first);
                if matches!(base.term, Term::Nil) {
                    return self.fail(format!("indirection through explicit nil in {first}"));
                }
                let base = self.argument(dot, base, Kind::Value)?;
                self.fields(base, fields, arguments)
            }
            Term::Variable(name, fields) => {
                self.place = (first.at, first);
                let value = self.variable(name)?;
                if fields.is_empty() {
                    self.no_arguments(first, arguments)?;
                    return Ok(value);
                }
                self.fields(value, fields, arguments)
            }
            Term::Pipe(pipe) => {
                self.no_arguments(first, arguments)?;
                self.pipe(dot, pipe)
            }
            Term::Dot | Term::Nil | Term::Bool(_) | Term::Number(_) | Term::Text(..) => {
                self.place = (first.at, first);
                self.no_arguments(first, arguments)?;
                if matches!(first.term, Term::Nil) {
                    return self.fail("nil is not a command");
                }
                self.constant(dot, first)
            }
        }
    }

    fn no_arguments(&self, first: &Operand, arguments: usize) -> Done<()> {
        if arguments == 0 {
            return Ok(());
        }
        self.fail(format!("can't give argument to non-function {first}"))
    }

    fn variable(&mut self, name: &str) -> Done<Value> {
        let known = self
            .variables
            .iter()
            .rev()
            .find(|(known, _)| *known == name);
        match known {
            Some((_, value)) => Ok(value.clone()),
            None => self.fail(format!("undefined variable: {name}")),
        }
    }

    /// Returns the value of an operand that is a constant or `.`.
    fn constant(&self, dot: &Value, operand: &Operand) -> Done<Value> {
        match &operand.term {
            Term::Bool(is) => Ok((*is).into()),
            Term::Number(number) => self.number(number),
            Term::Text(_, text) => Ok(Value::text(text.as_slice())),
            Term::Dot => Ok(dot.clone()),
            Term::Nil
            | Term::Function(_)
            | Term::Variable(..)
            | Term::Field(_)
            | Term::Pipe(_)
            | Term::Chain(..) => Ok(Shape::Missing.into()),
        }
    }

    /// Returns a number whose type is not determined by a parameter.
    fn number(&self, number: &Number) -> Done<Value> {
        let text = number.text.to_ascii_lowercase();
        let is_hexadecimal = text.starts_with("0x") && !text.contains('p');
        let is_float = !is_hexadecimal && !text.starts_with('\'') && text.contains(['.', 'e', 'p']);
        match (number.whole, number.float) {
            (_, Some(float)) if is_float => Ok(Shape::Float(float).into()),
            (Some(whole), _) => Ok(Shape::Int(whole).into()),
            _ => self.fail(format!("{} overflows int", number.text)),
        }
    }

    fn call(
        &mut self,
        dot: &Value,
        name: &'t str,
        words: &'t [Operand],
        last: Option<Value>,
        at_call: impl FnOnce(&mut Self),
    ) -> Done<Value> {
        let Some(function) = find(name) else {
            return self.fail(format!("{name:?} is not a defined function"));
        };
        self.count(function, words.len(), last.is_some())?;
        if matches!(name, "and" | "or") {
            return self.shortened(dot, words, last, name == "or");
        }
        let mut arguments = Vec::with_capacity(words.len() + 1);
        for (index, word) in words.iter().enumerate() {
            let argument = self.argument(dot, word, function.kind(index))?;
            arguments.push(argument);
        }
        if let Some(last) = last {
            let kind = function.kind(words.len());
            arguments.push(self.fitting(last, kind)?);
        }
        let origins = self.origins(&arguments)?;
        let is_of_one = origins.is_one();
        self.host.is_hidden = !origins.is_empty();
        let ran = (function.run)(self.host, &arguments);
        self.host.is_hidden = false;
        match ran {
            Ok(value) if function.keeps_origins && is_of_one => Ok(value),
            Ok(value) if function.keeps_origins => {
                let chosen = value.origins.chosen();
                Ok(value.depending_on(&chosen))
            }
            Ok(value) => Ok(value.depending_on(&origins)),
            Err(Failure::Unread) => Err(Stop::Unread),
            Err(Failure::Hidden(mut of_failure)) => {
                of_failure.join(&origins);
                self.hidden(&of_failure)
            }
            Err(Failure::Cut(_) | Failure::Said(_)) if !origins.is_empty() => self.hidden(&origins),
            Err(failure) => {
                at_call(self);
                Err(self.failed(name, failure))
            }
        }
    }

    /// Returns the Secrets on which the result of a call with these arguments depends.
    fn origins(&mut self, arguments: &[Value]) -> Done<Origins> {
        let mut origins = self.host.branch.clone();
        for argument in arguments {
            let (of_argument, count) = argument.weighed();
            let counted = self.host.steps_about(count, &of_argument);
            counted.map_err(|limit| self.cut_about(&of_argument, limit))?;
            self.host.note(&of_argument);
            origins.join(&of_argument);
        }
        Ok(origins)
    }

    fn count(&self, function: &Function, words: usize, has_last: bool) -> Done<()> {
        let given = words + usize::from(has_last);
        let (name, wanted) = (function.name, function.takes.len());
        match function.rest {
            Some(_) if given < wanted => self.fail(format!(
                "wrong number of args for {name}: want at least {wanted} got {words}"
            )),
            None if given != wanted => self.fail(format!(
                "wrong number of args for {name}: want {wanted} got {given}"
            )),
            Some(_) | None => Ok(()),
        }
    }

    /// Evaluates `and` and `or`, which do not evaluate all arguments. So the evaluation of an
    /// argument depends on the Secrets of the previous arguments.
    fn shortened(
        &mut self,
        dot: &Value,
        words: &'t [Operand],
        last: Option<Value>,
        until: bool,
    ) -> Done<Value> {
        let before = self.host.branch.clone();
        let around = self.around();
        let mut value = Value::from(Shape::Missing);
        for word in words {
            let argument = self.argument(dot, word, Kind::Value);
            let nothing = Value::from(Shape::Missing).depending_on(&self.host.branch);
            value = self.contained(&before, around.clone(), argument, nothing)?;
            self.enter(&value);
            if value.is_true() == until {
                let seen = self.reached(words, before);
                return Ok(value.depending_on(&seen));
            }
        }
        let seen = self.reached(words, before);
        Ok(last.unwrap_or(value).depending_on(&seen))
    }

    /// Returns the Secrets that determined which operands were evaluated. If an operand may change
    /// a map, all variables now depend on these Secrets.
    fn reached(&mut self, words: &[Operand], before: Origins) -> Origins {
        let seen = std::mem::replace(&mut self.host.branch, before);
        if !seen.is_empty() && changes_maps(words) {
            for (_, value) in &mut self.variables {
                value.origins.join(&seen);
            }
        }
        seen
    }

    fn argument(&mut self, dot: &Value, word: &'t Operand, kind: Kind) -> Done<Value> {
        self.place = (word.at, word);
        let value = match &word.term {
            Term::Dot => dot.clone(),
            Term::Nil if kind.can_be_nil() => Shape::Missing.into(),
            Term::Nil => return self.fail(format!("cannot assign nil to {}", kind.name())),
            Term::Field(fields) => self.fields(dot.clone(), fields, 0)?,
            Term::Variable(name, fields) => {
                let value = self.variable(name)?;
                self.fields(value, fields, 0)?
            }
            Term::Pipe(pipe) => self.pipe(dot, pipe)?,
            Term::Function(name) => self.call(dot, name, &[], None, |evaluation| {
                evaluation.place = (word.at, word);
            })?,
            Term::Chain(base, fields) => {
                let base = self.argument(dot, base, Kind::Value)?;
                self.fields(base, fields, 0)?
            }
            Term::Bool(_) | Term::Number(_) | Term::Text(..) => {
                return self.literal(dot, word, kind);
            }
        };
        self.fitting(value, kind)
    }

    /// Returns a constant operand as a value of this kind.
    fn literal(&self, dot: &Value, word: &Operand, kind: Kind) -> Done<Value> {
        match (kind, &word.term) {
            (Kind::Any | Kind::Value, _)
            | (Kind::Text, Term::Text(..))
            | (Kind::Bool, Term::Bool(_)) => self.constant(dot, word),
            (
                Kind::Int,
                Term::Number(Number {
                    whole: Some(whole), ..
                }),
            ) => Ok(Shape::Int(*whole).into()),
            (
                Kind::Float,
                Term::Number(Number {
                    float: Some(float), ..
                }),
            ) => Ok(Shape::Float(*float).into()),
            (Kind::Text, _) => self.fail(format!("expected string; found {word}")),
            (Kind::Bool, _) => self.fail(format!("expected bool; found {word}")),
            (Kind::Int, _) => self.fail(format!("expected integer; found {word}")),
            (Kind::Float, _) => self.fail(format!("expected float; found {word}")),
            (Kind::Map | Kind::Time, _) => self.fail(format!(
                "can't handle {word} for arg of type {}",
                kind.name()
            )),
        }
    }

    /// Returns a value as a value of this kind. Fails if the value has another kind.
    fn fitting(&mut self, value: Value, kind: Kind) -> Done<Value> {
        let is_fitting = match (kind, &value.shape) {
            (Kind::Value, _) => return Ok(value),
            (Kind::Any, Shape::Missing) => {
                return Ok(Value::from(Shape::Null).depending_on(&value.origins));
            }
            (Kind::Map, Shape::Missing) => {
                return Ok(Value::nil_map().depending_on(&value.origins));
            }
            (Kind::Any, _)
            | (Kind::Text, Shape::Text(_))
            | (Kind::Int, Shape::Int(_))
            | (Kind::Float, Shape::Float(_))
            | (Kind::Bool, Shape::Bool(_))
            | (Kind::Time, Shape::Time(_)) => true,
            (_, Shape::Missing) => {
                let message = format!("invalid value; expected {}", kind.name());
                return self.fail_about(&value.origins, message);
            }
            (Kind::Map, Shape::Map(map)) => map.borrow().elements == Elements::Any,
            _ => false,
        };
        if !is_fitting {
            let (expected, got) = (kind.name(), value.shape.type_name());
            let message = format!("wrong type for value; expected {expected}; got {got}");
            return self.fail_about(&shape_origins(&value), message);
        }
        Ok(value)
    }
}
