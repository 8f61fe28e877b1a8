//! The message of an error with the messages of its causes.

use std::error::Error;
use std::iter;

/// Returns the message of an error followed by the messages of its causes. A cause that repeats the
/// previous message is omitted.
pub fn with_causes(error: &(dyn Error + 'static)) -> String {
    let causes = iter::successors(error.source(), |cause| (*cause).source());
    let mut sentence = own_message(error);
    for cause in causes.map(own_message) {
        if !sentence.ends_with(&cause) {
            sentence.push_str(": ");
            sentence.push_str(&cause);
        }
    }
    sentence
}

/// Returns the message of an error without its causes. kube's message contains the whole error
/// response of the API server in Rust's debug format. This function removes that text, because it
/// is useless in a log.
fn own_message(error: &(dyn Error + 'static)) -> String {
    let text = error.to_string();
    let refused = text.strip_prefix("ApiError: ");
    match refused.and_then(|text| text.split_once(" (Status {")) {
        Some((sentence, _)) => sentence.to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    enum Failed {
        #[error("the API server refuses")]
        Ask(#[source] Box<Failed>),
        #[error("ApiError: leases \"x\" not found: NotFound (Status {{ code: 404 }})")]
        Api(#[source] Box<Failed>),
        #[error("leases \"x\" not found: NotFound")]
        Status,
    }

    #[test]
    fn api_server_error_appears_once_in_the_message() {
        let error = Failed::Ask(Failed::Api(Failed::Status.into()).into());
        assert_eq!(
            with_causes(&error),
            "the API server refuses: leases \"x\" not found: NotFound"
        );
    }
}
