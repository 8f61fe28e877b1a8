//! Checks whether a text is a valid image reference.

/// Returns the error for which opm rejects the reference. Returns None if opm accepts it.
///
/// A reference has the format `[host[:port]/]path[:tag][@digest]`. The path is in lower case.
pub(super) fn flaw(reference: &str) -> Option<&'static str> {
    if reference.contains("://") {
        return Some("an image reference has no scheme; remove everything up to `://`");
    }
    let (named, digest) = match reference.split_once('@') {
        Some((named, digest)) => (named, Some(digest)),
        None => (reference, None),
    };
    if digest.is_some_and(|digest| !is_digest(digest)) {
        return Some("a digest must follow `@`: `sha256:` and 64 hexadecimal digits");
    }
    // A colon before the last slash separates the host from its port, not the path from a tag.
    let (named, tag) = match named.rsplit_once(':') {
        Some((named, tag)) if !tag.contains('/') => (named, Some(tag)),
        _ => (named, None),
    };
    if tag.is_some_and(|tag| !is_tag(tag)) {
        return Some("the tag must be 1 to 128 letters, digits, dots, hyphens or underscores");
    }
    let path = match named.split_once('/') {
        Some((host, path)) if is_host(host) => path,
        _ => named,
    };
    if path.split('/').all(is_component) {
        None
    } else {
        Some(
            "the name of an image can contain only lower-case letters, digits and single \
         separators",
        )
    }
}

fn is_digest(text: &str) -> bool {
    let (algorithm, digits) = text.split_once(':').unwrap_or((text, ""));
    let expected = match algorithm {
        "sha256" => 64,
        "sha384" => 96,
        "sha512" => 128,
        _ => return false,
    };
    let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    digits.len() == expected && digits.bytes().all(is_hex)
}

fn is_tag(text: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (1..=128).contains(&text.len())
        && text
            .bytes()
            .all(|byte| is_word(byte) || matches!(byte, b'.' | b'-'))
        && text.bytes().next().is_some_and(is_word)
}

/// Returns true if the first part of a reference is a host. A host contains a dot, a port or a
/// capital letter, or is `localhost`.
fn is_host(text: &str) -> bool {
    let looks_so = text.contains(['.', ':']) || text == "localhost" || has_capital(text);
    looks_so
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b':'))
}

fn has_capital(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// Returns true if the text consists of lower case letters and digits. They may be separated by one
/// dot, one or two underscores, or any number of hyphens.
fn is_component(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let mut marks = text.split(|c: char| c.is_ascii() && is_letter(c as u8));
    let ends_well = |end: Option<u8>| end.is_some_and(is_letter);
    ends_well(text.bytes().next())
        && ends_well(text.bytes().next_back())
        && marks.all(|mark| {
            matches!(mark, "" | "." | "_" | "__") || mark.bytes().all(|byte| byte == b'-')
        })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const DIGEST: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    #[rstest]
    #[case::a_tag("quay.io/team/a:v1.0")]
    #[case::no_tag("quay.io/team/a")]
    #[case::a_port("localhost:5000/a")]
    #[case::no_host("team/a:1")]
    #[case::marks("quay.io/a_b/c.d/e--f/g__h")]
    fn accepts_image_reference(#[case] reference: &str) {
        assert_eq!(flaw(reference), None);
        assert_eq!(flaw(&format!("{reference}@sha256:{DIGEST}")), None);
    }

    #[rstest]
    #[case::an_unknown_digest("a@ssha256:0123")]
    #[case::a_weak_digest("a@md5:0123456789abcdef0123456789abcdef")]
    #[case::an_empty_digest("quay.io/team/a@")]
    #[case::a_scheme("oci://quay.io/team/a:1")]
    #[case::an_empty_tag("quay.io/team/a:")]
    #[case::a_capital_in_the_path("quay.io/Team/a")]
    #[case::an_empty_part("quay.io//a")]
    #[case::a_mark_at_the_end("quay.io/team/a-")]
    #[case::three_underscores("quay.io/a___b")]
    #[case::a_blank("quay.io/a b")]
    #[case::nothing("")]
    fn rejects_image_reference(#[case] reference: &str) {
        assert!(flaw(reference).is_some());
    }
}
