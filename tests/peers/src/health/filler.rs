//! Creates texts of a given length.

const WORDS: [&str; 16] = [
    "harbor", "moors", "the", "fleet", "at", "a", "quay", "and", "tells", "every", "ship", "which",
    "tide", "it", "may", "leave",
];

/// Returns a text with this number of bytes. `begin` selects the first word.
pub(crate) fn prose(begin: usize, bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 8);
    for word in WORDS.iter().cycle().skip(begin % WORDS.len()) {
        if text.len() >= bytes {
            break;
        }
        text.push_str(word);
        text.push(' ');
    }
    text.truncate(bytes);
    text
}

/// Returns this number of letters. The text looks like base64.
pub(crate) fn scrap(bytes: usize) -> String {
    (b'A'..=b'Z').cycle().take(bytes).map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filler_text_has_requested_length() {
        assert_eq!(prose(1, 12), "moors the fl");
        assert_eq!(scrap(28), "ABCDEFGHIJKLMNOPQRSTUVWXYZAB");
    }
}
