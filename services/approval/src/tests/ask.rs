//! Tests of requests for InstallPlans and namespaces: errors and complete responses.

use portolan_proto::approval::v1 as pb;
use portolan_world::State;
use rstest::rstest;
use serde_json::json;
use tokio::time::timeout;
use tonic::{Code, Status};
use tonic_types::StatusExt;

use super::{Asking, PATIENCE, Stage, edited, state, waiting};
use crate::{Approval, Options};

fn message(refused: &Status) -> (Code, &str) {
    (refused.code(), refused.message())
}

#[rstest]
#[case::a_slip(
    "a-system",
    "instal-1",
    "there is no InstallPlan instal-1 in namespace a-system; did you mean install-1?"
)]
#[case::unlike_any(
    "a-system",
    "x",
    "there is no InstallPlan x in namespace a-system; there is install-1"
)]
#[case::elsewhere(
    "olm",
    "install-1",
    "there is no InstallPlan install-1 in namespace olm; there is a-system/install-1, \
     b-system/install-1"
)]
#[case::nowhere("nowhere", "x", "there is no InstallPlan x in namespace nowhere")]
#[tokio::test]
async fn missing_plan_gives_not_found(
    #[case] namespace: &str,
    #[case] name: &str,
    #[case] said: &str,
) {
    let mut asking = Asking::at(&Stage::of(&waiting(&["a", "b"]))).await;
    let refused = asking.plan(namespace, name).await;
    let refused = refused.expect_err("there must be no such plan");
    assert_eq!(message(&refused), (Code::NotFound, said));
    let details = refused.get_details_resource_info().expect("which resource");
    assert_eq!(details.resource_type, "InstallPlan");
}

#[rstest]
#[case::no_namespace("", "install-1", "namespace", "the name is empty; set a name")]
#[case::no_name("a-system", "", "name", "the name is empty; set a name")]
#[case::a_slash(
    "a-system",
    "a-system/install-1",
    "name",
    "\"a-system/install-1\" is not a name; use the field `namespace` for the namespace"
)]
#[case::a_blank(
    "a b",
    "install-1",
    "namespace",
    "\"a b\" is not a valid name, because it contains ' '"
)]
#[tokio::test]
async fn invalid_question_is_refused(
    #[case] namespace: &str,
    #[case] name: &str,
    #[case] field: &str,
    #[case] said: &str,
) {
    let mut asking = Asking::at(&Stage::of(&waiting(&["a"]))).await;
    let refused = asking.plan(namespace, name).await;
    let refused = violation(&refused.expect_err("it must be refused"));
    assert_eq!(refused, (field.into(), said.into()));
}

#[tokio::test]
async fn namespace_is_required() {
    let mut asking = Asking::at(&Stage::of(&waiting(&["a"]))).await;
    let refused = asking.namespace("").await.expect_err("it must be refused");
    let said = ("namespace".into(), "the name is empty; set a name".into());
    assert_eq!(violation(&refused), said);
}

fn violation(refused: &Status) -> (String, String) {
    assert_eq!(refused.code(), Code::InvalidArgument, "{refused}");
    let details = refused.get_details_bad_request().expect("which field");
    let [violation] = details.field_violations.as_slice() else {
        panic!("one violation: {details:?}");
    };
    (violation.field.clone(), violation.description.clone())
}

#[tokio::test]
async fn unknown_namespace_has_an_empty_review() {
    let mut asking = Asking::at(&Stage::of(&waiting(&["a"]))).await;
    let answer = asking.namespace("nowhere").await;
    let nothing = pb::ReviewNamespaceResponse::default();
    assert_eq!(answer.expect("an answer"), nothing);
}

#[tokio::test]
async fn namespace_lists_policies_that_apply_or_may_apply() {
    let world = waiting(&["a"])
        .namespace("policies")
        .policy("x", &["x.v1.0.0"])
        .edit(|policy| policy["spec"]["subscription"]["namespace"] = json!("quay"))
        .policy("u", &["u.v1.0.0"])
        .edit(|policy| {
            let subscription = policy["spec"]["subscription"].as_object_mut();
            subscription.expect("a subscription").remove("namespace");
        });
    let mut asking = Asking::at(&Stage::of(&world)).await;
    let answer = asking.namespace("quay").await.expect("an answer");
    assert_eq!(answer.reviews, []);
    let named = answer.policies.iter().map(|standing| {
        let object = standing.policy.as_ref().and_then(|it| it.object.as_ref());
        (
            object.map(|it| it.name.as_str()),
            standing.namespace.as_str(),
        )
    });
    let named: Vec<_> = named.collect();
    assert_eq!(named, [(Some("u"), ""), (Some("x"), "quay")]);
}

#[tokio::test]
async fn subscription_that_forces_manual_approval_is_a_remark() {
    let world = waiting(&["a"])
        .subscription("b", "stable")
        .pending("", "b.v1.0.0", "install-2")
        .edit(|subscription| subscription["spec"]["installPlanApproval"] = json!("Automatic"))
        .plan("install-2", &["b.v1.0.0"])
        .described();
    let mut asking = Asking::at(&Stage::of(&world)).await;
    let answer = asking.namespace("a-system").await.expect("an answer");
    let codes: Vec<_> = answer.remarks.iter().map(|it| it.code.as_str()).collect();
    assert_eq!(codes, ["ForcedManual"], "{answer:#?}");
}

#[tokio::test]
async fn requests_before_the_first_sync_are_unavailable() {
    let stage = Stage::of(&waiting(&["a"]));
    stage.turn("OperatorPolicy", State::Pending);
    let approval = Approval::of(stage.clone(), Options::default());
    let mut asking = Asking::approval(approval.clone());
    let refused = asking.plan("a-system", "install-1").await.err();
    let listed = asking.namespace("a-system").await.err();
    let watched = asking.client.watch(pb::WatchRequest::default()).await.err();
    for refused in [refused, listed, watched] {
        let refused = refused.expect("it must be refused");
        let said = "the objects of the cluster have not been read yet";
        assert_eq!(message(&refused), (Code::Unavailable, said));
    }
    stage.turn("OperatorPolicy", None);
    let settled = timeout(PATIENCE, approval.settled()).await;
    settled.expect("the first sync must complete");
    assert_eq!(asking.verdict_line("a-system").await, "YES");
}

#[tokio::test]
async fn requests_outside_the_served_namespace_are_refused() {
    let stage = Stage::of(&waiting(&["a", "b"]));
    let namespace = Some("a-system".to_owned());
    let mut asking = Asking::of(
        stage,
        Options {
            namespace,
            ..Options::default()
        },
    )
    .await;
    assert_eq!(asking.verdict_line("a-system").await, "YES");
    let refused = [
        asking.plan("b-system", "install-1").await.err(),
        asking.namespace("b-system").await.err(),
        asking
            .client
            .watch(pb::WatchRequest {
                namespace: "b-system".into(),
            })
            .await
            .err(),
    ];
    for refused in refused {
        let said = "this server observes only namespace a-system, not b-system";
        let refused = violation(&refused.expect("it must be refused"));
        assert_eq!(refused, ("namespace".into(), said.into()));
    }
}

/// The policy is in another namespace, and applies to the only observed namespace.
#[tokio::test]
async fn policies_in_other_namespaces_are_observed() {
    let world = edited(&waiting(&["a"]), "OperatorPolicy", "a-system", |policy| {
        policy["metadata"]["namespace"] = json!("policies");
    });
    let namespace = Some("a-system".to_owned());
    let mut asking = Asking::of(
        Stage::of(&world),
        Options {
            namespace,
            ..Options::default()
        },
    )
    .await;
    assert_eq!(asking.verdict_line("a-system").await, "YES");
}

/// The first bundle requires two bundles. One of these two bundles is forbidden.
#[tokio::test]
async fn answer_has_all_fields() {
    let needs = json!({"type": "olm.package.required",
                       "value": {"packageName": "rope", "versionRange": ">=1.0.0"}});
    let world = waiting(&["a"])
        .plan("install-2", &["a.v1.1.0", "rope.v1.2.0"])
        .lookup("a.v1.1.0", &[needs])
        .lookup("rope.v1.2.0", &[])
        .subscribing("rope.v1.2.0", "rope", "stable")
        .stamped("uid-plan", "12");
    let mut asking = Asking::at(&Stage::of(&world)).await;
    let review = asking
        .plan("a-system", "install-2")
        .await
        .expect("a review");
    assert!(
        state(review.verdict.as_ref()).starts_with("NO "),
        "{review:#?}"
    );
    insta::assert_json_snapshot!(review);
}
