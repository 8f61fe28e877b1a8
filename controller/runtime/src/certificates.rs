//! The controller of serving certificates for webhooks. It creates and renews the Secrets that
//! objects refer to, and writes the `caBundle` of these objects.
//!
//! ```text
//! CertificateCache -- CertificateSnapshot --> Reconciler: read -> decide -> write
//!   metadata of webhook configurations, CRDs, APIServices and Services, and of Secrets created here
//! ```
//!
//! `core/base/certificate` makes the decisions. This module parses and creates certificates and
//! keys, reads and writes the objects, and determines when to check again.
//!
//! A process that API servers call does not need this controller for its own certificate. It uses a
//! [`Keeper`], which applies the same rules to one existing Secret and serves the certificate from
//! this Secret.
//!
//! # Permissions
//!
//! The controller reads objects of four kinds and writes their `caBundle` in all namespaces. It
//! also watches the metadata of Services, and never writes Services. It reads and writes Secrets
//! only in namespaces where a Role grants access. A denied access is reported once. The controller
//! starts when access is granted.
//!
//! # When it reconciles
//!
//! The controller reconciles when an object that refers to a certificate changes, or when a Secret
//! that the controller created changes. It also reconciles when the decision changes with time, and
//! twice a day, because machines may sleep.

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
