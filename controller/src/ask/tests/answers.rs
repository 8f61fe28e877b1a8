//! Tests of complete responses.

use std::sync::Arc;

use portolan_core_operatorpolicy::{
    Answer, Answers, CatalogSight, NamespaceState, Obstacle, ReachableBundles, StepOutcome, Target,
};
use portolan_proto::basis::v1 as basis;
use portolan_proto::resolver::v1 as resolver;
use portolan_proto::resolver::v1::predict_olm_response as predicted;
use rstest::rstest;
use serde_json::json;
use similar_asserts::assert_eq;
use tonic::Status;

use super::fakes::Approval;
use super::stage::{
    Stage, approval_message, approval_synced, bundle, catalog, expected_answers, intent_of, made,
    observed_in, offer, plan, reached, reference, review, reviewed, silence, state,
    subscription_with,
};

#[tokio::test(start_paused = true)]
async fn all_services_are_unavailable_before_the_first_event() {
    let stage = Stage::new();
    fn yet<T>(service: &'static str) -> Answer<T> {
        silence(service, "", "its first list is not complete yet")
    }
    let expected = Answers {
        sight: CatalogSight::Unclear,
        offer: yet("resolver"),
        modes: yet("resolver"),
        route: yet("resolver"),
        conflict: Answer::NotAsked,
        operator: yet("health"),
        catalog: yet("health"),
        reviews: yet("approval"),
    };
    assert_eq!(stage.ask().await, expected);
}

#[tokio::test(start_paused = true)]
async fn all_answers_are_available_after_synced() {
    let stage = Stage::synced().await;
    assert_eq!(stage.ask().await, expected_answers());
}

#[tokio::test(start_paused = true)]
async fn unreadable_policy_sends_no_questions() {
    let stage = Stage::synced().await;
    let answers = stage.services.ask(None, &observed_in(Some(state()))).await;
    assert_eq!(answers, Answers::default());
}

#[tokio::test(start_paused = true)]
async fn omitted_namespace_uses_the_suggested_namespace() {
    let stage = Stage::synced().await;
    let metadata = json!({"annotations": {"operatorframework.io/suggested-namespace": "harbor"}});
    stage.resolver.answer(|answers| {
        answers.bundle.as_mut().unwrap().objects = vec![metadata.to_string()];
    });
    let intent = intent_of(json!({"name": "ferry"}));
    let answers = stage.services.ask(Some(&intent), &observed_in(None)).await;
    let expected = Answers {
        sight: expected_answers().sight,
        offer: Answer::Found(portolan_core_operatorpolicy::Offer {
            suggested_namespace: Some("harbor".to_owned()),
            ..offer()
        }),
        modes: expected_answers().modes,
        catalog: expected_answers().catalog,
        ..Answers::default()
    };
    assert_eq!(answers, expected);
}

#[tokio::test(start_paused = true)]
async fn blocked_route_is_reported_up_to_the_last_reachable_bundle() {
    let stage = Stage::synced().await;
    let blocked = resolver::Blockage {
        furthest: Some(resolver::Reachable {
            name: "ferry.v2".to_owned(),
            version: "2.0.0".to_owned(),
            hops: 1,
        }),
        reasons: vec![basis::Reason {
            code: "NoSuccessor".to_owned(),
            message: "Nothing leads on from ferry.v2.".to_owned(),
            object: None,
        }],
        ..Default::default()
    };
    stage.resolver.answer(|answers| {
        answers.path = Ok(resolver::FindPathResponse {
            catalogs: made("sha256:1"),
            answer: Some(resolver::find_path_response::Answer::Blocked(blocked)),
            ..Default::default()
        });
        answers.shorter = Ok(reached(&[("ferry.v2", "2.0.0")]));
    });
    let Answer::Found(route) = expected_answers().route else {
        unreachable!("the expected route is found")
    };
    let expected = ReachableBundles {
        walk: vec![bundle("ferry.v2", "2.0.0")],
        blocked: vec![Obstacle {
            reason: "NoSuccessor".to_owned(),
            message: "Nothing leads on from ferry.v2".to_owned(),
        }],
        ..route
    };
    assert_eq!(stage.ask().await.route, Answer::Found(expected));
}

/// Returns a namespace with a Subscription that OLM cannot resolve.
fn unresolved() -> NamespaceState {
    let status = json!({"conditions": [
        {"type": "ResolutionFailed", "status": "True", "reason": "ConstraintsNotSatisfiable"}
    ]});
    NamespaceState {
        subscriptions: vec![Arc::new(subscription_with(status))],
        ..state()
    }
}

#[tokio::test(start_paused = true)]
async fn failed_olm_resolution_is_explained_by_the_resolver() {
    let stage = Stage::synced().await;
    let failed = predicted::Failed {
        blames: vec![predicted::Blame {
            object: Some(reference("Subscription", "harbor", "tug")),
            why: "Its channel beta is not there.".to_owned(),
            remedy: "Choose channel stable.".to_owned(),
            ..Default::default()
        }],
        ..Default::default()
    };
    stage.resolver.answer(|answers| {
        answers.prediction = Ok(resolver::PredictOlmResponse {
            catalogs: made("sha256:1"),
            end: Some(predicted::End::Failed(failed)),
            ..Default::default()
        });
    });
    let observed = observed_in(Some(unresolved()));
    let intent = super::stage::intent();
    let answers = stage.services.ask(Some(&intent), &observed).await;
    let tree =
        "Subscription harbor/tug\n├── Its channel beta is not there\n└── Choose channel stable";
    assert_eq!(answers.conflict, Answer::Found(tree.to_owned()));
    stage.services.ask(Some(&intent), &observed).await;
    assert_eq!(stage.resolver.calls().get("PredictOlm"), Some(&1));
}

#[tokio::test(start_paused = true)]
async fn route_without_an_obstacle_is_not_found() {
    let stage = Stage::synced().await;
    let observed = observed_in(Some(unresolved()));
    let answers = stage
        .services
        .ask(Some(&super::stage::intent()), &observed)
        .await;
    let sentence = "the resolver found no reason why OLM cannot resolve namespace harbor";
    assert_eq!(answers.conflict, Answer::NotFound(sentence.to_owned()));
}

#[tokio::test(start_paused = true)]
async fn plan_is_reviewed_again_after_a_change() {
    let stage = Stage::synced().await;
    stage.approval.answer(|answer| *answer = Ok(reviewed("8")));
    stage.approval.calls();
    let observed = observed_in(Some(NamespaceState {
        plans: vec![Arc::new(plan("8"))],
        ..state()
    }));
    let intent = super::stage::intent();
    for _ in 0..2 {
        let answers = stage.services.ask(Some(&intent), &observed).await;
        assert_eq!(answers.reviews, Answer::Found(vec![review("8")]));
    }
    assert_eq!(stage.approval.calls(), [("ReviewPlan", 1)].into());
}

#[tokio::test(start_paused = true)]
async fn plan_keeps_its_last_review_without_an_answer() {
    let stage = Stage::synced().await;
    let observed = observed_in(Some(NamespaceState {
        plans: vec![Arc::new(plan("8"))],
        ..state()
    }));
    let answers = stage
        .services
        .ask(Some(&super::stage::intent()), &observed)
        .await;
    assert_eq!(answers.reviews, Answer::Found(vec![review("7")]));
}

#[tokio::test(start_paused = true)]
async fn catalog_without_a_namespace_is_found_by_name() {
    let stage = Stage::new();
    stage.resolver.send(catalog("apps/other", "sha256:2")).await;
    stage.send_all().await;
    stage.approval.send(approval_message(reviewed("7"))).await;
    stage.approval.send(approval_synced()).await;
    stage.settle().await;
    let intent = intent_of(json!({"name": "ferry", "source": "shop", "namespace": "harbor"}));
    let answers = stage.services.ask(Some(&intent), &observed_in(None)).await;
    assert_eq!(answers.catalog, expected_answers().catalog);
}

fn target() -> Target {
    Target {
        api_version: "operators.coreos.com/v1alpha1",
        kind: "InstallPlan",
        namespace: Some("harbor".to_owned()),
        name: "install-1".to_owned(),
        uid: "u-1".to_owned(),
        resource_version: "7".to_owned(),
    }
}

#[rstest]
#[case::yes(Ok(reviewed("7")), Ok(()))]
#[case::of_another_state(
    Ok(reviewed("8")),
    Err(StepOutcome::Overtaken("InstallPlan harbor/install-1 was changed in the \
     meantime".to_owned()))
)]
#[case::review_of_a_deleted_plan(
    Err(Status::not_found("there is no such plan.")),
    Err(StepOutcome::Overtaken("there is no such plan".to_owned()))
)]
#[case::none(
    Err(Status::unavailable("connection refused")),
    Err(StepOutcome::Lost(
        "the approval service cannot decide if InstallPlan harbor/install-1 is still allowed: \
         connection refused".to_owned()
    ))
)]
#[case::review_of_an_older_service(
    Err(Status::unimplemented("")),
    Err(StepOutcome::Lost(
        "the approval service cannot decide if InstallPlan harbor/install-1 is still allowed: its \
         version does not support the request ReviewPlan".to_owned()
    ))
)]
#[tokio::test(start_paused = true)]
async fn plan_is_approved_only_if_still_allowed(
    #[case] answer: Approval,
    #[case] expected: Result<(), StepOutcome>,
) {
    let stage = Stage::synced().await;
    stage.approval.answer(|current| *current = answer);
    let observed = observed_in(Some(state()));
    let allowed = stage.services.still_allowed(&target(), &observed).await;
    assert_eq!(allowed, expected);
}
