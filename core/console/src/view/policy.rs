//! Plans, and what lets them go ahead.

use super::{Origin, State};

/// A plan that installs something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Who carries it out.
    pub origin: Origin,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// How far it is, as it says itself.
    pub phase: String,
    /// Whether it may go ahead.
    pub state: State,
    /// Why not.
    pub why: Vec<String>,
    /// The bundles that it installs.
    pub bundles: Vec<String>,
    /// What would let it go ahead.
    pub fixes: Vec<String>,
}

/// What lets operators move, or holds them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// Its kind.
    pub kind: String,
    /// Its namespace; empty if it is in none.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Whom it is about.
    pub about: String,
    /// What it says.
    pub says: Vec<String>,
    /// What is wrong with it.
    pub trouble: String,
    /// When it lets them move in the next week; None if time does not matter.
    pub windows: Option<Vec<Window>>,
}

/// A time at which operators may move, as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// The day that it opens on.
    pub day: String,
    /// From when.
    pub opens: String,
    /// Until when.
    pub closes: String,
}
