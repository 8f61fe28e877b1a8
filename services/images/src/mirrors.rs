//! Where else an image may be.

use std::fmt;
use std::str::FromStr;

use crate::reference::{Host, Repository};

/// Images below one name are also below another: `quay.io/ferry=mirror.example:5000/quay/ferry`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mirror {
    from: Prefix,
    to: Prefix,
}

/// A registry, or all repositories below a path of it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Prefix {
    host: Host,
    path: String,
}

/// The places where a repository is looked for, in their order: the mirrors as they are listed, and
/// at last the repository itself.
pub(crate) fn places(repository: &Repository, mirrors: &[Mirror]) -> Vec<Repository> {
    let mut places: Vec<Repository> = Vec::new();
    let mirrored = mirrors.iter().filter_map(|mirror| mirror.of(repository));
    for place in mirrored.chain([repository.clone()]) {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

// === impl Mirror ===

impl Mirror {
    fn of(&self, repository: &Repository) -> Option<Repository> {
        let rest = self.from.rest(repository)?;
        let path = [self.to.path.as_str(), rest];
        let path: Vec<_> = path.into_iter().filter(|part| !part.is_empty()).collect();
        // A registry alone has no images.
        let has_path = !path.is_empty();
        has_path.then(|| Repository::new(self.to.host.clone(), path.join("/")))
    }
}

impl FromStr for Mirror {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let flawed = |flaw: String| {
            format!(
                "{text:?} names no mirror: {flaw}; write FROM=TO, such as \
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
    /// The path of a repository below this one.
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
                // The rules of paths are those of repositories.
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
    fn mirrors_come_first(#[case] mirrors: &[&str], #[case] expected: &[&str]) {
        let repository = Repository::parse("quay.io/ferry/bundle").expect("a repository");
        let mirrors: Vec<Mirror> = mirrors
            .iter()
            .map(|text| text.parse().expect("a mirror"))
            .collect();
        let places = places(&repository, &mirrors);
        let places: Vec<_> = places.iter().map(ToString::to_string).collect();
        assert_eq!(places, expected);
    }

    #[rstest]
    #[case::no_other("quay.io", "it has no =")]
    #[case::no_registry("quay.io/=m.io", "\"\" is no part of a path")]
    #[case::a_blank_registry("quay.io=", "\"\" is no registry")]
    fn what_is_no_mirror_is_refused(#[case] text: &str, #[case] flaw: &str) {
        let refused = text.parse::<Mirror>().expect_err("no mirror");
        let expected = format!("{text:?} names no mirror: {flaw}");
        assert!(refused.starts_with(&expected), "{refused}");
    }
}
