//! Evaluates field access: the keys of maps, and the components of versions.

use super::{Done, Evaluation, shape_origins};
use crate::value::{Shape, Value};

impl<'t> Evaluation<'t, '_, '_> {
    /// Evaluates fields such as `.a.b.c`. Only the last field may have arguments, and only if it is
    /// a method.
    pub(super) fn fields(
        &mut self,
        receiver: Value,
        fields: &'t [String],
        arguments: usize,
    ) -> Done<Value> {
        let mut value = receiver;
        for (index, field) in fields.iter().enumerate() {
            let is_last = index + 1 == fields.len();
            value = self.field(&value, field, if is_last { arguments } else { 0 })?;
        }
        Ok(value)
    }

    fn field(&mut self, receiver: &Value, name: &str, arguments: usize) -> Done<Value> {
        let origins = &receiver.origins;
        match &receiver.shape {
            Shape::Missing => Ok(Value::from(Shape::Missing).depending_on(origins)),
            Shape::Null => {
                let message = format!("nil pointer evaluating interface {{}}.{name}");
                self.fail_about(origins, message)
            }
            Shape::Map(_) if arguments > 0 => {
                let message = format!("{name} is not a method but has arguments");
                self.fail_about(&shape_origins(receiver), message)
            }
            Shape::Map(map) => {
                let map = map.borrow();
                let found = map.entries.get(name.as_bytes()).cloned();
                let found = found.map(|value| value.in_list_of(map.elements));
                let value = found.unwrap_or(Shape::Missing.into());
                Ok(value.depending_on(origins).depending_on(&map.origins))
            }
            Shape::Version(version) => match version.method(name) {
                Some(_) if arguments > 0 => {
                    let message =
                        format!("wrong number of args for {name}: want 0 got {arguments}");
                    self.fail_about(origins, message)
                }
                Some(value) => Ok(value.depending_on(origins)),
                None => self.no_field(receiver, name),
            },
            Shape::Bool(_)
            | Shape::Int(_)
            | Shape::Int64(_)
            | Shape::Uint64(_)
            | Shape::Byte(_)
            | Shape::Float(_)
            | Shape::Text(_)
            | Shape::List(..)
            | Shape::Time(_)
            | Shape::Empty => self.no_field(receiver, name),
        }
    }

    fn no_field(&mut self, receiver: &Value, name: &str) -> Done<Value> {
        let of = receiver.type_name();
        let message = format!("can't evaluate field {name} in type {of}");
        self.fail_about(&receiver.origins, message)
    }
}
