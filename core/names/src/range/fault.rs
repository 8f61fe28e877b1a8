//! What a range is refused for.

use crate::version;

/// What can be wrong with a version range; printed, each also says what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Nothing but blanks.
    #[error("nothing is written; every version is \">=0.0.0\"")]
    Empty,
    #[error("there are {length} bytes where at most {longest} are allowed")]
    TooLong { length: usize, longest: usize },
    /// A `||` at an end of the text, or two in a row.
    #[error("an alternative is missing; \"||\" stands between two of them")]
    NoAlternative,
    #[error("{written:?} is not an operator; {instead}")]
    Operator {
        written: Box<str>,
        instead: &'static str,
    },
    #[error("no version follows {operator:?}")]
    NoVersion { operator: &'static str },
    /// Comparators or alternatives put together in another language's way.
    #[error("{written:?} does not join versions here; {instead}")]
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
    Version(version::Fault),
}
