//! Characters that mean something to a browser, or to an eye.

use portolan_core_names::text::is_harmful;

/// Appends text so that it is nothing but text, between tags as well as between quotes.
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
            // XML has no such characters at all.
            '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
            letter => out.push(letter),
        }
    }
}
