//! Escapes texts from other authors for Markdown.

use super::one_line;

/// Escapes a text, so that Markdown finds no images, headings or mentions in it.
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

/// Returns a fence of backticks for a code block. The text does not contain the fence.
pub(crate) fn fence(text: &str) -> String {
    marks("```", text)
}

/// Returns `least`, with as many additional backticks as needed until the text does not contain the
/// result.
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
    // With a longer mark, a blank is needed: a backtick at the end of the text would join the
    // closing mark.
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
