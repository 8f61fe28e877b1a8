//! The webhook. It reviews objects before the API server stores them. The author of an object
//! immediately gets the errors that a controller would report later.
//!
//! ```text
//! API server -- HTTPS --> Reviewer: reads, looks up references, admission reviews
//!                 ^
//!    certificate  |   Keeper: reads its Secret and configuration, core/base/certificate decides,
//!                 \----       writes the one, then the caBundle of the other
//! ```
//!
//! With `--enable-v2alpha1`, it also converts Operators of OLM. API servers require this: while the
//! webhook is unavailable, Operators can neither be read nor written in v2alpha1. A second keeper
//! writes the caBundle of their CRD.
//!
//! With `--approvals`, it stamps an Install with the name of the approver, if the approver may
//! grant all requested permissions. Otherwise, it rejects the approval. While the webhook is
//! unavailable, `spec.approval` cannot be set.
//!
//! The controller has a [`Watch`], which reports when API servers continue without the webhook.
//! [`absence`] checks this once.
//!
//! Pure functions in [`admission`] and in the crates in `core` make the decisions. If the webhook
//! does not respond, API servers continue without it, as its configuration specifies. Controllers
//! check each object again in any case.
//!
//! # Guarantees
//!
//! - Each request gets a response in time. An object that cannot be reviewed in time is allowed,
//!   with a warning.
//! - All replicas serve the same certificate. The certificate is replaced before it expires, but
//!   only after every API server trusts the next certificate.

pub mod admission;
mod approver;
mod budget;
mod converter;
mod flags;
mod metrics;
mod presence;
mod reviewer;
mod serve;
mod wanted;

pub use flags::{CONFIGURATION, Flags};
pub use portolan_core_certificate::Lifetimes;
pub use portolan_runtime::certificates::Terms;
pub use presence::{PresenceMetrics, Watch, absence};
pub use serve::{listen, serve};
