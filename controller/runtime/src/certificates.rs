//! The controller of the certificates that webhooks are served with: makes and renews the Secrets
//! that objects name, and writes the `caBundle` of these objects.
//!
//! ```text
//! CertificateCache -- CertificateSnapshot --> Reconciler: read -> decide -> write
//!   metadata of webhook configurations, definitions and APIServices, and of Secrets made here
//! ```
//!
//! The decision is made by `core/base/certificate`. This module knows the format of certificates and
//! keys, how both are asked for and written, and when to look again.
//!
//! A process that API servers call keeps its own certificate, without that controller: with a [`Keeper`],
//! which decides by the same rules about one Secret that is there, and serves with what is in it.
//!
//! # What it may do
//!
//! It reads objects of four kinds and writes their `caBundle`, everywhere. Secrets it reads and writes
//! only in the namespaces in which a Role lets it; where none does it says so once, and begins when
//! one does.
//!
//! # When it looks again
//!
//! It looks again when an object that names a certificate changes, or a Secret that was made here;
//! and when time alone changes the decision, or twice a day, as machines may sleep.

mod cache;
mod changes;
mod content;
mod keeper;
mod reconcile;
mod serving;

pub use cache::{CertificateCache, CertificateSnapshot};
pub use changes::{changes, named};
pub use content::{Content, MakeCertificate, trusted_until};
pub use keeper::Keeper;
pub use reconcile::CertificateReconciler;
pub use serving::Terms;
