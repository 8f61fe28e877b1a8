//! Regular expressions in the syntax of Go. It differs from the syntax of the Rust engine in few
//! points. For example, classes such as `\d` match only ASCII characters.

use regex::{Regex, RegexBuilder};

pub(crate) struct Pattern(Regex);

/// The maximum size of a compiled pattern in bytes.
const MOST_BYTES: usize = 1 << 20;

impl Pattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    ///
    /// Returns an error if the pattern is invalid or too large.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let built = RegexBuilder::new(&of_ascii(text))
            .size_limit(MOST_BYTES)
            .dfa_size_limit(MOST_BYTES)
            .nest_limit(100)
            .build();
        built.map(Self).map_err(|error| {
            let error = error.to_string();
            let last = error.lines().last().unwrap_or_default();
            let last = last.trim_start_matches("error: ");
            format!("error parsing regexp: {last}: `{text}`")
        })
    }

    pub(crate) fn matches(&self, text: &str) -> bool {
        self.0.is_match(text)
    }

    pub(crate) fn find(&self, text: &str) -> String {
        self.0
            .find(text)
            .map_or_else(String::new, |found| found.as_str().to_owned())
    }

    /// Returns at most `most` matches. A negative number means that there is no limit.
    pub(crate) fn all(&self, text: &str, most: i64) -> Vec<Vec<u8>> {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let found = self.0.find_iter(text).take(most);
        found
            .map(|found| found.as_str().as_bytes().to_vec())
            .collect()
    }

    /// Returns the texts between matches, at most `most` texts. A negative number means that there
    /// is no limit. An empty match at the start of the text does not split the text.
    pub(crate) fn split(&self, text: &str, most: i64) -> Vec<Vec<u8>> {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        if most == 0 {
            return Vec::new();
        }
        let (mut parts, mut from) = (Vec::new(), 0);
        if !text.is_empty() {
            for found in self.0.find_iter(text) {
                if parts.len() + 1 == most || found.start() == text.len() && found.is_empty() {
                    break;
                }
                if found.end() > 0 {
                    parts.push(text[from..found.start()].into());
                }
                from = found.end();
            }
        }
        parts.push(text[from..].into());
        parts
    }
}

impl Pattern {
    /// Replaces each match in a text. `$1` in the replacement inserts a capture group, unless
    /// `is_literal` is true. Returns None if the result is too long.
    pub(crate) fn replaced(&self, text: &str, by: &str, is_literal: bool) -> Option<String> {
        let mut out = String::new();
        let mut from = 0;
        for found in self.0.captures_iter(text) {
            let all = found.get(0)?;
            out.push_str(&text[from..all.start()]);
            let most = by
                .len()
                .saturating_mul(if is_literal { 1 } else { all.len().max(1) });
            if most.saturating_add(out.len()) > 4 * MOST_BYTES {
                return None;
            }
            if is_literal {
                out.push_str(by);
            } else {
                found.expand(by, &mut out);
            }
            from = all.end();
        }
        out.push_str(&text[from..]);
        Some(out)
    }
}

/// Escapes each special character of a text with a backslash.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        if r"\.+*?()|[]{}^$".contains(letter) {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}

/// Replaces `\d`, `\w`, `\s` and `\b` by ASCII classes, because the engine uses Unicode classes for
/// them.
fn of_ascii(text: &str) -> String {
    let mut out = String::new();
    let mut letters = text.chars();
    let mut is_in_class = false;
    while let Some(letter) = letters.next() {
        match letter {
            '[' => is_in_class = true,
            ']' => is_in_class = false,
            _ => {}
        }
        if letter != '\\' {
            out.push(letter);
            continue;
        }
        let Some(escaped) = letters.next() else {
            out.push('\\');
            break;
        };
        let class = match escaped {
            'd' => "0-9",
            'w' => "0-9A-Za-z_",
            's' => r"\t\n\f\r ",
            _ => "",
        };
        match (escaped, is_in_class) {
            ('d' | 'w' | 's', true) => out.push_str(class),
            ('d' | 'w' | 's', false) => out.extend(["[", class, "]"]),
            ('D', false) => out.push_str("[^0-9]"),
            ('W', false) => out.push_str("[^0-9A-Za-z_]"),
            ('S', false) => out.push_str(r"[^\t\n\f\r ]"),
            ('b', false) => out.push_str(r"(?-u:\b)"),
            _ => out.extend(['\\', escaped]),
        }
    }
    out
}
