//! Emulates how an API server validates objects, as far as Portolan's schemas need it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use cel::extractors::This;
use cel::{Context, Program};
use regex::Regex;
use serde_json::{Map, Value};

/// Returns the validation errors of a value. The messages of CEL rules have the format of the
/// parser.
pub(crate) fn complaints(schema: &Value, value: &Value) -> Vec<String> {
    let mut all = Vec::new();
    judge(schema, value, "spec", &mut all);
    if all.is_empty() {
        rules(&mut Evaluator::new(), schema, value, "spec", &mut all);
    }
    all
}

/// Returns the messages of violated transition rules for a change.
pub(crate) fn changes(schema: &Value, old: &Value, new: &Value) -> Vec<String> {
    let mut all = Vec::new();
    transition(&mut Evaluator::new(), schema, (old, new), &mut all);
    all
}

fn judge(schema: &Value, value: &Value, at: &str, all: &mut Vec<String>) {
    let is_typed = match schema["type"].as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_i64() || value.is_u64(),
        _ => true,
    };
    if !is_typed {
        return all.push(format!("{at} is of another type"));
    }
    match value {
        Value::Object(fields) => object(schema, fields, at, all),
        Value::Array(items) => list(schema, items, at, all),
        Value::String(text) => string(schema, text, at, all),
        Value::Number(number) => {
            let number = number.as_f64().expect("a number");
            let least = schema["minimum"].as_f64();
            let most = schema["maximum"].as_f64();
            if least.is_some_and(|least| number < least) || most.is_some_and(|most| number > most) {
                all.push(format!("{at} is out of range"));
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

fn object(schema: &Value, fields: &Map<String, Value>, at: &str, all: &mut Vec<String>) {
    let required = schema["required"].as_array().into_iter().flatten();
    for name in required.filter_map(Value::as_str) {
        if !fields.contains_key(name) {
            all.push(format!("{at}.{name} is required"));
        }
    }
    for (name, value) in fields {
        let declared = schema["properties"].get(name);
        let declared = declared.or_else(|| schema.get("additionalProperties"));
        if let Some(declared) = declared {
            judge(declared, value, &format!("{at}.{name}"), all);
        }
    }
}

fn list(schema: &Value, items: &[Value], at: &str, all: &mut Vec<String>) {
    let (least, most) = (schema["minItems"].as_u64(), schema["maxItems"].as_u64());
    let count = items.len() as u64;
    if least.is_some_and(|least| count < least) || most.is_some_and(|most| count > most) {
        all.push(format!("{at} is too short or too long"));
    }
    for (index, item) in items.iter().enumerate() {
        judge(&schema["items"], item, &format!("{at}[{index}]"), all);
    }
    if let Some(key) = schema["x-kubernetes-list-map-keys"][0].as_str() {
        let mut seen = BTreeSet::new();
        for item in items {
            if !seen.insert(item[key].to_string()) {
                all.push(format!("{at} has {key} {} twice", item[key]));
            }
        }
    }
}

fn string(schema: &Value, text: &str, at: &str, all: &mut Vec<String>) {
    let most = schema["maxLength"].as_u64();
    let is_long = most.is_some_and(|most| text.chars().count() as u64 > most);
    let words = schema["enum"].as_array();
    let is_strange = words.is_some_and(|words| !words.contains(&text.into()));
    let pattern = schema["pattern"].as_str();
    if is_long || is_strange || pattern.is_some_and(|pattern| !is_match(pattern, text)) {
        all.push(format!("{at} is another text"));
    }
}

fn is_match(pattern: &str, text: &str) -> bool {
    static KNOWN: LazyLock<Mutex<BTreeMap<String, Regex>>> = LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let regex = known.entry(pattern.to_owned());
    let regex = regex.or_insert_with(|| Regex::new(pattern).expect("a pattern"));
    regex.is_match(text)
}

/// Evaluates the CEL rules that do not need the old object.
fn rules(by: &mut Evaluator, schema: &Value, value: &Value, at: &str, all: &mut Vec<String>) {
    for (rule, message) in ruled(schema).filter(|(rule, _)| !rule.contains("oldSelf")) {
        if !by.holds(rule, value, None) {
            all.push(if message.starts_with("spec.") {
                message.to_owned()
            } else {
                format!("{at} {message}")
            });
        }
    }
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let at = format!("{at}.{name}");
                rules(by, &schema["properties"][name], value, &at, all);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                rules(by, &schema["items"], item, &format!("{at}[{index}]"), all);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Evaluates the CEL rules that compare the old and the new object. No list has such a rule.
fn transition(
    by: &mut Evaluator,
    schema: &Value,
    (old, new): (&Value, &Value),
    all: &mut Vec<String>,
) {
    for (rule, message) in ruled(schema).filter(|(rule, _)| rule.contains("oldSelf")) {
        if !by.holds(rule, new, Some(old)) {
            all.push(message.to_owned());
        }
    }
    for (name, new) in new.as_object().into_iter().flatten() {
        if let Some(old) = old.get(name) {
            transition(by, &schema["properties"][name], (old, new), all);
        }
    }
}

fn ruled(schema: &Value) -> impl Iterator<Item = (&str, &str)> {
    let rules = schema["x-kubernetes-validations"].as_array();
    rules.into_iter().flatten().map(|rule| {
        let text = |name: &str| rule[name].as_str().expect("a text");
        (text("rule"), text("message"))
    })
}

/// Evaluates CEL rules. It is reused, because its creation is slower than an evaluation.
struct Evaluator {
    context: Context<'static, 'static>,
    programs: BTreeMap<String, Program>,
}

impl Evaluator {
    fn new() -> Self {
        let mut context = Context::default();
        context.add_function("sum", sum).expect("a function");
        context
            .add_function("matches", matches)
            .expect("a function");
        Self {
            context,
            programs: BTreeMap::new(),
        }
    }

    fn holds(&mut self, rule: &str, value: &Value, old: Option<&Value>) -> bool {
        let context = &mut self.context;
        context.add_variable("self", value).expect("a value");
        context.add_variable("oldSelf", old).expect("a value");
        let program = self.programs.entry(rule.to_owned());
        let program = program.or_insert_with(|| {
            // An API server escapes identifiers that are reserved words of CEL.
            let rule = rule.replace("__namespace__", "namespace");
            Program::compile(&rule).expect("CEL")
        });
        program.execute(context).expect("a value") == cel::Value::Bool(true)
    }
}

fn matches(This(text): This<Arc<String>>, pattern: Arc<String>) -> bool {
    is_match(&pattern, &text)
}

fn sum(This(list): This<Arc<Vec<cel::Value>>>) -> i64 {
    let numbers = list.iter().map(|value| match value {
        cel::Value::Int(number) => *number,
        _ => 0,
    });
    numbers.sum()
}

/// Returns the value without undeclared fields, as an API server stores it.
pub(super) fn pruned(schema: &Value, value: Value) -> Value {
    match value {
        Value::Object(mut fields) => {
            if let Some(declared) = schema["properties"].as_object() {
                fields.retain(|name, _| declared.contains_key(name));
            }
            let fields = fields.into_iter().map(|(name, value)| {
                let value = pruned(&schema["properties"][&name], value);
                (name, value)
            });
            Value::Object(fields.collect())
        }
        Value::Array(items) => {
            let items = items.into_iter();
            items.map(|item| pruned(&schema["items"], item)).collect()
        }
        other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => other,
    }
}

/// Collects the JSON pointers of all values in a value.
pub(super) fn places(value: &Value, at: &str, all: &mut Vec<String>) {
    all.push(at.to_owned());
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                places(value, &format!("{at}/{name}"), all);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                places(value, &format!("{at}/{index}"), all);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
