//! Writes and parses quoted texts and characters in the format of Go's `%q`.

use std::fmt::Write as _;

/// Returns the text in double quotes. Escapes characters that are not printable.
pub(crate) fn quoted(bytes: &[u8]) -> String {
    let mut out = String::from('"');
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars() {
            escape(&mut out, letter, '"');
        }
        for byte in chunk.invalid() {
            write!(out, "\\x{byte:02x}").expect("a String must take what is written");
        }
    }
    out.push('"');
    out
}

/// Returns a character in single quotes.
pub(crate) fn quoted_char(letter: char) -> String {
    let mut out = String::from('\'');
    escape(&mut out, letter, '\'');
    out.push('\'');
    out
}

/// Returns the code point of a character, such as `U+0041 'A'`.
pub(crate) fn code_point(letter: char) -> String {
    let number = u32::from(letter);
    if is_printable(letter) {
        format!("U+{number:04X} '{letter}'")
    } else {
        format!("U+{number:04X}")
    }
}

fn escape(out: &mut String, letter: char, quote: char) {
    let number = u32::from(letter);
    let escaped = match letter {
        '\\' => "\\\\".to_owned(),
        _ if letter == quote => format!("\\{letter}"),
        '\u{7}' => "\\a".to_owned(),
        '\u{8}' => "\\b".to_owned(),
        '\u{c}' => "\\f".to_owned(),
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        '\u{b}' => "\\v".to_owned(),
        _ if is_printable(letter) => letter.to_string(),
        _ if number < 0x80 => format!("\\x{number:02x}"),
        _ if number < 0x1_0000 => format!("\\u{number:04x}"),
        _ => format!("\\U{number:08x}"),
    };
    out.push_str(&escaped);
}

/// Returns true if a character is printable. Approximates Go's table.
pub(crate) fn is_printable(letter: char) -> bool {
    letter == ' '
        || !(letter.is_control()
            || letter.is_whitespace()
            || matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e000}'..='\u{f8ff}' | '\u{fff9}'..='\u{fffb}'
                | '\u{f_0000}'..))
}

/// Returns the bytes of a text in double quotes or backquotes. Returns None if an escape is not
/// valid in Go.
pub(crate) fn unquoted(literal: &str) -> Option<Vec<u8>> {
    if let Some(raw) = literal.strip_prefix('`') {
        let raw = raw.strip_suffix('`')?;
        return Some(raw.bytes().filter(|byte| *byte != b'\r').collect());
    }
    let mut rest = literal.strip_prefix('"')?.strip_suffix('"')?;
    let mut out = Vec::new();
    while !rest.is_empty() {
        match unescaped(rest, '"')? {
            (Unit::Letter(letter), left) => {
                out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
                rest = left;
            }
            (Unit::Byte(byte), left) => {
                out.push(byte);
                rest = left;
            }
        }
    }
    Some(out)
}

/// Returns the number of a character in single quotes.
///
/// # Errors
/// Returns the error message of Go.
pub(crate) fn unquoted_char(literal: &str) -> Result<i64, String> {
    let inner = literal.trim_start_matches('\'').trim_end_matches('\'');
    match unescaped(inner, '\'') {
        Some((Unit::Letter(letter), "")) => Ok(i64::from(u32::from(letter))),
        Some((Unit::Byte(byte), "")) => Ok(i64::from(byte)),
        Some(_) => Err(format!("malformed character constant: {literal}")),
        None => Err("invalid syntax".to_owned()),
    }
}

enum Unit {
    Letter(char),
    Byte(u8),
}

/// Returns the first character or byte of a quoted text, and the text after it.
fn unescaped(text: &str, quote: char) -> Option<(Unit, &str)> {
    let mut letters = text.chars();
    let first = letters.next()?;
    if first == quote {
        return None;
    }
    if first != '\\' {
        return Some((Unit::Letter(first), letters.as_str()));
    }
    let escape = letters.next()?;
    let rest = letters.as_str();
    let number = |digits: usize| {
        let digits = rest.get(..digits)?;
        let is_good = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        is_good
            .then(|| u32::from_str_radix(digits, 16).ok())
            .flatten()
    };
    let unit = match escape {
        'a' => Unit::Letter('\u{7}'),
        'b' => Unit::Letter('\u{8}'),
        'f' => Unit::Letter('\u{c}'),
        'n' => Unit::Letter('\n'),
        'r' => Unit::Letter('\r'),
        't' => Unit::Letter('\t'),
        'v' => Unit::Letter('\u{b}'),
        '\\' => Unit::Letter('\\'),
        _ if escape == quote => Unit::Letter(quote),
        'x' => return Some((Unit::Byte(u8::try_from(number(2)?).ok()?), &rest[2..])),
        'u' => return Some((Unit::Letter(char::from_u32(number(4)?)?), &rest[4..])),
        'U' => return Some((Unit::Letter(char::from_u32(number(8)?)?), &rest[8..])),
        '0'..='7' => {
            let octal = text.get(1..4)?;
            let is_good = octal.bytes().all(|digit| (b'0'..=b'7').contains(&digit));
            let byte = is_good
                .then(|| u8::from_str_radix(octal, 8).ok())
                .flatten()?;
            return Some((Unit::Byte(byte), &text[4..]));
        }
        _ => return None,
    };
    Some((unit, rest))
}
