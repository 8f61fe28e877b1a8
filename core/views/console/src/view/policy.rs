//! Plans, and the policies that approve them.

use super::{Origin, State};

/// A plan that installs something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The system that executes it.
    pub origin: Origin,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The phase in its status.
    pub phase: String,
    /// The approval state.
    pub state: State,
    /// The reasons why it is not approved.
    pub why: Vec<String>,
    /// The bundles that it installs.
    pub bundles: Vec<String>,
    /// The changes that would approve it.
    pub fixes: Vec<String>,
}

/// A policy that permits or blocks upgrades.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// Its kind.
    pub kind: String,
    /// Its namespace; empty if it is cluster-scoped.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The package, or the bindings, that it applies to.
    pub about: String,
    /// The statements of the policy.
    pub says: Vec<String>,
    /// The problem with the policy; empty if it has no problem.
    pub trouble: String,
    /// The times in the next week at which it permits upgrades; None if it does not depend on the
    /// time.
    pub windows: Option<Vec<Window>>,
}

/// A time window for upgrades, as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// The day that it opens on.
    pub day: String,
    /// The time from which it is open.
    pub opens: String,
    /// The time until which it is open.
    pub closes: String,
}
