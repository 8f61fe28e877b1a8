//! How long to wait before a registry is tried again.

use std::time::Duration;

const SHORTEST: Duration = Duration::from_millis(250);
const LONGEST: Duration = Duration::from_secs(30);

/// The pause after a failed try, when tries have failed for so long: a tenth of that time, so that
/// who was gone for seconds is missed for less than one more, and who is gone for hours is not
/// asked all the time. Up to half of the pause is left out, as `random` says, so that many who lost
/// the same registry do not come back to it at once.
pub fn pause(failing_for: Duration, random: u64) -> Duration {
    let whole = (failing_for / 10).clamp(SHORTEST, LONGEST);
    // A fraction of 2^32 parts, the top half of the random bits.
    let share = (random >> 32) as f64 / f64::from(u32::MAX);
    whole.mul_f64(1.0 - share / 2.0)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::at_first(0, 250)]
    #[case::after_ten_seconds(10, 1000)]
    #[case::after_a_minute(60, 6000)]
    #[case::after_an_hour(3600, 30_000)]
    fn a_pause_grows_with_the_outage_and_has_an_end(#[case] seconds: u64, #[case] millis: u64) {
        let failing_for = Duration::from_secs(seconds);
        let whole = Duration::from_millis(millis);
        assert_eq!(pause(failing_for, 0), whole);
        assert_eq!(pause(failing_for, u64::MAX), whole / 2);
    }
}
