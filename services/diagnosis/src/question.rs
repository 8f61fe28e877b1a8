//! The request for diagnoses, and the objects that it selects.

use portolan_core_diagnosis::{OwnKind, OwnQuestion, Subject};
use thiserror::Error;

/// The objects that a request selects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Question {
    /// The namespace. None for all namespaces.
    pub(crate) namespace: Option<String>,
    /// The name of the object, package, Subscription or ClusterServiceVersion. None selects all
    /// names.
    pub(crate) name: Option<String>,
    /// The kind. None for all kinds.
    pub(crate) kind: Option<AskedKind>,
}

/// The kind of objects that a request selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AskedKind {
    /// Operators of OLM, identified by their Subscription.
    Subscription,
    /// Operators of OLM, identified by their ClusterServiceVersion.
    Csv,
    /// Operators of OLM and of Portolan, identified by their package.
    Package,
    /// An object of this kind of Portolan.
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
    /// The object was not found, but it may be among objects that cannot be listed.
    #[error("operators cannot be listed: {0}")]
    Unseen(String),
    /// The request lacks a fact that the cluster does not report.
    #[error("{0}")]
    Precondition(String),
    /// This service does not judge readiness, because only code of its own process uses the
    /// service.
    #[error("this server does not assess readiness for cluster upgrades")]
    NoReadiness,
    /// The caller, or all callers together, have too many requests that are not answered yet.
    #[error("{0}")]
    Busy(&'static str),
    /// The service has a bug.
    #[error("the request failed: {0}")]
    Failed(String),
    /// Objects have not been listed yet.
    #[error("the objects have not been read yet; retry in a moment")]
    NotYet,
}

// === impl Question ===

impl Question {
    /// Returns true if the request may select operators of OLM.
    pub(crate) fn is_about_olm(&self) -> bool {
        match self.kind {
            None | Some(AskedKind::Subscription | AskedKind::Csv | AskedKind::Package) => true,
            Some(AskedKind::Own(_)) => false,
        }
    }

    /// Returns the selection among Portolan's own objects. Returns None if the request selects only
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
    /// of its kind.
    pub(crate) fn means(&self, subject: &Subject) -> bool {
        let names = self.names(subject);
        match self.name.as_deref() {
            None => names.iter().any(|name| !name.is_empty()) || subject.object.name.is_empty(),
            Some(name) => names.contains(&name),
        }
    }

    /// Returns the names by which a request can select the object. Empty names never match.
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

    /// Returns an error if the request has a name and no object has this name.
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
    /// Returns the name of the kind for messages.
    fn as_str(self) -> &'static str {
        match self {
            Self::Subscription => "Subscription",
            Self::Csv => "ClusterServiceVersion",
            Self::Package => "package",
            Self::Own(kind) => kind.as_str(),
        }
    }
}
