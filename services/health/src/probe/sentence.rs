//! The messages about failures of a registry.
//!
//! A message contains no local port and no time. Therefore the message stays the same while a
//! failure lasts, and repeated probes return equal [`Probe`]s.

use std::error::Error;
use std::io::{self, ErrorKind};
use std::iter;
use std::time::Duration;

use portolan_core_health::Probe;
use portolan_core_names::text::one_line;
use portolan_world::registry::{Connect, ConnectStage, is_told};
use tonic::Status;

/// The maximum length in characters of a text that is quoted from a registry.
const LONGEST_QUOTE: usize = 400;

const TOO_SLOW: &str = "the connection was not established in time";

/// Returns the failure of a call for which no connection could be opened.
pub(super) fn unconnected(error: &Connect, call: &str) -> Probe {
    let cause = causes(error).last().unwrap_or(error);
    let besides = |sentence: String| match error.forward_error() {
        Some(why) => format!("{sentence}; through the API server: {why}"),
        None => sentence,
    };
    match error.stage() {
        ConnectStage::Name => Probe::NameUnknown(besides(cause.to_string())),
        ConnectStage::Connection => match cause.downcast_ref().map(io::Error::kind) {
            Some(ErrorKind::TimedOut) => Probe::Unreachable(besides(TOO_SLOW.to_owned())),
            // The message contains only the kind of the error, without the error number of the
            // operating system.
            Some(kind) if is_plain(kind) => Probe::Unreachable(besides(kind.to_string())),
            Some(_) | None => Probe::Unreachable(besides(cause.to_string())),
        },
        ConnectStage::Greeting => closed(call),
    }
}

/// Returns the failure that the connection was not opened in time.
pub(super) fn too_slow_to_connect() -> Probe {
    Probe::Unreachable(TOO_SLOW.to_owned())
}

/// Returns the failure of a call that got no response in time.
pub(super) fn silent(call: &str, limit: Duration) -> Probe {
    Probe::Silent(format!("{call} was not answered within {limit:?}"))
}

/// Returns the failure of a call whose response cannot be decoded.
pub(super) fn unreadable(call: &str) -> Probe {
    Probe::Failing(format!("{call}: the response cannot be decoded"))
}

/// Returns the failure of a call to which the registry responded with an error.
pub(super) fn failed(call: &str, status: &Status) -> Probe {
    let (code, message) = (status.code(), quote(status.message()));
    let breaks = causes(status).find_map(|cause| cause.downcast_ref::<h2::Error>());
    match breaks {
        None if is_told(status) => Probe::Failing(format!("{call}: {code:?}: {message}")),
        Some(error) if error.is_reset() && error.is_remote() => match error.reason() {
            Some(reason) => Probe::Failing(format!(
                "{call}: the connection was interrupted: \
             {reason}"
            )),
            None => Probe::Failing(format!("{call}: the call was aborted")),
        },
        Some(error) if error.is_library() => {
            Probe::Failing(format!("{call}: the response is not HTTP/2"))
        }
        Some(_) | None => closed(call),
    }
}

fn closed(call: &str) -> Probe {
    let sentence = format!("the connection was closed before {call} was answered");
    Probe::Unreachable(sentence)
}

fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    iter::successors(error.source(), |cause| (*cause).source())
}

/// Returns true if the name of the error kind is a sufficient message.
fn is_plain(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::ConnectionRefused
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::HostUnreachable
            | ErrorKind::NetworkUnreachable
            | ErrorKind::NetworkDown
            | ErrorKind::AddrNotAvailable
            | ErrorKind::PermissionDenied
    )
}

/// Returns the text on one line, truncated to the maximum length.
fn quote(text: &str) -> String {
    let line = one_line(text);
    match line.char_indices().nth(LONGEST_QUOTE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::a_sentence("no such table: package", "no such table: package")]
    #[case::lines("one\n\n  two\tthree\u{1b}[31m\u{0}", "one two three [31m")]
    #[case::nothing("", "")]
    fn registry_error_is_quoted_on_one_line(#[case] text: &str, #[case] expected: &str) {
        let status = Status::internal(text);
        assert_eq!(
            failed("Health/Check", &status),
            Probe::Failing(format!("Health/Check: Internal: {expected}"))
        );
    }

    #[test]
    fn long_message_is_truncated() {
        let quoted = quote(&"ü".repeat(5000));
        assert_eq!(quoted.chars().count(), LONGEST_QUOTE + 1);
        assert!(quoted.ends_with("ü…"), "{quoted}");
    }

    #[test]
    fn broken_pipe_is_reported_as_a_lost_connection() {
        let status = Status::from_error(Box::new(io::Error::from(ErrorKind::BrokenPipe)));
        assert_eq!(
            failed("Health/Check", &status),
            Probe::Unreachable(
                "the connection was closed before Health/Check was answered".to_owned()
            )
        );
    }
}
