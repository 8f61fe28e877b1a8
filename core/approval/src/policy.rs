//! What policies say.

use portolan_core_names::{Consent, PackageName};

use crate::ground::Ground;
use crate::objection::Objection;
use crate::{Namespace, Reason};

/// The kind of a policy.
pub const POLICY: &str = "OperatorPolicy";

/// What one policy says of the operator that it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// Which policy, in which generation.
    pub id: PolicyId,
    /// The package that it is about.
    pub package: PackageName,
    /// The namespace that it works on; None while that is not known, and may be any.
    pub namespace: Option<String>,
    /// What it says.
    pub says: Says,
}

/// A policy in one generation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PolicyId {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its uid; None where no cluster has it.
    pub uid: Option<String>,
    /// Its generation; 0 where no cluster has it.
    pub generation: u32,
}

/// What a policy says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Says {
    /// What may be installed.
    Allows(Allows),
    /// Why it allows nothing.
    Withholds(Withheld),
}

/// What a policy allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allows {
    /// The bundles and versions.
    pub consents: Vec<Consent>,
    /// The field that they are written in, for whoever wants to add one.
    pub field: &'static str,
    /// The catalog that its operator is to come from, as `namespace/name`; None for any.
    pub catalog: Option<String>,
    /// Whether these are allowed as well where the operator is installed already.
    pub updates: bool,
    /// Whether what its operator needs besides is allowed, where no policy is about that.
    pub dependencies: bool,
}

/// Why a policy allows nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Withheld {
    /// It only informs.
    Inform,
    /// Its operator must not be there.
    MustNotHave,
    /// It is not valid: what is wrong with it, one sentence each.
    Invalid(Vec<String>),
    /// Others that are enforced mean the same Subscription; sorted.
    Overlaps(Vec<PolicyId>),
    /// It is being deleted.
    Leaving,
}

// === impl Policy ===

impl Policy {
    /// Why it allows nothing, whatever is planned; None if it allows something.
    pub fn withheld(&self) -> Option<Reason> {
        let Says::Withholds(withheld) = &self.says else {
            return None;
        };
        let place = self.namespace.as_deref().unwrap_or("its namespace");
        let namespace = Namespace {
            name: place.to_owned(),
            ..Namespace::default()
        };
        let ground = Ground::new(&namespace);
        Some(Objection::withheld(&ground, self, withheld).reason)
    }
}
