//! The name of an image: `HOST[:PORT]/REPOSITORY[:TAG][@DIGEST]`.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::digest::OciDigest;

/// A reference to an image: its repository with a tag, a digest or both. If there are both, the
/// digest is used.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reference {
    repository: Repository,
    tag: Option<String>,
    digest: Option<OciDigest>,
}

/// A repository, such as `quay.io/ferry/bundle`. It contains all images with this name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Repository {
    host: Host,
    path: String,
}

/// The host of a registry, such as `quay.io`, `registry.example:5000` or `[::1]:5000`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Host(String);

/// The text is not the name of an image.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "{text:?} is not an image reference: {flaw}; write it as registry.example/name:tag or \
     registry.example/name@sha256:…"
)]
pub struct ParseReference {
    text: String,
    flaw: String,
}

/// The maximum length of a repository path, and of a tag.
const LONGEST_PATH: usize = 255;
const LONGEST_TAG: usize = 128;

/// The registry of an image name without a host. Image names contain it in this form.
const DOCKER_HUB: &str = "docker.io";

// === impl Reference ===

impl Reference {
    pub fn repository(&self) -> &Repository {
        &self.repository
    }

    pub fn host(&self) -> &Host {
        &self.repository.host
    }

    pub fn digest(&self) -> Option<&OciDigest> {
        self.digest.as_ref()
    }

    /// Returns the identifier for a request to the registry: the digest or, without a digest, the
    /// tag.
    pub(crate) fn wanted(&self) -> String {
        match (&self.digest, &self.tag) {
            (Some(digest), _) => digest.to_string(),
            (None, tag) => tag.clone().unwrap_or_default(),
        }
    }

    /// Returns the reference with this digest. Later pushes do not change the image to which it
    /// refers.
    #[must_use]
    pub fn at(&self, digest: OciDigest) -> Self {
        Self {
            repository: self.repository.clone(),
            tag: None,
            digest: Some(digest),
        }
    }
}

impl FromStr for Reference {
    type Err = ParseReference;

    fn from_str(text: &str) -> Result<Self, ParseReference> {
        parse(text).map_err(|flaw| ParseReference {
            text: text.chars().take(600).collect(),
            flaw,
        })
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.repository.fmt(f)?;
        if let Some(tag) = &self.tag {
            write!(f, ":{tag}")?;
        }
        match &self.digest {
            Some(digest) => write!(f, "@{digest}"),
            None => Ok(()),
        }
    }
}

fn parse(text: &str) -> Result<Reference, String> {
    if let Some((scheme, _)) = text.split_once("://") {
        return Err(format!("it begins with {scheme}://"));
    }
    let (name, digest) = match text.split_once('@') {
        None => (text, None),
        Some((name, digest)) => {
            let digest = digest
                .parse::<OciDigest>()
                .map_err(|error| error.to_string())?;
            (name, Some(digest))
        }
    };
    let (name, tag) = match name.rsplit_once(':') {
        // The text after the colon contains a slash, so the colon precedes the port of a registry
        // and not a tag.
        Some((_, behind)) if behind.contains('/') => (name, None),
        Some((name, tag)) => (name, Some(tag)),
        None => (name, None),
    };
    let repository = Repository::parse(name)?;
    if let Some(tag) = tag {
        fits_tag(tag)?;
    }
    if tag.is_none() && digest.is_none() {
        return Err("it has neither a tag nor a digest".to_owned());
    }
    Ok(Reference {
        repository,
        tag: tag.map(str::to_owned),
        digest,
    })
}

fn fits_tag(tag: &str) -> Result<(), String> {
    let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-');
    let begins_well = !tag.starts_with(['.', '-']);
    if !tag.is_empty() && tag.len() <= LONGEST_TAG && begins_well && tag.bytes().all(fits) {
        return Ok(());
    }
    Err(format!(
        "{tag:?} is not a tag; a tag has up to {LONGEST_TAG} letters, digits, dots, dashes and \
         underscores, and does not begin with a dot or dash"
    ))
}

// === impl Repository ===

impl Repository {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (host, path) = text
            .split_once('/')
            .filter(|(host, _)| host.contains(['.', ':']) || *host == "localhost")
            .ok_or("it does not name a registry")?;
        let host = host.parse::<Host>()?;
        if path.len() > LONGEST_PATH {
            return Err(format!("its path is longer than {LONGEST_PATH} characters"));
        }
        if let Some(part) = path.split('/').find(|part| !is_part(part)) {
            return Err(format!(
                "{part:?} is not valid in a path; parts have lower-case letters and digits, \
                 separated by a dot, dashes or underscores"
            ));
        }
        let path = match host.0.as_str() {
            DOCKER_HUB if !path.contains('/') => format!("library/{path}"),
            _ => path.to_owned(),
        };
        Ok(Self { host, path })
    }

    pub fn host(&self) -> &Host {
        &self.host
    }

    /// Returns the path, such as `ferry/bundle`.
    pub fn path(&self) -> &str {
        &self.path
    }

    pub(crate) fn new(host: Host, path: String) -> Self {
        Self { host, path }
    }
}

impl fmt::Display for Repository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.host, self.path)
    }
}

/// Returns true if the text is a valid component of a path. It consists of groups of letters and
/// digits. The separator between two groups is one dot, one or two underscores, or any number of
/// hyphens.
fn is_part(part: &str) -> bool {
    let is_word = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let separators = part
        .split(|c: char| c.is_ascii() && is_word(c as u8))
        .filter(|between| !between.is_empty());
    let fits = |between: &str| {
        matches!(between, "." | "_" | "__") || between.bytes().all(|byte| byte == b'-')
    };
    part.bytes().next().is_some_and(is_word)
        && part.bytes().next_back().is_some_and(is_word)
        && separators.into_iter().all(fits)
}

// === impl Host ===

impl Host {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns true if the host is a subdomain of this domain. Returns false for the domain itself.
    pub(crate) fn is_below(&self, domain: &Self) -> bool {
        let rest = self.0.strip_suffix(domain.as_str());
        rest.is_some_and(|rest| rest.ends_with('.'))
    }

    /// Returns the host for requests. For Docker Hub, this host differs from the name in images.
    pub(crate) fn address(&self) -> &str {
        match self.0.as_str() {
            DOCKER_HUB => "registry-1.docker.io",
            other => other,
        }
    }
}

impl FromStr for Host {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.to_ascii_lowercase();
        let flawed = || {
            format!(
                "{text:?} is not a registry; a registry is a name or an address, optionally \
             with a port"
            )
        };
        let (name, port) = match text.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
            _ => (text.as_str(), None),
        };
        let is_port = |port: &str| {
            port.bytes().all(|b| b.is_ascii_digit()) && port.parse::<u16>().is_ok_and(|p| p > 0)
        };
        if !is_name(name) || !port.is_none_or(is_port) {
            return Err(flawed());
        }
        Ok(match text.as_str() {
            // Docker uses these names for Docker Hub in its credentials.
            "index.docker.io" | "registry-1.docker.io" => Self(DOCKER_HUB.to_owned()),
            _ => Self(text),
        })
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_name(name: &str) -> bool {
    if let Some(address) = name.strip_prefix('[') {
        let address = address.strip_suffix(']').unwrap_or_default();
        return address.parse::<std::net::Ipv6Addr>().is_ok();
    }
    let is_label = |label: &str| {
        let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
        !label.is_empty() && label.bytes().all(fits) && !label.starts_with('-')
    };
    name.len() <= 253 && name.split('.').all(is_label)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const HEX: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[rstest]
    #[case::a_tag("quay.io/ferry/bundle:v1.0.0", "quay.io", "ferry/bundle", "v1.0.0")]
    #[case::a_port("r.example:5000/a:b", "r.example:5000", "a", "b")]
    #[case::this_machine("localhost/a:b", "localhost", "a", "b")]
    #[case::an_address("10.0.0.1:80/a:b", "10.0.0.1:80", "a", "b")]
    #[case::a_long_address("[::1]:5000/a:b", "[::1]:5000", "a", "b")]
    #[case::a_long_address_alone("[::1]/a:b", "[::1]", "a", "b")]
    #[case::upper_case("Quay.IO/a:B", "quay.io", "a", "B")]
    #[case::all_between_words("r.io/a.b/c_d/e__f/g---h:_", "r.io", "a.b/c_d/e__f/g---h", "_")]
    #[case::a_name_of_one_part_at_docker("docker.io/ferry:1", "docker.io", "library/ferry", "1")]
    #[case::docker_by_another_name("index.docker.io/a/b:1", "docker.io", "a/b", "1")]
    fn reference_is_split_into_its_parts(
        #[case] text: &str,
        #[case] host: &str,
        #[case] path: &str,
        #[case] wanted: &str,
    ) {
        let reference: Reference = text.parse().expect("a reference");
        let found = (
            reference.host().as_str(),
            reference.repository().path(),
            reference.wanted(),
        );
        assert_eq!(found, (host, path, wanted.to_owned()));
        let again = reference.to_string().parse();
        assert_eq!(again, Ok(reference));
    }

    #[rstest]
    #[case::alone("")]
    #[case::beside_a_tag(":v1")]
    fn digest_takes_precedence_over_the_tag(#[case] tag: &str) {
        let text = format!("r.io:443/a{tag}@sha256:{HEX}");
        let reference: Reference = text.parse().expect("a reference");
        assert_eq!(reference.wanted(), format!("sha256:{HEX}"));
        assert_eq!(reference.to_string(), text);
    }

    #[rstest]
    #[case::nothing("", "it does not name a registry")]
    #[case::no_registry("ferry/bundle:v1", "it does not name a registry")]
    #[case::a_scheme("https://quay.io/a:b", "it begins with https://")]
    #[case::neither("quay.io/a", "it has neither a tag nor a digest")]
    #[case::no_path("quay.io/:b", "\"\" is not valid in a path")]
    #[case::a_slash_too_much("quay.io/a//b:c", "\"\" is not valid in a path")]
    #[case::upward("quay.io/a/../b:c", "\"..\" is not valid in a path")]
    #[case::upper_case("quay.io/Ferry:b", "\"Ferry\" is not valid in a path")]
    #[case::three_underscores("quay.io/a___b:c", "\"a___b\" is not valid in a path")]
    #[case::a_dash_at_the_end("quay.io/a-:c", "\"a-\" is not valid in a path")]
    #[case::no_tag("quay.io/a:", "\"\" is not a tag")]
    #[case::a_dot_in_front("quay.io/a:.b", "\".b\" is not a tag")]
    #[case::no_digest("quay.io/a@sha256:0", "\"sha256:0\" is not a digest")]
    #[case::a_query("quay.io/a?b:c", "\"a?b\" is not valid in a path")]
    #[case::a_user("me:secret@quay.io/a:b", "\"quay.io/a:b\" is not a digest")]
    #[case::no_port("quay.io:x/a:b", "\"quay.io:x\" is not a registry")]
    #[case::port_zero("quay.io:0/a:b", "\"quay.io:0\" is not a registry")]
    #[case::two_ports("quay.io:1:2/a:b", "\"quay.io:1:2\" is not a registry")]
    #[case::no_address("[::g]:1/a:b", "\"[::g]:1\" is not a registry")]
    fn invalid_image_reference_is_refused(#[case] text: &str, #[case] flaw: &str) {
        let refused = text.parse::<Reference>().expect_err("no reference");
        let refused = refused.to_string();
        let expected = format!("{text:?} is not an image reference: {flaw}");
        assert!(refused.starts_with(&expected), "{refused}");
    }
}
