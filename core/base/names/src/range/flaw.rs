//! The flaws that a range is refused for, and the warnings that it is accepted with.

use std::fmt;

use crate::version;

/// The flaw of a text that is no version range; printed, each also says what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// Only blanks.
    #[error("it is empty; for every version write \">=0.0.0\"")]
    Empty,
    #[error("the length is {length} bytes; at most {longest} are allowed")]
    TooLong { length: usize, longest: usize },
    /// A `||` at an end of the text, or two in a row.
    #[error("an alternative is missing; \"||\" must be between two of them")]
    NoAlternative,
    #[error("{written:?} is not an operator; {instead}")]
    Operator {
        written: Box<str>,
        instead: &'static str,
    },
    #[error("no version follows {operator:?}")]
    NoVersion { operator: &'static str },
    /// Comparators or alternatives put together in another language's way.
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

/// A place where a range does not mean what it seems to, or not the same to OLM.
///
/// The range is good all the same. A check of a catalog shows them.
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
    /// `1.x.x` ends where the minor version changes, not where the major one does.
    NarrowWildcard {
        written: Box<str>,
        means: Box<str>,
        instead: Box<str>,
    },
    /// `!=1.5.x` asks for versions below and above at the same time.
    NeverTrue {
        written: Box<str>,
        instead: Box<str>,
    },
    /// OLM takes an `x` for a wildcard wherever it stands. It refuses `=1.2.3-next` for it, and
    /// reads `<1.2.3-rc.xy` as `<1.2.3-rc.0y`.
    LetterX { written: Box<str>, is_refused: bool },
    /// OLM separates by the blank only; a tab or line break becomes part of a version or of an
    /// operator, which is then refused or ignored.
    ControlBlank { is_refused: bool },
}

impl Warning {
    /// Returns true if OLM rejects the whole range for it.
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
