//! An error with its causes, as one sentence.

use std::error::Error;
use std::iter;

/// What an error says, and what each of its causes adds; some repeat the one before.
pub fn with_causes(error: &(dyn Error + 'static)) -> String {
    let causes = iter::successors(error.source(), |cause| (*cause).source());
    let mut sentence = error.to_string();
    for cause in causes.map(ToString::to_string) {
        if !sentence.ends_with(&cause) {
            sentence.push_str(": ");
            sentence.push_str(&cause);
        }
    }
    sentence
}
