use proptest::prelude::*;
use rstest::rstest;

use super::*;

/// Returns the documents of a file, each with its line. Passes the file in chunks of `step` bytes.
fn cut(text: &[u8], limits: &Limits, step: usize) -> Vec<(u64, String)> {
    let mut pieces = Vec::new();
    let mut found = |piece: Piece<'_>| {
        let bytes = piece.bytes.unwrap_or(b"too long");
        if let Some(bytes) = piece.bytes {
            let at = piece.offset as usize;
            assert_eq!(
                &text[at..at + bytes.len()],
                bytes,
                "the line of the document"
            );
        }
        pieces.push((piece.line, String::from_utf8_lossy(bytes).into_owned()));
    };
    let mut splitter = Splitter::new(limits);
    for bytes in text.chunks(step) {
        splitter.feed(bytes, &mut found);
    }
    splitter.finish(&mut found);
    pieces
}

#[rstest]
#[case::documents_know_their_first_line(
    "---\na: 1\nb: 2\n---\nc: 3\n--- # next\nd: 4",
    &[(1, "---\na: 1\nb: 2\n"), (4, "---\nc: 3\n"), (6, "--- # next\nd: 4")]
)]
#[case::separators_first_and_last("---\na: 1\n---\n", &[(1, "---\na: 1\n")])]
#[case::without_content_has_no_document("---\n# nothing\n---\n\n---\n", &[])]
#[case::an_empty_file_has_no_document("", &[])]
#[case::dashes_inside_a_value_cut_nothing(
    "text: |\n  ---\n  more\nother: ---x\n----: 1\n",
    &[(1, "text: |\n  ---\n  more\nother: ---x\n----: 1\n")]
)]
#[case::directives_belong_to_the_following_document(
    "%YAML 1.2\n---\na: 1\n---\nb: 2\n",
    &[(1, "%YAML 1.2\n---\na: 1\n"), (4, "---\nb: 2\n")]
)]
#[case::an_end_marker_ends("a: 1\n...\nb: 2\n", &[(1, "a: 1\n...\n"), (3, "b: 2\n")])]
#[case::carriage_returns_are_blanks("---\r\na: 1\r\n---\r\nb: 2\r\n",
    &[(1, "---\r\na: 1\r\n"), (3, "---\r\nb: 2\r\n")]
)]
#[case::with_only_a_byte_order_mark_has_no_document("\u{feff}a: 1\n", &[(1, "a: 1\n")])]
#[case::json_lines("{\"a\": 1}\n{\"b\": [{}]}\n", &[(1, "{\"a\": 1}"), (2, "{\"b\": [{}]}")])]
#[case::json_without_anything_between("{}{\"a\": \"}\\\"\"}[]", &[
    (1, "{}"), (1, "{\"a\": \"}\\\"\"}"), (1, "[]")
])]
#[case::json_over_several_lines("\n{\n\"a\":\n{\n}\n}\n\n{}", &[
    (2, "{\n\"a\":\n{\n}\n}"), (8, "{}")
])]
#[case::json_with_separators_of_yaml("{}\n---\n{}\n", &[(1, "{}"), (3, "{}")])]
#[case::a_line_of_json_cut_off_costs_itself("{\"a\": {\n{\"b\": 1}\n{}\n", &[
    (1, "{\"a\": {\n"), (2, "{\"b\": 1}"), (3, "{}")
])]
#[case::a_string_of_json_cut_off_costs_its_line("{\"a\": \"x\n{\"b\": 1}\n", &[
    (1, "{\"a\": \"x\n"), (2, "{\"b\": 1}")
])]
#[case::text_between_json_documents("{}\nhello world\n{}\n", &[
    (1, "{}"), (2, "hello world\n"), (3, "{}")
])]
fn file_is_split_into_documents(#[case] text: &str, #[case] expected: &[(u64, &str)]) {
    let expected: Vec<_> = expected
        .iter()
        .map(|(l, text)| (*l, (*text).to_owned()))
        .collect();
    for step in [1, 2, 7, usize::MAX >> 1] {
        assert_eq!(
            cut(text.as_bytes(), &Limits::default(), step),
            expected,
            "step {step}"
        );
    }
}

#[rstest]
#[case::yaml("a: 1\n---\nb: 23456789\nc: 1\n---\nd: 4\n", &[
    (1, "a: 1\n"), (2, "too long"), (5, "---\nd: 4\n")
])]
#[case::json("{\"a\":1}\n{\"b\":\n[1,2,3,4]}\n{}\n", &[(1, "{\"a\":1}"), (2, "too \
     long"), (4, "{}")])]
#[case::a_line_without_end("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", &[(1, "too long")])]
fn document_beyond_the_limit_is_skipped(#[case] text: &str, #[case] expected: &[(u64, &str)]) {
    let limits = Limits {
        document: 12,
        ..Limits::default()
    };
    let expected: Vec<_> = expected
        .iter()
        .map(|(l, text)| (*l, (*text).to_owned()))
        .collect();
    for step in [1, 3, 100] {
        assert_eq!(cut(text.as_bytes(), &limits, step), expected, "step {step}");
    }
}

#[test]
fn buffer_is_not_larger_than_the_limit() {
    let limits = Limits {
        document: 1000,
        ..Limits::default()
    };
    for filler in [&b"a"[..], b"\n", b"{", b"a: 1\n---\n", b"{}\n", b"\"", b" "] {
        let mut splitter = Splitter::new(&limits);
        for start in [&b"{"[..], b"a"] {
            splitter.feed(start, |_| {});
            for _ in 0..50 {
                splitter.feed(&filler.repeat(10_000 / filler.len()), |_| {});
                assert!(splitter.held.len() <= limits.document, "{filler:?}");
            }
        }
    }
}

proptest! {
    #[test]
    fn chunk_size_does_not_change_the_documents(
        text in prop::collection::vec(
            prop::sample::select(&b"-{}[]\":,\\\n .a#%"[..]), 0..120
        ),
        step in 1..20_usize,
    ) {
        let limits = Limits { document: 1 << 20, ..Limits::default() };
        prop_assert_eq!(cut(&text, &limits, step), cut(&text, &limits, 1 << 20));
    }
}
