//! The controller of Installs. It watches Installs and their plans. `core/kinds/grants` makes the
//! decisions, and this module creates the ServiceAccounts and InstallPlans that install content.
//!
//! ```text
//! Installs, InstallPlans, OperatorGroups --> GrantCache -- GrantSnapshot --> GrantReconciler
//!                                                                               |     |
//!    permissions of a ServiceAccount, served kinds        <-- asks -------------+     +--> writes
//! ```
//!
//! This controller does not install objects itself. The plan controller installs them. Without an
//! [`ApprovalKey`], the controller grants no permissions and has no permissions to grant. A user
//! grants permissions with an [`ApprovalClient`], which this controller does not use. With an
//! [`ApprovalKey`], the controller creates the bindings for permissions that a user approved
//! through the webhook.
//!
//! # When it reconciles
//!
//! The controller reconciles when an Install, one of its plans or an OperatorGroup changes. It
//! reconciles every second while an approval is new and the bindings may not be effective yet, and
//! every minute while a kind is not served. An unavailable image is requested again with increasing
//! pauses.

mod cache;
mod client;
mod observe;
mod reconcile;

pub use cache::{GrantCache, GrantSnapshot};
pub use client::{Approval, ApprovalClient, NotApproved};
pub use portolan_core_grants::{ImageAnswer, ImageFault, ImageRef, RenderedImage};
pub use reconcile::GrantReconciler;

/// The Secret with the key that the webhook uses to seal approvals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalKey {
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub secret: String,
}

/// The reader of images of bundles.
pub trait Images: std::fmt::Debug + Send + Sync + 'static {
    /// Returns the content that an image installs, or the reason why it is unknown. Results are
    /// cached. A registry is not contacted again before its cached result expires.
    fn answer(&self, image: &ImageRef) -> impl Future<Output = ImageAnswer> + Send;
}
