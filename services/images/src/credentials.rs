//! The credentials for registries, in the formats of Docker, podman and Kubernetes.

use std::collections::BTreeMap;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use base64::{alphabet, engine::DecodePaddingMode};
use serde::Deserialize;
use thiserror::Error;

use crate::reference::{Host, Repository};

/// Credentials for registries. Each login applies to a registry, or to a path of a registry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Credentials {
    entries: Vec<Entry>,
}

/// The secret with which a client authenticates.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Login {
    Password {
        user: String,
        password: String,
    },
    /// An identity token. The token server of the registry accepts it instead of a password.
    Identity(String),
    /// A token that the registry itself accepts.
    Registry(String),
}

/// A credential helper keeps the login for an image, but Portolan does not run credential helpers.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "the credential helper {helper:?} keeps the login for {scope}, but Portolan does not run \
     credential helpers; to write the login into a file, run `podman login --authfile FILE \
     {scope}`"
)]
pub struct KeptByHelper {
    scope: String,
    helper: String,
}

/// The reason why a text does not contain credentials.
#[derive(Debug, Error)]
pub enum ReadCredentials {
    /// The text has another format. The error of serde is dropped, because its message could
    /// contain a part of a password.
    #[error("the content is not a {0}")]
    Form(&'static str),
    /// A login in the text cannot be read.
    #[error("the login for {0:?} cannot be read: {1}")]
    Login(String, &'static str),
    /// The type of the Secret is not a type for registry credentials.
    #[error("a Secret of type {0:?} contains no logins; use type {DOCKER_CONFIG} or {DOCKER_CFG}")]
    Type(String),
    /// A key that the type of the Secret requires is missing.
    #[error("the Secret has no {0}")]
    Key(&'static str),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    scope: Scope,
    kept: Kept,
}

/// The images to which a login applies: `quay.io`, `quay.io/ferry` or, as in the kubelet,
/// `*.example.com`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Scope {
    host: String,
    path: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kept {
    Here(Login),
    ByHelper(String),
}

const DOCKER_CONFIG: &str = "kubernetes.io/dockerconfigjson";
const DOCKER_CFG: &str = "kubernetes.io/dockercfg";

/// Base64 with optional padding, because some tools omit the padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DockerConfig {
    #[serde(default)]
    auths: BTreeMap<String, Auth>,
    #[serde(default)]
    cred_helpers: BTreeMap<String, String>,
    creds_store: Option<String>,
}

#[derive(Default, Deserialize)]
struct Auth {
    #[serde(default)]
    auth: String,
    #[serde(default)]
    username: String,
    #[serde(default)]
    password: String,
    #[serde(default)]
    identitytoken: String,
    #[serde(default)]
    registrytoken: String,
}

// === impl Credentials ===

impl Credentials {
    /// Parses the `config.json` of Docker. The `auth.json` of podman has the same format.
    ///
    /// # Errors
    ///
    /// Returns the first error, without secrets.
    pub fn of_docker_config(json: &[u8]) -> Result<Self, ReadCredentials> {
        let config: DockerConfig = serde_json::from_slice(json)
            .map_err(|_| ReadCredentials::Form("config.json of Docker"))?;
        let helpers = config.cred_helpers.into_iter().map(|(name, helper)| Entry {
            scope: Scope::parse(&name),
            kept: Kept::ByHelper(helper),
        });
        let mut entries: Vec<Entry> = helpers.collect();
        let store = config.creds_store.filter(|store| !store.is_empty());
        for (name, auth) in config.auths {
            let kept = match (auth.login(&name)?, &store) {
                (Some(login), _) => Kept::Here(login),
                (None, Some(store)) => Kept::ByHelper(store.clone()),
                (None, None) => continue,
            };
            let scope = Scope::parse(&name);
            entries.push(Entry { scope, kept });
        }
        Ok(Self { entries })
    }

    /// Parses a pull Secret. The data must already be decoded from base64.
    ///
    /// # Errors
    ///
    /// Returns an error if the Secret has another type, or its content does not match its type.
    pub fn of_pull_secret(
        kind: &str,
        data: &BTreeMap<String, Vec<u8>>,
    ) -> Result<Self, ReadCredentials> {
        let of = |key| data.get(key).ok_or(ReadCredentials::Key(key));
        match kind {
            DOCKER_CONFIG => Self::of_docker_config(of(".dockerconfigjson")?),
            DOCKER_CFG => {
                let auths: BTreeMap<String, Auth> = serde_json::from_slice(of(".dockercfg")?)
                    .map_err(|_| ReadCredentials::Form(".dockercfg of Docker"))?;
                let mut entries = Vec::new();
                for (name, auth) in auths {
                    if let Some(login) = auth.login(&name)? {
                        let scope = Scope::parse(&name);
                        let kept = Kept::Here(login);
                        entries.push(Entry { scope, kept });
                    }
                }
                Ok(Self { entries })
            }
            other => Err(ReadCredentials::Type(other.to_owned())),
        }
    }

    /// Adds other credentials. They are used only if these credentials have no login that is
    /// equally specific.
    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        self.entries.extend(others.entries);
        self
    }

    /// Returns the login for a repository. Returns None if there is no login. The login with the
    /// longest matching path is used. Patterns are considered last.
    pub(crate) fn login(&self, repository: &Repository) -> Result<Option<&Login>, KeptByHelper> {
        let fitting = self
            .entries
            .iter()
            .filter(|entry| entry.scope.has(repository));
        // `min_by_key` returns the first of equally specific logins.
        let closest = fitting.min_by_key(|entry| entry.scope.distance());
        match closest {
            None => Ok(None),
            Some(Entry {
                kept: Kept::Here(login),
                ..
            }) => Ok(Some(login)),
            Some(Entry {
                kept: Kept::ByHelper(helper),
                scope,
            }) => Err(KeptByHelper {
                scope: scope.to_string(),
                helper: helper.clone(),
            }),
        }
    }
}

// === impl Scope ===

impl Scope {
    /// Parses the name of a scope. Docker may write a complete URL, with the protocol version as
    /// its path.
    fn parse(name: &str) -> Self {
        let bare = name.trim();
        let bare = bare.strip_prefix("https://").unwrap_or(bare);
        let bare = bare.strip_prefix("http://").unwrap_or(bare);
        let (host, path) = bare.split_once('/').unwrap_or((bare, ""));
        let path = match path.trim_end_matches('/') {
            "v1" | "v2" => "",
            path => path,
        };
        let host = match host.parse::<Host>() {
            Ok(host) => host.to_string(),
            // A pattern is not a valid host name, so it is kept as text.
            Err(_) => host.to_ascii_lowercase(),
        };
        Self {
            host,
            path: path.to_owned(),
        }
    }

    fn has(&self, repository: &Repository) -> bool {
        let rest = repository.path().strip_prefix(self.path.as_str());
        let is_below = rest
            .is_some_and(|rest| self.path.is_empty() || rest.is_empty() || rest.starts_with('/'));
        is_below && fits(&self.host, repository.host().as_str())
    }

    /// Returns the key by which scopes are sorted. A more specific scope has a smaller key.
    fn distance(&self) -> (std::cmp::Reverse<usize>, bool) {
        (std::cmp::Reverse(self.path.len()), self.host.contains('*'))
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.host)?;
        if self.path.is_empty() {
            return Ok(());
        }
        write!(f, "/{}", self.path)
    }
}

/// Returns true if a host matches a pattern. The labels are compared one by one, and `*` matches
/// any characters within one label.
fn fits(pattern: &str, host: &str) -> bool {
    let (mut labels, mut patterns) = (host.split('.'), pattern.split('.'));
    loop {
        match (labels.next(), patterns.next()) {
            (None, None) => return true,
            (Some(label), Some(pattern)) if fits_label(pattern, label) => {}
            _ => return false,
        }
    }
}

fn fits_label(pattern: &str, label: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == label,
        Some((front, behind)) => label.strip_prefix(front).is_some_and(|rest| {
            let ends = (0..=rest.len()).filter(|at| rest.is_char_boundary(*at));
            ends.into_iter().any(|at| fits_label(behind, &rest[at..]))
        }),
    }
}

// === impl Auth ===

impl Auth {
    fn login(self, name: &str) -> Result<Option<Login>, ReadCredentials> {
        let flawed = |flaw| ReadCredentials::Login(name.to_owned(), flaw);
        if !self.registrytoken.is_empty() {
            return Ok(Some(Login::Registry(self.registrytoken)));
        }
        if !self.identitytoken.is_empty() {
            return Ok(Some(Login::Identity(self.identitytoken)));
        }
        if self.auth.is_empty() {
            let is_empty = self.username.is_empty() && self.password.is_empty();
            return Ok((!is_empty).then_some(Login::Password {
                user: self.username,
                password: self.password,
            }));
        }
        let auth = BASE64.decode(self.auth.trim());
        let auth = auth.map_err(|_| flawed("its auth is not base64"))?;
        let auth = String::from_utf8(auth).map_err(|_| flawed("its auth is not UTF-8"))?;
        let (user, password) = auth
            .split_once(':')
            .ok_or_else(|| flawed("its auth has no colon between a name and a password"))?;
        Ok(Some(Login::Password {
            user: user.to_owned(),
            password: password.trim_end_matches('\0').to_owned(),
        }))
    }
}

// === impl Login ===

impl fmt::Debug for Login {
    /// Formats the login without its secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Password { user, .. } => f.debug_tuple("Password").field(user).finish(),
            Self::Identity(_) => f.write_str("Identity"),
            Self::Registry(_) => f.write_str("Registry"),
        }
    }
}

#[cfg(test)]
mod tests;
