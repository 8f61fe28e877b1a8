//! The input of a decision about a certificate.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::lifetimes::Lifetimes;
use crate::name::CertificateName;
use crate::subject::{Subject, SubjectKind};

/// The input of a decision.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// The certificate.
    pub name: CertificateName,
    /// The objects that name it.
    pub subjects: Vec<Subject>,
    /// The names of the Services that name it, in the namespace of the Secret.
    pub services: BTreeSet<String>,
    /// The Secret of the certificate.
    pub secret: Secret,
    /// The times at which the desired `caBundle` was written, by object.
    pub written: BTreeMap<(SubjectKind, String), Vec<Timestamp>>,
    /// The times at which the Secret was written.
    pub secret_written: Vec<Timestamp>,
    /// The lifetimes of new certificates.
    pub lifetimes: Lifetimes,
    /// The current time.
    pub now: Timestamp,
}

/// The observed state of a Secret.
#[derive(Debug, Clone, PartialEq)]
pub enum Secret {
    /// The Secret is missing.
    Absent,
    /// The Secret was not made by Portolan.
    Foreign,
    /// The Secret was made by Portolan.
    Made(Stored),
}

/// The content of a Secret made by Portolan.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// The certificate of the webhooks, or the reason why it cannot be used.
    pub leaf: Result<Leaf, String>,
    /// The authorities, oldest first, or the reason why they cannot be used. There is at least one.
    pub authorities: Result<Vec<Authority>, String>,
    /// True if the key of the last authority is present. It may be missing from a Secret adopted
    /// from OLM, because OLM does not share the key of its authority.
    pub can_sign: bool,
    /// The certificates of the authorities, as a `caBundle` in JSON.
    pub ca_bundle: String,
}

/// A certificate for a Service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf {
    /// The DNS names that it is valid for.
    pub names: BTreeSet<String>,
    /// The validity of the certificate.
    pub validity: Validity,
    /// The index of the authority that signed it. None if none of the authorities signed it.
    pub authority: Option<usize>,
}

/// A certificate authority.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Authority {
    /// The validity of the certificate.
    pub validity: Validity,
}

/// The validity of a certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Validity {
    /// The first valid moment.
    pub from: Timestamp,
    /// The last valid moment.
    pub until: Timestamp,
}
