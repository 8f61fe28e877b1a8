//! References to other objects, and which of these objects are missing.

use std::collections::BTreeSet;
use std::fmt;

use portolan_api::policy::{Binding, PolicyBinding, Subject, SubjectKind};

use crate::admission::review::read;
use crate::admission::{Kind, Request};

/// An object to which another object refers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reference {
    pub kind: Kind,
    /// The namespace. Empty for a cluster-scoped kind.
    pub namespace: String,
    pub name: String,
}

/// The references whose objects do not exist. Omits references that were not looked up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Absent(pub BTreeSet<Reference>);

/// Returns the references of the object in a request. The caller can look them up before the review
/// or skip this.
pub fn references(request: &Request) -> BTreeSet<Reference> {
    let is_binding = request.reviewed() == Some(Kind::PolicyBinding);
    let binding = is_binding.then(|| read::<PolicyBinding>(&request.object));
    let binding = binding.flatten().and_then(|it| Binding::parse(&it).ok());
    let Some(Binding { subjects, policies }) = binding else {
        return BTreeSet::new();
    };
    let policies = policies.into_iter().map(|name| Reference {
        kind: Kind::Policy,
        namespace: String::new(),
        name,
    });
    let operators = subjects.into_iter().filter_map(|subject| match subject {
        Subject::One {
            kind,
            namespace,
            name,
        } => Some(Reference {
            kind: match kind {
                SubjectKind::Operator => Kind::Operator,
                SubjectKind::OperatorPolicy => Kind::OperatorPolicy,
            },
            namespace,
            name,
        }),
        // A subject that selects all objects may match no object.
        Subject::All { .. } => None,
    });
    policies.chain(operators).collect()
}

impl fmt::Display for Reference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kind,
            namespace,
            name,
        } = self;
        let kind = kind.as_str();
        match namespace.as_str() {
            "" => write!(out, "{kind} {name}"),
            namespace => write!(out, "{kind} {namespace}/{name}"),
        }
    }
}
