//! Changes the YAML text before it is parsed as a template. Removes the quotes around a template
//! whose result must be a number, a boolean or a literal. Passes the indentation to `autoindent`.

use regex::{Captures, Regex};

/// Matches the value of a key if it is a template with one of these functions. The quotes around it
/// are removed.
const TYPED: &str = r":[\t\n\f\r ]+(?:[|>]-?[\t\n\f\r ]+)?(?:'?[\t\n\f\r ]*)(\{\{-?(?:[^\n]*\|[\t\n\f\r ]*(?:toInt|toBool|toLiteral)|(?:[^\n]*(?:copyConfigMapData|copySecretData)))[^\n]*\}\})(?:[\t\n\f\r ]*'?)";
const AUTOINDENT: &str = r#"( *)(?:'|")?(\{\{[^\n]*\| *autoindent *-?\}\})"#;

pub(crate) fn rewritten(yaml: &str) -> String {
    let typed = pattern(TYPED).replace_all(yaml, ": $1");
    let indented = |found: &Captures<'_>| {
        let group = |number| found.get(number).map_or("", |group| group.as_str());
        let indent = format!("indent {}", group(1).len());
        let action = group(2).replacen("autoindent", &indent, 1);
        group(0).replacen(group(2), &action, 1)
    };
    pattern(AUTOINDENT)
        .replace_all(&typed, indented)
        .into_owned()
}

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern of ours must be one")
}
