//! The functions that return parts of lists.

use super::lists::{elements, is_same};
use super::{Function, Kind, Ran, int};
use crate::host::{Failure, Host};
use crate::value::{Elements, Shape, Value};

const LIST: &[Kind] = &[Kind::Any];

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("first", LIST, first),
    Function::new("mustFirst", LIST, first),
    Function::new("last", LIST, last),
    Function::new("mustLast", LIST, last),
    Function::new("rest", LIST, rest),
    Function::new("mustRest", LIST, rest),
    Function::new("initial", LIST, initial),
    Function::new("mustInitial", LIST, initial),
    Function::new("reverse", LIST, reverse),
    Function::new("mustReverse", LIST, reverse),
    Function::new("compact", LIST, compact),
    Function::new("mustCompact", LIST, compact),
    Function::new("chunk", &[Kind::Int, Kind::Any], chunk),
    Function::new("mustChunk", &[Kind::Int, Kind::Any], chunk),
    Function::new("uniq", LIST, uniq),
    Function::new("mustUniq", LIST, uniq),
    Function::new("without", LIST, without).and(Kind::Any),
    Function::new("mustWithout", LIST, without).and(Kind::Any),
];

fn first(host: &mut Host<'_>, values: &[Value]) -> Ran {
    let list = elements(host, &values[0], "Cannot find first on type {}")?;
    Ok(element(list.first()))
}

fn last(host: &mut Host<'_>, values: &[Value]) -> Ran {
    let list = elements(host, &values[0], "Cannot find last on type {}")?;
    Ok(element(list.last()))
}

fn element(element: Option<&Value>) -> Value {
    let element = element.cloned().unwrap_or(Shape::Null.into());
    element.in_list_of(Elements::Any)
}

fn rest(host: &mut Host<'_>, values: &[Value]) -> Ran {
    let list = elements(host, &values[0], "Cannot find rest on type {}")?;
    Ok(of_any(list.into_iter().skip(1).collect()))
}

fn initial(host: &mut Host<'_>, values: &[Value]) -> Ran {
    let mut list = elements(host, &values[0], "Cannot find initial on type {}")?;
    list.pop();
    Ok(of_any(list))
}

fn reverse(host: &mut Host<'_>, values: &[Value]) -> Ran {
    let mut list = elements(host, &values[0], "Cannot find reverse on type {}")?;
    list.reverse();
    Ok(of_any(list))
}

fn compact(host: &mut Host<'_>, values: &[Value]) -> Ran {
    let mut list = elements(host, &values[0], "Cannot compact on type {}")?;
    list.retain(Value::is_true);
    Ok(of_any(list))
}

fn chunk(host: &mut Host<'_>, values: &[Value]) -> Ran {
    let list = elements(host, &values[1], "Cannot chunk type {}")?;
    match usize::try_from(int(&values[0])) {
        Ok(size) if size > 0 => {
            let chunks = list.chunks(size).map(|chunk| of_any(chunk.to_vec()));
            Ok(of_any(chunks.collect()))
        }
        _ => Err("runtime error: makeslice: len out of range".into()),
    }
}

fn uniq(host: &mut Host<'_>, values: &[Value]) -> Ran {
    let mut kept = Vec::new();
    for element in elements(host, &values[0], "Cannot find uniq on type {}")? {
        if !is_among(host, &element, &kept)? {
            kept.push(element);
        }
    }
    Ok(of_any(kept))
}

fn without(host: &mut Host<'_>, values: &[Value]) -> Ran {
    let mut kept = Vec::new();
    for element in elements(host, &values[0], "Cannot find without on type {}")? {
        if !is_among(host, &element, &values[1..])? {
            kept.push(element);
        }
    }
    Ok(of_any(kept))
}

fn is_among(host: &mut Host<'_>, value: &Value, list: &[Value]) -> Result<bool, Failure> {
    for element in list {
        if is_same(host, value, element)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn of_any(list: Vec<Value>) -> Value {
    Value::list(Elements::Any, list)
}
