//! Texts and functions that several messages share.

use std::fmt::Display;

use portolan_core_names::text;

/// The maximum number of names in a list. Longer lists are shortened.
const LISTED: usize = 5;

/// Converts a sentence of another component into one line without a final period, for use inside a
/// message.
pub(crate) fn clause(sentence: &str) -> String {
    text::one_line(sentence).trim_end_matches('.').to_owned()
}

/// Joins names into a list, in the given order.
pub(crate) fn listed<T: Display>(names: &[T]) -> String {
    text::listed_up_to(LISTED, names)
}

/// The reason why a policy with `remediationAction: inform` changes nothing.
pub(crate) const INFORMS: &str = "the policy is not enforced (spec.remediationAction is inform)";
/// The reason why a read-only controller changes nothing.
pub(crate) const READ_ONLY: &str = "the controller is read-only for this policy";

/// The kinds whose names are also common English words.
const KINDS: [&str; 8] = [
    "Deployment",
    "Deployments",
    "Pod",
    "Pods",
    "Secret",
    "Secrets",
    "Subscription",
    "Subscriptions",
];

/// The end of a truncated message.
const CUT: &str = " [cut]";

/// Truncates a message to a number of bytes.
pub(crate) fn cut(mut message: String, longest: usize) -> String {
    if message.len() > longest {
        let end = message.floor_char_boundary(longest - CUT.len());
        message.truncate(end);
        message.push_str(CUT);
    }
    message
}

/// Converts a tree of lines into one line, with semicolons between the lines.
pub(crate) fn on_one_line(text: &str) -> String {
    let lines = text.lines();
    let lines = lines.map(|line| line.trim_start_matches([' ', '│', '├', '└', '─']));
    let lines: Vec<_> = lines.filter(|line| !line.is_empty()).collect();
    lines.join("; ")
}

/// Returns the sentence with a lower-case first letter, for use inside another sentence. A kind
/// such as `CatalogSource` at the beginning keeps its capital letter.
pub(crate) fn uncapitalized(sentence: &str) -> String {
    let word = sentence.split_whitespace().next().unwrap_or_default();
    let mut rest = word.chars().skip(1);
    let is_name = KINDS.contains(&word) || rest.any(|letter| !letter.is_ascii_lowercase());
    match sentence.char_indices().nth(1) {
        Some((end, _)) if !is_name => sentence[..end].to_lowercase() + &sentence[end..],
        Some(_) | None => sentence.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::removes_the_final_period("It is gone.", "It is gone")]
    #[case::joins_lines("It is\n  gone", "It is gone")]
    #[case::removes_terminal_colors("It is\u{1b}[31m gone", "It is [31m gone")]
    #[case::keeps_inner_periods("v1.2 is gone. Make it", "v1.2 is gone. Make it")]
    fn converts_a_sentence_to_a_clause(#[case] sentence: &str, #[case] clauses: &str) {
        assert_eq!(clause(sentence), clauses);
    }

    #[test]
    fn joins_lines_of_a_tree_with_semicolons() {
        let tree = "etcd\n├── needs redis\n│   └── which is gone\n└── add it";
        let line = "etcd; needs redis; which is gone; add it";
        assert_eq!(on_one_line(tree), line);
    }

    #[rstest]
    #[case::first_letter_becomes_lower_case("The plan waits", "the plan waits")]
    #[case::keeps_a_kind("CatalogSource fleet is gone", "CatalogSource fleet is gone")]
    #[case::keeps_a_kind_of_one_word("Subscription a/b is gone", "Subscription a/b is gone")]
    #[case::keeps_a_bundle_name("sloop.v1.0.0 waits", "sloop.v1.0.0 waits")]
    #[case::single_letter("A", "A")]
    #[case::empty_text("", "")]
    fn uncapitalizes_a_sentence(#[case] sentence: &str, #[case] small: &str) {
        assert_eq!(uncapitalized(sentence), small);
    }

    #[rstest]
    #[case::no_names(&[], "")]
    #[case::one_name(&["a"], "a")]
    #[case::three_names(&["a", "b", "c"], "a, b and c")]
    #[case::six_names_are_truncated(&["a", "b", "c", "d", "e", "f"], "a, b, c, d and 2 others")]
    fn joins_names_to_a_list(#[case] names: &[&str], #[case] list: &str) {
        assert_eq!(listed(names), list);
    }
}
