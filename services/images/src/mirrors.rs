//! The locations of an image: its own repository and its mirrors.

mod cluster;

use std::fmt;
use std::str::FromStr;

use self::cluster::Elsewhere;
pub use self::cluster::{ClusterMirrors, MirrorList, PulledBy};
use crate::reference::{Host, Reference, Repository};

/// A mirror. Images whose name begins with the first name are also available under the second name.
/// An example is `quay.io/ferry=mirror.example:5000/quay/ferry`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mirror {
    from: Prefix,
    to: Prefix,
}

/// A registry, or all repositories below a path of a registry.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Prefix {
    host: Host,
    path: String,
}

/// A location of an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ImageLocation {
    pub(crate) repository: Repository,
    /// True if the location must not be contacted. The location is only listed in error messages.
    pub(crate) is_barred: bool,
}

/// Returns the locations of an image in this order: the mirrors in the flags, the mirrors of the
/// cluster, and the own repository of the image.
pub(crate) fn places(
    reference: &Reference,
    mirrors: &[Mirror],
    of_cluster: &ClusterMirrors,
) -> Vec<ImageLocation> {
    let own = reference.repository();
    let mirrored = mirrors.iter().filter_map(|mirror| mirror.of(own));
    let Elsewhere { places, is_barred } = of_cluster.elsewhere(reference);
    let own = (own.clone(), is_barred);
    let mirrored = mirrored.chain(places).map(|place| (place, false));
    let mut all: Vec<ImageLocation> = Vec::new();
    for (repository, is_barred) in mirrored.chain([own]) {
        if all.iter().all(|place| place.repository != repository) {
            all.push(ImageLocation {
                repository,
                is_barred,
            });
        }
    }
    all
}

// === impl Mirror ===

impl Mirror {
    fn of(&self, repository: &Repository) -> Option<Repository> {
        self.to.with(self.from.rest(repository)?)
    }
}

impl FromStr for Mirror {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let flawed = |flaw: String| {
            format!(
                "{text:?} is not a mirror: {flaw}; write FROM=TO, such as \
                 quay.io/ferry=mirror.example:5000/ferry"
            )
        };
        let (from, to) = text
            .split_once('=')
            .ok_or_else(|| flawed("it has no =".to_owned()))?;
        Ok(Self {
            from: from.parse().map_err(flawed)?,
            to: to.parse().map_err(flawed)?,
        })
    }
}

impl fmt::Display for Mirror {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.from, self.to)
    }
}

// === impl Prefix ===

impl Prefix {
    /// Returns the path of a repository below this prefix. Returns None if the repository is not
    /// below this prefix.
    fn rest<'r>(&self, repository: &'r Repository) -> Option<&'r str> {
        if *repository.host() != self.host {
            return None;
        }
        match self.path.as_str() {
            "" => Some(repository.path()),
            path => {
                let rest = repository.path().strip_prefix(path)?;
                if rest.is_empty() {
                    return Some(rest);
                }
                rest.strip_prefix('/')
            }
        }
    }

    /// Returns the repository at this path below the prefix. Returns None for a registry with an
    /// empty path, because a registry itself is not a repository.
    fn with(&self, rest: &str) -> Option<Repository> {
        let path = [self.path.as_str(), rest];
        let path: Vec<_> = path.into_iter().filter(|part| !part.is_empty()).collect();
        let has_path = !path.is_empty();
        has_path.then(|| Repository::new(self.host.clone(), path.join("/")))
    }
}

impl FromStr for Prefix {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('/') {
            None => Ok(Self {
                host: text.parse()?,
                path: String::new(),
            }),
            Some((host, path)) => {
                // The prefix must follow the rules for names of repositories.
                Repository::parse(text)?;
                Ok(Self {
                    host: host.parse()?,
                    path: path.to_owned(),
                })
            }
        }
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.host.fmt(f)?;
        if self.path.is_empty() {
            return Ok(());
        }
        write!(f, "/{}", self.path)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::none(&[], &["quay.io/ferry/bundle"])]
    #[case::a_whole_registry(&["quay.io=m.io/quay"], &["m.io/quay/ferry/bundle", "quay.io/ferry/bundle"])]
    #[case::a_registry_for_a_registry(&["quay.io=m.io:5000"], &["m.io:5000/ferry/bundle", "quay.io/ferry/bundle"])]
    #[case::a_path(&["quay.io/ferry=m.io/f"], &["m.io/f/bundle", "quay.io/ferry/bundle"])]
    #[case::one_repository(&["quay.io/ferry/bundle=m.io/b"], &["m.io/b", "quay.io/ferry/bundle"])]
    #[case::as_listed(
        &["quay.io=b.io", "quay.io/ferry=a.io/ferry", "quay.io=b.io"],
        &["b.io/ferry/bundle", "a.io/ferry/bundle", "quay.io/ferry/bundle"]
    )]
    #[case::no_other_host(&["quay.io:443=m.io"], &["quay.io/ferry/bundle"])]
    #[case::no_path_that_only_begins_so(&["quay.io/fer=m.io"], &["quay.io/ferry/bundle"])]
    #[case::no_registry_alone(&["quay.io/ferry/bundle=m.io"], &["quay.io/ferry/bundle"])]
    #[case::itself(&["quay.io=quay.io"], &["quay.io/ferry/bundle"])]
    fn mirrors_are_tried_before_their_registry(
        #[case] mirrors: &[&str],
        #[case] expected: &[&str],
    ) {
        let reference = "quay.io/ferry/bundle:v1".parse().expect("an image");
        let mirrors: Vec<Mirror> = mirrors
            .iter()
            .map(|text| text.parse().expect("a mirror"))
            .collect();
        let places = places(&reference, &mirrors, &ClusterMirrors::default());
        let places: Vec<_> = places.iter().map(|it| it.repository.to_string()).collect();
        assert_eq!(places, expected);
    }

    #[rstest]
    #[case::no_other("quay.io", "it has no =")]
    #[case::no_registry("quay.io/=m.io", "\"\" is not valid in a path")]
    #[case::a_blank_registry("quay.io=", "\"\" is not a registry")]
    fn invalid_mirror_is_refused(#[case] text: &str, #[case] flaw: &str) {
        let refused = text.parse::<Mirror>().expect_err("no mirror");
        let expected = format!("{text:?} is not a mirror: {flaw}");
        assert!(refused.starts_with(&expected), "{refused}");
    }
}
