//! OpenAPI schemas as JSON. This module has the parts that all kinds share.

use schemars::Schema;
use schemars::generate::SchemaGenerator;
use schemars::transform::{RecursiveTransform, Transform};
use serde_json::{Value, json};

use crate::place::{LONGEST_LABEL, LONGEST_SUBDOMAIN};
use crate::words::{SELECTOR_OPERATORS, Words, spellings};

/// The schema field with which an object keeps undeclared fields.
pub(crate) const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";
/// The pattern of a label as defined in RFC 1123.
pub(crate) const LABEL: &str = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";
/// The pattern of a subdomain as defined in RFC 1123.
pub(crate) const SUBDOMAIN: &str =
    r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";
/// The schema field with CEL rules.
pub(crate) const RULES: &str = "x-kubernetes-validations";
/// The maximum length of a label key: a subdomain, a slash and a name.
const LONGEST_KEY: usize = LONGEST_SUBDOMAIN + 1 + LONGEST_LABEL;
/// The maximum number of requirements of a selector. Also the maximum number of values of a
/// requirement.
const MOST_LABELS: usize = 50;
const VALUES: &str =
    "values are required with In and NotIn, and not allowed with Exists and DoesNotExist";
/// The maximum length of a condition's message.
const LONGEST_MESSAGE: u32 = 32_768;

pub(crate) fn object(description: &str, properties: Value) -> Value {
    json!({"description": description, "type": "object", "properties": properties})
}

pub(crate) fn list(description: &str, items: Value) -> Value {
    json!({"description": description, "type": "array", "items": items})
}

pub(crate) fn text(description: &str) -> Value {
    json!({"description": description, "type": "string"})
}

pub(crate) fn word<T>(description: &str, words: &Words<T>) -> Value {
    with(text(description), "enum", json!(spellings(words)))
}

pub(crate) fn time(description: &str) -> Value {
    with(text(description), "format", json!("date-time"))
}

/// Returns the schema of a non-negative integer.
pub(crate) fn count(description: &str) -> Value {
    json!({"description": description, "type": "integer", "format": "int64", "minimum": 0})
}

pub(crate) fn with(mut schema: Value, keyword: &str, value: Value) -> Value {
    schema[keyword] = value;
    schema
}

/// Returns the schema of a status's conditions. `kind` is the name of the kind in descriptions.
pub(crate) fn conditions(kind: &str) -> Value {
    let reason = r"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$";
    let about = concat!(
        r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?",
        r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"
    );
    let condition = json!({
        "type": "object",
        "required": ["lastTransitionTime", "message", "reason", "status", "type"],
        "properties": {
            "lastTransitionTime": time("The time when the status of the condition last changed."),
            "message": with(text("A human-readable message."), "maxLength", json!(LONGEST_MESSAGE)),
            "observedGeneration": count(&format!("The generation of the {kind} that the condition \
                                                  describes.")),
            "reason": {
                "description": "The reason for the status of the condition, as one word in \
                                CamelCase for programs.",
                "type": "string",
                "minLength": 1,
                "maxLength": 1024,
                "pattern": reason,
            },
            "status": {
                "description": "The status of the condition: True, False or Unknown.",
                "type": "string",
                "enum": ["True", "False", "Unknown"],
            },
            "type": {
                "description": "The type of the condition.",
                "type": "string",
                "maxLength": 316,
                "pattern": about,
            },
        },
    });
    let conditions = list("The current conditions, one per type.", condition);
    let conditions = with(conditions, "x-kubernetes-list-type", json!("map"));
    with(conditions, "x-kubernetes-list-map-keys", json!(["type"]))
}

/// Returns a CEL expression that is true if a field did not change, or is absent in the old and in
/// the new object.
pub(crate) fn same(field: &str) -> String {
    format!(
        "has(self.{field}) == has(oldSelf.{field}) && (!has(self.{field}) || self.{field} == \
         oldSelf.{field})"
    )
}

pub(crate) fn rule(rule: &str, message: &str) -> Value {
    json!({"rule": rule, "message": message})
}

pub(crate) fn never(same: &str, message: &str) -> Value {
    with(rule(same, message), "reason", json!("FieldValueForbidden"))
}

pub(crate) fn at_least_one(list: Value) -> Value {
    with(list, "minItems", json!(1))
}

pub(crate) fn subdomain(description: &str) -> Value {
    bounded(description, SUBDOMAIN, LONGEST_SUBDOMAIN)
}

pub(crate) fn bounded(description: &str, pattern: &str, longest: usize) -> Value {
    let text = with(text(description), "pattern", json!(pattern));
    with(text, "maxLength", json!(longest))
}

/// Returns the schema of a label selector.
pub(crate) fn selector(description: &str) -> Value {
    let value = || with(text("A label value."), "maxLength", json!(LONGEST_LABEL));
    let key = || with(text("The label key."), "maxLength", json!(LONGEST_KEY));
    let values = with(
        list(
            "The values to compare with the value of the label.",
            value(),
        ),
        "maxItems",
        json!(MOST_LABELS),
    );
    let expression = object(
        "A label requirement.",
        json!({
            "key": key(),
            "operator": word(
                "The operator: In, NotIn, Exists or DoesNotExist. In and NotIn require values. \
                 Exists and DoesNotExist do not allow values.",
                SELECTOR_OPERATORS,
            ),
            "values": values,
        }),
    );
    let expression = with(expression, "required", json!(["key", "operator"]));
    let fits = "(self.operator in ['In', 'NotIn']) == (has(self.values) && size(self.values) > 0)";
    let expression = with(expression, RULES, json!([rule(fits, VALUES)]));
    let expressions = list(
        "The label requirements. An object is selected only if all requirements \
                            match.",
        expression,
    );
    object(
        description,
        json!({
            "matchExpressions": with(expressions, "maxItems", json!(MOST_LABELS)),
            "matchLabels": {
                "description": "The label keys and values. An object is selected only if all \
                                labels match.",
                "type": "object",
                "maxProperties": MOST_LABELS,
                "additionalProperties": value(),
            },
        }),
    )
}

/// Changes a derived schema for API servers and for `kubectl explain`. Removes defaults and nulls,
/// uses the formats of Kubernetes, and puts each description on one line.
pub(crate) fn structural(schema: &mut Schema) {
    RecursiveTransform(plain).transform(schema);
}

fn plain(schema: &mut Schema) {
    schema.remove("default");
    // API servers reject schemas with `uniqueItems`.
    schema.remove("uniqueItems");
    if let Some(Value::Array(types)) = schema.get("type") {
        let known = types.iter().find(|it| *it != "null").cloned();
        schema.insert("type".to_owned(), known.unwrap_or_default());
    }
    // Kubernetes does not support unsigned formats.
    if schema.get("format").is_some_and(|it| *it == "uint32") {
        schema.insert("format".to_owned(), json!("int64"));
    }
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.replace('\n', " ");
    }
}

/// Removes the list of required fields.
pub(crate) fn optional(schema: &mut Schema) {
    schema.remove("required");
}

/// Sets the description of the items of a list.
pub(crate) fn items(description: &str) -> impl FnMut(&mut Schema) {
    describing("items", description)
}

/// Sets the description of the values of a map.
pub(crate) fn values(description: &str) -> impl FnMut(&mut Schema) {
    describing("additionalProperties", description)
}

fn describing(part: &str, description: &str) -> impl FnMut(&mut Schema) {
    move |schema| {
        if let Some(Value::Object(part)) = schema.get_mut(part) {
            part.insert("description".to_owned(), json!(description));
        }
    }
}

/// Returns the schema of a point in time.
pub(crate) fn moment(_: &mut SchemaGenerator) -> Schema {
    finished(json!({"type": "string", "format": "date-time"}))
}

/// Returns the schema of an arbitrary object.
pub(crate) fn any_object(_: &mut SchemaGenerator) -> Schema {
    finished(json!({"type": "object", PRESERVE: true}))
}

pub(crate) fn finished(schema: Value) -> Schema {
    Schema::try_from(schema).expect("a schema must be an object")
}
