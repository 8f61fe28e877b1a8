//! The updater. If it is enabled, it writes into Operators the versions that their rules allow.
//!
//! ```text
//! ConfigMap, Operators, catalogs change --> a round: reads everything, core/kinds/generate
//! decides,
//!                                           the resolver generates, spec.version is written
//! ```
//!
//! Each round reads everything again and keeps nothing. If the updater is killed in the middle of a
//! round, the next one continues correctly. There is no round while nothing changes.
//!
//! The updater acts only as itself, with its own ServiceAccount, its own Lease, and its own field
//! manager. That manager owns `spec.version` of the Operators that it has updated, and one
//! condition. It takes `spec.version` only from users who wrote it with kubectl or `portolan`, and
//! only if the ConfigMap has `takeOver: true` for the Operator.
//!
//! # Permissions
//!
//! The updater may read Operators and change them, which the API server limits to `spec.version`
//! and that condition. It may read one ConfigMap, create events, and hold its Lease.

mod catalogs;
mod changes;
mod flags;
mod metrics;
mod observe;
mod once;
mod rehearsal;
mod round;
mod serve;
mod write;

pub use flags::{Flags, Once, UpdaterConfig};
pub use once::{OperatorLine, RoundResult, once};
pub use rehearsal::UpdaterRehearsal;
pub use serve::{beside, listen, serve};
