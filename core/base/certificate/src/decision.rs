//! The decision about a certificate, and the notes on it.

use std::collections::BTreeSet;

use jiff::Timestamp;

use crate::observation::Validity;

/// The decision about a certificate.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Decision {
    /// The change of the Secret. The Secret is read again before any other step.
    pub secret: Option<SecretStep>,
    /// The objects whose `caBundle` must be written.
    pub injections: Vec<Injection>,
    /// The messages for people.
    pub notes: Vec<Note>,
    /// The next time at which the decision changes without an event.
    pub next: Option<Timestamp>,
}

/// The change of a Secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretStep {
    /// The indexes of the authorities to keep.
    pub kept: Vec<usize>,
    /// The validity of a new authority, which is added at the end.
    pub authority: Option<Validity>,
    /// The names and the validity of a new leaf, signed by the last authority. None keeps the
    /// current leaf.
    pub leaf: Option<(BTreeSet<String>, Validity)>,
    /// The reason for the change.
    pub note: Note,
}

/// An object whose `caBundle` must be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Injection {
    /// The index of the subject.
    pub subject: usize,
    /// The bundle as JSON.
    pub ca_bundle: String,
}

/// A message about a change or a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The reason as a code.
    pub reason: Reason,
    /// The message, a sentence.
    pub message: String,
}

/// The reason for a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// A certificate was created.
    CertificateMade,
    /// The leaf was renewed.
    CertificateRenewed,
    /// A new authority is trusted, in addition to the authority that signs.
    AuthorityAdded,
    /// An expired authority is no longer trusted.
    AuthorityRemoved,
    /// The trusted authorities could not be continued.
    AuthorityReplaced,
    /// Another writer created the Secret.
    SecretNotOurs,
    /// An object calls a Service in another namespace.
    ServiceElsewhere,
    /// An object calls no Service.
    NoService,
    /// Another writer repeatedly changes a `caBundle`.
    CaBundleContested,
    /// Another writer repeatedly changes the Secret.
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

    /// Returns true if a user should check the decision.
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
