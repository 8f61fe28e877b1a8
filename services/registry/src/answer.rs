//! What comes of asking a registry.

use std::error::Error as _;
use std::panic::AssertUnwindSafe;

use futures::FutureExt as _;
use thiserror::Error;
use tokio::time::{Instant, timeout_at};
use tonic::Status;

/// Why a question has no answer, not even a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Unanswered {
    /// None came in time.
    #[error("nothing came in time")]
    Silent,
    /// What came made the client give up.
    #[error("what came cannot be read")]
    Unreadable,
}

/// What is answered before the deadline. Some of what servers can send makes the client panic
/// (tonic 0.14: `grpc-status-details-bin` that is no base64), and no registry may end the process
/// that asks it.
///
/// # Errors
/// There is no answer.
pub async fn within<T>(deadline: Instant, asked: impl Future<Output = T>) -> Result<T, Unanswered> {
    let asked = AssertUnwindSafe(asked).catch_unwind();
    let answered = timeout_at(deadline, asked).await;
    let answered = answered.map_err(|_| Unanswered::Silent)?;
    answered.map_err(|_| Unanswered::Unreadable)
}

/// Whether the registry says so. What is made up on this side, for want of an answer, has a cause.
pub fn is_told(status: &Status) -> bool {
    status.source().is_none()
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::*;

    #[tokio::test]
    async fn a_question_is_answered_or_not_and_harms_nobody() {
        let now = Instant::now();
        assert_eq!(within(now, ready(7)).await, Ok(7));
        assert_eq!(within(now, pending::<u8>()).await, Err(Unanswered::Silent));
        let absurd = async { panic!("no base64") };
        let given_up: Result<u8, _> = within(now, absurd).await;
        assert_eq!(given_up, Err(Unanswered::Unreadable));
    }
}
