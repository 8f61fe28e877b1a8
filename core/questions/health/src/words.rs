//! Joins text from other programs with sentences of this crate.

use std::fmt::Display;

use portolan_core_names::text::{cite, plain};

/// A message of another program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quote {
    /// The program, for the middle of a sentence, such as `the kubelet`.
    pub source: String,
    /// The message.
    pub text: String,
}

impl Quote {
    /// Returns the message of a program. Returns None if the message is empty.
    pub fn of(source: &str, text: &str) -> Option<Self> {
        let text = cite(text);
        (!text.is_empty()).then(|| Self {
            source: source.to_owned(),
            text,
        })
    }

    /// Replaces characters that are unsafe in a terminal.
    #[must_use]
    pub fn made_plain(self) -> Self {
        Self {
            source: plain(&self.source),
            text: plain(&self.text),
        }
    }
}

/// Joins a claim and a cause that another program reports. Returns only the claim if there is no
/// cause. The claim must not end with a period.
pub(crate) fn because(claim: impl Display, cause: &str) -> String {
    match cite(cause) {
        cause if cause.is_empty() => format!("{claim}."),
        cause => format!("{claim}: {cause}"),
    }
}

/// Joins a claim and a reason from another program. Returns only the claim if the reason is empty.
pub(crate) fn with_word(claim: impl Display, word: &str) -> String {
    match cite(word) {
        word if word.is_empty() => claim.to_string(),
        word => format!("{claim} ({word})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentence_without_a_cause_ends_with_a_period() {
        assert_eq!(because("It is late", " "), "It is late.");
        assert_eq!(because("It is late", "no wind\n"), "It is late: no wind");
        assert_eq!(with_word("It is late", "Calm"), "It is late (Calm)");
        assert_eq!(with_word("It is late", ""), "It is late");
    }
}
