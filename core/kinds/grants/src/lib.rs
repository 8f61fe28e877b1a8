//! Decides about Installs of `operators.coreos.com/v2alpha1`: reads their content, checks which
//! permissions it needs, and checks who has granted these permissions.
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
//! A reconciler fills an [`Observation`] and calls [`decide`]. If the [`Decision`] requests facts,
//! the reconciler reads them, adds them to the observation and decides again. Then it writes the
//! status and carries out the steps.
//!
//! # Guarantees
//!
//! - Nothing is installed before the content is approved and the ServiceAccount has all permissions
//!   that the content needs. It needs permissions on each object, and each right that a role in the
//!   content grants.
//! - The status lists missing permissions. They can be granted in two ways. A user can create the
//!   [`bindings`]. The API server checks that this user has the granted rights. Alternatively, the
//!   controller creates the bindings. It requires a sealed [`Stamp`], which shows that a user
//!   approved exactly this content, and it checks that this user may still grant the permissions.
//! - The status lists the rules of roles unchanged. An approval never grants `escalate` or `bind`
//!   instead of these rules. Content whose rules cannot be listed is rejected.
//! - An approval applies to a digest of the content and of the permissions. It also covers the
//!   subjects that get permissions through bindings in the content. Annotations of the created
//!   bindings record the approval. The API server accepts these annotations only from users who may
//!   grant the same permissions.
//! - New content waits only if it needs more permissions than the account has, or gives permissions
//!   to more subjects. Meanwhile the installed content is kept.
//! - The name of a generated account contains the uid of its Install. Therefore the bindings of a
//!   deleted Install grant nothing to a new Install with the same name.
//! - Portolan resolves the tag of an image once, and the plan records the digest. After the plan
//!   was created, no registry is needed.
//! - When an Install is deleted, its objects are deleted before the permissions that their deletion
//!   needs.
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
