//! Parses label selectors in the syntax of `kubectl -l`.

use serde_json::Value as Json;

/// A label selector. An object must satisfy all requirements.
#[derive(Debug, Default)]
pub(crate) struct Selector(Vec<Requirement>);

#[derive(Debug)]
enum Requirement {
    Exists(String),
    Lacks(String),
    In(String, Vec<String>),
    NotIn(String, Vec<String>),
    Greater(String, i64),
    Less(String, i64),
}

// === impl Selector ===

impl Selector {
    /// # Errors
    /// Returns an error with the invalid requirement.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let parts = parts(text).into_iter().filter(|part| !part.is_empty());
        let parse = |part: String| {
            requirement(&part).ok_or_else(|| {
                format!("unable to parse requirement: {part:?} is not a label selector")
            })
        };
        Ok(Self(parts.map(parse).collect::<Result<_, _>>()?))
    }

    pub(crate) fn selects(&self, labels: Option<&Json>) -> bool {
        let label = |key: &String| labels.and_then(|labels| labels.get(key)?.as_str());
        let number = |key| label(key).and_then(|value| value.parse::<i64>().ok());
        self.0.iter().all(|requirement| match requirement {
            Requirement::Exists(key) => label(key).is_some(),
            Requirement::Lacks(key) => label(key).is_none(),
            Requirement::In(key, values) => {
                label(key).is_some_and(|is| values.iter().any(|value| value == is))
            }
            Requirement::NotIn(key, values) => {
                label(key).is_none_or(|is| values.iter().all(|value| value != is))
            }
            Requirement::Greater(key, than) => number(key).is_some_and(|is| is > *than),
            Requirement::Less(key, than) => number(key).is_some_and(|is| is < *than),
        })
    }
}

/// Splits a selector at commas. A comma in parentheses does not separate requirements.
fn parts(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut is_inside = false;
    for letter in text.chars() {
        match letter {
            '(' => is_inside = true,
            ')' => is_inside = false,
            _ => {}
        }
        if letter == ',' && !is_inside {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(letter);
        }
    }
    parts.iter().map(|part| part.trim().to_owned()).collect()
}

fn requirement(part: &str) -> Option<Requirement> {
    if let Some(key) = part.strip_prefix('!') {
        return Some(Requirement::Lacks(key_of(key)?));
    }
    if let Some(list) = part.strip_suffix(')') {
        let (head, values) = list.split_once('(')?;
        let values = values
            .split(',')
            .map(|value| value.trim().to_owned())
            .collect();
        let mut words = head.split_whitespace();
        let key = key_of(words.next()?)?;
        return match (words.next()?, words.next()) {
            ("in", None) => Some(Requirement::In(key, values)),
            ("notin", None) => Some(Requirement::NotIn(key, values)),
            _ => None,
        };
    }
    for (sign, make) in SIGNS {
        if let Some((key, value)) = part.split_once(sign) {
            return make(key_of(key)?, value.trim());
        }
    }
    Some(Requirement::Exists(key_of(part)?))
}

type Make = fn(String, &str) -> Option<Requirement>;

const SIGNS: &[(&str, Make)] = &[
    ("!=", |key, value| {
        Some(Requirement::NotIn(key, vec![value_of(value)?]))
    }),
    ("==", |key, value| {
        Some(Requirement::In(key, vec![value_of(value)?]))
    }),
    ("=", |key, value| {
        Some(Requirement::In(key, vec![value_of(value)?]))
    }),
    (">", |key, value| {
        Some(Requirement::Greater(key, value.parse().ok()?))
    }),
    ("<", |key, value| {
        Some(Requirement::Less(key, value.parse().ok()?))
    }),
];

fn key_of(text: &str) -> Option<String> {
    let key = text.trim();
    let is_key = |letter: char| letter.is_ascii_alphanumeric() || "-_./".contains(letter);
    (!key.is_empty() && key.chars().all(is_key)).then(|| key.to_owned())
}

fn value_of(text: &str) -> Option<String> {
    let is_value = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    text.chars().all(is_value).then(|| text.to_owned())
}
