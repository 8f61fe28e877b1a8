//! Decides if and when a request is repeated.

use std::time::{Duration, SystemTime};

use http::HeaderMap;
use http::header::RETRY_AFTER;

/// The maximum number of attempts for a request that fails for a temporary reason, and the pauses
/// between attempts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retries {
    /// The maximum number of attempts, including the first.
    pub attempts: u32,
    /// The pause after the first failure. Each following pause is twice as long.
    pub first: Duration,
    /// The maximum pause that a registry may request. If the registry requests a longer pause,
    /// there is no further attempt.
    pub longest: Duration,
}

impl Default for Retries {
    fn default() -> Self {
        Self {
            attempts: 5,
            first: Duration::from_millis(500),
            longest: Duration::from_secs(60),
        }
    }
}

impl Retries {
    /// Returns the pause after this number of failures. Returns None if there is no further
    /// attempt. `asked` is the pause that the registry requests. `luck`, between 0 and 1,
    /// randomizes the pause, so that clients that failed at the same time do not all retry at the
    /// same time.
    pub(crate) fn pause(
        &self,
        failed: u32,
        asked: Option<Duration>,
        luck: f64,
    ) -> Option<Duration> {
        if failed >= self.attempts || asked.is_some_and(|asked| asked > self.longest) {
            return None;
        }
        let doubled = 1 << failed.saturating_sub(1).min(16);
        let own = self.first.saturating_mul(doubled).min(self.longest);
        Some(own.mul_f64(0.5 + luck / 2.0).max(asked.unwrap_or_default()))
    }
}

/// Returns the pause that a response requests in seconds or as a date. Returns None if the response
/// requests no pause.
pub(crate) fn wish(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let moment = httpdate::parse_http_date(value).ok()?;
    Some(moment.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::the_first(1, None, 1.0, Some(500))]
    #[case::with_less_luck(1, None, 0.0, Some(250))]
    #[case::the_third(3, None, 1.0, Some(2000))]
    #[case::after_the_last_attempt(5, None, 1.0, None)]
    #[case::as_the_registry_asks(1, Some(30_000), 1.0, Some(30_000))]
    #[case::no_shorter_than_the_own(3, Some(0), 1.0, Some(2000))]
    #[case::no_retry_if_the_requested_delay_is_too_long(1, Some(61_000), 1.0, None)]
    fn retry_delay_depends_on_attempts_and_retry_after(
        #[case] failed: u32,
        #[case] asked: Option<u64>,
        #[case] luck: f64,
        #[case] expected: Option<u64>,
    ) {
        let pause = Retries::default().pause(failed, asked.map(Duration::from_millis), luck);
        assert_eq!(pause, expected.map(Duration::from_millis));
    }

    #[test]
    fn retry_delay_is_defined_for_any_number_of_attempts() {
        let retries = Retries {
            attempts: u32::MAX,
            ..Retries::default()
        };
        let longest = Some(retries.longest);
        assert_eq!(retries.pause(40, None, 1.0), longest);
    }

    #[rstest]
    #[case::seconds("120", Some(120))]
    #[case::a_moment("Wed, 21 Oct 2026 07:28:30 GMT", Some(30))]
    #[case::a_moment_that_is_over("Wed, 21 Oct 2026 07:27:00 GMT", Some(0))]
    #[case::a_negative_number("-1", None)]
    #[case::words("soon", None)]
    fn retry_after_header_is_parsed(#[case] value: &str, #[case] expected: Option<u64>) {
        let now = httpdate::parse_http_date("Wed, 21 Oct 2026 07:28:00 GMT").expect("a date");
        let headers = HeaderMap::from_iter([(RETRY_AFTER, value.parse().expect("a header"))]);
        assert_eq!(wish(&headers, now), expected.map(Duration::from_secs));
    }
}
