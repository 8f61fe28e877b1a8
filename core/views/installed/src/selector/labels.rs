//! Parses label selectors.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use super::NotASelector;

/// The maximum length of a label value. Also the maximum length of the name in a label key.
const LONGEST: usize = 63;
/// The maximum length of the prefix in a label key.
const LONGEST_PREFIX: usize = 253;

/// A label selector: requirements for labels. An object must satisfy all of them. An empty selector
/// selects all objects.
///
/// ```
/// use portolan_core_installed::LabelSelector;
///
/// let selector: LabelSelector = "team in (red, blue), !old".parse()?;
/// assert!(selector.matches(&[("team".to_owned(), "red".to_owned())].into()));
/// # Ok::<_, portolan_core_installed::NotASelector>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LabelSelector(Vec<(String, Demand)>);

/// The requirement for the value of one label.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Demand {
    In(BTreeSet<String>),
    /// The value is none of these values, or the label is missing.
    NotIn(BTreeSet<String>),
    There,
    NotThere,
    Over(i64),
    Under(i64),
}

/// Parses a label selector.
struct Reader<'a> {
    selector: &'a str,
    rest: &'a str,
}

// === impl LabelSelector ===

impl LabelSelector {
    /// Returns true if the labels satisfy all requirements.
    pub fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        let mut demands = self.0.iter();
        demands.all(|(key, demand)| demand.is_met(labels.get(key)))
    }
}

impl FromStr for LabelSelector {
    type Err = NotASelector;

    fn from_str(selector: &str) -> Result<Self, NotASelector> {
        let mut reader = Reader {
            selector,
            rest: selector.trim_start(),
        };
        let mut demands = Vec::new();
        while !(reader.rest.is_empty() && demands.is_empty()) {
            demands.push(reader.demand()?);
            match reader.token() {
                "" => break,
                "," => {}
                other => return Err(reader.unexpected("a comma", other)),
            }
        }
        Ok(Self(demands))
    }
}

// === impl Demand ===

impl Demand {
    fn is_met(&self, value: Option<&String>) -> bool {
        let integer = || value.and_then(|value| value.parse::<i64>().ok());
        match self {
            Self::In(values) => value.is_some_and(|value| values.contains(value)),
            Self::NotIn(values) => value.is_none_or(|value| !values.contains(value)),
            Self::There => value.is_some(),
            Self::NotThere => value.is_none(),
            Self::Over(bound) => integer().is_some_and(|value| value > *bound),
            Self::Under(bound) => integer().is_some_and(|value| value < *bound),
        }
    }
}

// === impl Reader ===

impl<'a> Reader<'a> {
    fn demand(&mut self) -> Result<(String, Demand), NotASelector> {
        if self.takes("!") {
            return Ok((self.key()?, Demand::NotThere));
        }
        let key = self.key()?;
        let mut ahead = self.at_same();
        let demand = match ahead.token() {
            "" | "," => return Ok((key, Demand::There)),
            "=" | "==" => Demand::In([ahead.value()?].into()),
            "!=" => Demand::NotIn([ahead.value()?].into()),
            "in" => Demand::In(ahead.values()?),
            "notin" => Demand::NotIn(ahead.values()?),
            ">" => Demand::Over(ahead.integer()?),
            "<" => Demand::Under(ahead.integer()?),
            other => return Err(ahead.unexpected("an operator", other)),
        };
        *self = ahead;
        Ok((key, demand))
    }

    fn key(&mut self) -> Result<String, NotASelector> {
        match self.token() {
            key if is_word(key) => {
                if is_key(key) {
                    Ok(key.to_owned())
                } else {
                    Err(NotASelector::Key(key.to_owned()))
                }
            }
            other => Err(self.unexpected("the name of a label", other)),
        }
    }

    /// Parses a value, which may be empty.
    fn value(&mut self) -> Result<String, NotASelector> {
        let mut ahead = self.at_same();
        let value = match ahead.token() {
            value if is_word(value) => {
                *self = ahead;
                value
            }
            "" | "," | ")" => "",
            other => return Err(self.unexpected("a value", other)),
        };
        if is_value(value) {
            Ok(value.to_owned())
        } else {
            Err(NotASelector::Value(value.to_owned()))
        }
    }

    fn values(&mut self) -> Result<BTreeSet<String>, NotASelector> {
        if !self.takes("(") {
            let found = self.token();
            return Err(self.unexpected("values in parentheses", found));
        }
        let mut values = BTreeSet::new();
        loop {
            values.insert(self.value()?);
            match self.token() {
                "," => {}
                ")" => return Ok(values),
                other => return Err(self.unexpected("a comma or a closing parenthesis", other)),
            }
        }
    }

    fn integer(&mut self) -> Result<i64, NotASelector> {
        let value = self.value()?;
        let integer = value.parse();
        integer.map_err(|_| NotASelector::Integer(value))
    }

    fn takes(&mut self, token: &str) -> bool {
        let mut ahead = self.at_same();
        let is_it = ahead.token() == token;
        if is_it {
            *self = ahead;
        }
        is_it
    }

    fn at_same(&self) -> Self {
        Self { ..*self }
    }

    /// Returns the next word or operator. Returns an empty text at the end of the selector.
    fn token(&mut self) -> &'a str {
        let is_sign = |char: char| "=!(),<>".contains(char);
        let two = ["==", "!="]
            .into_iter()
            .find(|two| self.rest.starts_with(two));
        let length = match self.rest.chars().next() {
            Some(_) if two.is_some() => 2,
            Some(sign) if is_sign(sign) => sign.len_utf8(),
            Some(_) | None => {
                let end = self
                    .rest
                    .find(|char: char| is_sign(char) || char.is_whitespace());
                end.unwrap_or(self.rest.len())
            }
        };
        let (token, rest) = self.rest.split_at(length);
        self.rest = rest.trim_start();
        token
    }

    fn unexpected(&self, wanted: &'static str, found: &str) -> NotASelector {
        NotASelector::Unexpected {
            selector: self.selector.to_owned(),
            wanted,
            found: found.to_owned(),
        }
    }
}

fn is_word(token: &str) -> bool {
    !token.is_empty() && !token.starts_with(['=', '!', '(', ')', ',', '<', '>'])
}

fn is_key(key: &str) -> bool {
    match key.split_once('/') {
        Some((prefix, name)) => is_prefix(prefix) && is_name(name),
        None => is_name(key),
    }
}

fn is_prefix(prefix: &str) -> bool {
    let is_part = |part: &str| {
        let is_char =
            |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '-';
        let is_end = |char: char| char != '-';
        part.chars().all(is_char) && part.starts_with(is_end) && part.ends_with(is_end)
    };
    prefix.len() <= LONGEST_PREFIX && prefix.split('.').all(is_part)
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && is_value(name)
}

fn is_value(value: &str) -> bool {
    let is_char = |char: char| char.is_ascii_alphanumeric() || ['-', '_', '.'].contains(&char);
    let is_end = |char: char| char.is_ascii_alphanumeric();
    let ends_well = value.is_empty() || (value.starts_with(is_end) && value.ends_with(is_end));
    value.len() <= LONGEST && value.chars().all(is_char) && ends_well
}
