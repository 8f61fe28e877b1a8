//! Tests that no InstallPlan is approved with incomplete information.

use std::time::Duration;

use portolan_proto::approval::v1 as pb;
use portolan_scaffold::SnapshotCell;
use portolan_world::{State, Trouble};
use rstest::rstest;
use serde_json::{Value, json};
use tonic::Code;

use super::{Asking, Stage, edited, waiting};
use crate::Options;
use crate::cache::rounds;

fn since() -> jiff::Timestamp {
    "2026-11-22T09:00:00Z".parse().expect("a time")
}

fn stale() -> State {
    State::Stale {
        trouble: Trouble::Silent(Duration::from_secs(15)),
        since: since(),
    }
}

fn forbidden() -> State {
    State::Unknown {
        trouble: Trouble::Forbidden("no".to_owned()),
        since: since(),
    }
}

fn unreachable() -> State {
    State::Unknown {
        trouble: Trouble::Unreachable("connection refused".to_owned()),
        since: since(),
    }
}

const KINDS: [&str; 4] = [
    "InstallPlan",
    "Subscription",
    "ClusterServiceVersion",
    "OperatorPolicy",
];

/// Checks if the service is ready after a first round with these states, and after a second round
/// in which every kind is unreachable. Returns both results.
async fn is_ready(states: [State; 4]) -> [bool; 2] {
    let stage = Stage::of(&waiting(&["a"]));
    for (kind, state) in KINDS.into_iter().zip(states) {
        stage.turn(kind, state);
    }
    let (cell, mut rounds) = (SnapshotCell::default(), rounds(&stage, Options::default()));
    let heard = cell.heard();
    rounds.round(&cell).await;
    let first = heard.is_ready();
    for kind in KINDS {
        stage.turn(kind, unreachable());
    }
    // A separate task publishes the views, so this task yields first.
    tokio::task::yield_now().await;
    rounds.round(&cell).await;
    [first, heard.is_ready()]
}

#[tokio::test]
async fn approval_is_ready_once_any_kind_is_known() {
    let nothing = || [(); 4].map(|()| unreachable());
    let but = |state: State| {
        let [_, second, third, fourth] = nothing();
        [state, second, third, fourth]
    };
    assert_eq!(is_ready(nothing()).await, [false, false]);
    // One kind that cannot be listed or is not served does not prevent readiness.
    assert_eq!(is_ready(but(State::Synced)).await, [true, true]);
    assert_eq!(is_ready(but(forbidden())).await, [true, true]);
    assert_eq!(is_ready(but(State::NotServed)).await, [true, true]);
}

#[tokio::test]
async fn approval_is_ready_after_forbidden_response() {
    let stage = Stage::of(&waiting(&["a"]));
    for kind in KINDS {
        stage.turn(kind, unreachable());
    }
    let (cell, mut rounds) = (SnapshotCell::default(), rounds(&stage, Options::default()));
    rounds.round(&cell).await;
    assert!(!cell.heard().is_ready());
    // Both errors have the same effect on reviews, so the reviews keep the message of the first
    // error.
    stage.turn("Subscription", forbidden());
    tokio::task::yield_now().await;
    rounds.round(&cell).await;
    assert!(cell.heard().is_ready());
}

#[rstest]
#[case::plans("InstallPlan", "InstallPlans")]
#[case::subscriptions("Subscription", "Subscriptions")]
#[case::operators("ClusterServiceVersion", "ClusterServiceVersions")]
#[case::policies("OperatorPolicy", "OperatorPolicies")]
#[tokio::test]
async fn stale_kind_blocks_all_plans(#[case] kind: &'static str, #[case] kinds: &str) {
    let stage = Stage::of(&waiting(&["a", "b"]));
    let mut asking = Asking::at(&stage).await;
    let mut news = asking.synced().await;
    stage.turn(kind, stale());
    for namespace in ["a-system", "b-system"] {
        let reported = format!("InstallPlan {namespace}/install-1 NOT_YET NotObserved");
        assert_eq!(news.next_event().await, reported);
    }
    let review = asking
        .plan("a-system", "install-1")
        .await
        .expect("a review");
    let reasons = review.verdict.expect("a verdict").reasons;
    let why = format!(
        "{kinds} are not observed: as of 2026-11-22T09:00:00Z: the API server has not answered \
         for 15s"
    );
    assert!(reasons[0].message.contains(&why), "{reasons:?}");
    stage.turn(kind, None);
    for namespace in ["a-system", "b-system"] {
        assert_eq!(
            news.next_event().await,
            format!("InstallPlan {namespace}/install-1 YES")
        );
    }
}

#[rstest]
#[case::subscriptions("Subscription")]
#[case::operators("ClusterServiceVersion")]
#[case::policies("OperatorPolicy")]
#[tokio::test]
async fn forbidden_kind_blocks_all_plans(#[case] kind: &'static str) {
    let stage = Stage::of(&waiting(&["a"]));
    stage.turn(kind, forbidden());
    let reported = Asking::at(&stage).await.verdict_line("a-system").await;
    assert!(reported.starts_with("NOT_YET "), "{reported}");
    assert!(reported.contains("NotObserved"), "{reported}");
}

#[tokio::test]
async fn unserved_policy_kind_means_no_policies() {
    let stage = Stage::of(&waiting(&["a"]));
    stage.turn("OperatorPolicy", State::NotServed);
    let reported = Asking::at(&stage).await.verdict_line("a-system").await;
    assert_eq!(reported, "NO NoPolicy");
}

#[tokio::test]
async fn without_olm_there_are_no_plans() {
    let stage = Stage::of(&waiting(&["a"]));
    for kind in ["InstallPlan", "Subscription", "ClusterServiceVersion"] {
        stage.turn(kind, State::NotServed);
    }
    let mut asking = Asking::at(&stage).await;
    let answer = asking.namespace("a-system").await.expect("an answer");
    assert_eq!((answer.reviews.len(), answer.policies.len()), (0, 1));
}

#[tokio::test]
async fn forbidden_plans_are_unavailable_not_missing() {
    let stage = Stage::of(&waiting(&["a"]));
    stage.turn("InstallPlan", forbidden());
    let mut asking = Asking::at(&stage).await;
    let refused = [
        asking.plan("a-system", "install-1").await.err(),
        asking.namespace("a-system").await.err(),
        asking.client.watch(pb::WatchRequest::default()).await.err(),
    ];
    for refused in refused {
        let refused = refused.expect("it must be refused");
        let said = "InstallPlans cannot be listed: InstallPlans are unknown since \
                    2026-11-22T09:00:00Z: forbidden: no";
        assert_eq!(
            (refused.code(), refused.message()),
            (Code::Unavailable, said)
        );
    }
}

fn odd_labels(object: &mut Value) {
    object["metadata"]["labels"] = json!({"odd": 7});
}

#[rstest]
#[case::a_plan("InstallPlan")]
#[case::a_subscription("Subscription")]
#[case::an_operator("ClusterServiceVersion")]
#[tokio::test]
async fn partly_unreadable_object_blocks_only_its_namespace(#[case] kind: &str) {
    let world = edited(&waiting(&["a", "b"]), kind, "a-system", odd_labels);
    let mut asking = Asking::at(&Stage::of(&world)).await;
    assert_eq!(asking.verdict_line("a-system").await, "NOT_YET NotObserved");
    let review = asking
        .plan("a-system", "install-1")
        .await
        .expect("a review");
    let reasons = review.verdict.expect("a verdict").reasons;
    assert!(
        reasons[0].message.contains("metadata.labels"),
        "{reasons:?}"
    );
    assert_eq!(asking.verdict_line("b-system").await, "YES");
}

#[rstest]
#[case::labels(odd_labels)]
#[case::status(|policy: &mut Value| policy["status"] = json!({"relatedObjects": 7}))]
#[case::spec(|policy: &mut Value| policy["spec"]["allowedCSVs"] = json!("*"))]
#[case::a_field_that_nobody_knows(|policy: &mut Value| policy["spec"]["allowed"] = json!(["*"]))]
#[tokio::test]
async fn partly_unreadable_policy_allows_nothing(#[case] edit: fn(&mut Value)) {
    let world = edited(&waiting(&["a"]), "OperatorPolicy", "a-system", edit);
    let mut asking = Asking::at(&Stage::of(&world)).await;
    assert_eq!(asking.verdict_line("a-system").await, "NO PolicyInvalid");
}

#[tokio::test]
async fn policy_with_unknown_namespace_blocks_plans_of_its_package() {
    let world = waiting(&["a", "b"])
        .namespace("policies")
        .policy("a", &["a.v1.1.0"])
        .edit(|policy| {
            let subscription = policy["spec"]["subscription"].as_object_mut();
            subscription.expect("a subscription").remove("namespace");
        });
    let mut asking = Asking::at(&Stage::of(&world)).await;
    assert_eq!(
        asking.verdict_line("a-system").await,
        "NOT_YET PolicyUnresolved"
    );
    assert_eq!(asking.verdict_line("b-system").await, "YES");
}

#[tokio::test]
async fn invalid_manifest_is_a_remark_if_the_package_is_known() {
    let world = edited(&waiting(&["a", "b"]), "InstallPlan", "a-system", |plan| {
        plan["status"]["plan"][0]["resource"]["manifest"] = json!("{");
    });
    let mut asking = Asking::at(&Stage::of(&world)).await;
    let review = asking
        .plan("a-system", "install-1")
        .await
        .expect("a review");
    let [bundle] = review.bundles.as_slice() else {
        panic!("one bundle: {review:#?}");
    };
    assert_eq!(bundle.identity(), pb::bundle::Identity::Subscription);
    let [remark] = review.remarks.as_slice() else {
        panic!("one remark: {review:#?}");
    };
    assert!(
        remark.message.contains("its manifest cannot be read"),
        "{remark:?}"
    );
    assert_eq!(asking.verdict_line("b-system").await, "YES");
}
