//! Determines which parts of a Secret are hidden.

use std::cell::RefCell;
use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::objects::{Answer, Lookup, Objects};
use crate::origin::{Origins, SecretEntry};
use crate::value::{Shape, Value};

/// The hidden fields of the metadata. An annotation of an applied Secret contains its data.
const OF_METADATA: [&str; 2] = ["annotations", "managedFields"];

/// Determines how a field of a Secret is handled.
#[derive(Debug, Clone, Copy)]
enum Part {
    Shown,
    Metadata,
    /// A map whose values are hidden, but whose keys are shown.
    Entries,
    Hidden,
}

/// The objects of a cluster, but with empty hidden parts of all Secrets. An evaluation with these
/// objects cannot depend on the content of Secrets.
///
/// The results of lookups are stored, so that each Secret is emptied only once: the counted steps
/// do not include the size of its hidden parts.
pub(crate) struct Blanked<'o> {
    objects: &'o dyn Objects,
    answers: RefCell<BTreeMap<Lookup, Answer>>,
}

// === impl Part ===

impl Part {
    fn of(field: &str) -> Self {
        match field {
            "apiVersion" | "kind" | "type" | "immutable" => Self::Shown,
            "metadata" => Self::Metadata,
            "data" | "stringData" => Self::Entries,
            _ => Self::Hidden,
        }
    }
}

// === impl Blanked ===

impl<'o> Blanked<'o> {
    pub(crate) fn new(objects: &'o dyn Objects) -> Self {
        Self {
            objects,
            answers: RefCell::default(),
        }
    }
}

impl Objects for Blanked<'_> {
    fn answer(&self, lookup: &Lookup) -> Answer {
        if !is_secret(&lookup.kind) {
            return self.objects.answer(lookup);
        }
        let mut answers = self.answers.borrow_mut();
        let answer = answers.entry(lookup.clone()).or_insert_with(|| {
            let mut answer = self.objects.answer(lookup);
            match &mut answer {
                Answer::Object(object) => blank(object),
                Answer::Objects(objects) => objects.iter_mut().for_each(blank),
                Answer::Absent | Answer::NoSuchKind | Answer::NotAllowed(_) | Answer::Unread => {}
            }
            answer
        });
        answer.clone()
    }
}

pub(crate) fn is_secret(kind: &str) -> bool {
    kind == "Secret"
}

/// Returns the origins of an entry of this Secret.
pub(crate) fn origin(object: &Json, key: &str) -> Origins {
    let field = |pointer| {
        object
            .pointer(pointer)
            .and_then(Json::as_str)
            .unwrap_or_default()
    };
    Origins::one(SecretEntry {
        namespace: field("/metadata/namespace").to_owned(),
        name: field("/metadata/name").to_owned(),
        key: key.to_owned(),
    })
}

/// Returns a Secret as a value. Its hidden entries have origins.
pub(crate) fn marked(object: &Json) -> Value {
    let value = Value::from_object(object);
    if let Shape::Map(map) = &value.shape {
        for (field, value) in &mut map.borrow_mut().entries {
            let field = String::from_utf8_lossy(field);
            match Part::of(&field) {
                Part::Shown => {}
                Part::Metadata => mark(value, object, |field| OF_METADATA.contains(&field)),
                Part::Entries => mark(value, object, |_| true),
                Part::Hidden => value.origins.join(&origin(object, &field)),
            }
        }
    }
    value
}

fn mark(value: &mut Value, object: &Json, is_hidden: impl Fn(&str) -> bool) {
    if let Shape::Map(map) = &value.shape {
        for (key, value) in &mut map.borrow_mut().entries {
            let key = String::from_utf8_lossy(key);
            if is_hidden(&key) {
                value.origins.join(&origin(object, &key));
            }
        }
    }
}

/// Empties the hidden parts of a Secret.
fn blank(object: &mut Json) {
    for (field, value) in object.as_object_mut().into_iter().flatten() {
        let entries = value.as_object_mut().into_iter().flatten();
        match Part::of(field) {
            Part::Shown => {}
            Part::Metadata => entries
                .filter(|(field, _)| OF_METADATA.contains(&field.as_str()))
                .for_each(|(_, value)| *value = Json::Null),
            Part::Entries => entries.for_each(|(_, value)| *value = "".into()),
            Part::Hidden => *value = Json::Null,
        }
    }
}
