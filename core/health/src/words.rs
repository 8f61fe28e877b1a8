//! Words of others in sentences of ours.

use std::fmt::Display;

/// The most that is cited of what another program says, in characters.
const CITED: usize = 400;
/// The most of a whole sentence, in characters. No name of Kubernetes makes one so long.
const SENTENCE: usize = 2000;
/// The most names of a list.
const LISTED: usize = 6;

/// The text as one line that no terminal takes for a command and that reads in the order in which
/// it is written.
pub fn plain(text: &str) -> String {
    let spaced: String = text.chars().map(harmless).collect();
    let words: Vec<&str> = spaced.split_whitespace().collect();
    cut(&words.join(" "), SENTENCE)
}

/// What another program says, as it can be cited in a sentence.
pub fn cite(text: &str) -> String {
    cut(&plain(text), CITED)
}

/// A claim, with what another program says as the cause of it, if it says anything. The claim has
/// no full stop.
pub fn because(claim: impl Display, cause: &str) -> String {
    match cite(cause) {
        cause if cause.is_empty() => format!("{claim}."),
        cause => format!("{claim}: {cause}"),
    }
}

/// The claim with the word that another program has for it, if there is one.
pub fn with_word(claim: impl Display, word: &str) -> String {
    match cite(word) {
        word if word.is_empty() => claim.to_string(),
        word => format!("{claim} ({word})"),
    }
}

/// The names as a list for people, in the order in which they come.
pub fn listed<T: Display>(names: impl IntoIterator<Item = T>) -> String {
    let mut names: Vec<String> = names.into_iter().map(|name| name.to_string()).collect();
    if names.len() > LISTED {
        let others = names.len() - (LISTED - 1);
        names.truncate(LISTED - 1);
        names.push(format!("{others} others"));
    }
    match names.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

/// A count of things, such as `1 replica` or `2 replicas`.
pub fn counted(count: impl Into<i64>, noun: &str) -> String {
    match count.into() {
        1 => format!("1 {noun}"),
        count => format!("{count} {noun}s"),
    }
}

/// Controls, and marks that turn the direction of writing or have no width, are spaces.
fn harmless(char: char) -> char {
    let turns = matches!(char, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{061c}');
    if char.is_control() || turns {
        ' '
    } else {
        char
    }
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", text[..end].trim_end()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::of_several_lines_become_one(
        "back-off\n\t restarting \r\nfailed container ",
        "back-off restarting failed container"
    )]
    #[case::that_color_a_terminal_lose_it("\u{1b}[31mred\u{7}", "[31mred")]
    #[case::that_turn_the_line_around_do_not("safe\u{202e}exe.txt", "safe exe.txt")]
    #[case::of_other_scripts_stay("порт закрыт 🚢", "порт закрыт 🚢")]
    #[case::of_nothing_stay_nothing(" \n", "")]
    fn words(#[case] text: &str, #[case] cited: &str) {
        assert_eq!(cite(text), cited);
    }

    #[test]
    fn long_words_are_cut_between_characters() {
        assert_eq!(cite(&"ü".repeat(CITED)), "ü".repeat(CITED));
        assert_eq!(
            cite(&"ü".repeat(CITED + 1)),
            format!("{}...", "ü".repeat(CITED))
        );
    }

    #[rstest]
    #[case::none(0, "")]
    #[case::one(1, "1")]
    #[case::two(2, "1 and 2")]
    #[case::six(6, "1, 2, 3, 4, 5 and 6")]
    #[case::seven(7, "1, 2, 3, 4, 5 and 2 others")]
    fn lists(#[case] count: usize, #[case] list: &str) {
        assert_eq!(listed(1..=count), list);
    }

    #[test]
    fn a_claim_without_a_cause_ends_with_a_full_stop() {
        assert_eq!(because("It is late", " "), "It is late.");
        assert_eq!(because("It is late", "no wind\n"), "It is late: no wind");
        assert_eq!(with_word("It is late", "Calm"), "It is late (Calm)");
        assert_eq!(with_word("It is late", ""), "It is late");
    }
}
