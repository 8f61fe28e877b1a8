//! What the program exits with.

/// What `portolan --help` says about it.
pub(crate) const CODES: &str = "\
Exit codes:
  0  there is an answer
  1  the answer is no, where a script must know: something is not well, no path, a catalog with
     errors, a refused line, wishes that cannot be granted
  2  the question is wrong: the command line, or what it points at
  3  there is no answer: a server is away, a disk is full, this program has a bug";

/// What `--help` of a query ends with: what its good codes mean, and examples.
macro_rules! after_help {
    ($($said:literal),+; $($example:literal),+) => {
        concat!(
            "Exit codes:",
            $("\n  ", $said,)+
            "\n  2  the question is wrong: the command line, or what it points at",
            "\n  3  there is no answer: a server is away, a disk is full, this program has a bug",
            "\n\nExamples:",
            $("\n  ", $example),+
        )
    };
}
pub(crate) use after_help;

/// The answer is no.
pub(crate) const NO: u8 = 1;
/// The question is wrong.
pub(crate) const BAD_INPUT: u8 = 2;
/// There is no answer.
pub(crate) const FAILED: u8 = 3;

/// How a command ends well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Said {
    /// Something is said to the question.
    Answer,
    /// What is said is "no", and a script must know without reading it.
    No,
    /// What is said is that nobody knows.
    Nothing,
    /// What is said is what is wrong with what was given.
    Wrong,
}

// === impl Said ===

impl Said {
    /// "No" where it holds that something is wrong.
    pub(crate) fn no_if(wrong: bool) -> Self {
        match wrong {
            true => Self::No,
            false => Self::Answer,
        }
    }
}
