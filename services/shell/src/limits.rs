//! The limits of requests: the size of a message and the time of a call.

use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, ready};
use std::time::Duration;

use bytes::Buf;
use http::{HeaderMap, HeaderValue};
use http_body::Body as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tonic::Status;
use tonic::body::Body;

use crate::polled::PolledBody;
use crate::shares::Shares;

/// The length of the prefix of a gRPC message: a compression flag, and the message length in four
/// bytes.
pub(crate) const PREFIX: usize = 5;

/// The units of `grpc-timeout` with their durations in nanoseconds, smallest first.
const UNITS: [(&str, u128); 6] = [
    ("n", 1),
    ("u", 1_000),
    ("m", 1_000_000),
    ("S", 1_000_000_000),
    ("M", 60_000_000_000),
    ("H", 3_600_000_000_000),
];

/// The largest number in a `grpc-timeout`: it has at most eight digits.
const LARGEST: u128 = 99_999_999;

/// Returns the timeout that a client sets with the header `grpc-timeout`: at most eight digits and
/// a unit. An invalid value counts as no timeout, which the gRPC protocol allows. Every value that
/// tonic accepts must be accepted here, too. Otherwise only tonic's timer ends the call, with
/// CANCELLED.
pub(crate) fn client_timeout(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get("grpc-timeout")?.to_str().ok()?;
    let (digits, unit) = value.split_at_checked(value.len().checked_sub(1)?)?;
    if digits.len() > 8 {
        return None;
    }
    let count: u64 = digits.parse().ok()?;
    match unit {
        "H" => Some(Duration::from_secs(count * 3600)),
        "M" => Some(Duration::from_secs(count * 60)),
        "S" => Some(Duration::from_secs(count)),
        "m" => Some(Duration::from_millis(count)),
        "u" => Some(Duration::from_micros(count)),
        "n" => Some(Duration::from_nanos(count)),
        _ => None,
    }
}

/// Returns the value of the header `grpc-timeout`. If eight digits cannot express the duration, the
/// value is rounded up, so that the server does not end a call before its client does.
pub(crate) fn timeout_value(deadline: Duration) -> HeaderValue {
    let said = UNITS
        .iter()
        .map(|(unit, nanos)| (deadline.as_nanos().div_ceil(*nanos), *unit))
        .find(|(count, _)| *count <= LARGEST);
    let (count, unit) = said.unwrap_or((LARGEST, "H"));
    HeaderValue::try_from(format!("{count}{unit}"))
        .expect("digits and a letter must make a header value")
}

/// The current position in the sequence of messages of a body.
struct Framing {
    limit: u32,
    /// The length of the current message in bytes.
    length: u64,
    /// The number of bytes of the current message that have not been received yet.
    rest: u64,
    /// The received bytes of the message prefix. Only the first `filled` bytes are valid.
    prefix: [u8; PREFIX],
    filled: usize,
}

/// Returns a request body that ends with RESOURCE_EXHAUSTED if the prefix of a message announces a
/// size above the limit. The rest of this message is not read.
///
/// The body also ends with this error if the requests of all calls together exceed the limit of
/// `read`.
pub(crate) fn limited(body: Body, limit: u32, read: Arc<Read>) -> Body {
    let mut framing = Framing::new(limit);
    Body::new(PolledBody::new(body, move |body, cx| {
        let frame = ready!(body.poll_frame(cx));
        if let Some(Ok(frame)) = &frame
            && let Some(data) = frame.data_ref()
        {
            if let Some(length) = framing.oversized(data) {
                return Poll::Ready(Some(Err(too_large(length, limit))));
            }
            if let Err(full) = read.hold(framing.begun()) {
                return Poll::Ready(Some(Err(full)));
            }
        }
        Poll::Ready(frame)
    }))
}

/// The number of requests of the maximum size that may be in memory at the same time.
const LARGEST_AT_ONCE: usize = 16;

/// The number of bytes of a message that are not counted. Most calls have small messages. They must
/// not be rejected because a few calls have large messages.
const UNCOUNTED: u64 = 64 << 10;

/// Returns the limit for the memory of all requests together. Each request counts only its bytes
/// beyond [`UNCOUNTED`].
pub(crate) fn reading(limit: u32) -> Semaphore {
    Semaphore::new(limit as usize * LARGEST_AT_ONCE)
}

/// The number of responses of the maximum size that may wait to be sent at the same time.
const ANSWERS_AT_ONCE: usize = 32;

/// Returns the limit for the bytes of all unsent responses. One caller may use half of the bytes,
/// because a few large responses at the same time are normal.
pub(crate) fn answering(limit: u32) -> Shares {
    Shares::in_parts(limit as usize * ANSWERS_AT_ONCE, 2)
}

/// The memory that the request of one call uses. If a request has several messages, only the latest
/// message counts.
#[derive(Debug)]
pub(crate) struct Read {
    all: Arc<Semaphore>,
    held: Mutex<Option<OwnedSemaphorePermit>>,
}

// === impl Read ===

impl Read {
    /// Creates a counter that has not taken bytes from the common limit yet.
    pub(crate) fn within(all: Arc<Semaphore>) -> Self {
        Self {
            all,
            held: Mutex::new(None),
        }
    }

    /// Sets the number of received bytes of the current message. Returns an error if all requests
    /// together would exceed the limit.
    fn hold(&self, bytes: u64) -> Result<(), Status> {
        let counted = usize::try_from(bytes.saturating_sub(UNCOUNTED)).unwrap_or(usize::MAX);
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let before = held.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        if counted < before {
            let rest = held.as_mut().and_then(|held| held.split(counted));
            *held = rest.filter(|rest| rest.num_permits() > 0);
            return Ok(());
        }
        let more = u32::try_from(counted - before).map_err(|_| too_many())?;
        if more == 0 {
            return Ok(());
        }
        let more = self.all.clone().try_acquire_many_owned(more);
        let more = more.map_err(|_| too_many())?;
        match &mut *held {
            Some(held) => held.merge(more),
            none => *none = Some(more),
        }
        Ok(())
    }

    /// Returns the bytes of this call to the common limit.
    pub(crate) fn release(&self) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        *held = None;
    }
}

fn too_many() -> Status {
    Status::resource_exhausted(
        "the requests that this server is reading have reached their maximum size; wait a moment, \
         use another replica, or request less at once",
    )
}

// === impl Framing ===

impl Framing {
    fn new(limit: u32) -> Self {
        Self {
            limit,
            length: 0,
            rest: 0,
            prefix: [0; PREFIX],
            filled: 0,
        }
    }

    /// Returns the number of received bytes of the current message.
    fn begun(&self) -> u64 {
        self.length - self.rest
    }

    /// Processes one frame. Returns the length of the first message that is too large. Returns None
    /// if no message is too large.
    fn oversized(&mut self, mut data: &[u8]) -> Option<u32> {
        while data.has_remaining() {
            if self.rest > 0 {
                let skipped = data
                    .len()
                    .min(usize::try_from(self.rest).unwrap_or(usize::MAX));
                data.advance(skipped);
                self.rest -= skipped as u64;
                continue;
            }
            let taken = data.len().min(PREFIX - self.filled);
            data.copy_to_slice(&mut self.prefix[self.filled..self.filled + taken]);
            self.filled += taken;
            if self.filled == PREFIX {
                self.filled = 0;
                let length = (&self.prefix[1..]).get_u32();
                if length > self.limit {
                    return Some(length);
                }
                self.length = u64::from(length);
                self.rest = self.length;
            }
        }
        None
    }
}

fn too_large(length: u32, limit: u32) -> Status {
    Status::resource_exhausted(format!(
        "the request message has {length} bytes; this server accepts at most {limit}; request \
         less at once, or raise --max-message-bytes"
    ))
}

#[cfg(test)]
mod tests {
    use tonic::Code;

    use super::*;

    fn timeout(value: &'static str) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        headers.insert("grpc-timeout", HeaderValue::from_static(value));
        client_timeout(&headers)
    }

    #[test]
    fn timeouts_have_a_unit() {
        assert_eq!(timeout("2H"), Some(Duration::from_secs(7200)));
        assert_eq!(timeout("250m"), Some(Duration::from_millis(250)));
        assert_eq!(timeout("+250m"), Some(Duration::from_millis(250)));
        assert_eq!(
            timeout("99999999u"),
            Some(Duration::from_micros(99_999_999))
        );
    }

    #[test]
    fn invalid_timeout_sets_no_deadline() {
        for value in ["", "S", "1", "-1S", "1.5S", "123456789S", "1s", "1 S"] {
            assert_eq!(timeout(value), None, "{value:?}");
        }
    }

    #[test]
    fn timeout_value_uses_the_finest_unit_of_eight_digits() {
        let second = Duration::from_secs(1);
        for (deadline, value) in [
            (Duration::ZERO, "0n"),
            (second / 20, "50000000n"),
            (second * 30, "30000000u"),
            (second * 300 + second / 3, "300334m"),
            (Duration::MAX, "99999999H"),
        ] {
            assert_eq!(timeout_value(deadline), value);
        }
    }

    #[test]
    fn small_messages_are_not_counted_and_the_last_of_several_is() {
        let all = Arc::new(Semaphore::new(100));
        let (first, second) = (Read::within(all.clone()), Read::within(all.clone()));
        let told = |read: &Read, bytes: u64| read.hold(bytes).map_err(|status| status.code());
        assert_eq!(told(&first, UNCOUNTED), Ok(()));
        assert_eq!(all.available_permits(), 100);
        assert_eq!(told(&first, UNCOUNTED + 70), Ok(()));
        assert_eq!(told(&second, UNCOUNTED + 31), Err(Code::ResourceExhausted));
        assert_eq!(told(&second, UNCOUNTED + 30), Ok(()));
        assert_eq!(all.available_permits(), 0);
        // The next message of a stream replaces the previous message.
        assert_eq!(told(&first, UNCOUNTED + 5), Ok(()));
        assert_eq!(all.available_permits(), 65);
        assert_eq!(told(&first, 1), Ok(()));
        second.release();
        assert_eq!(all.available_permits(), 100);
    }

    /// Feeds messages of the given lengths in frames of `size` bytes. Returns the length that was
    /// rejected, if any.
    fn refused(lengths: &[u32], size: usize, limit: u32) -> Option<u32> {
        let mut bytes = Vec::new();
        for length in lengths {
            bytes.push(0);
            bytes.extend(length.to_be_bytes());
            bytes.extend(std::iter::repeat_n(7, *length as usize));
        }
        let mut framing = Framing::new(limit);
        bytes
            .chunks(size)
            .find_map(|frame| framing.oversized(frame))
    }

    #[test]
    fn limit_applies_to_any_split_of_the_bytes() {
        for size in 1..40 {
            assert_eq!(refused(&[0, 10, 3, 10], size, 10), None, "frames of {size}");
            assert_eq!(
                refused(&[10, 0, 11, 5], size, 10),
                Some(11),
                "frames of {size}"
            );
        }
    }
}
