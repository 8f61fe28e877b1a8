//! Versions and version constraints, parsed as in the library that sprig uses. It accepts `v1.2` as
//! a version.

use std::cmp::Ordering;
use std::fmt;

use crate::value::{Shape, Value};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SemanticVersion {
    numbers: [u64; 3],
    prerelease: String,
    metadata: String,
    original: String,
}

/// A version constraint: a list of alternatives. A version must satisfy all conditions of at least
/// one alternative.
pub(crate) struct Constraint(Vec<Vec<Part>>);

struct Part {
    operator: Operator,
    version: SemanticVersion,
    /// The number of version numbers in the text, from none to three.
    given: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Greater,
    Less,
    GreaterEqual,
    LessEqual,
    Tilde,
    Caret,
}

/// The operators. Longer operators come first, because a shorter operator may be the beginning of a
/// longer one.
const OPERATORS: &[(&str, Operator)] = &[
    ("!=", Operator::NotEqual),
    (">=", Operator::GreaterEqual),
    ("=>", Operator::GreaterEqual),
    ("<=", Operator::LessEqual),
    ("=<", Operator::LessEqual),
    ("~>", Operator::Tilde),
    ("~", Operator::Tilde),
    ("^", Operator::Caret),
    (">", Operator::Greater),
    ("<", Operator::Less),
    ("=", Operator::Equal),
    ("", Operator::Equal),
];

// === impl SemanticVersion ===

impl fmt::Display for SemanticVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.numbers;
        write!(f, "{major}.{minor}.{patch}")?;
        if !self.prerelease.is_empty() {
            write!(f, "-{}", self.prerelease)?;
        }
        if !self.metadata.is_empty() {
            write!(f, "+{}", self.metadata)?;
        }
        Ok(())
    }
}

impl SemanticVersion {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if text.len() > 256 {
            return Err("version string is too long".to_owned());
        }
        Self::read(text).ok_or_else(|| "invalid semantic version".to_owned())
    }

    fn read(text: &str) -> Option<Self> {
        let bare = text.strip_prefix('v').unwrap_or(text);
        let (bare, metadata) = split_off(bare, '+')?;
        let (core, prerelease) = split_off(bare, '-')?;
        let is_identifier = |part: &str| {
            !part.is_empty()
                && part
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        };
        let is_plain = |part: &str| part == "0" || !part.starts_with('0');
        let is_numeric = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if !metadata.is_empty() && !metadata.split('.').all(is_identifier) {
            return None;
        }
        let is_good = |part: &str| is_identifier(part) && (!is_numeric(part) || is_plain(part));
        if !prerelease.is_empty() && !prerelease.split('.').all(is_good) {
            return None;
        }
        let mut numbers = [0; 3];
        let parts: Vec<&str> = core.split('.').collect();
        if parts.len() > 3 {
            return None;
        }
        for (number, part) in numbers.iter_mut().zip(parts) {
            if part.is_empty() || !is_numeric(part) || !is_plain(part) {
                return None;
            }
            *number = part.parse().ok()?;
        }
        Some(Self {
            numbers,
            prerelease: prerelease.to_owned(),
            metadata: metadata.to_owned(),
            original: text.to_owned(),
        })
    }

    /// Returns the result of a method of a version that templates may call.
    pub(crate) fn method(&self, name: &str) -> Option<Value> {
        let [major, minor, patch] = self.numbers;
        Some(match name {
            "Major" => Shape::Uint64(major).into(),
            "Minor" => Shape::Uint64(minor).into(),
            "Patch" => Shape::Uint64(patch).into(),
            "Prerelease" => self.prerelease.as_str().into(),
            "Metadata" => self.metadata.as_str().into(),
            "Original" => self.original.as_str().into(),
            "String" => self.to_string().into(),
            _ => return None,
        })
    }

    fn order(&self, other: &Self) -> Ordering {
        let prerelease = || match (self.prerelease.is_empty(), other.prerelease.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) => by_identifiers(&self.prerelease, &other.prerelease),
        };
        self.numbers.cmp(&other.numbers).then_with(prerelease)
    }
}

/// Splits a text at a sign. Returns None if there is no text after the sign. Without the sign, the
/// second part is empty.
fn split_off(text: &str, sign: char) -> Option<(&str, &str)> {
    match text.split_once(sign) {
        Some((_, "")) => None,
        Some(parts) => Some(parts),
        None => Some((text, "")),
    }
}

fn by_identifiers(first: &str, other: &str) -> Ordering {
    let mut others = other.split('.');
    for first in first.split('.') {
        let Some(other) = others.next() else {
            return Ordering::Greater;
        };
        let order = match (first.parse::<u64>(), other.parse::<u64>()) {
            (Ok(first), Ok(other)) => first.cmp(&other),
            (Ok(_), Err(_)) => Ordering::Less,
            (Err(_), Ok(_)) => Ordering::Greater,
            (Err(_), Err(_)) => first.cmp(other),
        };
        if order.is_ne() {
            return order;
        }
    }
    if others.next().is_some() {
        Ordering::Less
    } else {
        Ordering::Equal
    }
}

// === impl Constraint ===

impl Constraint {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if text.len() > 512 {
            return Err("constraint string is too long (max 512 bytes)".to_owned());
        }
        let text = with_ranges_spelled_out(text);
        let alternatives: Vec<&str> = text.split("||").collect();
        if alternatives.len() > 32 {
            return Err("too many constraint groups (max 32)".to_owned());
        }
        let parse = |text: &&str| parts(text).ok_or_else(|| format!("improper constraint: {text}"));
        Ok(Self(
            alternatives.iter().map(parse).collect::<Result<_, _>>()?,
        ))
    }

    /// Returns true if a version satisfies the constraint. A prerelease can satisfy only
    /// alternatives that contain a prerelease.
    pub(crate) fn allows(&self, version: &SemanticVersion) -> bool {
        self.0.iter().any(|parts| {
            let names_one = parts.iter().any(|part| !part.version.prerelease.is_empty());
            let is_considered = version.prerelease.is_empty() || names_one;
            is_considered && parts.iter().all(|part| part.allows(version))
        })
    }
}

/// Replaces ranges such as `1 - 2` by `>= 1, <= 2`.
fn with_ranges_spelled_out(text: &str) -> String {
    let alternatives = text.split("||").map(|alternative| {
        let words: Vec<&str> = alternative.split_whitespace().collect();
        match words[..] {
            [from, "-", to] => format!(">= {from}, <= {to}"),
            _ => alternative.to_owned(),
        }
    });
    alternatives.collect::<Vec<_>>().join("||")
}

/// Parses the conditions of an alternative. Blanks or commas separate them.
fn parts(text: &str) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let mut rest = text.trim();
    loop {
        let (sign, operator) = OPERATORS.iter().find(|(sign, _)| rest.starts_with(sign))?;
        rest = rest[sign.len()..].trim_start();
        let end = rest.find(|letter: char| letter.is_whitespace() || letter == ',');
        let (version, after) = rest.split_at(end.unwrap_or(rest.len()));
        parts.push(Part::parse(*operator, version)?);
        let after = after.trim_start();
        if after.is_empty() {
            return Some(parts);
        }
        rest = after.strip_prefix(',').unwrap_or(after).trim_start();
    }
}

// === impl Part ===

impl Part {
    /// Parses the version in a condition. Its numbers may be missing, or written as `x`, `X` or
    /// `*`.
    fn parse(operator: Operator, text: &str) -> Option<Self> {
        let bare = text.strip_prefix('v').unwrap_or(text);
        let end = bare.find(['-', '+']).unwrap_or(bare.len());
        let (core, extra) = bare.split_at(end);
        let numbers: Vec<&str> = core.split('.').collect();
        let is_open = |number: &&str| matches!(*number, "x" | "X" | "*");
        let given = numbers.iter().position(is_open).unwrap_or(numbers.len());
        let are_good = numbers.iter().all(|number| {
            is_open(number)
                || !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        });
        if numbers.len() > 3 || !are_good {
            return None;
        }
        let filled: Vec<&str> = numbers[..given]
            .iter()
            .copied()
            .chain(["0"; 3])
            .take(3)
            .collect();
        let prerelease = extra.split('+').next().unwrap_or_default();
        let version = SemanticVersion::read(&format!("{}{prerelease}", filled.join(".")))?;
        Some(Self {
            operator,
            version,
            given: given.min(3),
        })
    }

    fn allows(&self, version: &SemanticVersion) -> bool {
        let order = version.order(&self.version);
        // Compares only the numbers that the condition contains.
        let is_within = |given: usize| version.numbers[..given] == self.version.numbers[..given];
        let is_open = self.given < 3;
        match self.operator {
            Operator::Equal if is_open => self.is_about(version, order),
            Operator::Equal => order.is_eq(),
            Operator::NotEqual if is_open => !is_within(self.given.max(1)),
            Operator::NotEqual => order.is_ne(),
            Operator::Less => order.is_lt(),
            Operator::GreaterEqual => order.is_ge(),
            Operator::Greater if is_open => {
                let given = self.given.max(1);
                version.numbers[..given] > self.version.numbers[..given]
            }
            Operator::Greater => order.is_gt(),
            Operator::LessEqual if is_open => {
                let given = self.given.max(1);
                version.numbers[..given] <= self.version.numbers[..given]
            }
            Operator::LessEqual => order.is_le(),
            Operator::Tilde => self.is_about(version, order),
            Operator::Caret => order.is_ge() && is_within(self.fixed_by_caret()),
        }
    }

    /// Returns true if the version is at least the version of this condition, and has the same
    /// major and minor number. Only numbers that the condition contains are compared.
    fn is_about(&self, version: &SemanticVersion, order: Ordering) -> bool {
        let is_any = self.version.numbers == [0; 3] && !(1..3).contains(&self.given);
        let given = self.given.clamp(1, 2);
        order.is_ge() && (is_any || version.numbers[..given] == self.version.numbers[..given])
    }

    /// Returns how many numbers `^` keeps unchanged: all numbers up to the first number that is not
    /// zero.
    fn fixed_by_caret(&self) -> usize {
        let [major, minor, _] = self.version.numbers;
        match (major, minor) {
            (0, _) if self.given == 1 => 1,
            (0, 0) if self.given == 2 => 2,
            (0, 0) => 3,
            (0, _) => 2,
            _ => 1,
        }
    }
}
