//! The controller of Installs. It watches Installs and their InstallPlans. The crate
//! `core/kinds/grants` makes the decisions. This module creates the ServiceAccounts and
//! InstallPlans that install the content of Installs.
//!
//! ```text
//! Installs, InstallPlans, OperatorGroups --> GrantCache -- GrantSnapshot --> GrantReconciler
//!                                                                               |     |
//!    permissions of a ServiceAccount, served kinds        <-- asks -------------+     +--> writes
//! ```
//!
//! The plan controller installs the objects. Without an [`ApprovalKey`], the controller of Installs
//! grants no permissions, and does not have the permissions to do this. A user then grants
//! permissions with an [`ApprovalClient`], which this controller does not use. With an
//! [`ApprovalKey`], the controller creates the bindings for permissions that a user has approved
//! and the webhook has signed.
//!
//! # When it reconciles
//!
//! The controller reconciles when an Install, one of its InstallPlans or an OperatorGroup changes.
//! While an approval is new, it reconciles every second, because the bindings may not be effective
//! yet. It reconciles every minute while a kind is not served. An unavailable image is requested
//! again with growing pauses.

mod cache;
mod client;
mod observe;
mod reconcile;

pub use cache::{GrantCache, GrantSnapshot};
pub use client::{Approval, ApprovalClient, NotApproved};
pub use portolan_core_grants::{ImageAnswer, ImageFault, ImageRef, RenderedImage};
pub use reconcile::GrantReconciler;

/// The Secret with the key with which the webhook signs approvals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalKey {
    /// The namespace of the Secret.
    pub namespace: String,
    /// The name of the Secret.
    pub secret: String,
}

/// Reads the content of bundle images.
pub trait Images: std::fmt::Debug + Send + Sync + 'static {
    /// Returns the content that an image installs, or the reason why the content is unknown.
    /// Results are cached. A registry is contacted again only after its cached result has expired.
    fn answer(&self, image: &ImageRef) -> impl Future<Output = ImageAnswer> + Send;
}
