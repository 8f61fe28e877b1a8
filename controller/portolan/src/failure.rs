//! How a command ends badly: one line on standard error, and an exit code.

use std::error::Error;
use std::io::{self, Write};
use std::iter;
use std::process::ExitCode;

use tonic::{Code, Status};
use tonic_types::StatusExt;

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
    /// The command line, or what it points at, is wrong.
    pub(crate) fn refused(error: impl Error) -> Self {
        Self {
            message: with_causes(error.to_string(), error.source()),
            exit: BAD_INPUT,
        }
    }

    /// Something failed that other words on the command line would not change.
    pub(crate) fn failed(error: impl Error) -> Self {
        Self {
            exit: FAILED,
            ..Self::refused(error)
        }
    }

    /// What a service answered. `server` is the address it was asked at, if it is a remote one.
    pub(crate) fn from_status(status: &Status, server: Option<&str>) -> Self {
        let exit = match status.code() {
            Code::InvalidArgument | Code::NotFound => BAD_INPUT,
            _ => FAILED,
        };
        let message = match (exit, server) {
            (BAD_INPUT, _) => violations(status).unwrap_or_else(|| status.message().to_owned()),
            (_, Some(url)) => unanswered(status, url),
            (_, None) => status.message().to_owned(),
        };
        Self { message, exit }
    }

    pub(crate) fn report(self) -> ExitCode {
        // Whoever closed standard error still gets the exit code.
        let _ = writeln!(io::stderr(), "error: {}", self.message);
        ExitCode::from(self.exit)
    }
}

/// The fields that the service refuses, as the flags that set them.
fn violations(status: &Status) -> Option<String> {
    let fields = status.get_details_bad_request()?.field_violations;
    let sentences = fields.iter().map(|violation| {
        let flag = match violation.field.as_str() {
            // `--catalog` says what a catalog is made of, `--from` which one is meant.
            "catalog" => "from".to_owned(),
            field => field.replace('_', "-"),
        };
        format!("--{flag}: {}", violation.description)
    });
    let message = sentences.collect::<Vec<_>>().join("; ");
    (!message.is_empty()).then_some(message)
}

/// Why there is no answer from a server, and what to try.
fn unanswered(status: &Status, url: &str) -> String {
    let causes = iter::successors(status.source(), |error| (*error).source());
    match (causes.last(), status.code()) {
        // The causes above the innermost only repeat that there is no connection.
        (Some(cause), _) => format!(
            "ask {url}: {cause}; is a resolver running there? --server takes its --listen address"
        ),
        (None, Code::Unimplemented) => format!(
            "ask {url}: the server there does not know the question ({}); is it the --listen \
             address of a resolver, and one no older than this program?",
            status.message()
        ),
        (None, _) => format!("ask {url}: {}", status.message()),
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
