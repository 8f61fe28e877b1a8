//! The reasons why an upgrade is allowed or denied.

use std::fmt;

use portolan_core_names::codes;
use portolan_core_names::text::write_object;

codes! {
    /// The code of a reason.
    pub enum Code;

    /// No window of a Policy is open.
    TimeRestricted,
    /// The rule of a Policy does not allow the upgrade.
    DeniedByRule,
    /// The rule of a Policy has no result, because it fails or takes too long.
    RuleFailed,
    /// A Policy cannot be read, so it allows no upgrade.
    PolicyInvalid,
    /// A PolicyBinding names a missing object.
    BindingBroken,
    /// A PolicyBinding is invalid, so it is unknown which operators it applies to.
    BindingInvalid,
    /// No PolicyBinding names the operator.
    NoPolicyBinding,
    /// A Policy allows it.
    Allowed,
}

/// The object that a reason is about: its kind, namespace and name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Object {
    pub kind: &'static str,
    pub namespace: String,
    pub name: String,
}

/// One reason for a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    pub code: Code,
    /// The message, a sentence.
    pub message: String,
    pub object: Object,
}

// === impl Object ===

impl Object {
    pub(crate) fn policy(name: &str) -> Self {
        Self::cluster("Policy", name)
    }

    pub(crate) fn binding(name: &str) -> Self {
        Self::cluster("PolicyBinding", name)
    }

    fn cluster(kind: &'static str, name: &str) -> Self {
        Self {
            kind,
            namespace: String::new(),
            name: name.to_owned(),
        }
    }
}

/// Formats the object as in `Operator ferry`.
impl fmt::Display for Object {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kind,
            namespace,
            name,
        } = self;
        write_object(out, kind, namespace, name)
    }
}
