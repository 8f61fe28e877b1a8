//! The facts for a decision about a certificate.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::lifetimes::Lifetimes;
use crate::name::CertificateName;
use crate::subject::{Subject, SubjectKind};

/// The facts for a decision about a certificate.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// The Secret of the certificate.
    pub name: CertificateName,
    /// The objects that name the certificate.
    pub subjects: Vec<Subject>,
    /// The names of the Services that name the certificate. They are in the namespace of the
    /// Secret.
    pub services: BTreeSet<String>,
    /// The observed state of the Secret.
    pub secret: Secret,
    /// For each object, the times at which Portolan wrote the desired `caBundle`.
    pub written: BTreeMap<(SubjectKind, String), Vec<Timestamp>>,
    /// The times at which Portolan wrote the Secret.
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
    /// The Secret exists, but Portolan did not create it.
    Foreign,
    /// Portolan created the Secret.
    Made(Stored),
}

/// The content of a Secret that Portolan created.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// The leaf certificate, or the reason why it cannot be used.
    pub leaf: Result<Leaf, String>,
    /// The authorities, oldest first, or the reason why they cannot be used. There is at least one
    /// authority.
    pub authorities: Result<Vec<Authority>, String>,
    /// True if the Secret contains the key of the last authority. A Secret that was adopted from
    /// OLM may lack it, because OLM does not store the key of its authority.
    pub can_sign: bool,
    /// The certificates of the authorities, as a `caBundle` in JSON.
    pub ca_bundle: String,
}

/// A leaf certificate, which webhooks or API servers serve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf {
    /// The DNS names for which the certificate is valid.
    pub names: BTreeSet<String>,
    /// The validity of the leaf certificate.
    pub validity: Validity,
    /// The index of the authority that signed the certificate. None if it is not in the Secret.
    pub authority: Option<usize>,
}

/// A certificate authority.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Authority {
    /// The validity of the authority's certificate.
    pub validity: Validity,
}

/// The validity of a certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Validity {
    /// The first moment at which the certificate is valid.
    pub from: Timestamp,
    /// The last moment at which the certificate is valid.
    pub until: Timestamp,
}
