//! Names and words of others in sentences of ours.

use std::fmt::{Display, Write as _};

/// The longest name that is written whole, in characters. No name of Kubernetes is longer.
const NAME: usize = 253;
/// The longest sentence, in characters.
const SENTENCE: usize = 2000;
/// The most names of a list.
const LISTED: usize = 6;

/// A name. One that no object can have is put in quotes, so that it does not pass for a part of the
/// sentence.
pub(crate) fn named(name: &str) -> String {
    let is_simple = |c: char| c.is_ascii_alphanumeric() || "-._+/:".contains(c);
    if !name.is_empty() && name.chars().all(is_simple) {
        cut(name, NAME)
    } else {
        format!("\"{}\"", cut(&plain(name), NAME))
    }
}

/// The text on one line, with what a terminal takes for a command, or what turns the line around,
/// written as an escape.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if is_harmful(c) {
            write!(plain, "{}", c.escape_unicode()).expect("a String must take what is written");
        } else {
            plain.push(c);
        }
    }
    cut(&plain, SENTENCE)
}

/// The words as a list for people, in the order in which they come.
pub(crate) fn listed<T: Display>(words: impl IntoIterator<Item = T>) -> String {
    let mut words: Vec<String> = words.into_iter().map(|word| word.to_string()).collect();
    if words.len() > LISTED {
        let others = words.len() - (LISTED - 1);
        words.truncate(LISTED - 1);
        words.push(format!("{others} others"));
    }
    match words.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

/// Controls, and marks that turn the direction of writing, break the line or have no width.
fn is_harmful(c: char) -> bool {
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

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::of_an_object_is_written_as_it_is(
        "openshift-ops/etcd.v0.9+1",
        "openshift-ops/etcd.v0.9+1"
    )]
    #[case::of_nothing_is_seen("", "\"\"")]
    #[case::that_reads_like_a_sentence_is_quoted("etcd may be", "\"etcd may be\"")]
    #[case::that_colors_a_terminal_does_not("\u{1b}[31mred", "\"\\u{1b}[31mred\"")]
    #[case::that_turns_the_line_around_does_not("exe\u{202e}txt", "\"exe\\u{202e}txt\"")]
    #[case::of_several_lines_is_on_one("a\nb", "\"a\\u{a}b\"")]
    fn a_name(#[case] name: &str, #[case] written: &str) {
        assert_eq!(named(name), written);
    }

    #[test]
    fn what_is_long_is_cut_between_characters() {
        assert_eq!(named(&"a".repeat(NAME)), "a".repeat(NAME));
        assert_eq!(
            named(&"a".repeat(NAME + 1)),
            format!("{}...", "a".repeat(NAME))
        );
        assert_eq!(
            plain(&"ü".repeat(SENTENCE + 1)),
            format!("{}...", "ü".repeat(SENTENCE))
        );
    }

    #[rstest]
    #[case::none(0, "")]
    #[case::one(1, "1")]
    #[case::two(2, "1 and 2")]
    #[case::six(6, "1, 2, 3, 4, 5 and 6")]
    #[case::seven(7, "1, 2, 3, 4, 5 and 2 others")]
    fn a_list(#[case] count: usize, #[case] list: &str) {
        assert_eq!(listed(1..=count), list);
    }
}
