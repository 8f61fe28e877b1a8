//! The gRPC statuses of calls: answers, and reasons for missing answers.

use std::time::Duration;

use tonic::{Code, Status};

use super::DEADLINE;

/// Returns the reason why there is no answer, as a sentence without a period.
pub(super) fn why(status: &Status, question: &str) -> String {
    why_after(status, question, DEADLINE)
}

/// Like [`why`], for a question with another timeout.
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

/// Returns true if a status is an answer: the object does not exist, or the question is invalid.
/// For any other status, the answer is unknown.
pub(super) fn is_answer(status: &Status) -> bool {
    matches!(
        status.code(),
        Code::NotFound | Code::InvalidArgument | Code::FailedPrecondition | Code::OutOfRange
    )
}

/// Returns the sentence of a service without the period at its end.
pub(super) fn sentence(text: &str) -> String {
    let text = text.trim();
    text.strip_suffix('.').unwrap_or(text).to_owned()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::an_older_service(
        Status::unimplemented(""),
        "its version does not support the request FindPath"
    )]
    #[case::a_slow_one(Status::deadline_exceeded("x"), "it takes longer than 5 s to answer")]
    #[case::one_that_says_why(Status::unavailable("nothing is read yet."), "nothing is read yet")]
    #[case::one_that_does_not(Status::unavailable(""), "The service is currently unavailable")]
    fn missing_answer_has_a_reason(#[case] status: Status, #[case] expected: &str) {
        assert_eq!(why(&status, "FindPath"), expected);
    }
}
