//! The updater. If it is enabled, it writes into Operators the versions that their rules allow.
//!
//! ```text
//! ConfigMap, Operators, catalogs change --> a round: reads everything, core/kinds/generate
//! decides,
//!                                           the resolver generates, spec.version is written
//! ```
//!
//! Each round reads all objects again and keeps no data. If the updater is stopped during a round,
//! the next round continues correctly. Without changes, there is no round.
//!
//! The updater has its own ServiceAccount, Lease and field manager, and impersonates no user. Its
//! field manager owns one condition, and the `spec.version` of the Operators that it has updated.
//! It takes over `spec.version` only from users who wrote it with kubectl or `portolan`, and only
//! if the ConfigMap has `takeOver: true` for the Operator.
//!
//! # Permissions
//!
//! The updater may read Operators, and change `spec.version` and its condition. The API server
//! denies other changes. The updater may also read one ConfigMap, create events, and hold its
//! Lease.

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
