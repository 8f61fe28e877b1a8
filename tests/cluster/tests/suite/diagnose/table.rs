//! Checks that each cause has a test.

use std::collections::BTreeMap;

use portolan_core_diagnosis::Code;

/// The causes that no test on a cluster covers, and the reasons. Unit tests of the core cover all
/// of them.
const ELSEWHERE: &[(Code, &str)] = &[
    (
        Code::CatalogBroken,
        "opm serves no channel with two heads, and nothing else that OLM gives up on",
    ),
    (
        Code::ResolutionStale,
        "OLM nearly always retries by itself; if not, Stage::well executes the fix",
    ),
    (
        Code::UnpackFailing,
        "OLM tries for ten minutes: recorded as unpack-timeout",
    ),
    (Code::RequirementNotRechecked, "OLM usually notices"),
    (
        Code::PodFailed,
        "a ReplicaSet replaces such a Pod before a user can read it",
    ),
    (
        Code::DeadlinePassed,
        "OLM began again by itself whenever it was tried: recorded as install-late",
    ),
    (Code::OperatorGone, "OLM installs it again by itself"),
    (
        Code::InProgress,
        "calm.rs waits for it wherever something goes well",
    ),
    (
        Code::NotObserved,
        "an administrator may read the whole cluster",
    ),
    (
        Code::PlanNotStarted,
        "OLM starts an approved plan at once as long as it runs",
    ),
    (
        Code::DeploymentContested,
        "another client must change a Deployment back for an hour",
    ),
    (Code::WindowsNeverOverlap, OF_PLANS),
    (
        Code::CatalogNotServed,
        "olmv1/situations.rs has a catalog that cannot be pulled",
    ),
    (
        Code::ExtensionFailing,
        "olmv1/situations.rs only has messages of OLM v1 with a known meaning",
    ),
    (
        Code::ComponentUnavailable,
        "operators/diagnosed.rs stops parts of Portolan",
    ),
    (
        Code::ComponentOutdated,
        "operators/diagnosed.rs changes the versions of parts of Portolan",
    ),
    (
        Code::ControllerNotRunning,
        "operators/diagnosed.rs stops parts of Portolan",
    ),
    (Code::StageBlocked, OF_PLANS),
    (Code::MembersNotReady, OF_PLANS),
    (Code::OperatorInvalid, OF_PLANS),
    (Code::AmbiguousCatalog, OF_PLANS),
    (Code::BundleNotInstallable, OF_PLANS),
    (Code::InstallFailed, OF_PLANS),
    (Code::ContentInvalid, OF_PLANS),
    (Code::PolicyNonCompliant, OF_PLANS),
];

/// The reason for causes of Portolan's own kinds. Their diagnosis depends only on their status. The
/// tests of `engine` and `operators` create this status on a cluster.
const OF_PLANS: &str = "a unit test of the command reads it from files: cli/tests/it/diagnose.rs";

const TESTS: &[&str] = &[
    include_str!("calm.rs"),
    include_str!("catalogs.rs"),
    include_str!("groups.rs"),
    include_str!("hops.rs"),
    include_str!("others.rs"),
    include_str!("own/operators.rs"),
    include_str!("own/plans.rs"),
    include_str!("pairs.rs"),
    include_str!("plans.rs"),
    include_str!("pods.rs"),
    include_str!("requirements.rs"),
    include_str!("rollouts.rs"),
    include_str!("unresolvable.rs"),
];

/// Fails for a new cause without a test and a reason, for a cause whose test was removed, and for a
/// cause that has both a test and a reason.
#[test]
fn every_diagnosis_code_has_a_test_or_a_reason() {
    let elsewhere: BTreeMap<_, _> = ELSEWHERE.iter().copied().collect();
    let is_reported = |code: &Code| {
        let word = format!("Code::{},", code.as_str());
        let last = format!("Code::{})", code.as_str());
        TESTS
            .iter()
            .any(|text| text.contains(&word) || text.contains(&last))
    };
    let wrong: Vec<_> = Code::ALL
        .iter()
        .filter(|code| is_reported(code) == elsewhere.contains_key(code))
        .collect();
    assert_eq!(wrong, Vec::<&Code>::new());
}
