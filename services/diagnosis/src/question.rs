//! The operators that a question is about.

use portolan_core_diagnosis::Subject;
use thiserror::Error;

/// The operators that a question is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Question {
    /// None for all.
    pub(crate) namespace: Option<String>,
    /// The package, the Subscription or the ClusterServiceVersion; None for all.
    pub(crate) name: Option<String>,
}

/// The reason why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum RequestError {
    /// A field of the request is empty or invalid.
    #[error("{field}: {message}")]
    Field {
        field: &'static str,
        message: String,
    },
    /// The operator does not exist.
    #[error("there is no operator {name}{place}{near}")]
    Unknown {
        name: String,
        place: String,
        near: String,
    },
    /// The operator was not found, and some operators cannot be listed.
    #[error("operators cannot be listed: {0}")]
    Unseen(String),
    /// Objects have not been listed yet.
    #[error("the objects have not been read yet; ask again in a moment")]
    NotYet,
}

// === impl Question ===

impl Question {
    /// Returns true if the request selects the operator.
    pub(crate) fn means(&self, subject: &Subject) -> bool {
        let Some(name) = self.name.as_deref() else {
            return true;
        };
        names(subject).contains(&name)
    }

    /// Returns an error if no operator has the requested name.
    pub(crate) fn unknown(&self, is_found: bool, others: &[Subject]) -> Option<RequestError> {
        let name = self.name.as_ref().filter(|_| !is_found)?;
        let known = others.iter().flat_map(names);
        let known: Vec<_> = known.filter(|known| !known.is_empty()).collect();
        let near = portolan_core_names::nearest(name, known.iter());
        let place = self.namespace.as_ref();
        Some(RequestError::Unknown {
            name: name.clone(),
            place: match place {
                Some(namespace) => format!(" in namespace {namespace}"),
                None => " in any namespace".to_owned(),
            },
            near: near.map_or_else(String::new, |near| format!("; did you mean {near}?")),
        })
    }
}

fn names(subject: &Subject) -> [&str; 3] {
    let Subject {
        object,
        package,
        csv,
    } = subject;
    [package, &object.name, csv]
}
