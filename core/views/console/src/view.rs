//! The data that pages show. The caller fills these views from the services.
//!
//! Every text in a view comes from a catalog, an object or a service. Such a text may be long, may
//! contain markup, and may be malformed.

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
    Applied, End, Field, Move, Offered, PackageManager, Preview, PreviewPage, Rehearsed, Rewritten,
    Step, UnsafeUpdate,
};
pub use self::readiness::{UpgradeReadiness, UpgradeStep, UpgradeTime};
pub use self::updates::{Updated, Updates};

/// The state of an object.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// The operator does not work, and needs a fix.
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
    /// No problem was found.
    Well,
}

/// A part of a page, or the reason why the part is unavailable.
pub type Seen<T> = Result<T, Unseen>;

/// The reason why a part of a page is unavailable, as a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unseen(pub String);

/// A note about objects that a page cannot show, or that it shows in an outdated state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hidden {
    /// A sentence with the kind of the objects and the reason.
    pub why: Unseen,
    /// True if the page shows an outdated state of the objects. False if the page cannot show them.
    pub is_stale: bool,
}

/// The data of the overview page.
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
