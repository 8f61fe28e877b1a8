//! The functions that change the case of texts, shorten texts, or wrap their lines.

use super::texts::is_blank;
use super::{Function, Kind, Ran, int, made, string, text};
use crate::host::Host;
use crate::value::Value;

const TEXT: &[Kind] = &[Kind::Text];

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("lower", TEXT, |host, values| each(host, values, lower)),
    Function::new("upper", TEXT, |host, values| each(host, values, upper)),
    Function::new("title", TEXT, |host, values| {
        let mut is_inside = false;
        each(host, values, |letter| {
            let was_inside = is_inside;
            is_inside = is_of_word(letter);
            if was_inside { letter } else { upper(letter) }
        })
    }),
    Function::new("untitle", TEXT, |host, values| {
        let mut is_inside = false;
        each(host, values, |letter| {
            let was_inside = is_inside;
            is_inside = !letter.is_whitespace();
            if was_inside { letter } else { lower(letter) }
        })
    }),
    Function::new("swapcase", TEXT, |host, values| each(host, values, swapped)),
    Function::new("initials", TEXT, |host, values| {
        let words = text(&values[0]).split(|byte| is_blank(*byte));
        let initials = words.filter_map(|word| word.first().copied());
        made(host, initials.map(char::from).collect::<String>())
    }),
    Function::new("camelcase", TEXT, |host, values| {
        made(host, camel_case(&string(&values[0])))
    }),
    Function::new("snakecase", TEXT, |host, values| {
        made(host, parted(&string(&values[0]), '_'))
    }),
    Function::new("kebabcase", TEXT, |host, values| {
        made(host, parted(&string(&values[0]), '-'))
    }),
    Function::new(
        "plural",
        &[Kind::Text, Kind::Text, Kind::Int],
        |_, values| {
            let is_one = int(&values[2]) == 1;
            Ok(values[usize::from(!is_one)].clone())
        },
    ),
    Function::new("abbrev", &[Kind::Int, Kind::Text], |_, values| {
        let width = int(&values[0]);
        Ok(if width < 4 {
            values[1].clone()
        } else {
            Value::text(abbreviated(text(&values[1]), 0, width))
        })
    }),
    Function::new(
        "abbrevboth",
        &[Kind::Int, Kind::Int, Kind::Text],
        |_, values| {
            let (from, width) = (int(&values[0]), int(&values[1]));
            Ok(if width < 4 || from > 0 && width < 7 {
                values[2].clone()
            } else {
                Value::text(abbreviated(text(&values[2]), from, width))
            })
        },
    ),
    Function::new("wrap", &[Kind::Int, Kind::Text], |host, values| {
        wrapped(host, int(&values[0]), b"\n", text(&values[1]), false)
    }),
    Function::new(
        "wrapWith",
        &[Kind::Int, Kind::Text, Kind::Text],
        |host, values| {
            let between = match text(&values[1]) {
                [] => b"\n".as_slice(),
                between => between,
            };
            wrapped(host, int(&values[0]), between, text(&values[2]), true)
        },
    ),
    Function::new("hello", &[], |_, _| Ok("Hello!".into())),
];

fn each(host: &mut Host<'_>, values: &[Value], f: impl FnMut(char) -> char) -> Ran {
    made(host, string(&values[0]).chars().map(f).collect::<String>())
}

/// Converts a letter to upper case if the result is a single letter, as in Go.
fn upper(letter: char) -> char {
    alone(letter.to_uppercase()).unwrap_or(letter)
}

fn lower(letter: char) -> char {
    alone(letter.to_lowercase()).unwrap_or(letter)
}

fn alone(mut letters: impl Iterator<Item = char>) -> Option<char> {
    let first = letters.next();
    first.filter(|_| letters.next().is_none())
}

fn swapped(letter: char) -> char {
    if letter.is_uppercase() {
        lower(letter)
    } else if letter.is_lowercase() {
        upper(letter)
    } else {
        letter
    }
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || !letter.is_ascii() && !letter.is_whitespace()
}

fn is_between(letter: char) -> bool {
    matches!(letter, '-' | '_') || letter.is_whitespace()
}

/// Converts `some_words` to `SomeWords`. If there are several separators between two words, only
/// the last separator is removed. Separators at the start of the text are kept.
fn camel_case(text: &str) -> String {
    let start = text
        .find(|letter| !is_between(letter))
        .unwrap_or(text.len());
    let mut out = text[..start].to_owned();
    let mut letters = text[start..].chars();
    let Some(first) = letters.next() else {
        return out;
    };
    out.push(upper(first));
    let mut is_shouted = first.is_uppercase();
    let mut between = None;
    for letter in letters {
        if is_between(letter) {
            out.extend(between.replace(letter));
        } else if between.take().is_some() {
            is_shouted = letter.is_uppercase();
            out.push(upper(letter));
        } else {
            is_shouted &= letter.is_uppercase();
            out.push(if is_shouted { lower(letter) } else { letter });
        }
    }
    out.extend(between);
    out
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Between,
    Punctuation,
    /// Several capital letters, or one capital letter with the lower case letters after it.
    Upper,
    Lower,
    Number,
    Other,
}

/// Returns the words in lower case, with a separator between them. A number belongs to the word
/// before it, unless a lower case letter follows.
fn parted(text: &str, sign: char) -> String {
    let words = words(text);
    let mut out = String::new();
    let mut before = None;
    for (at, (class, word)) in words.iter().enumerate() {
        let next = words.get(at + 1).map(|(class, _)| *class);
        let is_apart = match (before, class) {
            (None | Some(Class::Between | Class::Punctuation), _)
            | (_, Class::Between | Class::Punctuation)
            | (Some(Class::Number), Class::Lower | Class::Number) => false,
            (Some(_), Class::Number) => next == Some(Class::Lower),
            (Some(_), Class::Upper | Class::Lower | Class::Other) => true,
        };
        if is_apart {
            out.push(sign);
        }
        match class {
            Class::Between => out.extend(word.chars().map(|_| sign)),
            Class::Upper => out.extend(word.chars().map(lower)),
            Class::Punctuation | Class::Lower | Class::Number | Class::Other => out += word,
        }
        // After this, the text counts as a number: `20x4y` is a single word that begins with a
        // number.
        let is_led_by_number = before == Some(Class::Number) && !is_apart && *class == Class::Lower;
        before = Some(if is_led_by_number {
            Class::Number
        } else {
            *class
        });
    }
    out
}

fn words(text: &str) -> Vec<(Class, &str)> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let class = class(first);
        let run =
            |within: fn(char) -> bool| rest.find(|letter| !within(letter)).unwrap_or(rest.len());
        let length = match class {
            Class::Between => run(is_between),
            Class::Punctuation => run(|letter| self::class(letter) == Class::Punctuation),
            Class::Number => run(char::is_numeric),
            Class::Lower => run(|letter| self::class(letter) == Class::Lower),
            Class::Other => run(|letter| self::class(letter) == Class::Other),
            Class::Upper => capitals(rest),
        };
        words.push((class, &rest[..length]));
        rest = &rest[length..];
    }
    words
}

/// Returns the length of the word at the start of a text that begins with a capital letter, such as
/// 4 for `HTTP` in `HTTPServer`.
fn capitals(text: &str) -> usize {
    let end = text
        .find(|letter: char| !letter.is_uppercase())
        .unwrap_or(text.len());
    let is_small = |letter| class(letter) == Class::Lower;
    if !text[end..].starts_with(is_small) {
        return end;
    }
    let last = text[..end].char_indices().next_back();
    let last = last.map_or(0, |(at, _)| at);
    if last > 0 {
        return last;
    }
    let small = text[end..].find(|letter| !is_small(letter));
    small.map_or(text.len(), |small| end + small)
}

fn class(letter: char) -> Class {
    if is_between(letter) {
        Class::Between
    } else if letter.is_ascii_punctuation() && !"$+<=>^`|~".contains(letter) {
        Class::Punctuation
    } else if letter.is_uppercase() {
        Class::Upper
    } else if letter.is_lowercase() {
        Class::Lower
    } else if letter.is_numeric() {
        Class::Number
    } else {
        Class::Other
    }
}

/// Shortens a text to `width` bytes. Dots replace the omitted text.
fn abbreviated(text: &[u8], from: i64, width: i64) -> Vec<u8> {
    let width = usize::try_from(width).unwrap_or(usize::MAX);
    if text.len() <= width {
        return text.to_vec();
    }
    let shown = width - 3;
    let from = usize::try_from(from).unwrap_or(0).min(text.len() - shown);
    if from <= 4 {
        return [&text[..shown], b"..."].concat();
    }
    if from + shown < text.len() {
        return [b"...", &text[from..from + shown - 3], b"..."].concat();
    }
    [b"...", &text[text.len() - shown..]].concat()
}

/// Wraps lines after `width` bytes. If `cuts` is true, splits longer words. Otherwise, they exceed
/// the width.
fn wrapped(host: &mut Host<'_>, width: i64, between: &[u8], text: &[u8], cuts: bool) -> Ran {
    let width = usize::try_from(width.max(1)).unwrap_or(usize::MAX);
    let most = text.len() / width.min(text.len().max(1)) + 1;
    host.made(
        text.len()
            .saturating_add(most.saturating_mul(between.len())),
    )?;
    let mut out = Vec::new();
    let mut rest = text;
    while rest.len() > width {
        if let Some(behind) = rest.strip_prefix(b" ") {
            rest = behind;
            continue;
        }
        let is_blank = |byte: &u8| *byte == b' ';
        let (line, behind) = match rest[..=width].iter().rposition(is_blank) {
            Some(at) => (at, at + 1),
            None if cuts => (width, width),
            None => match rest[width..].iter().position(is_blank) {
                Some(at) => (width + at, width + at + 1),
                None => break,
            },
        };
        out.extend(&rest[..line]);
        out.extend(between);
        rest = &rest[behind..];
    }
    out.extend(rest);
    Ok(Value::text(out))
}
