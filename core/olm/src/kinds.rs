//! The kinds of OLM v0 by their names, for sentences and references.

/// The group that all of them are in.
pub const GROUP: &str = "operators.coreos.com";
/// An operator.
pub const CSV: &str = "ClusterServiceVersion";
/// A step of OLM.
pub const INSTALL_PLAN: &str = "InstallPlan";
/// The wish for an operator.
pub const SUBSCRIPTION: &str = "Subscription";
