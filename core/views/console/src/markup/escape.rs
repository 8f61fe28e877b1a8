//! Escapes characters that browsers interpret, and replaces characters that mislead readers.

use portolan_core_names::text::is_harmful;

/// Appends text. The escaped text is safe in the content of an element and in the value of an
/// attribute.
pub(crate) fn push_escaped(out: &mut String, text: &str) {
    out.reserve(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(letter),
            letter if is_harmful(letter) => out.push(char::REPLACEMENT_CHARACTER),
            // XML does not permit these characters.
            '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
            letter => out.push(letter),
        }
    }
}
