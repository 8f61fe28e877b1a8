//! Tests with an endless flood of unknown callers that do not wait for the response.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr};

use futures::future::BoxFuture;
use http::{Request, Response};
use http_body_util::BodyExt as _;
use k8s_openapi::api::authentication::v1::{TokenReview, TokenReviewStatus};
use kube::Client;
use kube::client::Body;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use super::*;
use crate::authorize::reviews::{Cluster, PATIENCE};

/// The number of flooding requests.
const MANY: usize = 3000;

/// An API server that recognizes the tokens `ada` and `bob`, and counts the requests. While it is
/// slow, it does not answer requests with other tokens.
#[derive(Debug, Clone, Default)]
struct ApiServer {
    is_slow: Arc<Mutex<bool>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl ApiServer {
    fn gate(&self) -> Authorizer<Cluster> {
        let server = self.clone();
        let service = tower::service_fn(move |request| {
            let server = server.clone();
            async move { Ok::<_, Infallible>(server.answer(request).await) }
        });
        Authorizer::new(Cluster::of(Client::new(service, "default")))
    }

    async fn answer(&self, request: Request<Body>) -> Response<Body> {
        let body = request.into_body().collect().await.expect("a body");
        let review = serde_json::from_slice(&body.to_bytes());
        let mut review: TokenReview = review.expect("a review");
        let token = review.spec.token.clone().unwrap_or_default();
        let is_known = ["ada", "bob"].contains(&&*token);
        self.asked.lock().expect("a lock").push(token.clone());
        if !is_known && *self.is_slow.lock().expect("a lock") {
            std::future::pending::<()>().await;
        }
        review.status = Some(TokenReviewStatus {
            authenticated: Some(is_known),
            audiences: is_known.then(|| vec![AUDIENCE.to_owned()]),
            user: is_known.then(|| UserInfo {
                username: Some(token),
                ..UserInfo::default()
            }),
            error: None,
        });
        let review = serde_json::to_vec(&review).expect("JSON");
        Response::new(Body::from(review))
    }

    fn slow(&self, is_slow: bool) {
        *self.is_slow.lock().expect("a lock") = is_slow;
    }

    fn asked(&self) -> usize {
        self.asked.lock().expect("a lock").len()
    }
}

fn stranger(number: usize) -> String {
    format!("stranger-{number}")
}

/// Returns the address of the flooding pod.
fn flooding() -> IpAddr {
    IpAddr::from(Ipv4Addr::new(10, 0, 0, 1))
}

fn elsewhere() -> IpAddr {
    IpAddr::from(Ipv4Addr::new(10, 0, 0, 2))
}

type Identified<'a> = BoxFuture<'a, Result<Arc<dyn Caller>, Status>>;

fn identified<'a>(gate: &'a Authorizer<Cluster>, token: &str, from: IpAddr) -> Identified<'a> {
    gate.identify(Some(Bearer(token.to_owned())), Some(from))
}

/// Returns true if a caller is authenticated before the API server times out.
async fn is_let_in(gate: &Authorizer<Cluster>, token: &str, from: IpAddr) -> bool {
    let identified = timeout(PATIENCE, identified(gate, token, from)).await;
    identified.is_ok_and(|identified| identified.is_ok())
}

/// Lets tasks run until they wait for the clock.
async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

fn tasks() -> usize {
    tokio::runtime::Handle::current()
        .metrics()
        .num_alive_tasks()
}

#[tokio::test(start_paused = true)]
async fn cancelled_calls_leave_no_tasks_and_do_not_delay_other_calls() {
    let server = ApiServer::default();
    let gate = server.gate();
    assert!(is_let_in(&gate, "ada", elsewhere()).await);
    server.slow(true);
    for number in 0..MANY {
        let call = identified(&gate, &stranger(number), flooding());
        let _ = timeout(Duration::ZERO, call).await;
        assert!(tasks() <= STRANGERS.share, "{number}: {} tasks", tasks());
    }
    assert!(is_let_in(&gate, "ada", elsewhere()).await, "a known caller");
    assert!(is_let_in(&gate, "bob", elsewhere()).await, "a new caller");
    let most = 2 + STRANGERS.share;
    assert!(server.asked() <= most, "asked {} times", server.asked());
}

#[tokio::test(start_paused = true)]
async fn waiting_callers_of_one_origin_do_not_block_other_origins() {
    let server = ApiServer::default();
    let gate = Arc::new(server.gate());
    server.slow(true);
    let mut calls = JoinSet::new();
    for number in 0..MANY {
        let gate = gate.clone();
        let call = async move { identified(&gate, &stranger(number), flooding()).await };
        calls.spawn(call);
    }
    settle().await;
    let mut refused = Vec::new();
    while let Some(reported) = calls.try_join_next() {
        refused.push(reported.expect("no panic").expect_err("a refusal"));
    }
    assert_eq!(
        calls.len(),
        STRANGERS.seats / 2,
        "other callers are refused at once"
    );
    let crowded = "too many callers wait for their authorization by the cluster; retry in a \
        moment, or use another replica";
    let is_told = |it: &Status| (it.code(), it.message()) == (Code::Unavailable, crowded);
    assert!(refused.iter().all(is_told), "{:?}", refused[0]);
    assert!(is_let_in(&gate, "bob", elsewhere()).await, "a new caller");
}

#[tokio::test(start_paused = true)]
async fn token_review_of_cancelled_calls_runs_once() {
    let server = ApiServer::default();
    let gate = server.gate();
    for _ in 0..MANY {
        // One caller disconnects when the review begins. Later callers disconnect after the
        // response.
        let _ = timeout(Duration::ZERO, identified(&gate, "forged", flooding())).await;
    }
    let reported = identified(&gate, "forged", flooding()).await;
    let reported = reported.map(drop).map_err(|status| status.code());
    assert_eq!(reported, Err(Code::Unauthenticated));
    assert_eq!(server.asked(), 1);
}

#[tokio::test(start_paused = true)]
async fn rejected_callers_do_not_evict_known_callers() {
    let server = ApiServer::default();
    let gate = server.gate();
    let refused = async |number| {
        let reported = identified(&gate, &stranger(number), flooding()).await;
        assert!(reported.is_err());
    };
    assert!(is_let_in(&gate, "ada", elsewhere()).await);
    let began = Instant::now();
    let mut number = 0;
    while began.elapsed() < HOLDS - 2 * STRANGERS.pace {
        refused(number).await;
        number += 1;
    }
    let before = server.asked();
    assert!(
        before <= 2 + number && number <= CALLERS,
        "{number}, {before}"
    );
    assert!(is_let_in(&gate, "ada", elsewhere()).await);
    refused(number / 2).await;
    assert_eq!(server.asked(), before, "the first half may be too old");
}

/// An authenticated user whose cached result has expired waits in a separate queue.
#[tokio::test(start_paused = true)]
async fn known_callers_do_not_wait_with_unknown_callers() {
    let server = ApiServer::default();
    let gate = Arc::new(server.gate());
    assert!(is_let_in(&gate, "ada", flooding()).await);
    tokio::time::advance(HOLDS).await;
    server.slow(true);
    let mut calls = JoinSet::new();
    for number in 0..MANY {
        let gate = gate.clone();
        let call = async move { identified(&gate, &stranger(number), flooding()).await };
        calls.spawn(call.map(drop));
    }
    settle().await;
    assert!(is_let_in(&gate, "ada", flooding()).await);
    let reported = identified(&gate, "bob", flooding()).await.map(drop);
    let reported = reported.map_err(|status| status.code());
    assert_eq!(reported, Err(Code::Unavailable), "of a stranger from there");
}

#[tokio::test]
async fn too_long_token_is_not_reviewed() {
    let server = ApiServer::default();
    let gate = server.gate();
    let reported = identified(&gate, &"x".repeat(LONGEST_TOKEN + 1), elsewhere()).await;
    let reported = reported
        .map(drop)
        .map_err(|status| status.message().to_owned());
    let too_long = "the token has 16385 bytes; the maximum is 16384";
    assert_eq!(reported, Err(too_long.to_owned()));
    assert_eq!(server.asked(), 0);
}
