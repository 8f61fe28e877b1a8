//! The certificates that webhooks are served with: what is to be made, renewed, and written into the
//! `caBundle` of the objects that name them.
//!
//! ```text
//! objects with the annotation --> Subject: its services, their caBundle --\
//! Secret --> Stored: leaf and authorities, by their times and names -------> decide --> Decision
//! ```
//!
//! An object names its certificate by the annotation [`INJECT_CA_FROM`]. All objects that name the
//! same Secret share one leaf certificate, which is for the Services of all of them, and the
//! authorities that vouch for it.
//!
//! # Guarantees
//!
//! - A Secret that does not carry the label [`MADE`] is never written.
//! - A renewed leaf is signed by the same authority, as long as that lasts.
//! - A new authority signs nothing before every object has had it in its `caBundle` for an hour, and
//!   the one before it stays there until it has expired. So whoever serves with an older leaf is
//!   trusted as long as that leaf lasts.
//!
//! It knows no format of certificates and no key: a shell reads and makes them, has the clock, and
//! the randomness.

mod decide;
mod decision;
mod lifetimes;
mod name;
mod observation;
mod subject;

pub use decide::decide;
pub use decision::{Decision, Injection, Note, Reason, SecretStep};
pub use lifetimes::Lifetimes;
pub use name::{CertificateName, NotAName, Refusal, dns_names, named};
pub use observation::{Authority, Leaf, Observation, Secret, Stored, Validity};
pub use subject::{Service, Site, Subject, SubjectKind};

/// The annotation by which an object says whose certificate belongs into its `caBundle`, as
/// NAMESPACE/SECRET.
pub const INJECT_CA_FROM: &str = "portolan.dev/inject-ca-from";

/// The name under which the fields of Secrets and every `caBundle` are owned.
pub const MANAGER: &str = "certificates.portolan.dev";

/// The label of a Secret that was made here, whose value is `true`.
pub const MADE: &str = "certificates.portolan.dev/made";
