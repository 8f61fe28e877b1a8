//! The certificates of webhooks: creating and renewing them, and writing the `caBundle` of the
//! objects that use them.
//!
//! ```text
//! objects with the annotation --> Subject: its services, their caBundle --\
//! Services with the annotation --> their names -----------------------------\
//! Secret --> Stored: leaf and authorities, by their times and names -------> decide --> Decision
//! ```
//!
//! An object names its certificate in the annotation [`INJECT_CA_FROM`]. All objects that name the
//! same Secret share one leaf certificate and its authorities. The leaf certificate is valid for
//! all their Services.
//!
//! A Service can have the annotation too, so that its Pods can start before any object with a
//! `caBundle` exists. Namespaced users write Services, so a Service names only the Secret that
//! [`secret_of`] derives from its own name.
//!
//! # Guarantees
//!
//! - A Secret without the label [`MADE`] is never written.
//! - A renewed leaf is signed by the same authority, while that is valid.
//! - A new authority signs nothing until every object has had it in its `caBundle` for an hour. The
//!   previous authority stays in the `caBundle` until it has expired. Therefore a server with an
//!   older leaf certificate is trusted while that certificate is valid.
//!
//! The crate knows no certificate format and no key: a shell reads and creates certificates, and
//! provides the clock and randomness.

mod decide;
mod decision;
mod lifetimes;
mod name;
mod observation;
mod subject;

pub use decide::decide;
pub use decision::{Decision, Injection, Note, Reason, SecretStep};
pub use lifetimes::Lifetimes;
pub use name::{
    CertificateName, InvalidCertificateName, NotAName, NotOfService, dns_names, named, requested,
    secret_of,
};
pub use observation::{Authority, Leaf, Observation, Secret, Stored, Validity};
pub use subject::{Service, Site, Subject, SubjectKind};

/// The annotation with the certificate for the `caBundle` of an object, as NAMESPACE/SECRET.
pub const INJECT_CA_FROM: &str = "portolan.dev/inject-ca-from";

/// The field manager of Secrets and of every `caBundle`.
pub const MANAGER: &str = "certificates.portolan.dev";

/// The label of Secrets made by Portolan, with the value `true`.
pub const MADE: &str = "certificates.portolan.dev/made";
