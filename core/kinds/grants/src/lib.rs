//! Installs of `operators.coreos.com/v2alpha1`: what one installs, which permissions that takes, and who has
//! granted them.
//!
//! ```text
//!  content -- import --> manifests, mapped into their namespaces; or all that is wrong with them
//!                              |
//!    Observation: approval, plans, answers -- decide --> Decision { asks, steps, status, until }
//!         ^                                               |        |        |
//!         +---- looked at <-------------------------------+        |        +-> written
//!                                                                  +-> an account, a plan, "Unapproved"
//!    what is pending -- bindings --> roles and bindings, for whoever may give these rights
//! ```
//!
//! A reconciler fills an [`Observation`] and calls [`decide`]. As long as the [`Decision`] asks something, it
//! looks, tells the observation and decides again. Then it writes the status, and carries out the steps.
//!
//! # What is promised
//!
//! - Nothing is installed that is not approved, nor before the ServiceAccount holds all that it takes: every
//!   verb on every object, and every right that a role among them gives.
//! - What is lacking is told. [`bindings`] are made by a person, with their own rights, and an API server gives nobody
//!   more than the giver has; or here, where a [`Stamp`] with its seal says that a person has approved exactly this,
//!   who may still give it.
//! - The rules of roles are listed unchanged. No approval gives `escalate` or `bind` in their place, and a content whose
//!   rules cannot be listed is refused.
//! - An approval is about a digest of the content and of the permissions. It names the subjects to which bindings pass
//!   permissions on; it is recorded in annotations of the bindings that it makes, which an API server lets only those
//!   write who may give the same.
//! - A later content waits only where it takes more than the account holds, or passes more on; what is installed stays
//!   meanwhile.
//! - The account that is generated has the uid of its Install in its name: no binding that an Install of the
//!   same name left behind gives it anything.
//! - What the tag of an image means is looked up once, and recorded with the plan. A content that has its plan needs
//!   no registry any more.
//! - What an Install made is gone before the rights to take it away are.
//!
//! The crate knows no cluster and no clock. That a plan is carried out is for `core/kinds/install`.

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
    APPROVES, Approver, GUARD, Key, STAMP, Stamp, approval_digest, content_digest, is_guarded,
};
pub use takes::bound;
