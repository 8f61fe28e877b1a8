//! The decision about a certificate, and the notes on it.

use std::collections::BTreeSet;

use jiff::Timestamp;

use crate::observation::Validity;

/// The decision about a certificate.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Decision {
    /// The change of the Secret. Then it is looked at again before anything else is done.
    pub secret: Option<SecretStep>,
    /// The objects whose `caBundle` is to be written.
    pub injections: Vec<Injection>,
    /// The notes for people.
    pub notes: Vec<Note>,
    /// The moment at which time alone changes the decision.
    pub next: Option<Timestamp>,
}

/// The change of a Secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretStep {
    /// The authorities that stay, by their places.
    pub kept: Vec<usize>,
    /// The validity of one that is added after them.
    pub authority: Option<Validity>,
    /// The names and the validity of a new leaf, which the last authority signs; None leaves the one
    /// that is there.
    pub leaf: Option<(BTreeSet<String>, Validity)>,
    /// Why.
    pub note: Note,
}

/// An object whose `caBundle` is to be written, by its place among the subjects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Injection {
    /// Its place.
    pub subject: usize,
    /// The bundle, as it is written in JSON.
    pub ca_bundle: String,
}

/// One piece of news, or of what is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// In a word.
    pub reason: Reason,
    /// The message, a sentence.
    pub message: String,
}

/// The reason for a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// There was no certificate, and now there is.
    CertificateMade,
    /// The leaf is a new one.
    CertificateRenewed,
    /// Another authority is trusted beside the one that signs.
    AuthorityAdded,
    /// An authority is trusted no longer, as it has expired.
    AuthorityRemoved,
    /// The trusted authorities could not go on.
    AuthorityReplaced,
    /// Another writer made the Secret.
    SecretNotOurs,
    /// An object calls a Service of another namespace.
    ServiceElsewhere,
    /// An object calls no Service.
    NoService,
    /// Another writer changes a `caBundle` again and again.
    CaBundleContested,
    /// Another writer changes the Secret again and again.
    SecretContested,
}

// === impl Reason ===

impl Reason {
    /// The word.
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

    /// Whether somebody should look.
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
