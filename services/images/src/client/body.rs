//! Reads the body of a response piece by piece.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use portolan_core_names::text::cite;
use serde::Deserialize;
use tokio::time::{Instant, timeout};

use crate::connect;
use crate::failure::Failure;
use crate::options::{Options, Rate};

/// The body of a response. Reading fails if the server sends no data or sends too slowly.
pub(crate) struct Body {
    host: String,
    incoming: Incoming,
    silence: Duration,
    pace: Pace,
}

/// The bytes that were received since the last comparison with the minimum rate.
#[derive(Debug)]
struct Pace {
    rate: Rate,
    bytes: u64,
    /// The time spent waiting for these bytes. The time in which the receiver processes them does
    /// not count.
    waited: Duration,
}

// === impl Body ===

impl Body {
    pub(super) fn new(host: &str, incoming: Incoming, options: &Options) -> Self {
        Self {
            host: host.to_owned(),
            incoming,
            silence: options.silence,
            pace: Pace::new(options.rate),
        }
    }

    /// Returns the next bytes. Returns None at the end of the body.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, Failure> {
        loop {
            let late = |_| Failure::Slow {
                host: self.host.clone(),
                pause: self.silence,
            };
            let began = Instant::now();
            let frame = timeout(self.silence, self.incoming.frame());
            let frame = match frame.await.map_err(late)? {
                None => return Ok(None),
                Some(Err(error)) => return Err(connect::failed(&self.host, &error)),
                Some(Ok(frame)) => frame,
            };
            // Trailers are ignored.
            let bytes = frame.into_data().unwrap_or_default();
            let counted = self.pace.count(began.elapsed(), bytes.len() as u64);
            counted.map_err(|bytes| self.crawl(bytes))?;
            if !bytes.is_empty() {
                return Ok(Some(bytes));
            }
        }
    }

    fn crawl(&self, bytes: u64) -> Failure {
        let Rate {
            bytes: least,
            within,
        } = self.pace.rate;
        Failure::Crawl {
            host: self.host.clone(),
            bytes,
            least,
            within,
        }
    }

    /// Reads the body, at most one byte more than the maximum, so that the caller can detect a body
    /// that is too large.
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

// === impl Pace ===

impl Pace {
    fn new(rate: Rate) -> Self {
        Self {
            rate,
            bytes: 0,
            waited: Duration::ZERO,
        }
    }

    /// Counts bytes that were received after this waiting time.
    ///
    /// # Errors
    /// Returns the received bytes if they are too few for the minimum rate.
    fn count(&mut self, waited: Duration, bytes: u64) -> Result<(), u64> {
        self.waited += waited;
        self.bytes += bytes;
        if self.waited < self.rate.within {
            return Ok(());
        }
        let came = std::mem::take(&mut self.bytes);
        self.waited = Duration::ZERO;
        if came < self.rate.bytes {
            return Err(came);
        }
        Ok(())
    }
}

/// Returns the message in the body of an error response, which has the format of the registry
/// protocol. Returns an empty text for other content, such as HTML pages.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn pace() -> Pace {
        Pace::new(Rate {
            bytes: 300,
            within: Duration::from_secs(30),
        })
    }

    #[test]
    fn one_byte_per_second_is_too_slow_after_the_minimum_time() {
        let mut pace = pace();
        for _ in 0..29 {
            assert_eq!(pace.count(Duration::from_secs(1), 1), Ok(()));
        }
        assert_eq!(pace.count(Duration::from_secs(1), 1), Err(30));
    }

    #[test]
    fn transfer_rate_is_checked_separately_in_each_period() {
        let mut pace = pace();
        assert_eq!(pace.count(Duration::ZERO, 1_000_000), Ok(()));
        assert_eq!(pace.count(Duration::from_secs(30), 1), Ok(()));
        assert_eq!(pace.count(Duration::from_secs(29), 299), Ok(()));
        assert_eq!(pace.count(Duration::from_secs(1), 0), Err(299));
    }

    #[test]
    fn the_lowest_rate_itself_is_fast_enough() {
        let mut pace = pace();
        for _ in 0..1000 {
            assert_eq!(pace.count(Duration::from_secs(1), 10), Ok(()));
        }
    }
}
