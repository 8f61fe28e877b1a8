//! Errors in invalid ranges, and warnings about valid ranges.

use std::fmt;

use crate::version;

/// The error in a text that is not a valid version range. Each message says how to correct the
/// text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// The text contains only blanks.
    #[error("it is empty; for every version write \">=0.0.0\"")]
    Empty,
    #[error("the length is {length} bytes; at most {longest} are allowed")]
    TooLong { length: usize, longest: usize },
    /// A `||` at the start or end of the text, or two in a row.
    #[error("an alternative is missing; \"||\" must be between two of them")]
    NoAlternative,
    #[error("{written:?} is not an operator; {instead}")]
    Operator {
        written: Box<str>,
        instead: &'static str,
    },
    #[error("no version follows {operator:?}")]
    NoVersion { operator: &'static str },
    /// Comparators or alternatives are combined as in another range language, such as with a comma.
    #[error("{written:?} cannot join versions here; {instead}")]
    Joint {
        written: Box<str>,
        instead: &'static str,
    },
    #[error("{written:?} is not a wildcard; {instead}")]
    Wildcard {
        written: Box<str>,
        instead: &'static str,
    },
    #[error(transparent)]
    Version(version::Flaw),
}

/// A part of a range whose meaning differs from what it seems to mean, or from its meaning in OLM.
///
/// The range is valid in spite of the warning. A catalog check reports the warnings.
///
/// ```
/// use portolan_core_names::VersionRange;
///
/// let range = VersionRange::parse("1.x.x")?;
/// assert_eq!(
///     range.warnings()[0].to_string(),
///     r#""1.x.x" means ">=1.0.0 <1.1.0"; to match the major version, write "1.x""#
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// `1.x.x` ends at the next minor version, not at the next major version.
    NarrowWildcard {
        written: Box<str>,
        means: Box<str>,
        instead: Box<str>,
    },
    /// `!=1.5.x` matches no version, because OLM requires a version that is both below `1.5.0` and
    /// at least `1.6.0`.
    NeverTrue {
        written: Box<str>,
        instead: Box<str>,
    },
    /// OLM treats an `x` at any position as a wildcard. For example, OLM rejects `=1.2.3-next`, and
    /// reads `<1.2.3-rc.xy` as `<1.2.3-rc.0y`.
    LetterX { written: Box<str>, is_refused: bool },
    /// OLM accepts only spaces as separators. A tab or line break becomes part of a version or an
    /// operator. OLM then rejects the range or ignores the tab or line break.
    ControlBlank { is_refused: bool },
}

impl Warning {
    /// Returns true if OLM rejects the whole range because of the warning.
    pub(super) fn is_refusal(&self) -> bool {
        match self {
            Self::NarrowWildcard { .. } | Self::NeverTrue { .. } => false,
            Self::LetterX { is_refused, .. } | Self::ControlBlank { is_refused } => *is_refused,
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NarrowWildcard {
                written,
                means,
                instead,
            } => {
                write!(
                    f,
                    "{written:?} means {means:?}; to match the major version, write {instead:?}"
                )
            }
            Self::NeverTrue { written, instead } => {
                write!(
                    f,
                    "{written:?} matches nothing; for all other versions write {instead:?}"
                )
            }
            Self::LetterX { written, .. } => {
                write!(
                    f,
                    "OLM misreads {written:?}: it treats the \"x\" as a wildcard"
                )
            }
            Self::ControlBlank { .. } => {
                f.write_str("OLM may misread the tabs and line breaks in it; use spaces")
            }
        }
    }
}
