//! The exit codes of the program, and the signals that end it.

use std::process::ExitCode;

use portolan_shell::signals;
use tokio_stream::Stream;

use crate::failure::Failure;

/// The text of `portolan --help` about the exit codes.
pub(crate) const CODES: &str = "\
Exit codes:
  0  success
  1  the answer is negative: an object is unhealthy, no path exists, a catalog has errors, a query
     in --queries is invalid, or requirements conflict
  2  invalid input: the command line is invalid, or refers to a missing or invalid file or object
  3  no answer: a server is unreachable, a document cannot be read, or an internal error occurred";

/// The end of `--help` of a query: the meaning of its exit codes for success, and examples.
macro_rules! after_help {
    ($($said:literal),+; $($example:literal),+) => {
        concat!(
            "Exit codes:",
            $("\n  ", $said,)+
            "\n  2  invalid input: the command line is invalid, or refers to a missing or invalid \
             file or object",
            "\n  3  no answer: a server is unreachable, a document cannot be read, or an internal \
             error occurred",
            "\n\nExamples:",
            $("\n  ", $example),+
        )
    };
}
pub(crate) use after_help;

/// The end of `--help` of a server process: its exit codes, and examples.
macro_rules! after_help_of_server {
    ($($example:literal),+) => {
        concat!(
            "Exit codes:",
            "\n  0  stopped by a signal",
            "\n  2  invalid input: the command line is invalid, or refers to a missing or invalid \
             file or object",
            "\n  3  stopped by an error, such as a port in use or an internal error",
            "\n\nExamples:",
            $("\n  ", $example),+
        )
    };
}
pub(crate) use after_help_of_server;

/// The answer is no.
const NO: u8 = 1;
/// The question is wrong.
pub(crate) const BAD_INPUT: u8 = 2;
/// The exit code if the command has no result.
pub(crate) const FAILED: u8 = 3;

/// The exit status of a command with a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The command has a result.
    Answered,
    /// The answer is "no", for scripts.
    No,
    /// The answer is unknown.
    Unknown,
    /// The result lists errors in the given files.
    BadInput,
}

// === impl Exit ===

impl Exit {
    /// Returns "no" if `wrong` is true, and otherwise "success".
    pub(crate) fn no_if(wrong: bool) -> Self {
        if wrong { Self::No } else { Self::Answered }
    }

    /// Turns "success" into "unknown" if some objects could not be checked.
    pub(crate) fn unless_in_doubt(self, is_in_doubt: bool) -> Self {
        match self {
            Self::Answered if is_in_doubt => Self::Unknown,
            exit => exit,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Answered => Self::SUCCESS,
            Exit::No => Self::from(NO),
            Exit::Unknown => Self::from(FAILED),
            Exit::BadInput => Self::from(BAD_INPUT),
        }
    }
}

/// Returns the stop signals.
pub(crate) fn stops() -> Result<impl Stream<Item = ()>, Failure> {
    signals::stop().map_err(|error| Failure::failed_to("cannot wait for signals", &error))
}
