//! Tests with kinds that are not served or cannot be read.

use super::*;

#[tokio::test(start_paused = true)]
async fn unobserved_kinds_are_named() {
    let mut looking = ObservedStage::at(&harbor(), Rules::default()).await;
    let since = Timestamp::UNIX_EPOCH;
    let trouble = Trouble::Forbidden("no".to_owned());
    looking
        .stage
        .turn("InstallPlan", State::Stale { trouble, since });
    assert_eq!(looking.again().await, BOTH);
    let stale = StaleKind {
        kind: "InstallPlan",
        since: Some(since),
        why: "forbidden: no".to_owned(),
    };
    let observed = looking.observe("west/ferry");
    assert_eq!((observed.stale, observed.has_olm), (vec![stale], true));
}

/// The kinds of OLM.
const OLM: [&str; 5] = [
    "Subscription",
    "OperatorGroup",
    "InstallPlan",
    "ClusterServiceVersion",
    "CatalogSource",
];

#[tokio::test(start_paused = true)]
async fn reports_missing_olm_and_observes_olm_once_it_is_installed() {
    let mut looking = ObservedStage::at(&harbor(), Rules::default()).await;
    for kind in OLM {
        looking.stage.turn(kind, State::NotServed);
    }
    assert_eq!(looking.again().await, BOTH);
    let observed = looking.observe("west/ferry");
    assert_eq!((observed.stale, observed.has_olm), (Vec::new(), false));
    for kind in OLM {
        looking.stage.turn(kind, None);
    }
    assert_eq!(looking.again().await, BOTH);
    let observed = looking.observe("west/ferry");
    assert_eq!((observed.stale, observed.has_olm), (Vec::new(), true));
}

/// While a CRD of OLM is being replaced, its objects are invisible but not deleted.
#[tokio::test(start_paused = true)]
async fn single_missing_kind_of_olm_is_stale() {
    let mut looking = ObservedStage::at(&harbor(), Rules::default()).await;
    looking.stage.turn("CatalogSource", State::NotServed);
    assert_eq!(looking.again().await, BOTH);
    let stale = StaleKind {
        kind: "CatalogSource",
        since: None,
        why: "the cluster does not have this kind now, but has other kinds of OLM".to_owned(),
    };
    let observed = looking.observe("west/ferry");
    assert_eq!((observed.stale, observed.has_olm), (vec![stale], true));
}

#[tokio::test(start_paused = true)]
async fn no_policy_is_reconciled_before_every_kind_is_known() {
    let stage = Stage::of(&harbor()).reading(READS);
    stage.turn("OperatorGroup", State::Pending);
    let informers = Informers::of(&stage, Rules::default());
    let mut looking = ObservedStage { stage, informers };
    assert_eq!(looking.again().await, NONE);
    looking.stage.turn("OperatorGroup", None);
    assert_eq!(looking.again().await, BOTH);
}

#[tokio::test(start_paused = true)]
async fn policies_are_observed_once_their_kind_is_served() {
    let stage = Stage::of(&harbor()).reading(READS);
    stage.turn("OperatorPolicy", State::NotServed);
    let informers = Informers::of(&stage, Rules::default());
    let mut looking = ObservedStage { stage, informers };
    assert_eq!(looking.again().await, NONE);
    looking.stage.turn("OperatorPolicy", None);
    assert_eq!(looking.again().await, BOTH);
}

#[rstest]
#[case::there(Some(crd(POLICY_CRD)), false)]
#[case::going(
    Some({
        let mut going = crd(POLICY_CRD);
        going["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        going
    }),
    true
)]
#[case::gone(None, true)]
#[tokio::test(start_paused = true)]
async fn detects_deletion_of_policy_crd(#[case] after: Option<Value>, #[case] is_leaving: bool) {
    let before = harbor().object(crd(POLICY_CRD));
    let mut looking = ObservedStage::at(&before, Rules::default()).await;
    let after = after.into_iter().fold(harbor(), Kit::object);
    looking.show(&after).await;
    let observed = looking.observe("west/ferry");
    assert_eq!(observed.is_crd_terminating, is_leaving);
}
