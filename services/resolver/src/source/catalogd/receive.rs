//! The body of an answer, piece by piece and in time.

use std::time::Duration;

use http_body_util::BodyExt as _;
use hyper::body::{Bytes, Incoming};
use thiserror::Error;
use tokio::time::{Instant, timeout, timeout_at};

use super::Options;

/// Why an answer does not come whole.
#[derive(Debug, Error)]
pub enum Receive {
    /// The connection ended before the answer.
    #[error("receive the answer")]
    Broken(#[source] hyper::Error),
    /// Nothing more comes, and it is not the end.
    #[error("nothing more of the answer came for {0:?}")]
    Stalled(Duration),
    /// It comes, but too slowly.
    #[error("the answer did not end within {0:?}")]
    Slow(Duration),
}

/// A body on its way.
#[derive(Debug)]
pub(super) struct Receiving {
    body: Incoming,
    stall: Duration,
    whole: Duration,
    deadline: Instant,
}

// === impl Receiving ===

impl Receiving {
    pub(super) fn new(body: Incoming, options: &Options) -> Self {
        Self {
            body,
            stall: options.stall,
            whole: options.whole,
            deadline: Instant::now() + options.whole,
        }
    }

    /// The next bytes; None behind the last ones.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, Receive> {
        loop {
            let frame = timeout(self.stall, self.body.frame());
            let frame = timeout_at(self.deadline, frame)
                .await
                .map_err(|_| Receive::Slow(self.whole))?
                .map_err(|_| Receive::Stalled(self.stall))?;
            match frame.transpose().map_err(Receive::Broken)? {
                None => return Ok(None),
                // Trailers say nothing that matters.
                Some(frame) => match frame.into_data() {
                    Ok(bytes) => return Ok(Some(bytes)),
                    Err(_) => continue,
                },
            }
        }
    }
}
