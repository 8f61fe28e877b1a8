//! The caller, as reported by the API server that forwards the request.

use std::collections::{BTreeMap, BTreeSet};

use crate::apiserver::query::decoded;

/// The group of all authenticated users. API servers omit it in their own requests.
const AUTHENTICATED: &str = "system:authenticated";
const ANONYMOUS: &str = "system:anonymous";
/// The prefix of the names of ServiceAccounts, before their namespace and a colon.
const SERVICE_ACCOUNT: &str = "system:serviceaccount:";

/// The caller of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Caller {
    /// The name.
    pub user: String,
    /// The uid. Empty if unknown.
    pub uid: String,
    /// The groups.
    pub groups: BTreeSet<String>,
    /// The additional attributes of the user.
    pub extra: BTreeMap<String, Vec<String>>,
}

/// The callers that share a limit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tenant {
    /// A user.
    User(String),
    /// The ServiceAccounts of a namespace. They share a limit, because a user who can create one
    /// ServiceAccount can create many.
    ServiceAccountsOf(String),
}

/// Settings for authenticating front-proxy API servers, and the request headers that name the
/// original user. Parsed from the ConfigMap `kube-system/extension-apiserver-authentication`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FrontProxy {
    /// The CA certificates for API servers, in PEM.
    pub authorities: String,
    /// The CA certificates for users, in PEM. Empty if no CA certificate exists.
    pub user_authorities: String,
    /// The allowed names of API servers. If empty, any name is allowed.
    pub names: BTreeSet<String>,
    users: Vec<String>,
    groups: Vec<String>,
    uids: Vec<String>,
    extra: Vec<String>,
}

/// The problem with a ConfigMap that should configure the front proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoFrontProxy {
    /// The CA certificates for API servers are missing.
    NoAuthority,
    /// No header is configured for the user name.
    NoUserHeader,
    /// A value is not a list of strings.
    NoList(&'static str),
}

// === impl Caller ===

impl Caller {
    /// Creates a caller from a certificate. The common name is the user, and the organizations are
    /// the groups.
    pub fn of_certificate(name: &str, organizations: impl IntoIterator<Item = String>) -> Self {
        Self {
            user: name.to_owned(),
            groups: organizations.into_iter().collect(),
            ..Self::default()
        }
        .known()
    }

    /// Returns true for members of `system:masters`, who have all permissions without a check by
    /// the cluster.
    pub fn is_master(&self) -> bool {
        self.groups.contains("system:masters")
    }

    /// Returns the tenant whose limits apply to the caller.
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
    /// Reads the data of the ConfigMap.
    ///
    /// # Errors
    /// Returns an error if the data cannot identify callers.
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

    /// Returns true if an API server may have this name.
    pub fn allows(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.contains(name)
    }

    /// Returns the user in the headers of an API server. Header names are in lower case. Returns
    /// None if no header names a user.
    pub fn caller<'a>(
        &self,
        headers: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Option<Caller> {
        let mut caller = Caller::default();
        // If several headers are present, the first configured header counts.
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
