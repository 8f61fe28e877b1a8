//! The functions for maps. `set`, `unset` and `merge` change the map in their argument.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::texts::strval;
use super::{Function, Kind, Ran, text, with_map};
use crate::fault::Limit;
use crate::host::{Failure, Host};
use crate::value::{DEEPEST_VALUE, Elements, Shape, Value};

const MAP_AND_KEY: &[Kind] = &[Kind::Map, Kind::Text];

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("dict", &[], dict)
        .and(Kind::Any)
        .keeping_origins(),
    Function::new("get", MAP_AND_KEY, get).keeping_origins(),
    Function::new("hasKey", MAP_AND_KEY, |_, values| {
        let key = text(&values[1]);
        let has_key = with_map(&values[0], |map| {
            (map.entries.contains_key(key), map.origins.clone())
        });
        Ok(Value::from(has_key.0)
            .depending_on(&has_key.1)
            .depending_on(&values[0].origins)
            .depending_on(&values[1].origins))
    })
    .keeping_origins(),
    Function::new("set", &[Kind::Map, Kind::Text, Kind::Any], set).keeping_origins(),
    Function::new("unset", MAP_AND_KEY, |host, values| {
        with_map(&values[0], |map| {
            map.entries.remove(text(&values[1]));
            map.origins.join(&values[1].origins);
            map.origins.join(&host.branch);
        });
        Ok(values[0].clone())
    })
    .keeping_origins(),
    Function::new("keys", &[], keys).and(Kind::Map),
    Function::new("values", &[Kind::Map], |host, values| {
        let all = with_map(&values[0], |map| {
            map.entries.values().cloned().collect::<Vec<_>>()
        });
        host.steps(all.len())?;
        Ok(Value::list(Elements::Any, all))
    }),
    Function::new("pluck", &[Kind::Text], pluck).and(Kind::Map),
    Function::new("pick", &[Kind::Map], |host, values| {
        chosen(host, values, true)
    })
    .and(Kind::Text),
    Function::new("omit", &[Kind::Map], |host, values| {
        chosen(host, values, false)
    })
    .and(Kind::Text),
    Function::new("dig", &[], dig).and(Kind::Any),
    Function::new("merge", &[Kind::Map], merge)
        .and(Kind::Map)
        .keeping_origins(),
    Function::new("mustMerge", &[Kind::Map], merge)
        .and(Kind::Map)
        .keeping_origins(),
    Function::new("mergeOverwrite", &[Kind::Map], merge_overwrite)
        .and(Kind::Map)
        .keeping_origins(),
    Function::new("mustMergeOverwrite", &[Kind::Map], merge_overwrite)
        .and(Kind::Map)
        .keeping_origins(),
    Function::new("deepCopy", &[Kind::Any], deep_copy).keeping_origins(),
    Function::new("mustDeepCopy", &[Kind::Any], deep_copy).keeping_origins(),
];

fn dict(host: &mut Host<'_>, values: &[Value]) -> Ran {
    host.steps(values.len())?;
    let mut entries = BTreeMap::new();
    for pair in values.chunks(2) {
        let value = pair.get(1).cloned().unwrap_or_else(|| "".into());
        entries.insert(strval(&pair[0])?.into(), value);
    }
    let dict = Value::map(Elements::Any, entries);
    with_map(&dict, |map| {
        for pair in values.chunks(2) {
            map.origins.join(&pair[0].all_origins());
        }
    });
    Ok(dict)
}

fn get(_: &mut Host<'_>, values: &[Value]) -> Ran {
    let found = with_map(&values[0], |map| {
        let found = map.entries.get(text(&values[1])).cloned();
        let found = found.map(|value| value.in_list_of(Elements::Any));
        Some(
            found
                .unwrap_or_else(|| "".into())
                .depending_on(&map.origins),
        )
    });
    let found = found.unwrap_or_else(|| "".into());
    Ok(found
        .depending_on(&values[0].origins)
        .depending_on(&values[1].origins))
}

fn set(host: &mut Host<'_>, values: &[Value]) -> Ran {
    let [map, key, value] = values else {
        return Err("set takes a map, a key and a value".into());
    };
    let deepest = DEEPEST_VALUE / 2;
    if is_deeper(host, value, deepest, map)? {
        return Err(Failure::Cut(Limit::Nesting));
    }
    let is_nil = with_map(map, |map| map.is_nil);
    if is_nil {
        return Err("assignment to entry in nil map".into());
    }
    let branch = host.branch.clone();
    with_map(map, |map| {
        map.origins.join(&key.origins);
        map.origins.join(&branch);
        map.entries
            .insert(text(key).into(), value.clone().depending_on(&branch));
    });
    Ok(map.clone())
}

/// Returns true if the value contains the map `than`, or is nested deeper than `deepest`.
fn is_deeper(
    host: &mut Host<'_>,
    value: &Value,
    deepest: usize,
    than: &Value,
) -> Result<bool, Failure> {
    host.steps(1)?;
    let Some(deepest) = deepest.checked_sub(1) else {
        return Ok(true);
    };
    let inner: Vec<Value> = match (&value.shape, &than.shape) {
        (Shape::Map(map), Shape::Map(outer)) if Rc::ptr_eq(map, outer) => return Ok(true),
        (Shape::Map(map), _) => map.borrow().entries.values().cloned().collect(),
        (Shape::List(_, values), _) => values.to_vec(),
        _ => return Ok(false),
    };
    for value in &inner {
        if is_deeper(host, value, deepest, than)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the sorted keys of maps. In Go, their order is random.
fn keys(host: &mut Host<'_>, values: &[Value]) -> Ran {
    let mut all = Vec::new();
    for map in values {
        all.extend(with_map(map, |map| {
            map.entries
                .keys()
                .map(|key| key.to_vec())
                .collect::<Vec<_>>()
        }));
    }
    host.steps(all.len())?;
    Ok(Value::texts(all))
}

fn pluck(host: &mut Host<'_>, values: &[Value]) -> Ran {
    host.steps(values.len())?;
    let key = text(&values[0]);
    let found = values[1..]
        .iter()
        .map(|map| with_map(map, |map| map.entries.get(key).cloned()));
    Ok(Value::list(Elements::Any, found.flatten().collect()))
}

/// Returns the entries of a map with these keys. If `is_named` is false, returns the entries with
/// other keys.
fn chosen(host: &mut Host<'_>, values: &[Value], is_named: bool) -> Ran {
    let entries = with_map(&values[0], |map| map.entries.clone());
    host.steps(entries.len().saturating_mul(values.len()))?;
    let names: Vec<&[u8]> = values[1..].iter().map(text).collect();
    let chosen = entries
        .into_iter()
        .filter(|(key, _)| names.contains(&&key[..]) == is_named);
    Ok(Value::map(Elements::Any, chosen.collect()))
}

/// Implements `dig "a" "b" "default" map`, which returns a value inside nested maps.
fn dig(_: &mut Host<'_>, values: &[Value]) -> Ran {
    let [keys @ .., default, map] = values else {
        return Err("dig needs at least three arguments".into());
    };
    if keys.is_empty() {
        return Err("dig needs at least three arguments".into());
    }
    let mut here = map.clone();
    for key in keys {
        let Shape::Text(key) = &key.shape else {
            return Err(conversion(key, "string"));
        };
        let next = match &here.shape {
            Shape::Map(map) if map.borrow().elements == Elements::Any => {
                map.borrow().entries.get(key).cloned()
            }
            _ => return Err(conversion(&here, "map[string]interface {}")),
        };
        match next {
            Some(next) => here = next,
            None => return Ok(default.clone()),
        }
    }
    Ok(here.in_list_of(Elements::Any))
}

fn conversion(value: &Value, wanted: &str) -> Failure {
    let is = match &value.shape {
        Shape::Missing | Shape::Null => "nil",
        other => other.type_name(),
    };
    format!("interface conversion: interface {{}} is {is}, not {wanted}").into()
}

fn merge(host: &mut Host<'_>, values: &[Value]) -> Ran {
    let [into, from @ ..] = values else {
        return Err("merge takes maps".into());
    };
    for source in from {
        fill(host, into, source, Wins::Was, DEEPEST_VALUE)?;
    }
    Ok(into.clone())
}

fn merge_overwrite(host: &mut Host<'_>, values: &[Value]) -> Ran {
    let [into, from @ ..] = values else {
        return Err("mergeOverwrite takes maps".into());
    };
    for source in from {
        fill(host, into, source, Wins::Comes, DEEPEST_VALUE)?;
    }
    Ok(into.clone())
}

fn deep_copy(host: &mut Host<'_>, values: &[Value]) -> Ran {
    if values[0].is_nothing() {
        return Err("reflect: call of reflect.Value.Type on zero Value".into());
    }
    copied(host, &values[0], DEEPEST_VALUE)
}

/// Returns a copy of a value. The copy shares no maps or lists with other values.
fn copied(host: &mut Host<'_>, value: &Value, deepest: usize) -> Ran {
    let deepest = deepest.checked_sub(1).ok_or(Limit::Nesting)?;
    host.steps(1)?;
    let shape = match &value.shape {
        Shape::List(elements, values) => {
            let copies: Result<Vec<_>, _> = values
                .iter()
                .map(|value| copied(host, value, deepest))
                .collect();
            Shape::List(*elements, copies?.into())
        }
        Shape::Map(map) => {
            let mut copy = map.borrow().clone();
            for value in copy.entries.values_mut() {
                *value = copied(host, value, deepest)?;
            }
            Shape::Map(Rc::new(RefCell::new(copy)))
        }
        other => other.clone(),
    };
    Ok(Value {
        shape,
        ..value.clone()
    })
}

/// Determines whether a merge keeps the existing value of a key, or replaces it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wins {
    Was,
    Comes,
}

/// Adds the entries of the map `from` to the map `into`. Also merges nested maps.
fn fill(
    host: &mut Host<'_>,
    into: &Value,
    from: &Value,
    wins: Wins,
    deepest: usize,
) -> Result<(), Failure> {
    let deepest = deepest.checked_sub(1).ok_or(Limit::Nesting)?;
    let is_itself = match (&into.shape, &from.shape) {
        (Shape::Map(into), Shape::Map(from)) => Rc::ptr_eq(into, from),
        _ => true,
    };
    if is_itself {
        return Ok(());
    }
    let entries = with_map(from, |map| {
        map.entries
            .iter()
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect::<Vec<_>>()
    });
    let origins = with_map(from, |map| map.origins.clone());
    with_map(into, |map| map.origins.join(&origins));
    for (key, value) in entries {
        host.steps(1)?;
        let known = with_map(into, |map| map.entries.get(&key).cloned());
        let is_map = |value: &Value| matches!(value.shape, Shape::Map(_));
        match known {
            Some(known) if is_map(&known) && is_map(&value) && known.is_true() => {
                fill(host, &known, &value, wins, deepest)?;
            }
            Some(known) if known.is_true() && wins == Wins::Was => {}
            // The new value reveals that the existing value was empty. So it also depends on the
            // Secrets of the existing value.
            Some(known) => {
                let value = value.depending_on(&known.all_origins());
                set(host, &[into.clone(), Value::text(key), value])?;
            }
            None => {
                set(host, &[into.clone(), Value::text(key), value])?;
            }
        }
    }
    Ok(())
}
