//! The controller of Installs: sees them and their plans, has `core/kinds/grants` decide, and makes the
//! ServiceAccounts and the InstallPlans by which content is installed.
//!
//! ```text
//! Installs, InstallPlans, OperatorGroups --> GrantCache -- GrantSnapshot --> GrantReconciler
//!                                                                               |     |
//!    what a ServiceAccount may do, which kinds are served <-- what is asked for-+     +--> writes
//! ```
//!
//! It installs nothing itself: that is the business of the controller of plans. Without an [`ApprovalKey`] it gives no
//! rights either, and holds none that it could give: a person does, through an [`ApprovalClient`], which has no part
//! in this. With one it binds what a user has approved through the webhook.
//!
//! # When it looks again
//!
//! It looks again when an Install, a plan of one or an OperatorGroup changes. While an approval is
//! new, and the API server may not know yet what was bound, every second; while a kind is not
//! served, every minute. An image that is not to be had is asked for again after pauses that grow.

mod cache;
mod client;
mod observe;
mod reconcile;

pub use cache::{GrantCache, GrantSnapshot};
pub use client::{Approval, ApprovalClient, NotApproved};
pub use portolan_core_grants::{ImageAnswer, ImageFault, ImageRef, RenderedImage};
pub use reconcile::GrantReconciler;

/// The Secret with the key by which the webhook seals what somebody has approved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalKey {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub secret: String,
}

/// The reader of images of bundles.
pub trait Images: std::fmt::Debug + Send + Sync + 'static {
    /// Returns the content that an image installs, or the reason why that is not known. It keeps
    /// its answers, and does not ask a registry more often than they say.
    fn answer(&self, image: &ImageRef) -> impl Future<Output = ImageAnswer> + Send;
}
