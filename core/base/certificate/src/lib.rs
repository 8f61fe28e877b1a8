//! Certificates of webhooks: decides when they are created and renewed, and which `caBundle` fields
//! must be written.
//!
//! ```text
//! objects with the annotation --> Subject: its services, their caBundle --\
//! Services with the annotation --> their names -----------------------------\
//! Secret --> Stored: leaf and authorities, by their times and names -------> decide --> Decision
//! ```
//!
//! An object names its certificate in the annotation [`INJECT_CA_FROM`]. All objects that name the
//! same Secret share one leaf certificate and its authorities. The leaf is valid for all Services
//! that these objects call.
//!
//! A Service can also have the annotation. Its Pods can then start before an object with a
//! `caBundle` exists. Users of a namespace can write its Services, so a Service may name only one
//! Secret: the Secret that [`secret_of`] returns for its name.
//!
//! # Guarantees
//!
//! - Portolan never writes a Secret without the label [`MADE`].
//! - While an authority is valid, it also signs the renewed leaf.
//! - A new authority signs nothing until every object has had it in its `caBundle` for an hour. The
//!   previous authority stays in the `caBundle` until it expires. So clients trust a server with an
//!   older leaf as long as the leaf is valid.
//!
//! The crate parses and creates no certificates and keys. Its caller reads and creates them, and
//! provides the current time and random numbers.

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

/// The annotation that names the certificate for the `caBundle` of an object, as NAMESPACE/SECRET.
pub const INJECT_CA_FROM: &str = "portolan.dev/inject-ca-from";

/// The field manager with which Portolan writes Secrets and `caBundle` fields.
pub const MANAGER: &str = "certificates.portolan.dev";

/// The label of a Secret that Portolan created. Its value is `true`.
pub const MADE: &str = "certificates.portolan.dev/made";
