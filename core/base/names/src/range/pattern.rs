//! The grammar of ranges as a regular expression, for the CRD schemas that API servers validate.

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
    /// Returns a regular expression in RE2 syntax. It matches the texts that [`parse`](Self::parse)
    /// accepts, and texts of only blanks.
    ///
    /// A regular expression cannot limit sizes: it also matches numbers of more than 64 bits and
    /// versions of more than 255 bytes.
    pub fn pattern() -> String {
        let prerelease = format!(r"(-{IDENTIFIER}(\.{IDENTIFIER})*)");
        let version = format!(r"{NUMBER}\.{NUMBER}\.{NUMBER}{prerelease}?{BUILD}?");
        let wildcard = format!(r"{NUMBER}\.(x|x\.x|{NUMBER}\.x)");
        // No blanks after a single "!": `VersionRange::parse` rejects "!" followed by a blank.
        let operator = format!("(!|(!=|[<>]{BLANK}*=?|={BLANK}*=?){BLANK}*)");
        let comparator = format!("{operator}?({version}|{wildcard})");
        let joint = format!(r"{BLANK}+(\|\|{BLANK}+)?");
        format!("^{BLANK}*({comparator}({joint}{comparator})*{BLANK}*)?$")
    }
}
