//! The webhook: says to the author of an object what a controller would say of it later, before the API
//! server writes it.
//!
//! ```text
//! API server -- HTTPS --> Reviewer: reads, looks up what is named, admission reviews
//!                 ^
//!    certificate  |   Keeper: looks at its Secret and its configuration, core/base/certificate decides,
//!                 \----       writes the one, then the caBundle of the other
//! ```
//!
//! With `--enable-v2alpha1` it also converts Operators of OLM, which API servers cannot do without: while it is
//! away they are neither read nor written in v2alpha1. A second keeper writes the caBundle of their definition.
//!
//! With `--approvals` it stamps who approves an Install, if they may give all that this takes, and refuses it else. An
//! approval waits for it: while it is away, nobody approves by writing `spec.approval`.
//!
//! The controller has a [`Watch`], which tells where API servers go on without it; [`absence`] tells it once.
//!
//! All decisions are pure: those of [`admission`] and of the crates in `core`. If the webhook does not answer, API servers
//! go on, as its configuration says, and controllers check each object again.
//!
//! # Guarantees
//!
//! - An answer comes in time, whatever is asked. What cannot be looked at in time is allowed, with a warning.
//! - All replicas serve with one certificate. It is renewed before it ends, and no sooner than every API
//!   server trusts the next one.

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
