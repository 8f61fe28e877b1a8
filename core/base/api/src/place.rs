//! Parses values in a manifest, and reports errors with the path of the value.

use portolan_core_names::nearest;
use serde_json::{Map, Value};

use crate::refusal::{Flaw, Refusal, cut, quoted};
use crate::words::{Words, spellings};

/// The start of a template.
pub(crate) const TEMPLATE: &str = "{{";

/// The maximum length of a label of RFC 1123.
pub(crate) const LONGEST_LABEL: usize = 63;
/// The maximum length of a subdomain of RFC 1123.
pub(crate) const LONGEST_SUBDOMAIN: usize = 253;

/// A value in a manifest, with its path. A null value counts as missing.
///
/// A value is valid, missing or invalid. For a missing and for an invalid value, the methods return
/// None. Only an invalid value adds a refusal. So a caller must check the refusals before it uses a
/// default.
#[derive(Debug, Clone)]
pub(crate) struct ManifestPlace<'a> {
    path: String,
    value: Option<&'a Value>,
    has_templates: bool,
}

impl<'a> ManifestPlace<'a> {
    pub(crate) fn new(path: &str, value: &'a Value) -> Self {
        Self {
            path: path.to_owned(),
            value: Some(value).filter(|value| !value.is_null()),
            has_templates: false,
        }
    }

    /// Sets whether `{{` in strings begins a template or is ordinary text.
    pub(crate) fn with_templates(mut self, has_templates: bool) -> Self {
        self.has_templates = has_templates;
        self
    }

    /// Returns the value of a field of the object.
    pub(crate) fn field(&self, name: &str) -> Self {
        let value = self.value.and_then(|value| value.as_object()?.get(name));
        Self {
            path: format!("{}.{}", self.path, cut(name).escape_debug()),
            value: value.filter(|value| !value.is_null()),
            has_templates: self.has_templates,
        }
    }

    fn item(&self, index: usize, value: &'a Value) -> Self {
        Self {
            path: format!("{}[{index}]", self.path),
            value: Some(value),
            has_templates: self.has_templates,
        }
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    pub(crate) fn is_given(&self) -> bool {
        self.value.is_some()
    }

    /// Returns true if the value is an object.
    pub(crate) fn is_object(&self) -> bool {
        self.value.is_some_and(Value::is_object)
    }

    /// Returns true if the value is an empty list.
    pub(crate) fn is_empty_list(&self) -> bool {
        let items = self.value.and_then(Value::as_array);
        items.is_some_and(Vec::is_empty)
    }

    /// Returns true if the value is exactly this string.
    pub(crate) fn is_text(&self, text: &str) -> bool {
        self.value.and_then(Value::as_str) == Some(text)
    }

    pub(crate) fn refuse(&self, flaw: Flaw, refused: &mut Vec<Refusal>) {
        let field = self.path.clone();
        refused.push(Refusal { field, flaw });
    }

    pub(crate) fn refuse_value(&self, sentence: impl Into<String>, refused: &mut Vec<Refusal>) {
        self.refuse(Flaw::Value(sentence.into()), refused);
    }

    /// Adds a refusal if the value is missing. `way_out` is the remedy.
    pub(crate) fn require(&self, way_out: &'static str, refused: &mut Vec<Refusal>) {
        if !self.is_given() {
            self.refuse(Flaw::Missing(way_out), refused);
        }
    }

    /// Adds a refusal and returns true if there are more than `most` items.
    pub(crate) fn exceeds(
        &self,
        most: usize,
        (count, what): (usize, &str),
        refused: &mut Vec<Refusal>,
    ) -> bool {
        let is_more = count > most;
        if is_more {
            let sentence = format!("has {count} {what}; at most {most} are allowed");
            self.refuse_value(sentence, refused);
        }
        is_more
    }

    pub(crate) fn text(&self, refused: &mut Vec<Refusal>) -> Option<&'a str> {
        self.typed("a text", Value::as_str, refused)
    }

    pub(crate) fn flag(&self, refused: &mut Vec<Refusal>) -> Option<bool> {
        self.typed("true or false", Value::as_bool, refused)
    }

    /// Returns the value as a non-negative integer.
    pub(crate) fn count(&self, refused: &mut Vec<Refusal>) -> Option<u32> {
        let number = |value: &Value| u32::try_from(value.as_u64()?).ok();
        self.typed("a whole number from 0 to 4294967295", number, refused)
    }

    pub(crate) fn object(&self, refused: &mut Vec<Refusal>) -> Option<&'a Map<String, Value>> {
        self.typed("an object", Value::as_object, refused)
    }

    pub(crate) fn list(&self, refused: &mut Vec<Refusal>) -> Option<Vec<Self>> {
        let items = self.typed("a list", Value::as_array, refused)?;
        let items = items.iter().enumerate();
        Some(items.map(|(at, value)| self.item(at, value)).collect())
    }

    /// Returns the strings in a list, each with its path.
    pub(crate) fn texts(&self, refused: &mut Vec<Refusal>) -> Vec<(Self, &'a str)> {
        let items = self.list(refused).unwrap_or_default();
        let texts = items.into_iter().filter_map(|item| {
            let text = item.text(refused)?;
            Some((item, text))
        });
        texts.collect()
    }

    /// Returns the meaning of a text. The text must be one of the allowed words.
    pub(crate) fn word<T: Copy>(&self, words: &Words<T>, refused: &mut Vec<Refusal>) -> Option<T> {
        let text = self.text(refused)?;
        let meaning = words.iter().find(|(word, _)| *word == text);
        if meaning.is_none() {
            let (found, options) = (quoted(text), spellings(words));
            self.refuse(Flaw::Word { found, options }, refused);
        }
        meaning.map(|(_, meaning)| *meaning)
    }

    /// Returns the text if it is a label as defined in RFC 1123, such as the name of a namespace.
    pub(crate) fn label(&self, what: &str, refused: &mut Vec<Refusal>) -> Option<String> {
        let text = self.text(refused)?;
        if !is_label(text) {
            let sentence = format!(
                "is {}, which cannot be {what}; write at most {LONGEST_LABEL} lower-case letters, \
                 digits and hyphens, and start and end with a letter or digit",
                quoted(text)
            );
            self.refuse_value(sentence, refused);
        }
        Some(text.to_owned())
    }

    /// Returns the text if it is a subdomain as defined in RFC 1123, such as the name of an object
    /// with dots.
    pub(crate) fn subdomain(&self, what: &str, refused: &mut Vec<Refusal>) -> Option<String> {
        let text = self.text(refused)?;
        if text.len() > LONGEST_SUBDOMAIN || !text.split('.').all(is_part) {
            let sentence = format!(
                "is {}, which cannot be {what}; write at most {LONGEST_SUBDOMAIN} lower-case \
                 letters, digits, hyphens and dots, where each part between dots starts and ends \
                 with a letter or digit",
                quoted(text)
            );
            self.refuse_value(sentence, refused);
        }
        Some(text.to_owned())
    }

    /// Returns the fields of the object. Adds a refusal for each field that is not in `known`.
    pub(crate) fn only(
        &self,
        known: &'static [&'static str],
        refused: &mut Vec<Refusal>,
    ) -> Option<&'a Map<String, Value>> {
        let fields = self.object(refused)?;
        let is_template = |name: &str| self.has_templates && name.contains(TEMPLATE);
        let names = fields.keys().map(String::as_str);
        let mut unknown: Vec<_> = names
            .filter(|name| !known.contains(name) && !is_template(name))
            .filter(|name| self.field(name).is_given())
            .collect();
        unknown.sort_unstable();
        for name in unknown {
            let nearest = nearest(name, known.iter()).copied();
            self.field(name)
                .refuse(Flaw::Unknown { nearest, known }, refused);
        }
        Some(fields)
    }

    /// Returns true if the object has an unknown field whose most similar known field is `name`.
    pub(crate) fn misspells(&self, name: &str, known: &'static [&'static str]) -> bool {
        let fields = self.value.and_then(Value::as_object);
        let mut names = fields.into_iter().flat_map(Map::keys);
        names.any(|other| {
            let other = other.as_str();
            !known.contains(&other) && nearest(other, known.iter()) == Some(&name)
        })
    }

    /// Adds a refusal for each string in the value that contains a template, if templates are
    /// enabled.
    pub(crate) fn refuse_templates(&self, refused: &mut Vec<Refusal>) {
        match self.value.filter(|_| self.has_templates) {
            Some(value) if self.is_template(value) => self.refuse(Flaw::Template, refused),
            Some(Value::Array(items)) => {
                for (at, value) in items.iter().enumerate() {
                    self.item(at, value).refuse_templates(refused);
                }
            }
            Some(Value::Object(fields)) => self.refuse_templates_of(fields, refused),
            Some(Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_)) | None => {}
        }
    }

    fn refuse_templates_of(&self, fields: &Map<String, Value>, refused: &mut Vec<Refusal>) {
        let mut names: Vec<_> = fields.keys().collect();
        names.sort();
        for name in names {
            let field = self.field(name);
            if name.contains(TEMPLATE) {
                field.refuse(Flaw::Template, refused)
            } else {
                field.refuse_templates(refused)
            }
        }
    }

    /// Returns the value if it has the required type. A template is not rejected for its type here,
    /// because it is rejected as a template.
    fn typed<T>(
        &self,
        wanted: &'static str,
        pick: impl Fn(&'a Value) -> Option<T>,
        refused: &mut Vec<Refusal>,
    ) -> Option<T> {
        let value = self.value.filter(|value| !self.is_template(value))?;
        let picked = pick(value);
        if picked.is_none() {
            let found = type_of(value);
            self.refuse(Flaw::Type { found, wanted }, refused);
        }
        picked
    }

    fn is_template(&self, value: &Value) -> bool {
        self.has_templates && value.as_str().is_some_and(|text| text.contains(TEMPLATE))
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Returns true if `text` is a label as defined in RFC 1123, such as the name of a namespace.
pub(crate) fn is_label(text: &str) -> bool {
    text.len() <= LONGEST_LABEL && is_part(text)
}

fn is_part(text: &str) -> bool {
    let is_inner = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '-');
    !text.is_empty() && text.chars().all(is_inner) && !text.starts_with('-') && !text.ends_with('-')
}
