//! The decision about a certificate, with notes for users.

use std::collections::BTreeSet;

use jiff::Timestamp;

use crate::observation::Validity;

/// The next steps for a certificate.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Decision {
    /// The change of the Secret. After this change, the Secret must be read again before any other
    /// step.
    pub secret: Option<SecretStep>,
    /// The objects whose `caBundle` must be written.
    pub injections: Vec<Injection>,
    /// The messages for users.
    pub notes: Vec<Note>,
    /// The time at which the decision must be made again, if no event occurs before.
    pub next: Option<Timestamp>,
}

/// The change of a Secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretStep {
    /// The indexes of the existing authorities that are kept.
    pub kept: Vec<usize>,
    /// The validity of a new authority. It is added after the existing authorities.
    pub authority: Option<Validity>,
    /// The DNS names and the validity of a new leaf, which the last authority signs. None if the
    /// current leaf is kept.
    pub leaf: Option<(BTreeSet<String>, Validity)>,
    /// The reason for the change.
    pub note: Note,
}

/// An object whose `caBundle` must be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Injection {
    /// The index of the object in the subjects of the observation.
    pub subject: usize,
    /// The value of `caBundle` in JSON.
    pub ca_bundle: String,
}

/// A message about a change or a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The reason as a code.
    pub reason: Reason,
    /// The message as a sentence.
    pub message: String,
}

/// The reason for a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// A certificate with an authority was created.
    CertificateMade,
    /// The leaf was renewed.
    CertificateRenewed,
    /// An authority was added. Objects also trust the authority that currently signs.
    AuthorityAdded,
    /// An expired authority was removed, so objects no longer trust it.
    AuthorityRemoved,
    /// The existing authorities could not be used, so a new authority replaces them.
    AuthorityReplaced,
    /// Portolan did not create the Secret, so it does not write the Secret.
    SecretNotOurs,
    /// An object calls a Service in another namespace than the Secret.
    ServiceElsewhere,
    /// An object calls no Service.
    NoService,
    /// Another client repeatedly changes a `caBundle`.
    CaBundleContested,
    /// Another client repeatedly changes the Secret.
    SecretContested,
}

// === impl Reason ===

impl Reason {
    /// Returns the code.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CertificateMade => "CertificateMade",
            Self::CertificateRenewed => "CertificateRenewed",
            Self::AuthorityAdded => "AuthorityAdded",
            Self::AuthorityRemoved => "AuthorityRemoved",
            Self::AuthorityReplaced => "AuthorityReplaced",
            Self::SecretNotOurs => "SecretNotOurs",
            Self::ServiceElsewhere => "ServiceElsewhere",
            Self::NoService => "NoService",
            Self::CaBundleContested => "CaBundleContested",
            Self::SecretContested => "SecretContested",
        }
    }

    /// Returns true if a user should check the reason.
    pub fn is_warning(self) -> bool {
        match self {
            Self::CertificateMade
            | Self::CertificateRenewed
            | Self::AuthorityAdded
            | Self::AuthorityRemoved => false,
            Self::AuthorityReplaced
            | Self::SecretNotOurs
            | Self::ServiceElsewhere
            | Self::NoService
            | Self::CaBundleContested
            | Self::SecretContested => true,
        }
    }
}
