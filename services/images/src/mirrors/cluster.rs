//! The image mirrors that a cluster configures. They are used in the same way as the nodes of the
//! cluster use them. If several sources match an image, only the mirrors of the longest source are
//! used. Mirrors for digests and mirrors for tags are separate. A cluster may forbid contact with
//! the source itself.

use std::collections::BTreeMap;
use std::str::FromStr;

use super::Prefix;
use crate::reference::{Host, Reference, Repository};

/// The mirrors of a cluster. Empty by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClusterMirrors {
    sources: BTreeMap<Source, Mirrored>,
    /// The reason why more mirrors may exist. None if all mirrors are known.
    unknown: Option<String>,
}

/// The mirrors of one source, as an object of the cluster lists them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MirrorList {
    /// The source, such as `quay.io`, `quay.io/ferry` or `*.quay.io`.
    pub source: String,
    /// The mirrors, in the order in which they are tried.
    pub mirrors: Vec<String>,
    pub by: PulledBy,
    /// True if the source itself must not be contacted, even if all mirrors fail.
    pub is_source_barred: bool,
}

/// The kind of reference with which an image is pulled: by digest or by tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PulledBy {
    Digest,
    Tag,
}

/// The images to which mirrors apply: of a registry, of a path of a registry, or of all registries
/// below a domain.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    At(Prefix),
    Below(Host),
}

/// The mirrors of one source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Mirrored {
    by_digest: Vec<Prefix>,
    by_tag: Vec<Prefix>,
    is_barred: bool,
}

/// The mirrors that a cluster configures for one image.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Elsewhere {
    pub(super) places: Vec<Repository>,
    /// True if the image's own registry must not be contacted.
    pub(super) is_barred: bool,
}

// === impl ClusterMirrors ===

impl ClusterMirrors {
    /// Combines these lists. Returns the mirrors, and a message about each invalid name. If several
    /// lists have the same source, the mirrors of each list keep their order. If one of these lists
    /// forbids contact with the source, contact is forbidden.
    pub fn of(lists: impl IntoIterator<Item = MirrorList>) -> (Self, Vec<String>) {
        let (mut all, mut flaws) = (Self::default(), Vec::new());
        for list in lists {
            if let Err(flaw) = all.add(list, &mut flaws) {
                flaws.push(flaw);
            }
        }
        (all, flaws)
    }

    /// Sets the reason why more mirrors may exist.
    #[must_use]
    pub fn unknown(self, why: Option<String>) -> Self {
        Self {
            unknown: why,
            ..self
        }
    }

    /// Returns the reason why more mirrors may exist. Returns None if all mirrors are known.
    pub(crate) fn why_unknown(&self) -> Option<&str> {
        self.unknown.as_deref()
    }

    fn add(&mut self, list: MirrorList, flaws: &mut Vec<String>) -> Result<(), String> {
        let MirrorList {
            source,
            mirrors,
            by,
            is_source_barred,
        } = list;
        // A list without mirrors has no effect.
        if mirrors.is_empty() {
            return Ok(());
        }
        let source = source.parse::<Source>();
        let known = self.sources.entry(source?).or_default();
        known.is_barred |= is_source_barred;
        let mut named = Vec::new();
        for mirror in mirrors {
            match mirror.parse::<Prefix>() {
                Ok(mirror) if named.contains(&mirror) => {}
                Ok(mirror) => named.push(mirror),
                Err(flaw) => flaws.push(format!("{mirror:?} is not a mirror: {flaw}")),
            }
        }
        merge(
            match by {
                PulledBy::Digest => &mut known.by_digest,
                PulledBy::Tag => &mut known.by_tag,
            },
            named,
        );
        Ok(())
    }

    /// Returns the mirrors of an image, and if its own registry must not be contacted.
    pub(super) fn elsewhere(&self, reference: &Reference) -> Elsewhere {
        let repository = reference.repository();
        let sources = self.sources.iter();
        let matching = sources.filter_map(|(source, known)| {
            let rest = source.rest(repository)?;
            Some((source.length(), rest, known))
        });
        let longest = matching.max_by_key(|(length, ..)| *length);
        let Some((_, rest, known)) = longest else {
            return Elsewhere::default();
        };
        let mirrors = match reference.digest() {
            Some(_) => &known.by_digest,
            None => &known.by_tag,
        };
        let places = mirrors.iter().filter_map(|mirror| mirror.with(rest));
        Elsewhere {
            // If a source must not be contacted, mirrors that are equal to the source are left out,
            // too.
            places: places
                .filter(|place| !(known.is_barred && place == repository))
                .collect(),
            is_barred: known.is_barred,
        }
    }
}

/// Adds the missing entries of `more`. Keeps the order of both lists, unless the lists contradict
/// each other.
fn merge(into: &mut Vec<Prefix>, more: Vec<Prefix>) {
    let mut before = into.len();
    for mirror in more.into_iter().rev() {
        match into.iter().position(|known| *known == mirror) {
            Some(at) => before = at,
            None => into.insert(before, mirror),
        }
    }
}

// === impl Source ===

impl Source {
    /// Returns the path of a repository below this source. Returns None if the source does not
    /// match the repository.
    fn rest<'r>(&self, repository: &'r Repository) -> Option<&'r str> {
        match self {
            Self::At(prefix) => prefix.rest(repository),
            Self::Below(domain) => {
                let is_below = repository.host().is_below(domain);
                is_below.then(|| repository.path())
            }
        }
    }

    /// Returns the length of the name that the source matches. The second value is true if the
    /// source is a registry or a path, and false if it is a domain.
    fn length(&self) -> (usize, bool) {
        match self {
            Self::At(prefix) => (prefix.to_string().len(), true),
            Self::Below(domain) => ("*.".len() + domain.as_str().len(), false),
        }
    }
}

impl FromStr for Source {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = match text.strip_prefix("*.") {
            Some(domain) => domain.parse().map(Self::Below),
            None => text.parse().map(Self::At),
        };
        parsed.map_err(|flaw: String| format!("{text:?} is not a source of images: {flaw}"))
    }
}

#[cfg(test)]
mod tests;
