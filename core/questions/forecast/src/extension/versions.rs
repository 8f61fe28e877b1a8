//! The versions that `spec.source.catalog.version` of a ClusterExtension allows.
//!
//! OLM v1 parses this field with the Go library Masterminds/semver v3. Skip ranges have a different
//! syntax, because OLM parses them with blang/semver. The syntax of this field is:
//!
//! ```text
//! range      = group { "||" group }                     any of them
//! group      = comparator { ( " " | "," ) comparator }  all of them
//! comparator = [ operator ] [ "v" ] version             a version may have one to three numbers
//! operator   = "=" "!=" ">" "<" ">=" "=>" "<=" "=<" "~" "~>" "^"
//! ```
//!
//! A missing number stands for any number. The characters `x`, `X` and `*` also stand for any
//! number. A prerelease version is allowed only if a comparator of the group has a prerelease.

use portolan_core_names::Version;
use thiserror::Error;

/// The comparison operators. A longer operator precedes the operators with which it begins, so that
/// the parser finds the longer operator first.
const OPERATORS: [(&str, Operator); 11] = [
    ("!=", Operator::NotEqual),
    (">=", Operator::AtLeast),
    ("=>", Operator::AtLeast),
    ("<=", Operator::AtMost),
    ("=<", Operator::AtMost),
    ("~>", Operator::Tilde),
    ("=", Operator::Equal),
    (">", Operator::Above),
    ("<", Operator::Below),
    ("~", Operator::Tilde),
    ("^", Operator::Caret),
];

/// The versions that a ClusterExtension allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedVersions {
    /// The groups, of which at least one must match. None allows all versions, including
    /// prereleases.
    groups: Option<Vec<Group>>,
}

/// A range that OLM v1 rejects.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("\"{0}\" is not a version range that OLM v1 accepts")]
pub struct InvalidVersions(String);

/// Comparators of a version range. All of them must match.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Group {
    comparators: Vec<Comparator>,
    /// True if the version of at least one comparator has a prerelease.
    has_prerelease: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Comparator {
    operator: Operator,
    /// The version, with 0 for each number that is not specified.
    version: Version,
    precision: Precision,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Above,
    Below,
    AtLeast,
    AtMost,
    Tilde,
    Caret,
}

/// The number of specified numbers in a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Precision {
    None,
    Major,
    Minor,
    Patch,
}

// === impl AllowedVersions ===

impl AllowedVersions {
    /// Parses the field `spec.source.catalog.version`. An empty text allows all versions.
    ///
    /// # Errors
    ///
    /// Returns an error if OLM v1 rejects the text.
    pub fn parse(text: &str) -> Result<Self, InvalidVersions> {
        if text.is_empty() {
            return Ok(Self { groups: None });
        }
        let groups: Option<Vec<_>> = text.split("||").map(Group::parse).collect();
        match groups {
            Some(groups) => Ok(Self {
                groups: Some(groups),
            }),
            None => Err(InvalidVersions(portolan_core_names::text::cite(text))),
        }
    }

    /// Returns true if the text is a single version, which OLM v1 does not leave.
    pub fn is_pin(&self) -> bool {
        let Some([group]) = self.groups.as_deref() else {
            return false;
        };
        let [comparator] = group.comparators.as_slice() else {
            return false;
        };
        comparator.operator == Operator::Equal && comparator.precision == Precision::Patch
    }

    /// Returns true if the version is allowed. Build metadata is ignored.
    pub fn allow(&self, version: &Version) -> bool {
        let groups = self.groups.as_ref();
        groups.is_none_or(|groups| groups.iter().any(|group| group.matches(version)))
    }
}

// === impl Group ===

impl Group {
    fn parse(text: &str) -> Option<Self> {
        let mut comparators = Vec::new();
        let mut rest = text.trim();
        loop {
            let (comparator, after) = Comparator::parse(rest)?;
            comparators.push(comparator);
            let next = after.trim_start();
            if next.is_empty() {
                break;
            }
            rest = match next.strip_prefix(',') {
                Some(next) => next.trim_start(),
                None if next.len() < after.len() => next,
                None => return None,
            };
        }
        let has_prerelease = comparators.iter().any(|it| it.version.is_prerelease());
        Some(Self {
            comparators,
            has_prerelease,
        })
    }

    fn matches(&self, version: &Version) -> bool {
        let is_usual = !version.is_prerelease() || self.has_prerelease;
        is_usual && self.comparators.iter().all(|it| it.matches(version))
    }
}

// === impl Comparator ===

impl Comparator {
    /// Parses the comparator at the beginning of a text. Also returns the remaining text.
    fn parse(text: &str) -> Option<(Self, &str)> {
        let found = OPERATORS
            .iter()
            .find_map(|(word, operator)| Some((*operator, text.strip_prefix(word)?)));
        let (operator, rest) = found.unwrap_or((Operator::Equal, text));
        let rest = rest.trim_start();
        let rest = rest.strip_prefix('v').unwrap_or(rest);
        let is_of_version = |c: char| c.is_ascii_alphanumeric() || "*.-+".contains(c);
        let end = rest.find(|c| !is_of_version(c)).unwrap_or(rest.len());
        let (version, after) = rest.split_at(end);
        let (version, precision) = partial_version(version)?;
        let comparator = Self {
            operator,
            version,
            precision,
        };
        Some((comparator, after))
    }

    fn matches(&self, version: &Version) -> bool {
        let own = &self.version;
        match self.operator {
            Operator::Equal if self.precision == Precision::Patch => version == own,
            Operator::Equal | Operator::Tilde => self.is_near(version),
            Operator::NotEqual => !self.is_equal(version),
            Operator::Above => self.is_beyond(version),
            Operator::Below => version < own,
            Operator::AtLeast => version >= own,
            Operator::AtMost => version <= own || self.is_equal_partially(version),
            Operator::Caret => self.is_compatible(version),
        }
    }

    /// Returns true if the version has all numbers that the comparator specifies.
    fn is_equal(&self, version: &Version) -> bool {
        match self.precision {
            Precision::Patch => *version == self.version,
            Precision::None | Precision::Major | Precision::Minor => {
                self.is_equal_partially(version)
            }
        }
    }

    fn is_equal_partially(&self, version: &Version) -> bool {
        let own = &self.version;
        match self.precision {
            Precision::None => true,
            Precision::Major => version.major() == own.major(),
            Precision::Minor => (version.major(), version.minor()) == (own.major(), own.minor()),
            Precision::Patch => false,
        }
    }

    /// Returns true if the version is greater than all versions that match the comparator's
    /// numbers.
    fn is_beyond(&self, version: &Version) -> bool {
        *version > self.version && !self.is_equal_partially(version)
    }

    /// Returns true if the version is not lower than the comparator's version and has the same
    /// minor version. If the comparator has no minor version, the major version must be equal.
    fn is_near(&self, version: &Version) -> bool {
        let own = &self.version;
        let is_same = match self.precision {
            Precision::None => true,
            Precision::Major => version.major() == own.major(),
            Precision::Minor => (version.major(), version.minor()) == (own.major(), own.minor()),
            // The library treats ~0.0.0 as a range that allows all versions.
            Precision::Patch if (own.major(), own.minor(), own.patch()) == (0, 0, 0) => true,
            Precision::Patch => (version.major(), version.minor()) == (own.major(), own.minor()),
        };
        version >= own && is_same
    }

    /// Returns true if the version is not lower than the comparator's version and has the same
    /// numbers up to the first number that is not 0.
    fn is_compatible(&self, version: &Version) -> bool {
        let own = &self.version;
        if version < own {
            return false;
        }
        if own.major() > 0 || self.precision <= Precision::Major {
            return self.precision == Precision::None || version.major() == own.major();
        }
        if version.major() > 0 {
            return false;
        }
        if own.minor() > 0 || self.precision == Precision::Minor {
            return version.minor() == own.minor();
        }
        version.minor() == 0 && version.patch() == own.patch()
    }
}

/// Parses a version that has one to three numbers.
fn partial_version(text: &str) -> Option<(Version, Precision)> {
    let end = text.find(['-', '+']).unwrap_or(text.len());
    let (core, suffix) = text.split_at(end);
    let numbers: Vec<&str> = core.split('.').collect();
    let is_any = |number: &&str| ["x", "X", "*"].contains(number);
    let are_numbers = numbers
        .iter()
        .all(|it| is_any(it) || it.parse::<u64>().is_ok());
    if numbers.len() > 3 || !are_numbers {
        return None;
    }
    let specified: Vec<&str> = numbers.into_iter().take_while(|it| !is_any(it)).collect();
    let precision = match specified.len() {
        0 => Precision::None,
        1 => Precision::Major,
        2 => Precision::Minor,
        _ => Precision::Patch,
    };
    let number = |at: usize| specified.get(at).copied().unwrap_or("0");
    let whole = format!("{}.{}.{}{suffix}", number(0), number(1), number(2));
    Some((Version::parse(&whole).ok()?, precision))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn version(text: &str) -> Version {
        Version::parse(text).expect("a version")
    }

    /// In each case, allowed versions are before the bar, and all other versions are after the bar.
    #[rstest]
    #[case::nothing("", "1.0.0 2.0.0-rc.1 | ")]
    #[case::pin("1.2.3", "1.2.3 | 1.2.4 1.2.3-rc.1")]
    #[case::pin_with_v("v1.2.3", "1.2.3 | 1.2.2")]
    #[case::pin_of_prerelease("1.2.3-next.1", "1.2.3-next.1 | 1.2.3 1.2.3-next.2")]
    #[case::build_is_ignored("1.2.3+1", "1.2.3+2 1.2.3 | 1.2.4")]
    #[case::minor("1.2", "1.2.0 1.2.9 | 1.3.0 1.1.9")]
    #[case::major("1", "1.0.0 1.9.9 | 2.0.0 0.9.0")]
    #[case::wildcard("1.x", "1.0.0 1.9.0 | 2.0.0 1.5.0-rc.1")]
    #[case::two_wildcards("1.x.x", "1.0.0 1.9.0 | 2.0.0")]
    #[case::star("*", "0.0.1 9.9.9 | 1.0.0-rc.1")]
    #[case::tilde("~1.2.3", "1.2.3 1.2.9 | 1.3.0 1.2.2")]
    #[case::tilde_of_minor("~1.2", "1.2.0 1.2.9 | 1.3.0")]
    #[case::tilde_of_major("~>1", "1.0.0 1.9.9 | 2.0.0")]
    #[case::caret("^1.2.3", "1.2.3 1.9.0 | 2.0.0 1.2.2")]
    #[case::caret_of_zero("^0.2.3", "0.2.3 0.2.9 | 0.3.0 1.0.0")]
    #[case::caret_of_zeros("^0.0.3", "0.0.3 | 0.0.4 0.1.0")]
    #[case::caret_of_zero_minor("^0.0", "0.0.1 0.0.9 | 0.1.0")]
    #[case::caret_of_zero_major("^0", "0.0.1 0.9.0 | 1.0.0")]
    #[case::blank_means_and(">=1.1.0 <1.2.0", "1.1.0 1.1.9 | 1.2.0 1.0.9")]
    #[case::comma_means_and(">=1.1.0, <1.2.0", "1.1.9 | 1.2.0")]
    #[case::bars_mean_or("1.0.0||>=2.0.0", "1.0.0 2.0.0 | 1.1.0")]
    #[case::above_major(">1", "2.0.0 | 1.5.0 0.9.0")]
    #[case::above_minor(">1.2", "1.3.0 | 1.2.9")]
    #[case::at_most_major("<=1", "1.9.9 0.1.0 | 2.0.0")]
    #[case::at_most_minor("=<1.2", "1.2.9 1.0.0 | 1.3.0")]
    #[case::below_major("<2", "1.9.9 | 2.0.0 2.0.0-rc.1")]
    #[case::not_equal("!=1.2.3", "1.2.4 | 1.2.3")]
    #[case::not_equal_major("!=1.x", "0.9.0 2.0.0 | 1.5.0")]
    #[case::prereleases_on_request(">=1.0.0-0", "1.0.0-rc.1 1.1.0-rc.1 1.0.0 | 0.9.0")]
    #[case::prerelease_in_a_group(">=1.0.0-0 <2.0.0", "1.5.0-rc.1 | 2.0.0")]
    #[case::blank_after_operator(">= 1.2.0", "1.2.0 | 1.1.0")]
    fn range_allows_versions_as_olm_v1_does(#[case] range: &str, #[case] versions: &str) {
        let allowed = AllowedVersions::parse(range).expect("a range");
        let (inside, outside) = versions.split_once('|').expect("a bar");
        for text in inside.split_whitespace() {
            assert!(allowed.allow(&version(text)), "{range} must allow {text}");
        }
        for text in outside.split_whitespace() {
            assert!(
                !allowed.allow(&version(text)),
                "{range} must not allow {text}"
            );
        }
    }

    #[rstest]
    fn rejects_ranges_that_olm_v1_rejects(
        #[values(
            " ",
            "stable",
            "==1.2.3",
            "!1.2.3",
            "1.2.3.4",
            "1.2.3 - 1.3.0",
            "1.2.3,",
            "||1.0.0",
            ">=1.0.0<2.0.0",
            "1.Y",
            "<<1.0.0",
            "1..2"
        )]
        range: &str,
    ) {
        assert!(AllowedVersions::parse(range).is_err());
    }

    #[rstest]
    #[case::version("1.2.3", true)]
    #[case::equal_version("=1.2.3", true)]
    #[case::prerelease("1.2.3-rc.1", true)]
    #[case::no_range("", false)]
    #[case::minor("1.2", false)]
    #[case::wildcard("1.2.x", false)]
    #[case::at_least(">=1.2.3", false)]
    #[case::two_versions("1.2.3 || 1.2.4", false)]
    #[case::two_comparators("1.2.3 !=1.2.4", false)]
    fn single_version_is_a_pin(#[case] range: &str, #[case] expected: bool) {
        let allowed = AllowedVersions::parse(range).expect("a range");
        assert_eq!(allowed.is_pin(), expected);
    }
}
