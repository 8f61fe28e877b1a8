//! The observation that a decision about a certificate is made from.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::lifetimes::Lifetimes;
use crate::name::CertificateName;
use crate::subject::{Subject, SubjectKind};

/// All that a decision is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// The certificate.
    pub name: CertificateName,
    /// The objects that name it.
    pub subjects: Vec<Subject>,
    /// The Secret that it is in.
    pub secret: Secret,
    /// The times at which the `caBundle` that is now wanted was written, by the object.
    pub written: BTreeMap<(SubjectKind, String), Vec<Timestamp>>,
    /// The times at which the Secret was written.
    pub secret_written: Vec<Timestamp>,
    /// The lifetimes of what is made.
    pub lifetimes: Lifetimes,
    /// The time.
    pub now: Timestamp,
}

/// A Secret as it is seen.
#[derive(Debug, Clone, PartialEq)]
pub enum Secret {
    /// It is not there.
    Absent,
    /// It is there, and was not made here.
    Foreign,
    /// It was made here.
    Made(Stored),
}

/// The content of a Secret that was made here.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// The certificate that webhooks are served with, or why it cannot be used.
    pub leaf: Result<Leaf, String>,
    /// Those who vouch for it, the oldest first, or why they cannot be used. There is at least one.
    pub authorities: Result<Vec<Authority>, String>,
    /// Whether the key of the last of them is there: OLM, from which a Secret may be taken over, keeps
    /// that of its own to itself.
    pub can_sign: bool,
    /// The certificates of the authorities, as a `caBundle` in JSON.
    pub ca_bundle: String,
}

/// A certificate for a Service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf {
    /// The names that it is for.
    pub names: BTreeSet<String>,
    /// The time in which it is valid.
    pub validity: Validity,
    /// The place of the authority that signed it; None if none of them did.
    pub authority: Option<usize>,
}

/// An authority that signs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Authority {
    /// The time in which it is valid.
    pub validity: Validity,
}

/// The time in which a certificate is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Validity {
    /// The first moment.
    pub from: Timestamp,
    /// The last moment.
    pub until: Timestamp,
}
