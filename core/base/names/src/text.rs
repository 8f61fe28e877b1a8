//! Makes text from other programs safe to print and short enough to read in Portolan's sentences.
//!
//! Text from a cluster, a catalog or another program may contain harmful characters. Such
//! characters control a terminal, change the writing direction of the line, or are invisible. Only
//! [`is_harmful`] defines them. A zero-width joiner is harmful, although some scripts and emoji use
//! it, because with it two different names can look the same.

use std::fmt::{self, Display, Write as _};

/// The maximum number of characters that are quoted from a message of another program.
const CITED: usize = 400;
/// The number of quoted characters that are taken from the end of a long message.
const CITED_END: usize = 150;
/// The maximum length of a whole sentence in characters. Sentences with normal Kubernetes names are
/// always shorter.
pub const SENTENCE: usize = 2000;
/// The maximum number of names that a list in a sentence contains.
const LISTED: usize = 6;

/// The replacement of a harmful character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Instead {
    /// Replaces the character by a blank, so that words stay separate.
    Blank,
    /// Replaces the character by its number, such as `\u{1b}`, so that readers can see which
    /// character it was.
    Escape,
    /// Replaces the character by a question mark, so that the number of characters stays the same.
    QuestionMark,
}

/// Returns true for control characters, and for characters that change the writing direction, break
/// the line or have no width.
pub fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{61c}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// Returns the text with each harmful character replaced.
pub fn harmless(text: &str, instead: Instead) -> String {
    let mut harmless = String::with_capacity(text.len());
    for c in text.chars() {
        match instead {
            _ if !is_harmful(c) => harmless.push(c),
            Instead::Blank => harmless.push(' '),
            Instead::QuestionMark => harmless.push('?'),
            Instead::Escape => {
                write!(harmless, "{}", c.escape_unicode()).expect("a String must take any text");
            }
        }
    }
    harmless
}

/// Returns the text on one line, with single blanks between words. Replaces harmful characters by
/// blanks.
pub fn one_line(text: &str) -> String {
    let harmless = harmless(text, Instead::Blank);
    let words: Vec<&str> = harmless.split_whitespace().collect();
    words.join(" ")
}

/// Quotes a word for a shell, if it needs quotes. Replaces harmful characters by question marks.
/// Names of objects never contain harmful characters, so they remain correct.
pub fn shell_word(word: &str) -> String {
    let word = harmless(word, Instead::QuestionMark);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._/:=,@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word
    } else {
        quoted(&word)
    }
}

/// Puts a text in single quotes, so that a shell reads it as one argument.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Returns the text on one line, truncated to the maximum length of a sentence.
pub fn plain(text: &str) -> String {
    cut(&one_line(text), SENTENCE)
}

/// Returns a message of another program on one line, for quoting in a sentence. Keeps only the
/// beginning and the end of a long message, because programs begin with the subject and end with
/// the error.
pub fn cite(text: &str) -> String {
    let text = one_line(text);
    let count = text.chars().count();
    if count <= CITED {
        return text;
    }
    let first: String = text.chars().take(CITED - CITED_END).collect();
    let last: String = text.chars().skip(count - CITED_END).collect();
    format!("{} ... {}", first.trim_end(), last.trim_start())
}

/// Returns the first `most` characters of the text. Adds dots if the text is longer.
pub fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", text[..end].trim_end()),
    }
}

/// Returns the names as a readable list, such as `a, b and c`. Keeps their order.
pub fn listed<T: Display>(names: impl IntoIterator<Item = T>) -> String {
    listed_up_to(LISTED, names)
}

/// Returns the names as a readable list with at most `most` entries. If there are more names, the
/// last entry is the number of omitted names, such as `4 others`.
pub fn listed_up_to<T: Display>(most: usize, names: impl IntoIterator<Item = T>) -> String {
    let mut names: Vec<String> = names.into_iter().map(|name| name.to_string()).collect();
    if names.len() > most {
        let others = names.len() - (most - 1);
        names.truncate(most - 1);
        names.push(format!("{others} others"));
    }
    match names.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

/// Returns the first `most` names. If there are more, adds their number, as in `a, b and 3 more`.
pub fn some<T: Display>(most: usize, names: impl IntoIterator<Item = T>) -> String {
    let mut names = names.into_iter();
    let first: Vec<String> = names.by_ref().take(most).map(|it| it.to_string()).collect();
    let first = first.join(", ");
    match names.count() {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// Returns a count with its noun, such as `1 replica` or `2 replicas`.
pub fn counted(count: impl Into<i64>, noun: &str) -> String {
    match count.into() {
        1 => format!("1 {noun}"),
        count => format!("{count} {noun}s"),
    }
}

/// Writes an object for a sentence: its kind, its namespace if it has one, and its name, such as
/// `Deployment harbor/ferry`.
///
/// # Errors
///
/// Returns the error of the writer.
pub fn write_object(
    f: &mut fmt::Formatter<'_>,
    kind: impl Display,
    namespace: &str,
    name: &str,
) -> fmt::Result {
    match namespace {
        "" => write!(f, "{kind} {name}"),
        namespace => write!(f, "{kind} {namespace}/{name}"),
    }
}

/// Escapes a name for use as one reference token of a JSON pointer.
pub fn pointer_step(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::in_a_namespace("harbor", "Deployment harbor/ferry")]
    #[case::without_a_namespace("", "Deployment ferry")]
    fn writes_object_as_kind_namespace_and_name(#[case] namespace: &str, #[case] expected: &str) {
        struct Object<'a>(&'a str);
        impl fmt::Display for Object<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write_object(f, "Deployment", self.0, "ferry")
            }
        }
        assert_eq!(Object(namespace).to_string(), expected);
    }

    #[test]
    fn slash_and_tilde_of_a_name_are_escaped_in_a_pointer() {
        assert_eq!(pointer_step("ferry.example/a~b"), "ferry.example~1a~0b");
    }

    #[rstest]
    #[case::a_control('\u{1b}')]
    #[case::a_control_of_eight_bits('\u{9b}')]
    #[case::a_soft_hyphen('\u{ad}')]
    #[case::an_arabic_letter_mark('\u{61c}')]
    #[case::a_blank_without_width('\u{200b}')]
    #[case::a_joiner('\u{200d}')]
    #[case::a_line_separator('\u{2028}')]
    #[case::a_turn_of_direction('\u{202e}')]
    #[case::an_invisible_plus('\u{2064}')]
    #[case::a_turn_that_ends_by_itself('\u{2067}')]
    #[case::a_byte_order_mark('\u{feff}')]
    #[case::a_tag('\u{e0041}')]
    fn replaces_harmful_character(#[case] c: char) {
        let text = format!("a{c}b");
        assert_eq!(harmless(&text, Instead::Blank), "a b");
        assert_eq!(harmless(&text, Instead::QuestionMark), "a?b");
        let escaped = format!("a\\u{{{:x}}}b", u32::from(c));
        assert_eq!(harmless(&text, Instead::Escape), escaped);
        assert_eq!(plain(&text), "a b");
    }

    #[rstest]
    #[case::several_lines_are_joined_to_one(
        "back-off\n\t restarting \r\nfailed container ",
        "back-off restarting failed container"
    )]
    #[case::terminal_color_codes_are_removed("\u{1b}[31mred\u{7}", "[31mred")]
    #[case::character_that_reverses_the_line_is_removed("safe\u{202e}exe.txt", "safe exe.txt")]
    #[case::other_scripts_are_kept("порт закрыт 🚢", "порт закрыт 🚢")]
    #[case::blank_text_becomes_empty(" \n", "")]
    fn cited_text_is_one_line_without_harmful_characters(#[case] text: &str, #[case] cited: &str) {
        assert_eq!(cite(text), cited);
    }

    #[test]
    fn long_text_is_truncated_between_characters() {
        assert_eq!(cite(&"ü".repeat(CITED)), "ü".repeat(CITED));
        let [first, last] = [CITED - CITED_END, CITED_END].map(|many| "ü".repeat(many));
        assert_eq!(
            cite(&format!("{first}, {last}")),
            format!("{first} ... {last}")
        );
        assert_eq!(
            plain(&"ü".repeat(SENTENCE + 1)),
            format!("{}...", "ü".repeat(SENTENCE))
        );
    }

    /// The API server's error for an immutable field begins with the field and its whole value.
    #[test]
    fn long_sentence_is_cited_with_both_ends() {
        let value = "core.PodTemplateSpec{}".repeat(50);
        let said =
            format!("Job is invalid: spec.template: Invalid value: {value}: field is immutable");
        let cited = cite(&said);
        assert!(
            cited.starts_with("Job is invalid: spec.template: Invalid value: "),
            "{cited}"
        );
        assert!(cited.ends_with(": field is immutable"), "{cited}");
        assert!(cited.chars().count() <= CITED + " ... ".len(), "{cited}");
    }

    #[rstest]
    #[case::none(0, "")]
    #[case::one(1, "1")]
    #[case::two(2, "1 and 2")]
    #[case::six(6, "1, 2, 3, 4, 5 and 6")]
    #[case::seven(7, "1, 2, 3, 4, 5 and 2 others")]
    fn shortened_list_contains_number_of_omitted_items(#[case] count: usize, #[case] list: &str) {
        assert_eq!(listed(1..=count), list);
    }
}
