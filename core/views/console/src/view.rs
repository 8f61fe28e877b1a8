//! The views that pages show, filled from the services.
//!
//! Every text in a view comes from a catalog, an object or a service. No text is assumed to be
//! short, plain or well-formed.

mod all;
mod catalog;
mod object;
mod operator;
mod policy;
mod preview;
mod readiness;
mod updates;

pub use self::all::PageView;
pub use self::catalog::{
    About, BundlePage, CatalogRow, ChannelRow, Granted, PackagePage, PackageRow, ReleaseRow,
};
pub use self::object::{ObjectCell, ObjectKind, ObjectPage, ObjectTable, ShownObject};
pub use self::operator::{
    BlockedVersion, Cause, CheckedObject, DiagnosedObject, Diagnoses, Event, Follower, Operator,
    OperatorPage, Origin, Quote, Remedy, RouteHop, Versions,
};
pub use self::policy::{Install, Plan, Policies, Policy};
pub use self::preview::{
    Applied, End, Field, Move, Offered, PackageManager, Preview, PreviewPage, Rewritten, Step,
    UnsafeUpdate,
};
pub use self::readiness::{UpgradeReadiness, UpgradeStep, UpgradeTime};
pub use self::updates::{Updated, Updates};

/// The state of an object.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// The operator does not work.
    Broken,
    /// The operator makes no progress.
    Stuck,
    /// The operator waits for an approval.
    Waiting,
    /// The operator is in progress.
    Working,
    /// The state is unknown.
    #[default]
    Unknown,
    /// No problems found.
    Well,
}

/// A section of a page, or the reason why it is unavailable.
pub type Seen<T> = Result<T, Unseen>;

/// The reason why a section is unavailable, as a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unseen(pub String);

/// Objects that a page cannot show, or not in their current state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hidden {
    /// The kind of the objects, and the reason.
    pub why: Unseen,
    /// True if the page shows an older state of the objects.
    pub is_stale: bool,
}

/// The overview of everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overview {
    /// The operators.
    pub operators: Seen<Vec<Operator>>,
    /// The catalogs.
    pub catalogs: Seen<Vec<CatalogRow>>,
    /// The plans.
    pub plans: Seen<Vec<Plan>>,
}

// === impl State ===

impl State {
    /// The states, worst first.
    pub const ALL: [Self; 6] = [
        Self::Broken,
        Self::Stuck,
        Self::Waiting,
        Self::Working,
        Self::Unknown,
        Self::Well,
    ];

    /// Returns the text that is shown to users.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Broken => "broken",
            Self::Stuck => "stuck",
            Self::Waiting => "waiting",
            Self::Working => "working",
            Self::Unknown => "unknown",
            Self::Well => "well",
        }
    }

    /// Returns the class of the stylesheet.
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Broken | Self::Stuck => "state broken",
            Self::Waiting => "state waiting",
            Self::Working => "state working",
            Self::Unknown => "state unknown",
            Self::Well => "state well",
        }
    }
}
