//! How a command ends badly: one line on standard error, and an exit code.

use std::error::Error;
use std::process::ExitCode;

use tonic::{Code, Status};

/// The command line, or what it points at, is wrong.
const BAD_INPUT: u8 = 2;
/// Something else failed.
const FAILED: u8 = 1;

/// What went wrong, as one line, and what it exits with.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    exit: u8,
}

// === impl Failure ===

impl Failure {
    /// An error with all its causes, the outermost first.
    pub(crate) fn from_error(error: impl Error) -> Self {
        let message = with_causes(error.to_string(), error.source());
        Self {
            message,
            exit: BAD_INPUT,
        }
    }

    /// What a service answered. `server` is the address it was asked at, if it is a remote one.
    pub(crate) fn from_status(status: &Status, server: Option<&str>) -> Self {
        let exit = match status.code() {
            Code::InvalidArgument | Code::NotFound => BAD_INPUT,
            _ => FAILED,
        };
        let message = match (exit, server) {
            (FAILED, Some(url)) => {
                with_causes(format!("ask {url}: {}", status.message()), status.source())
            }
            _ => status.message().to_owned(),
        };
        Self { message, exit }
    }

    pub(crate) fn report(self) -> ExitCode {
        eprintln!("error: {}", self.message);
        ExitCode::from(self.exit)
    }
}

/// Appends what each cause adds; some repeat the one before.
fn with_causes(mut message: String, mut cause: Option<&(dyn Error + 'static)>) -> String {
    while let Some(error) = cause {
        let text = error.to_string();
        if !message.ends_with(&text) {
            message.push_str(": ");
            message.push_str(&text);
        }
        cause = error.source();
    }
    message
}
