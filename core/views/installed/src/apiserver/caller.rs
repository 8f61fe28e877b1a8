//! Identifies the caller of a request. The API server that forwards the request reports the caller.

use std::collections::{BTreeMap, BTreeSet};

use crate::apiserver::query::decoded;

/// The group of all authenticated users. API servers do not send it when they are the caller.
const AUTHENTICATED: &str = "system:authenticated";
const ANONYMOUS: &str = "system:anonymous";
/// The prefix of the user name of a ServiceAccount. The namespace, a colon and the name follow.
const SERVICE_ACCOUNT: &str = "system:serviceaccount:";

/// The user who sent a request.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Caller {
    /// The user name.
    pub user: String,
    /// The uid. Empty if unknown.
    pub uid: String,
    /// The groups.
    pub groups: BTreeSet<String>,
    /// The additional attributes of the user.
    pub extra: BTreeMap<String, Vec<String>>,
}

/// The callers for which a limit counts together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tenant {
    /// A user.
    User(String),
    /// The ServiceAccounts of a namespace. They share a limit, because a user who can create one
    /// ServiceAccount can create many.
    ServiceAccountsOf(String),
}

/// The configuration of the front proxy: how API servers authenticate, and which request headers
/// contain the original user. It comes from the ConfigMap
/// `kube-system/extension-apiserver-authentication`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FrontProxy {
    /// The CA certificates that authenticate API servers, in PEM.
    pub authorities: String,
    /// The CA certificates that authenticate users, in PEM. Empty if they are missing.
    pub user_authorities: String,
    /// The names that the certificate of an API server may have. If empty, any name is allowed.
    pub names: BTreeSet<String>,
    users: Vec<String>,
    groups: Vec<String>,
    uids: Vec<String>,
    extra: Vec<String>,
}

/// The reason why a ConfigMap does not configure the front proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoFrontProxy {
    /// The CA certificates for API servers are missing.
    NoAuthority,
    /// The header for the user name is missing.
    NoUserHeader,
    /// A value is not a list of strings. Contains its key.
    NoList(&'static str),
}

// === impl Caller ===

impl Caller {
    /// Returns the caller that a client certificate identifies. The common name is the user name,
    /// and the organizations are the groups.
    pub fn of_certificate(name: &str, organizations: impl IntoIterator<Item = String>) -> Self {
        Self {
            user: name.to_owned(),
            groups: organizations.into_iter().collect(),
            ..Self::default()
        }
        .known()
    }

    /// Returns true if the caller is in the group `system:masters`. The members of this group have
    /// all permissions, without an access review.
    pub fn is_master(&self) -> bool {
        self.groups.contains("system:masters")
    }

    /// Returns the tenant to which the caller belongs.
    pub fn tenant(&self) -> Tenant {
        let account = self.user.strip_prefix(SERVICE_ACCOUNT);
        match account.and_then(|account| account.split_once(':')) {
            Some((namespace, _)) => Tenant::ServiceAccountsOf(namespace.to_owned()),
            None => Tenant::User(self.user.clone()),
        }
    }

    fn known(mut self) -> Self {
        if self.user != ANONYMOUS {
            self.groups.insert(AUTHENTICATED.to_owned());
        }
        self
    }
}

// === impl FrontProxy ===

impl FrontProxy {
    /// Parses the data of the ConfigMap.
    ///
    /// # Errors
    /// Returns an error if the data does not configure the front proxy.
    pub fn parse(data: &BTreeMap<String, String>) -> Result<Self, NoFrontProxy> {
        let text = |key: &str| data.get(key).cloned().unwrap_or_default();
        let list = |key: &'static str| match data.get(key).map(String::as_str) {
            None | Some("") => Ok(Vec::new()),
            Some(json) => {
                serde_json::from_str::<Vec<String>>(json).map_err(|_| NoFrontProxy::NoList(key))
            }
        };
        let lower = |key| {
            let names = list(key)?.into_iter();
            Ok(names.map(|name| name.to_ascii_lowercase()).collect())
        };
        let proxy = Self {
            authorities: text("requestheader-client-ca-file"),
            user_authorities: text("client-ca-file"),
            names: list("requestheader-allowed-names")?.into_iter().collect(),
            users: lower("requestheader-username-headers")?,
            groups: lower("requestheader-group-headers")?,
            uids: lower("requestheader-uid-headers")?,
            extra: lower("requestheader-extra-headers-prefix")?,
        };
        if proxy.authorities.trim().is_empty() {
            return Err(NoFrontProxy::NoAuthority);
        }
        if proxy.users.is_empty() {
            return Err(NoFrontProxy::NoUserHeader);
        }
        Ok(proxy)
    }

    /// Returns true if the certificate of an API server may have this name.
    pub fn allows(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.contains(name)
    }

    /// Returns the user that the headers of a request contain. The names of the headers must be in
    /// lower case. Returns None if no header contains a user name.
    pub fn caller<'a>(
        &self,
        headers: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Option<Caller> {
        let mut caller = Caller::default();
        // If several configured headers are present, the header that is configured first is used.
        let mut users = BTreeMap::new();
        let mut uids = BTreeMap::new();
        let place = |names: &[String], name: &str| names.iter().position(|own| own == name);
        for (name, value) in headers {
            if let Some(place) = place(&self.users, name) {
                users.entry(place).or_insert(value);
            }
            if let Some(place) = place(&self.uids, name) {
                uids.entry(place).or_insert(value);
            }
            if self.groups.iter().any(|own| own == name) {
                caller.groups.insert(value.to_owned());
            }
            let mut prefixes = self.extra.iter();
            if let Some(key) = prefixes.find_map(|prefix| name.strip_prefix(prefix.as_str())) {
                let values = caller.extra.entry(decoded(key, false)).or_default();
                values.push(value.to_owned());
            }
        }
        caller.user = first(users)?.to_owned();
        caller.uid = first(uids).unwrap_or_default().to_owned();
        Some(caller.known())
    }
}

fn first(values: BTreeMap<usize, &str>) -> Option<&str> {
    let mut values = values.into_values();
    values.find(|value| !value.is_empty())
}

impl std::fmt::Display for Tenant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::User(name) => write!(f, "user {name:?}"),
            Self::ServiceAccountsOf(namespace) => {
                write!(f, "the group of ServiceAccounts in namespace {namespace:?}")
            }
        }
    }
}

impl std::fmt::Display for NoFrontProxy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoAuthority => f.write_str(
                "it has no requestheader-client-ca-file: start the API server with \
                 --requestheader-client-ca-file",
            ),
            Self::NoUserHeader => f.write_str(
                "it has no requestheader-username-headers: start the API server with \
                 --requestheader-username-headers",
            ),
            Self::NoList(key) => write!(f, "{key} is not a JSON list of strings"),
        }
    }
}

#[cfg(test)]
mod tests;
