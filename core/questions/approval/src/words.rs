//! Formats names from untrusted sources for messages.

use portolan_core_names::text::{Instead, SENTENCE, cut, harmless};

/// The maximum length of a name in characters. Names in Kubernetes are never longer.
const NAME: usize = 253;

/// Formats a name. Quotes an invalid name, so that users can distinguish the name from the text
/// around it.
pub(crate) fn named(name: &str) -> String {
    let is_simple = |c: char| c.is_ascii_alphanumeric() || "-._+/:".contains(c);
    if !name.is_empty() && name.chars().all(is_simple) {
        cut(name, NAME)
    } else {
        format!("\"{}\"", cut(&escaped(name), NAME))
    }
}

/// Returns the text on one line, with harmful characters escaped.
pub(crate) fn escaped(text: &str) -> String {
    cut(&harmless(text, Instead::Escape), SENTENCE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::valid_name_is_unchanged("openshift-ops/etcd.v0.9+1", "openshift-ops/etcd.v0.9+1")]
    #[case::empty_name_is_quoted("", "\"\"")]
    #[case::name_that_looks_like_a_sentence_is_quoted("etcd may be", "\"etcd may be\"")]
    #[case::with_terminal_escapes_is_escaped("\u{1b}[31mred", "\"\\u{1b}[31mred\"")]
    #[case::with_direction_override_is_escaped("exe\u{202e}txt", "\"exe\\u{202e}txt\"")]
    #[case::with_several_lines_is_escaped("a\nb", "\"a\\u{a}b\"")]
    fn formats_a_name(#[case] name: &str, #[case] written: &str) {
        assert_eq!(named(name), written);
    }

    #[test]
    fn long_text_is_cut_between_characters() {
        assert_eq!(named(&"a".repeat(NAME)), "a".repeat(NAME));
        assert_eq!(
            named(&"a".repeat(NAME + 1)),
            format!("{}...", "a".repeat(NAME))
        );
        assert_eq!(
            escaped(&"ü".repeat(SENTENCE + 1)),
            format!("{}...", "ü".repeat(SENTENCE))
        );
    }
}
