mod grpc;
mod origin;
mod tls;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode, Version};
use http_body::Frame;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper_util::client::legacy::{Client, Error};
use hyper_util::rt::TokioExecutor;
use rstest::rstest;
use serde_json::{Value, json};
use tokio::time::timeout;

use self::origin::{Body, Origin};
use super::*;
use crate::assert_same;

/// The maximum time to wait for an expected event. A test that passes waits much less.
const SOON: Duration = Duration::from_secs(20);
/// The time during which a test checks that nothing happens.
const A_WHILE: Duration = Duration::from_millis(150);

/// A client for one protocol. The client never retries a request.
struct Caller {
    url: String,
    client: Client<hyper_util::client::legacy::connect::HttpConnector, Body>,
}

impl Caller {
    fn of(proxy: &Proxy, version: Version) -> Self {
        let client = Client::builder(TokioExecutor::new())
            .http2_only(version == Version::HTTP_2)
            .retry_canceled_requests(false)
            .build_http();
        Self {
            url: proxy.url(),
            client,
        }
    }

    async fn send(&self, request: &str, body: Body) -> Result<Response<Incoming>, Error> {
        let (method, path) = request.split_once(' ').unwrap();
        let request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.url));
        let request = request.header("te", "trailers").body(body).unwrap();
        timeout(SOON, self.client.request(request))
            .await
            .expect("an answer must come soon")
    }

    /// Returns the HTTP status and the body of the response.
    async fn call(&self, request: &str) -> Result<(u16, String), Error> {
        let answer = self.send(request, origin::text("")).await?;
        let status = answer.status().as_u16();
        let body = answer.into_body().collect().await.unwrap().to_bytes();
        Ok((status, String::from_utf8(body.into()).unwrap()))
    }
}

async fn chunk(body: &mut Incoming) -> Bytes {
    let frame = timeout(SOON, body.frame())
        .await
        .expect("a chunk must come soon");
    frame
        .unwrap()
        .unwrap()
        .into_data()
        .expect("a chunk must be data")
}

async fn between(version: Version) -> (Origin, Proxy, Caller) {
    let origin = Origin::start().await;
    let proxy = Proxy::before(origin.address).await;
    let caller = Caller::of(&proxy, version);
    (origin, proxy, caller)
}

#[rstest]
#[case::http1(Version::HTTP_11)]
#[case::http2(Version::HTTP_2)]
#[tokio::test]
async fn requests_are_forwarded_in_their_version(#[case] version: Version) {
    let (origin, proxy, caller) = between(version).await;
    for _ in 0..2 {
        let (status, text) = caller.call("GET /a?watch=true").await.unwrap();
        assert_same!(
            (status, text),
            (200, format!("{version:?} GET /a?watch=true"))
        );
    }
    let seen = Seen {
        method: "GET".parse().unwrap(),
        path: "/a".into(),
        query: "watch=true".into(),
    };
    assert_same!(proxy.requests(), vec![seen.clone(), seen]);
    assert_same!(proxy.count("GET /a?watch"), 2);
    assert_same!(proxy.count("POST /a"), 0);
    assert_same!(origin.connections(), 1);
}

#[rstest]
#[case::http1(Version::HTTP_11)]
#[case::http2(Version::HTTP_2)]
#[tokio::test]
async fn stream_is_forwarded_chunk_by_chunk_with_its_trailers(#[case] version: Version) {
    let (origin, _proxy, caller) = between(version).await;
    let stream = origin.stream();
    let answer = caller.send("GET /stream", origin::text("")).await.unwrap();
    let mut body = answer.into_body();
    for part in ["one", "two"] {
        // The test creates the second chunk only after the first chunk has arrived.
        stream.send(Frame::data(Bytes::from(part))).await.unwrap();
        assert_same!(chunk(&mut body).await, Bytes::from(part));
    }
    let trailers = HeaderMap::from_iter([("x-end".parse().unwrap(), HeaderValue::from(1))]);
    stream
        .send(Frame::trailers(trailers.clone()))
        .await
        .unwrap();
    drop(stream);
    let end = body.collect().await.unwrap();
    assert_same!(end.trailers(), Some(&trailers));
}

#[rstest]
#[case::http1(Version::HTTP_11)]
#[case::http2(Version::HTTP_2)]
#[tokio::test]
async fn both_directions_stream_at_once(#[case] version: Version) {
    let (_origin, _proxy, caller) = between(version).await;
    let (sender, body) = origin::channel();
    let mut echo = caller.send("POST /echo", body).await.unwrap().into_body();
    for part in ["one", "two"] {
        sender.send(Frame::data(Bytes::from(part))).await.unwrap();
        assert_same!(chunk(&mut echo).await, Bytes::from(part));
    }
}

#[rstest]
#[case::http1(Version::HTTP_11)]
#[case::http2(Version::HTTP_2)]
#[tokio::test]
async fn conflicts_are_returned_and_then_requests_are_forwarded(#[case] version: Version) {
    let (origin, proxy, caller) = between(version).await;
    proxy.answer("PUT /apis", 409, 2);
    for _ in 0..2 {
        let (status, text) = caller.call("PUT /apis/x").await.unwrap();
        let expected = json!({
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": "the proxy answers PUT /apis/x with 409",
            "reason": "Conflict",
            "code": 409,
        });
        assert_same!(status, 409);
        assert_same!(serde_json::from_str::<Value>(&text).unwrap(), expected);
    }
    assert_same!(caller.call("PUT /apis/x").await.unwrap().0, 200);
    assert_same!(proxy.count("PUT /apis/x"), 3);
    assert_same!(origin.hits(), vec!["PUT /apis/x"]);
}

#[tokio::test]
async fn diverted_requests_reach_another_upstream() {
    let (origin, proxy, caller) = between(Version::HTTP_2).await;
    let other = Origin::start().await;
    proxy.divert("GET /a", other.address);
    let (status, _) = caller.call("GET /a").await.unwrap();
    assert_same!(
        (status, origin.connections(), other.connections()),
        (200, 0, 1)
    );
    caller.call("GET /b").await.unwrap();
    assert_same!((origin.connections(), other.connections()), (1, 1));
    proxy.clear();
    caller.call("GET /a").await.unwrap();
    assert_same!((origin.connections(), other.connections()), (1, 1));
}

#[tokio::test]
async fn too_many_requests_have_retry_after() {
    let (_origin, proxy, caller) = between(Version::HTTP_11).await;
    proxy.answer("/", 429, 1);
    let answer = caller.send("GET /api", origin::text("")).await.unwrap();
    assert_same!(answer.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_same!(answer.headers()["retry-after"], "1");
}

#[rstest]
#[case::http1(Version::HTTP_11)]
#[case::http2(Version::HTTP_2)]
#[tokio::test]
async fn cut_ends_a_running_stream_with_an_error(#[case] version: Version) {
    let (origin, proxy, caller) = between(version).await;
    let stream = origin.stream();
    let mut body = caller
        .send("GET /stream", origin::text(""))
        .await
        .unwrap()
        .into_body();
    stream.send(Frame::data(Bytes::from("one"))).await.unwrap();
    assert_same!(chunk(&mut body).await, Bytes::from("one"));
    assert_same!(proxy.cut("GET /other"), 0);
    assert_same!(proxy.cut("GET /stream"), 1);
    let end = timeout(SOON, body.frame()).await.unwrap();
    assert!(
        matches!(end, Some(Err(_))),
        "a cut must be no clean end: {end:?}"
    );
    timeout(SOON, stream.closed())
        .await
        .expect("the origin must notice the closed connection");
    assert_same!(caller.call("GET /a").await.unwrap().0, 200);
}

#[rstest]
#[case::http1(Version::HTTP_11)]
#[case::http2(Version::HTTP_2)]
#[tokio::test]
async fn freeze_delays_all_data_and_loses_none(#[case] version: Version) {
    let (origin, proxy, caller) = between(version).await;
    let stream = origin.stream();
    let mut body = caller
        .send("GET /stream", origin::text(""))
        .await
        .unwrap()
        .into_body();
    proxy.freeze();
    stream.send(Frame::data(Bytes::from("late"))).await.unwrap();
    let mut request = Box::pin(caller.call("POST /a"));
    let nothing = timeout(A_WHILE, async {
        tokio::select! { _ = body.frame() => "the stream", _ = &mut request => "the answer" }
    });
    assert_same!(nothing.await.ok(), None::<&str>);
    assert_same!(origin.hits(), vec!["GET /stream"]);
    proxy.thaw();
    assert_same!(chunk(&mut body).await, Bytes::from("late"));
    assert_same!(request.await.unwrap().0, 200);
}

#[rstest]
#[case::http1(Version::HTTP_11)]
#[case::http2(Version::HTTP_2)]
#[tokio::test]
async fn answer_to_the_third_write_is_lost(#[case] version: Version) {
    let (origin, proxy, caller) = between(version).await;
    proxy.at_write(3, Action::CutAfter);
    for request in ["POST /1", "GET /x", "PATCH /2"] {
        assert_same!(caller.call(request).await.unwrap().0, 200);
    }
    caller
        .call("DELETE /3")
        .await
        .expect_err("the answer must be lost");
    assert_same!(caller.call("PUT /4").await.unwrap().0, 200);
    assert_same!(
        origin.hits(),
        vec!["POST /1", "GET /x", "PATCH /2", "DELETE /3", "PUT /4"]
    );
}

#[rstest]
#[case::http1(Version::HTTP_11)]
#[case::http2(Version::HTTP_2)]
#[tokio::test]
async fn write_can_fail_before_it_is_executed(#[case] version: Version) {
    let (origin, proxy, caller) = between(version).await;
    proxy.at_write(1, Action::CutBefore);
    caller
        .call("POST /1")
        .await
        .expect_err("the connection must break");
    assert_same!(caller.call("POST /2").await.unwrap().0, 200);
    assert_same!(origin.hits(), vec!["POST /2"]);
}

#[tokio::test]
async fn write_can_call_the_test() {
    let (origin, proxy, caller) = between(Version::HTTP_2).await;
    let calls = Arc::new(AtomicUsize::new(0));
    let counter = calls.clone();
    proxy.at_write(
        2,
        Action::call(move || {
            counter.fetch_add(1, Ordering::SeqCst);
        }),
    );
    for (request, expected) in [("POST /1", 0), ("POST /2", 1), ("POST /3", 1)] {
        caller.call(request).await.unwrap();
        assert_same!((request, calls.load(Ordering::SeqCst)), (request, expected));
    }
    assert_same!(origin.hits().len(), 3);
}

#[tokio::test]
async fn delays_last_until_cleared() {
    let (_origin, proxy, caller) = between(Version::HTTP_2).await;
    proxy.delay("GET /slow", A_WHILE);
    for (request, slow) in [
        ("GET /fast", false),
        ("GET /slow", true),
        ("GET /slow", true),
    ] {
        let start = Instant::now();
        caller.call(request).await.unwrap();
        // Checks only the minimum time, because the maximum time depends on the speed of the
        // machine.
        assert!(
            !slow || start.elapsed() >= A_WHILE,
            "{request} must be delayed"
        );
    }
    proxy.delay("GET /slow", Duration::MAX);
    proxy.clear();
    assert_same!(caller.call("GET /slow").await.unwrap().0, 200);
}

#[tokio::test]
async fn dropped_proxy_closes_its_connections() {
    let (origin, proxy, caller) = between(Version::HTTP_2).await;
    let _stream = origin.stream();
    let mut body = caller
        .send("GET /stream", origin::text(""))
        .await
        .unwrap()
        .into_body();
    drop(proxy);
    let end = timeout(SOON, body.frame()).await.unwrap();
    assert!(
        matches!(end, Some(Err(_))),
        "the stream must break: {end:?}"
    );
    caller
        .call("GET /a")
        .await
        .expect_err("the port must be closed");
}

#[tokio::test]
async fn missing_upstream_breaks_the_connection() {
    let free = std::net::TcpListener::bind(("127.0.0.1", 0))
        .unwrap()
        .local_addr()
        .unwrap();
    let proxy = Proxy::before(free).await;
    let caller = Caller::of(&proxy, Version::HTTP_11);
    caller
        .call("GET /a")
        .await
        .expect_err("there must be no answer");
    assert_same!(proxy.count(Matcher::any()), 1);
}

#[test]
fn requests_can_be_excluded_by_their_query() {
    let seen = |query: &str| Seen {
        method: http::Method::PATCH,
        path: "/api/v1/pods".into(),
        query: query.into(),
    };
    let matcher = Matcher::writes().under("/api").without("dryRun");
    assert!(matcher.matches(&seen("fieldManager=a")));
    assert!(!matcher.matches(&seen("dryRun=All&fieldManager=a")));
}
