//! The catalogs and bundles of each Kubernetes or OpenShift release in a cluster upgrade, up to the
//! target release.
//!
//! ```text
//! ReleaseCatalogs: read_given or FollowedReleases -> ReleaseContents --\
//! catalogs of the cluster now ---------------------> Snapshot ----------+-> StagedCatalogs
//! StagedCatalogs, Bundles -> judge_with_bundles -> core/questions/route
//! ```
//!
//! The caller supplies the operators of the cluster. This module also exports the types of the
//! question, because they are the input and the output of these functions.

mod contents;
mod given;
mod staged;

pub use portolan_core_graph::{Installed, Node};
pub use portolan_core_route::readiness::{
    Advice, ApiRequests, Contents, Goal, Installer, InvalidLimit, Leg, Limit, Minor, NamedOperator,
    Offer, Question, Readiness, ReadinessVerdict, Reason, Restraint, RestraintRule, Stage, Step,
    Subject, UpgradeableCondition, When, judge, removed_between,
};

pub use self::contents::{BundleContents, judge_with_bundles};
pub use self::given::{FollowedReleases, ReleaseCatalog, ReleaseContent, read_given};
pub use self::staged::{GivenBy, StagedCatalogs};
