//! The body of an answer, piece by piece.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use portolan_core_names::text::cite;
use serde::Deserialize;
use tokio::time::timeout;

use crate::connect;
use crate::failure::Failure;

/// The body of an answer, which is read as long as its sender does not go silent.
pub(crate) struct Body {
    host: String,
    incoming: Incoming,
    silence: Duration,
}

// === impl Body ===

impl Body {
    pub(super) fn new(host: &str, incoming: Incoming, silence: Duration) -> Self {
        Self {
            host: host.to_owned(),
            incoming,
            silence,
        }
    }

    /// The next bytes; None behind the last.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, Failure> {
        loop {
            let late = |_| Failure::Slow {
                host: self.host.clone(),
                pause: self.silence,
            };
            let frame = timeout(self.silence, self.incoming.frame());
            match frame.await.map_err(late)? {
                None => return Ok(None),
                Some(Err(error)) => return Err(connect::failed(&self.host, &error)),
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(bytes) if bytes.is_empty() => {}
                    Ok(bytes) => return Ok(Some(bytes)),
                    // Trailers say nothing here.
                    Err(_) => {}
                },
            }
        }
    }

    /// The whole body if it has no more than that many bytes, and else that many and one.
    pub(crate) async fn up_to(&mut self, most: u64) -> Result<Vec<u8>, Failure> {
        let mut whole = Vec::new();
        while let Some(bytes) = self.next().await? {
            whole.extend_from_slice(&bytes);
            if whole.len() as u64 > most {
                whole.truncate(
                    usize::try_from(most)
                        .unwrap_or(usize::MAX)
                        .saturating_add(1),
                );
                break;
            }
        }
        Ok(whole)
    }
}

/// Returns the message that a registry sends beside a status, as the protocol has it. Pages for
/// people have none.
pub(super) fn words(body: &[u8]) -> String {
    #[derive(Deserialize)]
    struct ErrorBody {
        #[serde(default)]
        errors: Vec<One>,
    }
    #[derive(Deserialize)]
    struct One {
        #[serde(default)]
        code: String,
        #[serde(default)]
        message: String,
    }
    let said: Option<ErrorBody> = serde_json::from_slice(body).ok();
    let one = said.and_then(|said| said.errors.into_iter().next());
    match one {
        None => String::new(),
        Some(One { code, message }) if message.is_empty() => cite(&code),
        Some(One { message, .. }) => cite(&message),
    }
}
