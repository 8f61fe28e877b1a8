//! The objects in a query.

use portolan_core_diagnosis::{OwnKind, OwnQuestion, Subject};
use thiserror::Error;

/// The objects in a query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Question {
    /// The namespace. None for all namespaces.
    pub(crate) namespace: Option<String>,
    /// The name of the object, the package, the Subscription or the ClusterServiceVersion. None for
    /// all.
    pub(crate) name: Option<String>,
    /// The kind. None for all kinds.
    pub(crate) kind: Option<AskedKind>,
}

/// The kind of the objects in a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AskedKind {
    /// Operators of OLM, identified by their Subscription.
    Subscription,
    /// Operators of OLM, identified by their ClusterServiceVersion.
    Csv,
    /// Operators of OLM and of Portolan, identified by their package.
    Package,
    /// A kind of Portolan's own objects.
    Own(OwnKind),
}

/// The reason why a request cannot be processed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum RequestError {
    /// A field of the request is empty or invalid.
    #[error("{field}: {message}")]
    Field {
        field: &'static str,
        message: String,
    },
    /// The object does not exist.
    #[error("there is no {kind} {name}{place}{near}")]
    Unknown {
        kind: &'static str,
        name: String,
        place: String,
        near: String,
    },
    /// The object was not found, but some objects cannot be listed.
    #[error("operators cannot be listed: {0}")]
    Unseen(String),
    /// The request lacks a fact that the cluster does not report.
    #[error("{0}")]
    Precondition(String),
    /// The server does not judge readiness, because only its own process uses it.
    #[error("this server does not judge the readiness for cluster upgrades")]
    NoReadiness,
    /// The service has a bug.
    #[error("the request failed: {0}")]
    Failed(String),
    /// Objects have not been listed yet.
    #[error("the objects have not been read yet; retry in a moment")]
    NotYet,
}

// === impl Question ===

impl Question {
    /// Returns true if the query includes operators of OLM.
    pub(crate) fn is_about_olm(&self) -> bool {
        match self.kind {
            None | Some(AskedKind::Subscription | AskedKind::Csv | AskedKind::Package) => true,
            Some(AskedKind::Own(_)) => false,
        }
    }

    /// Returns the query for the objects of Portolan. Returns None if the query includes only
    /// operators of OLM.
    pub(crate) fn own(&self) -> Option<OwnQuestion<'_>> {
        let kind = match self.kind {
            None => None,
            Some(AskedKind::Own(kind)) => Some(kind),
            Some(AskedKind::Package) => Some(OwnKind::Operator),
            Some(AskedKind::Subscription | AskedKind::Csv) => return None,
        };
        Some(OwnQuestion {
            kind,
            namespace: self.namespace.as_deref(),
            is_by_name: self.name.is_some(),
        })
    }

    /// Returns true if the request selects the object. A request without a name selects all objects
    /// of the kind.
    pub(crate) fn means(&self, subject: &Subject) -> bool {
        let names = self.names(subject);
        match self.name.as_deref() {
            None => names.iter().any(|name| !name.is_empty()) || subject.object.name.is_empty(),
            Some(name) => names.contains(&name),
        }
    }

    /// Returns the names that a request can use for the object. Empty names are ignored.
    fn names<'s>(&self, subject: &'s Subject) -> [&'s str; 3] {
        let Subject {
            object,
            package,
            csv,
        } = subject;
        match self.kind {
            None => [package, &object.name, csv],
            Some(AskedKind::Subscription) if object.kind == "Subscription" => {
                [&object.name, "", ""]
            }
            Some(AskedKind::Subscription) => [""; 3],
            Some(AskedKind::Csv) => [csv, "", ""],
            Some(AskedKind::Package) => [package, "", ""],
            Some(AskedKind::Own(_)) => [&object.name, "", ""],
        }
    }

    /// Returns an error if no object has the requested name.
    pub(crate) fn unknown(&self, is_found: bool, others: &[Subject]) -> Option<RequestError> {
        let name = self.name.as_ref().filter(|_| !is_found)?;
        let known = others.iter().flat_map(|other| self.names(other));
        let known: Vec<_> = known.filter(|known| !known.is_empty()).collect();
        let near = portolan_core_names::nearest(name, known.iter());
        let is_cluster_scoped =
            matches!(self.kind, Some(AskedKind::Own(kind)) if !kind.is_namespaced());
        let place = match &self.namespace {
            Some(namespace) => format!(" in namespace {namespace}"),
            None if is_cluster_scoped => String::new(),
            None => " in any namespace".to_owned(),
        };
        Some(RequestError::Unknown {
            kind: self.kind.map_or("operator", AskedKind::as_str),
            name: name.clone(),
            place,
            near: near.map_or_else(String::new, |near| format!("; did you mean {near}?")),
        })
    }
}

// === impl AskedKind ===

impl AskedKind {
    /// Returns the kind for use in messages.
    fn as_str(self) -> &'static str {
        match self {
            Self::Subscription => "Subscription",
            Self::Csv => "ClusterServiceVersion",
            Self::Package => "package",
            Self::Own(kind) => kind.as_str(),
        }
    }
}
