//! Compares two schemas, property by property.

use std::collections::BTreeSet;
use std::fmt;

use portolan_core_names::text::cut;
use serde_json::{Map, Value as Json};

use crate::typed::shortened;

/// A difference between two schemas that affects users.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SchemaDifference {
    pub(super) path: String,
    pub(super) check: &'static str,
    pub(super) sentence: String,
    /// The types of the property in the old and the new schema.
    pub(super) types: (Option<String>, Option<String>),
}

/// Returns the differences with which the new schema rejects or changes objects, in the order of
/// their paths. Returns only a limited number of differences.
pub(super) fn compare(old: &Json, new: &Json) -> Vec<SchemaDifference> {
    if let Some(sentence) = whole(old, new) {
        return vec![SchemaDifference {
            path: String::new(),
            check: "unhandled",
            sentence: sentence.to_owned(),
            types: (None, None),
        }];
    }
    let mut found = Vec::new();
    walk(&PropertyPath::Root, old, new, &mut found);
    if found.len() >= MOST {
        found.truncate(MOST);
        found.push(SchemaDifference {
            path: String::new(),
            check: "unhandled",
            sentence: format!("there are more differences than the {MOST} that are listed"),
            types: (None, None),
        });
    }
    found.sort_by(|left, right| left.path.cmp(&right.path));
    found
}

/// The maximum number of differences that are listed for a schema.
const MOST: usize = 1000;

/// The path of a property. In `.spec.ships[]`, the property is an item of a list. In
/// `.spec.berths[*]`, the property is a value of a map. The path is formatted only for a
/// difference, because the paths of all properties can be long.
enum PropertyPath<'p> {
    Root,
    Key(&'p PropertyPath<'p>, &'p str),
    Step(&'p PropertyPath<'p>, &'static str),
}

impl fmt::Display for PropertyPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Key(above, key) => write!(f, "{above}.{}", shortened(key)),
            Self::Step(above, step) => write!(f, "{above}{step}"),
        }
    }
}

fn walk(path: &PropertyPath<'_>, old: &Json, new: &Json, found: &mut Vec<SchemaDifference>) {
    let (Some(old), Some(new)) = (old.as_object(), new.as_object()) else {
        return;
    };
    if found.len() >= MOST {
        return;
    }
    property(path, old, new, found);
    let mut below = |path: PropertyPath<'_>, old: &Json, new: Option<&Json>| {
        match new.filter(|new| new.is_object()) {
            _ if !old.is_object() => {}
            Some(new) => walk(&path, old, new, found),
            // A removed property is reported once. The properties below it are not reported.
            None => found.push(SchemaDifference {
                path: path.to_string(),
                check: "existingFieldRemoval",
                sentence: "the field is gone".to_owned(),
                types: (type_of(old.get("type")), None),
            }),
        }
    };
    let properties = old.get("properties").and_then(Json::as_object);
    for (key, property) in properties.into_iter().flatten() {
        let new = new.get("properties").and_then(|all| all.get(key));
        below(PropertyPath::Key(path, key), property, new);
    }
    for (key, step) in [("items", "[]"), ("additionalProperties", "[*]")] {
        if let Some(schema) = old.get(key) {
            below(PropertyPath::Step(path, step), schema, new.get(key));
        }
    }
}

/// Returns a difference if only one version has a schema. Older versions of Kubernetes allowed
/// versions without a schema.
fn whole(old: &Json, new: &Json) -> Option<&'static str> {
    match (old.is_object(), new.is_object()) {
        (true, false) => Some("the schema is gone"),
        (false, true) => Some("there is a schema where there was none"),
        (true, true) | (false, false) => None,
    }
}

/// The fields that limit a value. For each field, either a lower or a higher limit accepts less.
const BOUNDS: [(&str, Tightens); 8] = [
    ("maximum", Tightens::Lowered),
    ("maxLength", Tightens::Lowered),
    ("maxItems", Tightens::Lowered),
    ("maxProperties", Tightens::Lowered),
    ("minimum", Tightens::Raised),
    ("minLength", Tightens::Raised),
    ("minItems", Tightens::Raised),
    ("minProperties", Tightens::Raised),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tightens {
    Lowered,
    Raised,
}

/// Fields that separate checks compare, or that are compared property by property.
const COMPARED: [&str; 9] = [
    "default",
    "enum",
    "items",
    "nullable",
    "oneOf",
    "pattern",
    "properties",
    "required",
    "type",
];

/// Fields that only document the schema for users.
const READ_BY_PEOPLE: [&str; 4] = ["description", "example", "externalDocs", "title"];

type Fields = Map<String, Json>;

fn property(
    path: &PropertyPath<'_>,
    old: &Fields,
    new: &Fields,
    found: &mut Vec<SchemaDifference>,
) {
    let checks = [
        ("required", required(old, new)),
        ("type", kind(old, new)),
        ("default", default(old, new)),
        ("enum", values(old, new)),
        ("pattern", pattern(old, new)),
        ("nullable", nullable(old, new)),
        ("oneOf", one_of(old, new)),
    ];
    let bounds = BOUNDS.map(|(key, tightens)| (key, bound(key, tightens, old, new)));
    let unhandled = ("unhandled", unhandled(old, new));
    let all = checks.into_iter().chain(bounds).chain([unhandled]);
    found.extend(all.filter_map(|(check, sentence)| {
        Some(SchemaDifference {
            check,
            sentence: cut(&sentence?, SENTENCE),
            path: path.to_string(),
            types: (type_of(old.get("type")), type_of(new.get("type"))),
        })
    }));
}

fn type_of(written: Option<&Json>) -> Option<String> {
    written.map(value_text)
}

fn required(old: &Fields, new: &Fields) -> Option<String> {
    let added = beyond(list(new, "required"), list(old, "required"));
    (!added.is_empty()).then(|| format!("newly required: {}", named(&added)))
}

fn kind(old: &Fields, new: &Fields) -> Option<String> {
    let (old, new) = (old.get("type"), new.get("type"));
    (old != new).then(|| format!("{} becomes {}", or_none(old), or_none(new)))
}

fn default(old: &Fields, new: &Fields) -> Option<String> {
    let (old, new) = (old.get("default"), new.get("default"));
    // The value is quoted, because it may be an empty text or a number.
    let excerpt_or_none = |value: Option<&Json>| value.map_or_else(|| "none".to_owned(), excerpt);
    (old != new).then(|| format!("{} becomes {}", excerpt_or_none(old), excerpt_or_none(new)))
}

fn values(old: &Fields, new: &Fields) -> Option<String> {
    let (old, new) = (list(old, "enum"), list(new, "enum"));
    if old.is_empty() && !new.is_empty() {
        let all: Vec<_> = new.iter().collect();
        return Some(format!("only these values are left: {}", named(&all)));
    }
    let gone = beyond(old, new);
    (!gone.is_empty() && !new.is_empty()).then(|| format!("values are gone: {}", named(&gone)))
}

fn pattern(old: &Fields, new: &Fields) -> Option<String> {
    let (old, new) = (old.get("pattern"), new.get("pattern"));
    (old != new).then(|| format!("{} becomes {}", or_none(old), or_none(new)))
}

fn nullable(old: &Fields, new: &Fields) -> Option<String> {
    let is = |fields: &Fields| fields.get("nullable") == Some(&Json::Bool(true));
    match (is(old), is(new)) {
        (true, true) | (false, false) => None,
        (true, false) => Some("null is no longer allowed".to_owned()),
        (false, true) => Some("null is allowed now, which readers may not expect".to_owned()),
    }
}

fn one_of(old: &Fields, new: &Fields) -> Option<String> {
    let (old, new) = (list(old, "oneOf"), list(new, "oneOf"));
    if old.is_empty() && !new.is_empty() {
        return Some("exactly one of several schemas must fit now".to_owned());
    }
    let gone = beyond(old, new).len();
    (gone > 0 && !new.is_empty()).then(|| format!("{gone} of its {} branches are gone", old.len()))
}

fn bound(key: &str, tightens: Tightens, old: &Fields, new: &Fields) -> Option<String> {
    let number = |fields: &Fields| fields.get(key).and_then(Json::as_f64);
    let new_value = number(new)?;
    let Some(old_value) = number(old) else {
        return Some(format!(
            "{} is a bound where there was none",
            or_none(new.get(key))
        ));
    };
    let is_tighter = match tightens {
        Tightens::Lowered => new_value < old_value,
        Tightens::Raised => new_value > old_value,
    };
    is_tighter.then(|| {
        let word = match tightens {
            Tightens::Lowered => "lowered",
            Tightens::Raised => "raised",
        };
        format!(
            "{word} from {} to {}",
            or_none(old.get(key)),
            or_none(new.get(key))
        )
    })
}

/// The maximum number of keys in a sentence.
const LISTED: usize = 20;
const SENTENCE: usize = 800;

/// Returns the keys with any other difference. The effect of such a difference is unknown.
fn unhandled(old: &Fields, new: &Fields) -> Option<String> {
    let keys: BTreeSet<_> = old.keys().chain(new.keys()).collect();
    let is_handled = |key: &str| {
        COMPARED.contains(&key)
            || READ_BY_PEOPLE.contains(&key)
            || BOUNDS.iter().any(|(bound, _)| *bound == key)
    };
    // If `additionalProperties` is a schema, it is compared separately, and its removal is
    // reported.
    let is_map = |fields: &Fields| {
        fields
            .get("additionalProperties")
            .is_some_and(Json::is_object)
    };
    let differing = keys.into_iter().filter(|key| {
        let is_compared = *key == "additionalProperties" && is_map(old);
        !is_handled(key) && !is_compared && old.get(*key) != new.get(*key)
    });
    let told: Vec<_> = differing
        .take(LISTED)
        .map(|key| {
            let (old, new) = (or_none(old.get(key)), or_none(new.get(key)));
            format!("{key}: {old} becomes {new}")
        })
        .collect();
    (!told.is_empty()).then(|| told.join("; "))
}

fn list<'f>(fields: &'f Fields, key: &str) -> &'f [Json] {
    fields
        .get(key)
        .and_then(Json::as_array)
        .map_or(&[], Vec::as_slice)
}

/// Returns the values of `list` that are missing in `other`.
fn beyond<'v>(list: &'v [Json], other: &[Json]) -> Vec<&'v Json> {
    let there: BTreeSet<_> = other.iter().map(Json::to_string).collect();
    let beyond = list.iter();
    beyond
        .filter(|value| !there.contains(&value.to_string()))
        .collect()
}

/// Returns the first values as text, followed by the number of the other values.
fn named(values: &[&Json]) -> String {
    const MOST: usize = 20;
    let mut all: Vec<_> = values
        .iter()
        .take(MOST)
        .map(|value| value_text(value))
        .collect();
    if values.len() > MOST {
        all.push(format!("{} more", values.len() - MOST));
    }
    all.join(", ")
}

fn value_text(value: &Json) -> String {
    match value.as_str() {
        Some(text) if !text.is_empty() => shortened(text),
        Some(_) | None => excerpt(value),
    }
}

/// Returns a value as JSON, truncated to the length for a sentence.
fn excerpt(value: &Json) -> String {
    shortened(&value.to_string())
}

fn or_none(value: Option<&Json>) -> String {
    value.map_or_else(|| "none".to_owned(), value_text)
}
