//! The resourceVersion of Installed objects. It consists of the resourceVersions of all source
//! lists.

#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::Resource;

/// The resourceVersion of one source list: an unsigned integer of any length, without leading
/// zeros.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Revision(Box<str>);

/// The resourceVersion of Installed objects, such as `clusterserviceversions:12,namespaces:7`. It
/// has one number for each source list. So there are pairs of versions in which neither is newer.
///
/// ```
/// use portolan_core_installed::ResourceVersion;
///
/// let asked: ResourceVersion = "namespaces:7,subscriptions:34".parse()?;
/// let held: ResourceVersion = "namespaces:6,subscriptions:35".parse()?;
/// assert_eq!(asked.partial_cmp(&held), None);
/// assert_eq!(asked.ahead_of(&held).map(|each| each.name()).collect::<Vec<_>>(), ["namespaces"]);
/// # Ok::<_, portolan_core_installed::NotAVersion>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct ResourceVersion(BTreeMap<Resource, Revision>);

/// The reason why a text is not a resourceVersion of Installed objects.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotAVersion {
    /// The text has an invalid format. The request is invalid (422).
    #[error(
        "resourceVersion {0:?} is not one of Installed, such as \
         `clusterserviceversions:12,namespaces:7,operatorgroups:3,operators:0,resourcemanifests:0,subscriptions:34`; use one that a \
         list or a watch of Installed has returned"
    )]
    Garbage(String),
    /// The text is a resourceVersion of another kind, such as a custom resource. The version counts
    /// as expired (410).
    #[error(
        "resourceVersion {0:?} is a number, as other kinds have, and Installed have one of each list that they are made \
         from; list again"
    )]
    OtherKind(String),
    /// The resourceVersion has other source lists, because another release of this server returned
    /// it. The version counts as expired (410).
    #[error("resourceVersion {0:?} names {1}, which this server does not watch; list again")]
    OtherResources(String, String),
}

// === impl Revision ===

impl Revision {
    /// Parses a revision. Returns None if the text is invalid.
    pub fn parse(text: &str) -> Option<Self> {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let is_short = text == "0" || !text.starts_with('0');
        (is_number && is_short).then(|| Self(text.into()))
    }

    /// Returns the revision as decimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the revision reduced by 1. Returns 0 for 0.
    #[must_use]
    pub fn before(&self) -> Self {
        let mut digits = self.0.as_bytes().to_vec();
        let Some(last) = digits.iter().rposition(|digit| *digit != b'0') else {
            return self.clone();
        };
        digits[last] -= 1;
        digits[last + 1..].fill(b'9');
        let text: String = digits.into_iter().map(char::from).collect();
        let short = text.trim_start_matches('0');
        Self(if short.is_empty() { "0" } else { short }.into())
    }
}

impl From<u64> for Revision {
    fn from(number: u64) -> Self {
        Self(number.to_string().into())
    }
}

impl Ord for Revision {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_length = self.0.len().cmp(&other.0.len());
        by_length.then_with(|| self.0.cmp(&other.0))
    }
}

impl PartialOrd for Revision {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

// === impl ResourceVersion ===

impl ResourceVersion {
    /// Returns the revision of a source list. Returns None if the version does not contain this
    /// list.
    pub fn of(&self, resource: Resource) -> Option<&Revision> {
        self.0.get(&resource)
    }

    /// Returns the source lists of the version.
    pub fn resources(&self) -> impl Iterator<Item = Resource> {
        self.0.keys().copied()
    }

    /// Returns the version with another revision for this source list.
    #[must_use]
    pub fn with(mut self, resource: Resource, revision: Revision) -> Self {
        self.0.insert(resource, revision);
        self
    }

    /// Returns true if both versions have the same source lists. If not, one of them has expired.
    pub fn has_resources_of(&self, other: &Self) -> bool {
        self.0.keys().eq(other.0.keys())
    }

    /// Returns the source lists in which this version is newer than `held`. A server at version
    /// `held` must wait for these lists.
    pub fn ahead_of(&self, held: &Self) -> impl Iterator<Item = Resource> {
        let ahead = self.0.iter();
        let ahead = ahead.filter(|(resource, own)| held.of(**resource).is_none_or(|it| *own > it));
        ahead.map(|(resource, _)| *resource)
    }

    /// Sets the revision of a source list. Ignores a lower revision.
    pub(crate) fn advance(&mut self, resource: Resource, revision: &Revision) {
        let newest = self.0.entry(resource).or_insert_with(|| revision.clone());
        if *newest < *revision {
            *newest = revision.clone();
        }
    }

    /// Returns the version with the revision of this source list reduced by 1.
    pub(crate) fn just_before(&self, resource: Resource) -> Self {
        let mut before = self.clone();
        if let Some(revision) = before.0.get_mut(&resource) {
            *revision = revision.before();
        }
        before
    }
}

impl FromIterator<(Resource, Revision)> for ResourceVersion {
    fn from_iter<I: IntoIterator<Item = (Resource, Revision)>>(iter: I) -> Self {
        Self(iter.into_iter().collect())
    }
}

impl FromStr for ResourceVersion {
    type Err = NotAVersion;

    fn from_str(text: &str) -> Result<Self, NotAVersion> {
        if Revision::parse(text).is_some() {
            return Err(NotAVersion::OtherKind(text.to_owned()));
        }
        let garbage = || NotAVersion::Garbage(text.to_owned());
        let parts = text.split(',').map(|part| {
            let (name, number) = part.split_once(':')?;
            let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase());
            is_name.then_some((name, Revision::parse(number)?))
        });
        let parts: Option<Vec<_>> = parts.collect();
        let parts = parts.ok_or_else(garbage)?;
        if !parts.is_sorted_by(|(one, _), (other, _)| one < other) {
            return Err(garbage());
        }
        let known = parts.into_iter().map(|(name, revision)| {
            let resource = Resource::named(name);
            let resource = resource
                .ok_or_else(|| NotAVersion::OtherResources(text.to_owned(), name.to_owned()));
            Ok((resource?, revision))
        });
        known.collect::<Result<_, _>>().map(Self)
    }
}

impl PartialOrd for ResourceVersion {
    /// Returns None if each of the two versions is newer in some list, or if the versions have
    /// different source lists.
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        if !self.has_resources_of(other) {
            return None;
        }
        let is_ahead = self.ahead_of(other).next().is_some();
        let is_behind = other.ahead_of(self).next().is_some();
        match (is_behind, is_ahead) {
            (false, false) => Some(Ordering::Equal),
            (true, false) => Some(Ordering::Less),
            (false, true) => Some(Ordering::Greater),
            (true, true) => None,
        }
    }
}

impl fmt::Display for ResourceVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (resource, revision)) in self.0.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            write!(f, "{comma}{resource}:{revision}")?;
        }
        Ok(())
    }
}
