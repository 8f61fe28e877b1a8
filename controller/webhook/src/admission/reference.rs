//! The references from an object to other objects.

use std::collections::BTreeSet;
use std::fmt;

use portolan_api::policy::{Binding, PolicyBinding, Subject, SubjectKind};

use crate::admission::review::read;
use crate::admission::{Kind, Request};

/// A reference to another object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reference {
    pub kind: Kind,
    /// The namespace of the object. Empty if the kind is cluster-scoped.
    pub namespace: String,
    pub name: String,
}

/// The references to objects that do not exist. References that were not looked up are not
/// included.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Absent(pub BTreeSet<Reference>);

/// Returns the references in the object of a request. The caller may look up the objects before the
/// review.
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
        // This subject selects all objects of a kind, and does not require that there is one.
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
