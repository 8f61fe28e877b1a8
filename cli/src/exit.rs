//! The exit codes of the program, and the signals that end it.

use std::process::ExitCode;

use portolan_shell::signals;
use tokio_stream::Stream;

use crate::failure::Failure;

/// The part of `portolan --help` that explains the exit codes.
pub(crate) const CODES: &str = "\
Exit codes:
  0  success
  1  the answer is negative: an object is unhealthy, no path exists, a catalog has errors, a query
     in --queries is invalid, or requirements conflict
  2  invalid input: the command line is invalid, or refers to a missing or invalid file or object
  3  no answer: a server is unreachable, a document cannot be read, or an internal error occurred";

/// The end of the help of a query: the exit codes of a successful query, and examples.
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

/// The end of the help of a server process: its exit codes, and examples.
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

/// The exit code if the answer is negative.
const NO: u8 = 1;
/// The exit code for invalid input.
pub(crate) const BAD_INPUT: u8 = 2;
/// The exit code if the command could not get an answer.
pub(crate) const FAILED: u8 = 3;

/// The result of a command, which determines its exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The command succeeded.
    Answered,
    /// The answer is negative, such as "unhealthy". Scripts can test the exit code.
    No,
    /// The answer is unknown, because some facts could not be read.
    Unknown,
    /// The command succeeded, but found errors in files of the user.
    BadInput,
}

// === impl Exit ===

impl Exit {
    /// Returns `No` if `wrong` is true, and `Answered` otherwise.
    pub(crate) fn no_if(wrong: bool) -> Self {
        if wrong { Self::No } else { Self::Answered }
    }

    /// Returns `Unknown` instead of `Answered` if some objects could not be checked.
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
