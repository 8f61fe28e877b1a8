//! The failure of a command: one line on standard error, and an exit code.

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

/// The fields of queries that the file of `--installed` sets.
const TOLD_BY_INSTALLED: [&str; 5] = [
    "installed[",
    "others",
    "subscriptions",
    "csvs",
    "operator_groups",
];

/// The error as one line, and the exit code of the command.
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
    /// Creates the failure for invalid input.
    pub(crate) fn refused(error: impl Error + 'static) -> Self {
        Self::usage(with_causes(&error))
    }

    /// Creates the failure for an error that does not depend on the command line.
    pub(crate) fn failed(error: impl Error + 'static) -> Self {
        Self::unknown(with_causes(&error))
    }

    /// Creates the failure of a requested action, with its cause. The failure counts as invalid
    /// input.
    pub(crate) fn refused_to(act: impl Display, why: &(dyn Error + 'static)) -> Self {
        Self::usage(format!("{act}: {}", with_causes(why)))
    }

    /// Creates the failure of an action, with its cause. The failure does not depend on the command
    /// line.
    pub(crate) fn failed_to(act: impl Display, why: &(dyn Error + 'static)) -> Self {
        Self::unknown(format!("{act}: {}", with_causes(why)))
    }

    /// Creates the failure for a missing result.
    pub(crate) fn unknown(message: String) -> Self {
        Self {
            message,
            exit: FAILED,
        }
    }

    /// Creates the failure for a wrong usage.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            exit: BAD_INPUT,
        }
    }

    /// The failure for an error status of a service.
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

    /// The failure for an error status of this process about the flags of the command line.
    pub(crate) fn of_flags(status: &Status) -> Self {
        let message = violations(status, &[]);
        Self::usage(message.unwrap_or_else(|| status.message().to_owned()))
    }

    /// Adds the end of the message for invalid input.
    pub(crate) fn with_hint(mut self, hint: Option<&str>) -> Self {
        if let Some(hint) = hint.filter(|_| self.exit == BAD_INPUT) {
            self.message.push_str(hint);
        }
        self
    }

    /// Converts the failure to a failure of invalid input. Used by a command whose errors are all
    /// of this kind.
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
        // If standard error is closed, the exit code remains.
        let _ = writeln!(anstream::stderr(), "{start} {}", one_line(&self.message));
        ExitCode::from(self.exit)
    }
}

/// Returns the fields that the service rejects, named by the arguments that set them.
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
        // `--catalog` sets the content of a catalog, and `--in` selects a catalog.
        "catalog" => "--in".to_owned(),
        "installed" => "--from".to_owned(),
        // Any other word is parsed as a bundle name.
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

/// Returns the reason why a server did not respond, with a remedy.
fn unanswered(status: &Status, url: &str, server: &str) -> String {
    let causes = iter::successors(status.source(), |error| (*error).source());
    match (causes.last(), status.code()) {
        (Some(cause), _) if cause.is::<Insecure>() => format!("cannot query {url}: {cause}"),
        // The outer causes only repeat that there is no connection.
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
