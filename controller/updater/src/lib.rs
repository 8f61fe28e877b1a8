//! The updater. If it is enabled, it writes `spec.version` of Operators, according to the rules in
//! its configuration.
//!
//! ```text
//! ConfigMap, Operators, catalogs change --> a round: reads everything, core/kinds/generate
//! decides,
//!                                           the resolver generates, spec.version is written
//! ```
//!
//! Each round reads all objects again, and no round needs data of an earlier round. Therefore the
//! updater can be stopped during a round: the next round does the remaining work. Without changes,
//! there is no round.
//!
//! The updater has its own ServiceAccount, Lease and field manager, and impersonates no user. The
//! field manager owns one condition of each Operator, and `spec.version` of the Operators that the
//! updater has updated. The updater takes over `spec.version` only from users who wrote the field
//! with kubectl or `portolan`, and only if the ConfigMap has `takeOver: true` for the Operator.
//!
//! # Permissions
//!
//! The updater may read Operators, and change their `spec.version` and its own condition. The API
//! server rejects its other changes. The updater may also read one ConfigMap, create events, and
//! hold its Lease.

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
