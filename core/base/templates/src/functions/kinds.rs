//! The functions that return the type of a value, or convert a value to another type.

use super::convert::{to_float, to_int};
use super::lists::is_same;
use super::texts::{strings, strval};
use super::{Function, Kind, Ran, made, text};
use crate::value::{Shape, Value};

const ONE: &[Kind] = &[Kind::Any];
const NAME_AND_ONE: &[Kind] = &[Kind::Text, Kind::Any];

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("typeOf", ONE, |_, values| Ok(type_of(&values[0]).into())),
    Function::new("typeIs", NAME_AND_ONE, |_, values| {
        Ok((text(&values[0]) == type_of(&values[1]).as_bytes()).into())
    }),
    Function::new("typeIsLike", NAME_AND_ONE, |_, values| {
        let (name, is) = (text(&values[0]), type_of(&values[1]).as_bytes());
        Ok((name == is || is.strip_prefix(b"*") == Some(name)).into())
    }),
    Function::new("kindOf", ONE, |_, values| Ok(kind_of(&values[0]).into())),
    Function::new("kindIs", NAME_AND_ONE, |_, values| {
        Ok((text(&values[0]) == kind_of(&values[1]).as_bytes()).into())
    }),
    Function::new("deepEqual", &[Kind::Any, Kind::Any], |host, values| {
        Ok(is_same(host, &values[0], &values[1])?.into())
    }),
    Function::new("toString", ONE, |host, values| {
        made(host, strval(&values[0])?)
    }),
    Function::new("toStrings", ONE, to_strings),
    Function::new("int", ONE, |_, values| {
        Ok(Shape::Int(to_int(&values[0])).into())
    }),
    Function::new("int64", ONE, |_, values| {
        Ok(Shape::Int64(to_int(&values[0])).into())
    }),
    Function::new("float64", ONE, |_, values| {
        Ok(Shape::Float(to_float(&values[0])).into())
    }),
];

fn type_of(value: &Value) -> &'static str {
    if value.is_nothing() {
        return "<nil>";
    }
    value.shape.type_name()
}

fn kind_of(value: &Value) -> &'static str {
    if value.is_nothing() {
        return "invalid";
    }
    value.shape.kind_name()
}

fn to_strings(host: &mut crate::host::Host<'_>, values: &[Value]) -> Ran {
    Ok(Value::texts(strings(host, &values[0])?))
}
