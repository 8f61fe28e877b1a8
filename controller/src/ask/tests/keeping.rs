//! Tests of requests that are sent only once, and of requests that are repeated.

use std::collections::BTreeMap;

use portolan_core_operatorpolicy::{Answer, Offer};
use portolan_proto::resolver::v1::catalog::State;
use rstest::rstest;
use serde_json::json;
use similar_asserts::assert_eq;
use tokio::time::sleep;
use tonic::Status;

use super::stage::{
    SECOND, Stage, catalog, catalog_in, expected_answers, intent, intent_of, made, observed, offer,
    silence,
};
use crate::ask::Topic;

type Calls = BTreeMap<&'static str, usize>;

fn all_questions() -> Calls {
    [
        ("GetPackage", 1),
        ("GetBundle", 1),
        ("ListUpgrades", 1),
        ("FindPath", 1),
    ]
    .into()
}

fn shop() -> Vec<Topic> {
    vec![Topic::Catalog("olm/shop".to_owned())]
}

fn harbor() -> Vec<Topic> {
    vec![Topic::Namespace("harbor".to_owned())]
}

#[tokio::test(start_paused = true)]
async fn unchanged_state_sends_each_question_once() {
    let stage = Stage::synced().await;
    stage.health.calls();
    stage.approval.calls();
    for _ in 0..10 {
        assert_eq!(stage.ask().await, expected_answers());
        sleep(SECOND).await;
    }
    assert_eq!(stage.resolver.calls(), all_questions());
    assert_eq!(stage.health.calls(), Calls::new());
    assert_eq!(stage.approval.calls(), Calls::new());
}

#[tokio::test(start_paused = true)]
async fn equal_concurrent_questions_share_one_call() {
    let stage = Stage::synced().await;
    stage.resolver.take_time(SECOND);
    let answers = futures::future::join_all((0..10).map(|_| stage.ask())).await;
    assert_eq!(answers, vec![expected_answers(); 10]);
    assert_eq!(stage.resolver.calls(), all_questions());
}

#[rstest]
#[case::its_content(State::Serving, "sha256:2")]
#[case::its_state(State::Stale, "sha256:1")]
#[tokio::test(start_paused = true)]
async fn changed_catalog_is_requested_again(#[case] state: State, #[case] digest: &str) {
    let stage = Stage::synced().await;
    stage.ask().await;
    stage.resolver.calls();
    stage
        .resolver
        .send(catalog_in(state, "olm/shop", digest))
        .await;
    assert_eq!(stage.changes().await, shop());
    stage.resolver.answer(|answers| {
        let made = made(digest);
        answers.package.as_mut().unwrap().catalogs = made.clone();
        answers.bundle.as_mut().unwrap().catalogs = made.clone();
        answers.upgrades.as_mut().unwrap().catalogs = made.clone();
        answers.path.as_mut().unwrap().catalogs = made;
    });
    for _ in 0..2 {
        let expected = Offer {
            digest: digest.to_owned(),
            ..offer()
        };
        assert_eq!(stage.ask().await.offer, Answer::Found(expected));
    }
    assert_eq!(stage.resolver.calls(), all_questions());
}

#[rstest]
#[case::has_no_effect_on_a_policy_that_specifies_its_catalog(true, 0)]
#[case::affects_a_policy_without_a_catalog(false, 1)]
#[tokio::test(start_paused = true)]
async fn sends_questions_again_only_if_changed_catalog_may_answer(
    #[case] is_named: bool,
    #[case] packages: usize,
) {
    let stage = Stage::synced().await;
    let (intent, observed) = if is_named {
        (intent(), observed())
    } else {
        let open = json!({"name": "ferry", "namespace": "harbor"});
        (intent_of(open), super::stage::observed_in(None))
    };
    stage.services.ask(Some(&intent), &observed).await;
    stage.resolver.calls();
    stage.resolver.send(catalog("apps/other", "sha256:9")).await;
    stage.settle().await;
    stage.services.ask(Some(&intent), &observed).await;
    let asked = stage.resolver.calls().get("GetPackage").copied();
    assert_eq!(asked.unwrap_or_default(), packages);
}

#[tokio::test(start_paused = true)]
async fn not_found_answer_is_cached() {
    let stage = Stage::synced().await;
    stage.keep_alive();
    let sentence = "package ferry is in no catalog.";
    stage
        .resolver
        .answer(|answers| answers.package = Err(Status::not_found(sentence)));
    for _ in 0..2 {
        let nothing = "package ferry is in no catalog".to_owned();
        assert_eq!(stage.ask().await.offer, Answer::NotFound(nothing));
        sleep(SECOND * 60).await;
    }
    assert_eq!(stage.resolver.calls(), [("GetPackage", 1)].into());
}

#[tokio::test(start_paused = true)]
async fn unanswered_question_is_retried_with_backoff() {
    let stage = Stage::synced().await;
    stage.keep_alive();
    let lost = Status::unavailable("connection refused");
    stage.resolver.answer(|answers| answers.package = Err(lost));
    let silent = silence("resolver", "2026-04-01T08:00:01Z", "connection refused");
    for pause in [1, 2, 4, 8, 16, 30, 30] {
        for _ in 0..2 {
            assert_eq!(stage.ask().await.offer, silent);
        }
        assert_eq!(stage.resolver.calls(), [("GetPackage", 1)].into());
        let began = tokio::time::Instant::now();
        assert_eq!(stage.services.changed().await, harbor());
        assert_eq!(began.elapsed(), SECOND * pause);
    }
    stage.resolver.answer(|answers| {
        answers.package = Ok(super::stage::package());
    });
    assert_eq!(stage.ask().await, expected_answers());
}

#[tokio::test(start_paused = true)]
async fn recovered_service_is_queried_again_at_once() {
    let stage = Stage::synced().await;
    let lost = Err(Status::unavailable("connection refused"));
    stage.resolver.answer(|answers| answers.package = lost);
    stage.ask().await;
    stage.resolver.end();
    stage
        .resolver
        .answer(|answers| answers.package = Ok(super::stage::package()));
    sleep(SECOND / 2).await;
    stage.send_catalog("sha256:1").await;
    stage.resolver.send(super::stage::catalogs_synced()).await;
    sleep(SECOND / 4).await;
    assert_eq!(stage.ask().await, expected_answers());
}

#[tokio::test(start_paused = true)]
async fn slow_answer_times_out() {
    let stage = Stage::synced().await;
    stage.resolver.take_time(SECOND * 6);
    let silent = silence(
        "resolver",
        "2026-04-01T08:00:06Z",
        "it takes longer than 5 s to answer",
    );
    assert_eq!(stage.ask().await.offer, silent);
}

#[tokio::test(start_paused = true)]
async fn request_unknown_to_older_service_does_not_affect_other_answers() {
    let stage = Stage::synced().await;
    stage
        .resolver
        .answer(|answers| answers.path = Err(Status::unimplemented("")));
    stage.keep_alive();
    let why = "its version does not support the request FindPath";
    for _ in 0..2 {
        let mut expected = expected_answers();
        expected.route = silence("resolver", "2026-04-01T08:00:01Z", why);
        assert_eq!(stage.ask().await, expected);
        sleep(SECOND * 60).await;
    }
    assert_eq!(stage.resolver.calls(), all_questions());
}

#[tokio::test(start_paused = true)]
async fn response_of_a_lagging_replica_is_used_and_requested_again() {
    let stage = Stage::synced().await;
    stage.send_catalog("sha256:2").await;
    stage.settle().await;
    assert_eq!(stage.ask().await.offer, Answer::Found(offer()));
    assert_eq!(stage.services.changed().await, harbor());
    stage.resolver.answer(|answers| {
        answers.package.as_mut().unwrap().catalogs = made("sha256:2");
    });
    let expected = Offer {
        digest: "sha256:2".to_owned(),
        ..offer()
    };
    assert_eq!(stage.ask().await.offer, Answer::Found(expected));
}

#[rstest]
#[case::not_yet(State::Pending, "it has not read catalog olm/shop yet")]
#[case::never(State::Failed, "catalog olm/shop cannot be read")]
#[tokio::test(start_paused = true)]
async fn catalog_without_content_is_not_queried(#[case] state: State, #[case] why: &str) {
    let stage = Stage::synced().await;
    stage.resolver.send(catalog_in(state, "olm/shop", "")).await;
    stage.settle().await;
    let silent = silence("resolver", "2026-03-01T00:00:00Z", why);
    assert_eq!(stage.ask().await.offer, silent);
    assert_eq!(stage.resolver.calls(), Calls::new());
}
