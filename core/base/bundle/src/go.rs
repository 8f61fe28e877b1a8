//! Writes JSON as Go does, and computes names with hashes of this JSON, as OLM v1 does.

use serde_json::Value as Json;
use sha2::{Digest as _, Sha224};

use crate::csv::{Permission, PolicyRule};

/// The maximum length of a label value. OLM limits names to this length.
const LONGEST: usize = 63;

/// Returns a text as a JSON string. Escapes the characters that have a meaning in HTML, as Go does.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            c if is_escaped(c) || c < ' ' => push_escape(c, &mut quoted),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

fn is_escaped(c: char) -> bool {
    matches!(c, '<' | '>' | '&' | '\u{2028}' | '\u{2029}')
}

fn push_escape(c: char, text: &mut String) {
    text.push_str(&format!("\\u{:04x}", u32::from(c)));
}

/// Returns a value as JSON without blanks, with sorted keys.
pub(crate) fn json(value: &Json) -> String {
    compact(&value.to_string())
}

/// Returns JSON without blanks. Escapes characters like [`quoted`], and keeps the order of keys.
pub(crate) fn compact(json: &str) -> String {
    let mut compact = String::with_capacity(json.len());
    let mut in_text = false;
    let mut is_escape = false;
    for c in json.chars() {
        match c {
            ' ' | '\n' | '\r' | '\t' if !in_text => {}
            c if is_escaped(c) => push_escape(c, &mut compact),
            c => compact.push(c),
        }
        in_text ^= c == '"' && !is_escape;
        is_escape = in_text && c == '\\' && !is_escape;
    }
    compact
}

/// Returns the JSON of a permission. Names of roles contain a hash of this text.
pub(crate) fn permission(permission: &Permission) -> String {
    let Permission {
        service_account_name,
        rules,
        ..
    } = permission;
    let rules = match rules {
        None => "null".to_owned(),
        Some(rules) => {
            let rules: Vec<_> = rules.iter().map(rule).collect();
            format!("[{}]", rules.join(","))
        }
    };
    let account = quoted(service_account_name);
    format!("{{\"serviceAccountName\":{account},\"rules\":{rules}}}")
}

fn rule(rule: &PolicyRule) -> String {
    let mut fields = vec![match &rule.verbs {
        None => "\"verbs\":null".to_owned(),
        Some(verbs) => format!("\"verbs\":{}", list(verbs)),
    }];
    for (key, texts) in [
        ("apiGroups", &rule.api_groups),
        ("resources", &rule.resources),
        ("resourceNames", &rule.resource_names),
        ("nonResourceURLs", &rule.non_resource_urls),
    ] {
        if !texts.is_empty() {
            fields.push(format!("\"{key}\":{}", list(texts)));
        }
    }
    format!("{{{}}}", fields.join(","))
}

fn list(texts: &[String]) -> String {
    let texts: Vec<_> = texts.iter().map(|text| quoted(text)).collect();
    format!("[{}]", texts.join(","))
}

/// Returns the hash of a permission for the name of a role: the SHA-224 of its JSON and a line
/// break, in base 36.
pub(crate) fn hash(entry: &Permission) -> String {
    let mut text = permission(entry);
    text.push('\n');
    base_36(&Sha224::digest(text.as_bytes()))
}

fn base_36(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut number = bytes.to_vec();
    let mut digits = Vec::new();
    while number.iter().any(|byte| *byte != 0) {
        let mut rest = 0_u32;
        for byte in &mut number {
            let value = rest << 8 | u32::from(*byte);
            *byte = u8::try_from(value / 36).unwrap_or_default();
            rest = value % 36;
        }
        digits.push(char::from(DIGITS[rest as usize]));
    }
    if digits.is_empty() {
        digits.push('0');
    }
    digits.iter().rev().collect()
}

/// Joins two strings with a hyphen to a name, and truncates the first string if necessary. OLM v1
/// does not count the hyphen, so the name may have 64 characters.
pub(crate) fn joined(base: &str, suffix: &str) -> String {
    if base.len() + suffix.len() > LONGEST {
        let room = (LONGEST - 1).saturating_sub(suffix.len());
        let end = base.floor_char_boundary(room);
        format!("{}-{suffix}", &base[..end])
    } else {
        format!("{base}-{suffix}")
    }
}

/// Joins two strings with a hyphen to a valid label, and truncates the first string if necessary.
/// The label has at most 63 characters.
pub(crate) fn label(base: &str, suffix: &str) -> String {
    let room = (LONGEST - 1).saturating_sub(suffix.len());
    let end = base.floor_char_boundary(room);
    format!("{}-{suffix}", &base[..end])
}

#[cfg(test)]
mod tests;
