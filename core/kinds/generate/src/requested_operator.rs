//! Requests in command line syntax.
//!
//! ```text
//! quay   quay=3.9.2   quay=latest-z-stream   quay>=3.9.0   quay=">=3.9.0 <3.10.0"
//! ```

use std::fmt;
use std::str::FromStr;

use portolan_core_names::{PackageName, Version, VersionRange};
use thiserror::Error;

const LATEST: &str = "latest";
const LATEST_Z: &str = "latest-z-stream";
const LATEST_Y: &str = "latest-y-stream";

/// A requested operator and its target version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestedOperator {
    /// The name of the Operator or its package.
    pub name: String,
    pub target: Target,
}

/// The target version of an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The newest reachable version.
    Latest,
    /// The newest version with the same major and minor number.
    LatestZ,
    /// The newest version with the same major number.
    LatestY,
    /// The newest version in a range, which may be a single version.
    Range(VersionRange),
}

/// An invalid request.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{text:?} is not a wish: {why}")]
pub struct NoWish {
    text: String,
    why: String,
}

/// Returns the version of a range that contains only one.
pub(crate) fn exact(range: &VersionRange) -> Option<Version> {
    let text = range.as_str().trim();
    Version::parse(text.trim_start_matches('=').trim_start()).ok()
}

// === impl RequestedOperator ===

impl FromStr for RequestedOperator {
    type Err = NoWish;

    fn from_str(text: &str) -> Result<Self, NoWish> {
        parse(text).map_err(|why| NoWish {
            text: text.to_owned(),
            why,
        })
    }
}

fn parse(text: &str) -> Result<RequestedOperator, String> {
    let at = text.find(['=', '<', '>', '!']).unwrap_or(text.len());
    let (name, rest) = text.split_at(at);
    let name = name.trim_end();
    if let Some((package, version)) = name.split_once('@') {
        return Err(format!(
            "a version follows the =, as in {package}={version}"
        ));
    }
    if name.is_empty() {
        return Err("a name comes first, as in quay=3.9.2".to_owned());
    }
    PackageName::parse(name).map_err(|refusal| refusal.to_string())?;
    if let Some(version) = rest.strip_prefix("=>")
        && !version.starts_with('=')
        && !version.trim().contains(' ')
    {
        return Err(format!(
            "=> is ambiguous; write {name}>={version} or {name}>{version}"
        ));
    }
    let target = match rest.strip_prefix('=') {
        None if rest.is_empty() => Target::Latest,
        None => Target::parse(rest)?,
        Some(value) => Target::parse(value)?,
    };
    Ok(RequestedOperator {
        name: name.to_owned(),
        target,
    })
}

impl fmt::Display for RequestedOperator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let target = self.target.to_string();
        let sign = if target.starts_with('>') { "" } else { "=" };
        write!(f, "{}{sign}{target}", self.name)
    }
}

// === impl Target ===

impl Target {
    /// Parses the text after the `=`.
    ///
    /// # Errors
    /// Returns the reason why the version is invalid, with valid alternatives.
    pub fn parse(text: &str) -> Result<Self, String> {
        Ok(match text.trim() {
            "" => return Err("no version follows the =; omit the = for the latest".into()),
            LATEST => Self::Latest,
            LATEST_Z => Self::LatestZ,
            LATEST_Y => Self::LatestY,
            word if word.starts_with(LATEST) => {
                return Err(format!(
                    "{word} is not known; write {LATEST}, {LATEST_Z}, {LATEST_Y} or a version"
                ));
            }
            range => Self::range(range)?,
        })
    }

    fn range(text: &str) -> Result<Self, String> {
        let range = VersionRange::parse(text).map_err(|refusal| {
            format!(
                "{refusal}; a version is written as 1.2.3, a range as \">=1.2.0 <1.3.0\", and the \
                 words are {LATEST}, {LATEST_Z} and {LATEST_Y}"
            )
        })?;
        if range.is_never() {
            return Err(format!("no version is in {text}"));
        }
        Ok(Self::Range(range))
    }

    /// Returns true if other versions than the best one are acceptable.
    pub(crate) fn is_flexible(&self) -> bool {
        match self {
            Self::Latest | Self::LatestZ | Self::LatestY => true,
            Self::Range(range) => exact(range).is_none(),
        }
    }

    /// Returns the acceptable versions, relative to the current one. Returns None for any version,
    /// and for a stream without a current version.
    pub(crate) fn range_from(&self, current: Option<&Version>) -> Option<VersionRange> {
        let text = match (self, current) {
            (Self::Range(range), _) => return Some(range.clone()),
            (Self::Latest | Self::LatestZ | Self::LatestY, None) => return None,
            (Self::Latest, Some(current)) => format!(">={}", bare(current)),
            (Self::LatestZ, Some(current)) => {
                let next = current.minor().checked_add(1)?;
                format!(">={} <{}.{next}.0-0", bare(current), current.major())
            }
            (Self::LatestY, Some(current)) => {
                let next = current.major().checked_add(1)?;
                format!(">={} <{next}.0.0-0", bare(current))
            }
        };
        VersionRange::parse(&text).ok()
    }
}

/// Returns a version without its build metadata, which ranges ignore.
fn bare(version: &Version) -> String {
    let text = version.to_string();
    text.split('+').next().unwrap_or_default().to_owned()
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Latest => f.write_str(LATEST),
            Self::LatestZ => f.write_str(LATEST_Z),
            Self::LatestY => f.write_str(LATEST_Y),
            Self::Range(range) => range.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn round_trip(text: &str) -> String {
        match text.parse::<RequestedOperator>() {
            Ok(wish) => wish.to_string(),
            Err(refusal) => refusal.to_string(),
        }
    }

    #[rstest]
    #[case::a_name("quay", "quay=latest")]
    #[case::a_version("quay=3.9.2", "quay=3.9.2")]
    #[case::latest("quay=latest", "quay=latest")]
    #[case::a_z_stream("quay=latest-z-stream", "quay=latest-z-stream")]
    #[case::a_y_stream("quay=latest-y-stream", "quay=latest-y-stream")]
    #[case::at_least("quay>=3.9.2", "quay>=3.9.2")]
    #[case::above("quay>3.9.2", "quay>3.9.2")]
    #[case::a_range_behind_a_sign("quay=>=3.9.0 <3.10.0", "quay>=3.9.0 <3.10.0")]
    #[case::a_range("quay>=3.9.0 <3.10.0", "quay>=3.9.0 <3.10.0")]
    fn parses_requested_operator(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(round_trip(text), expected);
    }

    #[rstest]
    #[case::nothing("", "a name comes first")]
    #[case::no_name("=1.0.0", "a name comes first")]
    #[case::no_version("quay=", "no version stands behind the =")]
    #[case::as_for_others("quay@1.0.0", "a version follows the =, as in quay=1.0.0")]
    #[case::no_word("quay=latest-x-stream", "latest-x-stream is not known; write latest,")]
    #[case::no_range("quay=v1", "a version is written as 1.2.3")]
    #[case::the_wrong_way_round("quay=>3.9.2", "write quay>=3.9.2 or quay>3.9.2")]
    #[case::the_wrong_way_round_in_part("quay=>3.9.x", "write quay>=3.9.x or quay>3.9.x")]
    #[case::never("quay=>2.0.0 <1.0.0", "no version is in >2.0.0 <1.0.0")]
    fn reports_invalid_requested_operator(#[case] text: &str, #[case] why: &str) {
        let message = round_trip(text);
        assert!(
            message.starts_with(&format!("{text:?} is not a wish: ")),
            "{message}"
        );
        assert!(message.contains(why), "{message}");
    }
}
