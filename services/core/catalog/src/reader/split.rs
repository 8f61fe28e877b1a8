//! Cuts a YAML stream into its documents, so that a broken one does not cost the others.

/// The documents of a stream with the number of their first line. A line that begins with `---`
/// ends a document wherever it stands: inside one, YAML has no such line at its margin.
pub(super) fn documents(text: &str) -> impl Iterator<Item = (u64, &str)> {
    let mut rest = Some(text);
    let mut line = 1;
    std::iter::from_fn(move || {
        let document = rest?;
        let end = separator(document);
        let first_line = line;
        let document = match end {
            Some(at) => {
                line += document[..at].matches('\n').count() as u64;
                rest = Some(&document[at..]);
                &document[..at]
            }
            None => {
                rest = None;
                document
            }
        };
        Some((first_line, document))
    })
    .filter(|(_, document)| !is_blank(document))
}

/// Where the next document begins: a line `---`, but not the first one.
fn separator(text: &str) -> Option<usize> {
    text.match_indices("\n---")
        .map(|(at, _)| at + 1)
        .find(|at| {
            text[at + 3..]
                .chars()
                .next()
                .is_none_or(|next| next.is_ascii_whitespace())
        })
}

/// Whether there is nothing but separators, comments and blanks.
fn is_blank(document: &str) -> bool {
    document.lines().all(|line| {
        let line = line.trim();
        line.is_empty() || line == "---" || line == "..." || line.starts_with('#')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<(u64, &str)> {
        documents(text).collect()
    }

    #[test]
    fn documents_keep_the_number_of_their_first_line() {
        assert_eq!(
            cut("---\na: 1\nb: 2\n---\nc: 3\n--- # next\nd: 4"),
            [
                (1, "---\na: 1\nb: 2\n"),
                (4, "---\nc: 3\n"),
                (6, "--- # next\nd: 4")
            ]
        );
    }

    #[test]
    fn a_stream_without_content_has_no_document() {
        assert_eq!(cut("---\n# nothing\n---\n\n---\n"), []);
        assert_eq!(cut(""), []);
    }

    #[test]
    fn dashes_inside_a_value_cut_nothing() {
        let text = "text: |\n  ---\n  more\nother: ---x\n----: 1\n";
        assert_eq!(cut(text), [(1, text)]);
    }
}
