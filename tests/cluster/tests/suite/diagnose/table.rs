//! Which story tells which cause.

use std::collections::BTreeMap;

use portolan_core_diagnosis::Code;

/// Why nobody brings a cluster into the others each time that it is tried. Tables of the core tell
/// all of them.
const ELSEWHERE: &[(Code, &str)] = &[
    (
        Code::CatalogBroken,
        "opm serves no channel with two heads, and nothing else that OLM gives up on",
    ),
    (
        Code::ResolutionStale,
        "OLM looks again by itself nearly always; where it does not, Stage::well types what is said",
    ),
    (
        Code::UnpackFailing,
        "OLM tries for ten minutes: recorded as unpack-timeout",
    ),
    (Code::PermissionMissing, "OLM grants it again by itself"),
    (
        Code::RequirementUnseen,
        "OLM does not notice sometimes, and mostly it does",
    ),
    (
        Code::PodFailed,
        "a ReplicaSet replaces such a Pod before anybody can look",
    ),
    (
        Code::DeadlinePassed,
        "OLM began again by itself whenever it was tried: recorded as install-late",
    ),
    (Code::OperatorGone, "OLM installs it again by itself"),
    (
        Code::UnderWay,
        "calm.rs waits for it wherever something goes well",
    ),
    (
        Code::NotObserved,
        "whoever administers a cluster may see all of it",
    ),
    (
        Code::PlanNotStarted,
        "OLM starts an approved plan at once as long as it runs",
    ),
    (Code::PlanInvalid, OF_PLANS),
    (Code::CollisionRefused, OF_PLANS),
    (Code::StageStuck, OF_PLANS),
    (Code::JobFailed, OF_PLANS),
    (Code::MembersNotReady, OF_PLANS),
    (Code::DriftContested, OF_PLANS),
    (Code::DeletionBlocked, OF_PLANS),
    (Code::PlanSuspended, OF_PLANS),
    (Code::OperatorInvalid, OF_PLANS),
    (Code::PackageTaken, OF_PLANS),
    (Code::CatalogAmbiguous, OF_PLANS),
    (Code::VersionUnreachable, OF_PLANS),
    (Code::BundleRefused, OF_PLANS),
    (Code::DefinitionUnsafe, OF_PLANS),
    (Code::ApprovalRequired, OF_PLANS),
    (Code::PolicyHolds, OF_PLANS),
    (Code::InstallFailed, OF_PLANS),
];

/// What is said of InstallPlans and Operators of ours is read from their status alone, which the stories
/// of `engine` and `operators` bring about on a cluster.
const OF_PLANS: &str = "the command tells it of files: cli/tests/it/diagnose.rs";

const STORIES: &[&str] = &[
    include_str!("calm.rs"),
    include_str!("catalogs.rs"),
    include_str!("groups.rs"),
    include_str!("hops.rs"),
    include_str!("others.rs"),
    include_str!("pairs.rs"),
    include_str!("plans.rs"),
    include_str!("pods.rs"),
    include_str!("requirements.rs"),
    include_str!("rollouts.rs"),
    include_str!("wishes.rs"),
];

/// A cause that is new, or whose story is gone, is missed here; so is one that has got a story.
#[test]
fn every_cause_has_a_story_or_a_reason() {
    let elsewhere: BTreeMap<_, _> = ELSEWHERE.iter().copied().collect();
    let is_told = |code: &Code| {
        let word = format!("Code::{},", code.as_str());
        let last = format!("Code::{})", code.as_str());
        STORIES
            .iter()
            .any(|text| text.contains(&word) || text.contains(&last))
    };
    let wrong: Vec<_> = Code::ALL
        .iter()
        .filter(|code| is_told(code) == elsewhere.contains_key(code))
        .collect();
    assert_eq!(wrong, Vec::<&Code>::new());
}
