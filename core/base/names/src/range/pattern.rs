//! The grammar of ranges as a regular expression, for schemas that API servers check.

use super::VersionRange;

/// A blank, as defined by [`char::is_ascii_whitespace`].
const BLANK: &str = r"[ \t\n\f\r]";
/// A number without leading zeros.
const NUMBER: &str = "(0|[1-9][0-9]*)";
/// An identifier of a prerelease: a number, or a word that is not a number.
const IDENTIFIER: &str = "(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)";
/// The build metadata.
const BUILD: &str = r"(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)";

impl VersionRange {
    /// Returns a regular expression, in the syntax of RE2, of the texts that [`parse`](Self::parse) reads, and of blanks.
    ///
    /// The expression cannot count: it also matches numbers of more than 64 bits and versions of
    /// more than 255 bytes.
    pub fn pattern() -> String {
        let prerelease = format!(r"(-{IDENTIFIER}(\.{IDENTIFIER})*)");
        let version = format!(r"{NUMBER}\.{NUMBER}\.{NUMBER}{prerelease}?{BUILD}?");
        let wildcard = format!(r"{NUMBER}\.(x|x\.x|{NUMBER}\.x)");
        // A blank after a single "!" would end the comparator.
        let operator = format!("(!|(!=|[<>]{BLANK}*=?|={BLANK}*=?){BLANK}*)");
        let comparator = format!("{operator}?({version}|{wildcard})");
        let joint = format!(r"{BLANK}+(\|\|{BLANK}+)?");
        format!("^{BLANK}*({comparator}({joint}{comparator})*{BLANK}*)?$")
    }
}
