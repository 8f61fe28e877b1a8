//! Inserts texts of other authors into Markdown.

use super::one_line;

/// Escapes a text for Markdown, so that it contains no images, headings or mentions.
pub(crate) fn prose(text: &str) -> String {
    let mut prose = String::with_capacity(text.len());
    for letter in one_line(text).chars() {
        if matches!(letter, '|' | '`' | '<' | '[' | ']' | '*' | '#' | '@' | '\\') {
            prose.push('\\');
        }
        prose.push(letter);
    }
    prose
}

/// Returns a sequence of this character that is longer than all such sequences in the text.
pub(crate) fn fence(text: &str) -> String {
    marks("```", text)
}

/// Returns a sequence of marks that has at least this length and is longer than any in the text.
fn marks(least: &str, text: &str) -> String {
    let mut marks = least.to_owned();
    while text.contains(&marks) {
        marks.push('`');
    }
    marks
}

/// Returns the text as inline code.
pub(crate) fn code(text: &str) -> String {
    let text = one_line(text);
    let mark = marks("`", &text);
    // Without the blank, a mark at the end of the text would join the closing marks.
    let blank = if mark.len() > 1 { " " } else { "" };
    format!("{mark}{blank}{text}{blank}{mark}")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::plain("status.reason: Ready", "`status.reason: Ready`")]
    #[case::with_a_mark("a`b", "`` a`b ``")]
    #[case::with_more("``a```", "```` ``a``` ````")]
    fn code_span_is_longer_than_backticks_inside(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(code(text), expected);
    }

    #[test]
    fn fence_is_longer_than_backticks_inside() {
        assert_eq!(fence("a"), "```");
        assert_eq!(fence("```sh"), "````");
    }
}
