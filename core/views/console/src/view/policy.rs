//! Plans, and what lets them go ahead.

use super::{Origin, State};

/// A plan that installs something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The system that carries it out.
    pub origin: Origin,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its phase, as it says itself.
    pub phase: String,
    /// Whether it may go ahead.
    pub state: State,
    /// The reasons why it may not.
    pub why: Vec<String>,
    /// The bundles that it installs.
    pub bundles: Vec<String>,
    /// The changes that would let it go ahead.
    pub fixes: Vec<String>,
}

/// A policy that lets operators move, or holds them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// Its kind.
    pub kind: String,
    /// Its namespace; empty if it is in none.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The package, or the bindings, that it is about.
    pub about: String,
    /// The statements of the policy.
    pub says: Vec<String>,
    /// The trouble with the policy; empty if there is none.
    pub trouble: String,
    /// The times at which it lets them move in the next week; None if time does not matter.
    pub windows: Option<Vec<Window>>,
}

/// A time at which operators may move, as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// The day that it opens on.
    pub day: String,
    /// The time from which it is open.
    pub opens: String,
    /// The time until which it is open.
    pub closes: String,
}
