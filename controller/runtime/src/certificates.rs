//! The controller that creates serving certificates for webhooks and other servers that API servers
//! call. It creates and renews Secrets with certificates. It writes the `caBundle` of the objects
//! that name these certificates.
//!
//! ```text
//! CertificateCache -- CertificateSnapshot --> Reconciler: read -> decide -> write
//!   metadata of webhook configurations, CRDs, APIServices and Services, and of Secrets created here
//! ```
//!
//! `core/base/certificate` makes the decisions. This module parses and creates certificates and
//! keys, reads and writes the objects, and determines when to check again.
//!
//! A process of Portolan that API servers call does not need this controller for its own
//! certificate. Such a process uses a [`Keeper`]. The [`Keeper`] applies the same rules to one
//! existing Secret, and the process serves the certificate in this Secret.
//!
//! # Permissions
//!
//! The controller reads objects of four kinds and writes their `caBundle` in all namespaces. It
//! also watches the metadata of Services, and never writes Services. It reads and writes Secrets
//! only in namespaces in which a Role grants access. If access is denied, the controller reports
//! this once, and starts its work as soon as access is granted.
//!
//! # When it reconciles
//!
//! The controller reconciles a certificate when an object that names it changes, or when its Secret
//! changes. The controller also reconciles at the time at which its decision may change, and at
//! least twice a day. The latter is necessary because timers are late after a machine has slept.

mod cache;
mod changes;
mod content;
mod keeper;
mod reconcile;
mod serving;

pub use cache::{CertificateCache, CertificateSnapshot};
pub use changes::{changes, named};
pub use content::{Content, MakeCertificate, trusted_until, valid_until};
pub use keeper::Keeper;
pub use reconcile::CertificateReconciler;
pub use serving::Terms;
