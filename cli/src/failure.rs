//! The failure of a command: an error message of one line, and an exit code.

use std::error::Error;
use std::fmt::Display;
use std::io::Write;
use std::iter;
use std::process::ExitCode;

use portolan_scaffold::Start;
use portolan_shell::client::Insecure;
use portolan_shell::with_causes;
use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::exit::{BAD_INPUT, FAILED};
use crate::facts::RequestContext;
use crate::print::{Span, one_line, words};

/// The fields of queries that come from the file of `--installed`.
const TOLD_BY_INSTALLED: [&str; 5] = [
    "installed[",
    "others",
    "subscriptions",
    "csvs",
    "operator_groups",
];

/// The error message, and the exit code of the command.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    exit: u8,
}

// === impl Failure ===

impl From<Start> for Failure {
    fn from(error: Start) -> Self {
        if error.is_refusal() {
            Self::refused(error)
        } else {
            Self::failed(error)
        }
    }
}

impl Failure {
    /// Creates a failure with the exit code for invalid input.
    pub(crate) fn refused(error: impl Error + 'static) -> Self {
        Self::usage(with_causes(&error))
    }

    /// Creates a failure with the exit code for errors that the command line did not cause.
    pub(crate) fn failed(error: impl Error + 'static) -> Self {
        Self::unknown(with_causes(&error))
    }

    /// Creates a failure from an action and the cause of its error. The exit code is that for
    /// invalid input.
    pub(crate) fn refused_to(act: impl Display, why: &(dyn Error + 'static)) -> Self {
        Self::usage(format!("{act}: {}", with_causes(why)))
    }

    /// Creates a failure from an action and the cause of its error. The command line did not cause
    /// the error.
    pub(crate) fn failed_to(act: impl Display, why: &(dyn Error + 'static)) -> Self {
        Self::unknown(format!("{act}: {}", with_causes(why)))
    }

    /// Creates a failure for an answer that is unknown.
    pub(crate) fn unknown(message: String) -> Self {
        Self {
            message,
            exit: FAILED,
        }
    }

    /// Creates a failure for a command line that is invalid.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            exit: BAD_INPUT,
        }
    }

    /// Creates a failure from the error status of a service.
    pub(crate) fn from_status(status: &Status, asked: &RequestContext) -> Self {
        let exit = match status.code() {
            Code::InvalidArgument | Code::NotFound => BAD_INPUT,
            _ => FAILED,
        };
        let message = match (exit, &asked.url) {
            (BAD_INPUT, _) => {
                violations(status, asked.positional).unwrap_or_else(|| status.message().to_owned())
            }
            (_, Some(url)) => unanswered(status, url, asked.server),
            (_, None) => match &asked.remedy {
                Some(remedy) => format!("{}; {remedy}", status.message()),
                None => status.message().to_owned(),
            },
        };
        Self { message, exit }
    }

    /// Creates a failure from an error status of this process that concerns flags of the command
    /// line.
    pub(crate) fn of_flags(status: &Status) -> Self {
        let message = violations(status, &[]);
        Self::usage(message.unwrap_or_else(|| status.message().to_owned()))
    }

    /// Appends the hint to the message if the failure is about invalid input.
    pub(crate) fn with_hint(mut self, hint: Option<&str>) -> Self {
        if let Some(hint) = hint.filter(|_| self.exit == BAD_INPUT) {
            self.message.push_str(hint);
        }
        self
    }

    /// Sets the exit code for invalid input. Used by a command for which all errors have this exit
    /// code.
    pub(crate) fn into_bad_input(self) -> Self {
        Self {
            exit: BAD_INPUT,
            ..self
        }
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    pub(crate) fn report(self) -> ExitCode {
        let start = Span::error("error:");
        // Ignores a failed write: if standard error is closed, the exit code still reports the
        // failure.
        let _ = writeln!(anstream::stderr(), "{start} {}", one_line(&self.message));
        ExitCode::from(self.exit)
    }
}

/// Returns the fields that the service rejects. Each field has the name of the argument that sets
/// it.
fn violations(status: &Status, positional: &[&str]) -> Option<String> {
    let fields = status.get_details_bad_request()?.field_violations;
    let sentences = fields.iter().map(|violation| {
        let argument = argument(&violation.field, positional);
        format!("{argument}: {}", violation.description)
    });
    let message = sentences.collect::<Vec<_>>().join("; ");
    (!message.is_empty()).then_some(message)
}

fn argument(field: &str, positional: &[&str]) -> String {
    match field {
        field if positional.contains(&field) => format!("<{}>", field.to_uppercase()),
        // The field is set by `--in`, which selects a catalog. `--catalog` specifies the content of
        // a catalog.
        "catalog" => "--in".to_owned(),
        "installed" => "--from".to_owned(),
        // A word that is neither a keyword nor a version is parsed as the name of a bundle.
        "destination.bundle" => "--to BUNDLE|RANGE|latest|latest-patch|latest-minor".to_owned(),
        field if field.starts_with("destination.") => "--to".to_owned(),
        field
            if ["wishes", "operators"]
                .iter()
                .any(|requirements| field.starts_with(requirements)) =>
        {
            "<REQUIREMENT>".to_owned()
        }
        field if TOLD_BY_INSTALLED.iter().any(|told| field.starts_with(told)) => {
            "--installed".to_owned()
        }
        field => words::flag(field.strip_prefix("options.").unwrap_or(field)),
    }
}

/// Returns the reason why a server did not answer, with a remedy.
fn unanswered(status: &Status, url: &str, server: &str) -> String {
    let causes = iter::successors(status.source(), |error| (*error).source());
    match (causes.last(), status.code()) {
        (Some(cause), _) if cause.is::<Insecure>() => format!("cannot query {url}: {cause}"),
        // Prints only the innermost cause. The outer causes only repeat that the connection failed.
        (Some(cause), _) => format!(
            "cannot query {url}: {cause}; check that {server} runs, and that --server is its --listen address"
        ),
        (None, Code::Unimplemented) => {
            let why = match status.message() {
                "" => String::new(),
                message => format!(" ({message})"),
            };
            format!(
                "cannot query {url}: the server does not support the request{why}; check that the URL is the --listen address of {server}, and that the server is not older than this program"
            )
        }
        (None, _) => format!("cannot query {url}: {}", status.message()),
    }
}
