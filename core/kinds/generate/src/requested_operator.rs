//! The operators that a user requests. The syntax is that of a [`Requirement`].

use std::fmt;
use std::str::FromStr;

use portolan_core_names::Requirement;
use portolan_core_names::requirement::Target;
use thiserror::Error;

/// An operator that a user requests, with its target version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestedOperator {
    /// The name of the Operator object, or its package.
    pub name: String,
    pub target: Target,
}

/// The error about an invalid request.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct InvalidRequest(String);

// === impl RequestedOperator ===

impl FromStr for RequestedOperator {
    type Err = InvalidRequest;

    fn from_str(text: &str) -> Result<Self, InvalidRequest> {
        let Requirement {
            package,
            target,
            channel,
            catalog,
        } = Requirement::parse(text).map_err(|refusal| InvalidRequest(refusal.to_string()))?;
        let field = match (channel, catalog) {
            (None, None) => None,
            (Some(_), _) => Some(("channel=", "spec.channels")),
            (None, Some(_)) => Some(("catalog=", "spec.catalogSelector")),
        };
        if let Some((key, field)) = field {
            return Err(InvalidRequest(format!(
                "{text:?}: {key} is not supported here; use {field} of the Operator"
            )));
        }
        Ok(Self {
            name: package.to_string(),
            target,
        })
    }
}

impl fmt::Display for RequestedOperator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, target } = self;
        write!(f, "{name}@{target}")
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn round_trip(text: &str) -> String {
        match text.parse::<RequestedOperator>() {
            Ok(requested) => requested.to_string(),
            Err(refusal) => refusal.to_string(),
        }
    }

    #[rstest]
    #[case::name("quay", "quay@latest")]
    #[case::version("quay=3.9.2", "quay@3.9.2")]
    #[case::legacy_keyword("quay=latest-z-stream", "quay@latest-patch")]
    #[case::range("quay>=3.9.0 <3.10.0", "quay@>=3.9.0 <3.10.0")]
    fn parses_requested_operator(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(round_trip(text), expected);
        assert_eq!(round_trip(expected), expected);
    }

    #[rstest]
    #[case::no_name("=1.0.0", "versions follow a package")]
    #[case::channel("quay channel=a", "channel= is not supported here; use spec.channels")]
    #[case::catalog("quay catalog=a", "use spec.catalogSelector")]
    fn rejects_invalid_request(#[case] text: &str, #[case] why: &str) {
        let message = round_trip(text);
        assert!(message.starts_with(&format!("{text:?}")), "{message}");
        assert!(message.contains(why), "{message}");
    }
}
