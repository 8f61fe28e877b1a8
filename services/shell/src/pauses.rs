//! How long to wait, so that many who wait do not all come back at once.

use std::time::Duration;

/// A tenth more or less than this.
pub(crate) fn about(duration: Duration) -> Duration {
    duration.mul_f64(0.9 + 0.2 * fastrand::f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn about_is_within_a_tenth() {
        for _ in 0..1000 {
            let chosen = about(SECOND);
            assert!(chosen >= SECOND * 9 / 10 && chosen <= SECOND * 11 / 10);
        }
    }
}
