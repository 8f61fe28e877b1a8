//! A slow reference implementation of [`VersionRange`](super::VersionRange). It parses ranges in
//! the stages of the original Go library, including the bugs of the library. It follows a
//! description of blang/semver v4.0.0 that was verified by running the library. The reference
//! returns `None` if the original crashes or reports an error.

use semver::Version;

/// A list of comparators that must all match.
type Group = Vec<(String, Version)>;

#[derive(Debug)]
pub(super) struct Reference(Vec<Group>);

impl Reference {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut groups = vec![Group::new()];
        for token in tokens(text) {
            if token == "||" {
                groups.push(Group::new());
                continue;
            }
            let group = groups.last_mut()?;
            for (operator, version) in expansion(&token)? {
                if !OPERATORS.contains(&operator.as_str()) {
                    return None;
                }
                group.push((operator, version.parse().ok()?));
            }
        }
        groups
            .iter()
            .all(|group| !group.is_empty())
            .then_some(Self(groups))
    }

    pub(super) fn matches(&self, version: &Version) -> bool {
        self.0.iter().any(|group| {
            group.iter().all(|(operator, bound)| {
                let order = version.cmp_precedence(bound);
                match operator.as_str() {
                    ">" => order.is_gt(),
                    ">=" => order.is_ge(),
                    "<" => order.is_lt(),
                    "<=" => order.is_le(),
                    "!" | "!=" => order.is_ne(),
                    _ => order.is_eq(),
                }
            })
        })
    }
}

const OPERATORS: [&str; 9] = ["", "=", "==", "!", "!=", ">", ">=", "<", "<="];

/// Splits the text at spaces, except spaces after `>`, `<` and `=`. Ignores tokens of one
/// character, as the original does.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = vec![String::new()];
    for c in text.chars() {
        let token = tokens.last_mut().unwrap();
        match c {
            ' ' if token.ends_with(['>', '<', '=']) => {}
            ' ' => tokens.push(String::new()),
            c => token.push(c),
        }
    }
    tokens.retain(|token| token.len() > 1);
    tokens
}

/// Returns the comparators of a token: the comparator itself, or the expansion of its wildcard.
fn expansion(token: &str) -> Option<Vec<(String, String)>> {
    let digit = token.find(|c: char| c.is_ascii_digit())?;
    let (operator, version) = token.split_at(digit);
    if !token.contains('x') {
        return Some(vec![(operator.trim().to_owned(), version.to_owned())]);
    }
    let flat = flat(version);
    let bumped = || bumped(version, &flat);
    let pair = |low: &str, high: &str, bumped: String| {
        vec![(low.to_owned(), flat.clone()), (high.to_owned(), bumped)]
    };
    Some(match operator {
        ">" => vec![(">=".to_owned(), bumped()?)],
        "<=" => vec![("<".to_owned(), bumped()?)],
        ">=" | "<" => vec![(operator.to_owned(), flat.clone())],
        "" | "=" | "==" => pair(">=", "<", bumped()?),
        "!" | "!=" => pair("<", ">=", bumped()?),
        // The original ignores any other operator before a wildcard, and matches only the version
        // with zeros instead of wildcards.
        _ => vec![(String::new(), flat.clone())],
    })
}

/// Replaces each wildcard by a zero.
fn flat(version: &str) -> String {
    let flat = version.replacen(".x.x", ".x", 1).replacen(".x", ".0", 1);
    match flat.split('.').count() {
        2 => format!("{flat}.0"),
        _ => flat,
    }
}

/// Returns `flat`, the version with zeros instead of wildcards, after it increments the number
/// before the wildcard.
fn bumped(version: &str, flat: &str) -> Option<String> {
    let parts: Vec<&str> = version.split('.').collect();
    let position = match parts.as_slice() {
        [_, "x"] => 0,
        [_, _, "x"] => 1,
        _ => return None,
    };
    let mut flat: Vec<String> = flat.split('.').map(str::to_owned).collect();
    let next = flat[position].parse::<i64>().ok()?.checked_add(1)?;
    flat[position] = next.to_string();
    Some(flat.join("."))
}
