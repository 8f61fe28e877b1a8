//! Installs of `operators.coreos.com/v2alpha1`: their content, the permissions that it needs, and
//! the users who granted them.
//!
//! ```text
//!  content -- import --> manifests, mapped into their namespaces; or all faults of the content
//!                              |
//!    Observation: approval, plans, answers -- decide --> Decision { asks, steps, status, until }
//!         ^                                               |        |        |
//!         +---- looked up <-------------------------------+        |        +-> written
//!                                                                  +-> account, plan, "Unapproved"
//!    pending permissions -- bindings --> roles and bindings for a user who may grant them
//! ```
//!
//! A reconciler fills an [`Observation`] and calls [`decide`]. While the [`Decision`] requests
//! facts, the reconciler looks them up, adds them to the observation and decides again. Then it
//! writes the status and executes the steps.
//!
//! # Guarantees
//!
//! - Nothing is installed before it is approved and the ServiceAccount holds all permissions that
//!   it needs: every verb on every object, and every right that a role among the objects grants.
//! - Missing permissions are reported. A user creates the [`bindings`] with their own rights, and
//!   an API server rejects a grant of more than the user holds. Alternatively, the controller
//!   creates them if a sealed [`Stamp`] shows that a user approved exactly this content, and that
//!   user may still grant the permissions.
//! - The rules of roles are listed unchanged. No approval grants `escalate` or `bind` in their
//!   place, and content whose rules cannot be listed is rejected.
//! - An approval covers a digest of the content and of the permissions. It names the subjects to
//!   which bindings pass permissions on. It is recorded in annotations of the bindings that it
//!   creates, which an API server admits only from users who may grant the same permissions.
//! - Later content waits only if it needs more permissions than the account holds, or passes more
//!   permissions on. Meanwhile the installed content is kept.
//! - The name of a generated account contains the uid of its Install. Bindings of a deleted Install
//!   with the same name therefore grant it nothing.
//! - The tag of an image is resolved once, and the digest is recorded with the plan. When the
//!   content has a plan, no registry is needed any more.
//! - The objects of a deleted Install are removed before the permissions to remove them.
//!
//! The crate accesses no cluster and no clock. `core/kinds/install` carries out the plans.

#![warn(clippy::wildcard_enum_match_arm)]

mod account;
mod content;
mod decide;
mod giver;
mod permission;
mod plan;
mod rights;
mod stamp;
mod takes;

pub use account::{Group, account_name};
pub use content::{
    ImageAnswer, ImageFault, ImageRef, Images, Imported, NotImported, RenderedImage, import,
};
pub use decide::{AccountSight, Approvals, Ask, Decision, Observation, Step, decide};
pub use giver::{Giver, giver};
pub use permission::{SUBJECTS, bindings, given_by};
pub use plan::{CONTENT, GENERATION, PlanSeen, Progress, Record};
pub use stamp::{
    APPROVES, Approver, GUARD, STAMP, Stamp, StampKey, approval_digest, content_digest, is_guarded,
};
pub use takes::bound;
