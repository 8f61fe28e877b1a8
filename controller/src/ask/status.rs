//! The gRPC statuses of calls. A status is either a response, or the reason for a missing response.

use std::time::Duration;

use tonic::{Code, Status};

use super::DEADLINE;

/// Returns the reason for a missing response, as a sentence without a period.
pub(super) fn why(status: &Status, question: &str) -> String {
    why_after(status, question, DEADLINE)
}

/// Returns the reason like [`why`], for a request with this deadline.
pub(super) fn why_after(status: &Status, question: &str, deadline: Duration) -> String {
    match status.code() {
        Code::Unimplemented => {
            format!("its version does not support the request {question}")
        }
        Code::DeadlineExceeded => {
            format!("it takes longer than {} s to answer", deadline.as_secs())
        }
        code => match sentence(status.message()) {
            message if message.is_empty() => code.description().to_owned(),
            message => message,
        },
    }
}

/// Returns true if a status is a response: the object does not exist, or the request is invalid.
/// Any other status means that the result is unknown.
pub(super) fn is_answer(status: &Status) -> bool {
    matches!(
        status.code(),
        Code::NotFound | Code::InvalidArgument | Code::FailedPrecondition | Code::OutOfRange
    )
}

/// Returns the message of a service without its final period.
pub(super) fn sentence(text: &str) -> String {
    let text = text.trim();
    text.strip_suffix('.').unwrap_or(text).to_owned()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::older_service(
        Status::unimplemented(""),
        "its version does not support the request FindPath"
    )]
    #[case::slow_service(Status::deadline_exceeded("x"), "it takes longer than 5 s to answer")]
    #[case::service_with_a_message(
        Status::unavailable("nothing is read yet."),
        "nothing is read yet"
    )]
    #[case::service_without_a_message(
        Status::unavailable(""),
        "The service is currently unavailable"
    )]
    fn missing_response_has_a_reason(#[case] status: Status, #[case] expected: &str) {
        assert_eq!(why(&status, "FindPath"), expected);
    }
}
