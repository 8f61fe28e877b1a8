//! Functions and constants that build messages.

use std::fmt::Display;

use portolan_core_names::text;

/// The maximum number of names in a message.
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

/// The reason why a policy that only informs changes nothing.
pub(crate) const INFORMS: &str = "the policy is not enforced (spec.remediationAction is inform)";
/// The reason why a read-only controller changes nothing.
pub(crate) const READ_ONLY: &str = "the controller is read-only for this policy";

/// The kinds whose names look like ordinary words.
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

/// Converts a tree into one sentence, with semicolons between its lines.
pub(crate) fn on_one_line(text: &str) -> String {
    let lines = text.lines();
    let lines = lines.map(|line| line.trim_start_matches([' ', '│', '├', '└', '─']));
    let lines: Vec<_> = lines.filter(|line| !line.is_empty()).collect();
    lines.join("; ")
}

/// Returns a sentence that starts with a lower-case letter, for use inside another sentence. A kind
/// such as `CatalogSource` keeps its capital letter.
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
    #[case::loses_its_full_stop("It is gone.", "It is gone")]
    #[case::comes_on_one_line("It is\n  gone", "It is gone")]
    #[case::colors_no_terminal("It is\u{1b}[31m gone", "It is [31m gone")]
    #[case::keeps_what_is_in_it("v1.2 is gone. Make it", "v1.2 is gone. Make it")]
    fn a_sentence(#[case] sentence: &str, #[case] clauses: &str) {
        assert_eq!(clause(sentence), clauses);
    }

    #[test]
    fn a_tree_on_one_line() {
        let tree = "etcd\n├── needs redis\n│   └── which is gone\n└── add it";
        let line = "etcd; needs redis; which is gone; add it";
        assert_eq!(on_one_line(tree), line);
    }

    #[rstest]
    #[case::begins_small("The plan waits", "the plan waits")]
    #[case::keeps_a_kind("CatalogSource fleet is gone", "CatalogSource fleet is gone")]
    #[case::keeps_a_kind_of_one_word("Subscription a/b is gone", "Subscription a/b is gone")]
    #[case::keeps_a_bundle("sloop.v1.0.0 waits", "sloop.v1.0.0 waits")]
    #[case::may_be_a_letter("A", "A")]
    #[case::may_be_nothing("", "")]
    fn a_sentence_among_others(#[case] sentence: &str, #[case] small: &str) {
        assert_eq!(uncapitalized(sentence), small);
    }

    #[rstest]
    #[case::of_none(&[], "")]
    #[case::of_one(&["a"], "a")]
    #[case::of_three(&["a", "b", "c"], "a, b and c")]
    #[case::of_six_is_cut(&["a", "b", "c", "d", "e", "f"], "a, b, c, d and 2 others")]
    fn a_list(#[case] names: &[&str], #[case] list: &str) {
        assert_eq!(listed(names), list);
    }
}
