//! Tests of calls, with bodies that no correct service sends.

use std::future::{Ready, ready};
use std::net::IpAddr;

use bytes::Bytes;
use http::HeaderMap;
use http_body::{Body as HttpBody, Frame};
use tonic::Code;

use super::*;
use crate::guard::{Asked, Bearer, Caller, PeerAddress, Permitted};
use crate::metrics::CallMetrics;
use crate::shares::Holder;

const WATCH: &str = "/grpc.health.v1.Health/Watch";
/// The path of reflection, a stream that counts toward the limits.
const REFLECT: &str = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";

/// A service that responds with the body that this function returns.
#[derive(Clone)]
struct Answers(fn() -> Body);

/// A body that runs this function at each poll.
struct Scripted<F>(F);

#[tokio::test]
async fn panic_within_a_stream_ends_it_with_a_status() {
    let calls = calls();
    let mut body = answer(&calls, panics_second, None).await;
    let first = next(&mut body).await.expect("a frame must come");
    assert_eq!(first.into_data().ok(), Some(Bytes::from_static(b"one")));
    assert_eq!(status(next(&mut body).await), Some(Code::Internal));
    assert!(next(&mut body).await.is_none());
    assert_eq!(handled(&calls), [r#"grpc_code="Internal"} 1"#]);
}

#[tokio::test]
async fn stream_that_never_pauses_has_a_deadline() {
    let calls = calls();
    let mut body = answer(&calls, never_pauses, Some("1m")).await;
    let ended = async {
        loop {
            if let Some(code) = status(next(&mut body).await) {
                break code;
            }
            // A task that writes to a network connection also yields, when the connection accepts
            // no more data.
            tokio::task::yield_now().await;
        }
    };
    let ended = tokio::time::timeout(Duration::from_secs(20), ended).await;
    assert_eq!(ended, Ok(Code::DeadlineExceeded));
    assert_eq!(handled(&calls), [r#"grpc_code="DeadlineExceeded"} 1"#]);
}

/// While a client reads nothing, the body is not polled.
#[tokio::test(start_paused = true)]
async fn unpolled_body_reaches_its_deadline() {
    let calls = calls();
    let mut body = answer(&calls, never_pauses, Some("1S")).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(handled(&calls), [r#"grpc_code="DeadlineExceeded"} 1"#]);
    assert_eq!(calls.pulses.available_permits(), 1);
    // The client receives the last frame when it reads from the stream again.
    let reported = status(next(&mut body).await);
    assert_eq!(reported, Some(Code::DeadlineExceeded));
    assert!(next(&mut body).await.is_none());
}

#[tokio::test]
async fn stream_that_never_pauses_is_ended_after_the_drain() {
    let calls = calls();
    let mut body = answer(&calls, never_pauses, None).await;
    calls.draining.cancel();
    assert_eq!(status(next(&mut body).await), None);
    calls.cut.cancel();
    assert_eq!(status(next(&mut body).await), Some(Code::Unavailable));
    assert_eq!(handled(&calls), [r#"grpc_code="Unavailable"} 1"#]);
}

#[tokio::test]
async fn response_without_a_status_is_not_counted_as_ok() {
    let calls = calls();
    let mut body = answer(&calls, body_without_status, None).await;
    assert!(next(&mut body).await.is_none());
    assert_eq!(handled(&calls), [r#"grpc_code="Unknown"} 1"#]);
}

#[tokio::test]
async fn dropped_answer_is_canceled_and_frees_its_slot() {
    let calls = calls();
    let mut service = calls.clone().layer(Answers(never_pauses));
    let body = call(&mut service, "/unknown", None).await;
    assert_eq!(calls.places.free(), 0);
    drop(body);
    assert_eq!(calls.places.free(), 1);
    assert_eq!(handled(&calls), [r#"grpc_code="Canceled"} 1"#]);
}

#[tokio::test]
async fn slot_is_free_before_the_client_receives_the_end() {
    let calls = calls();
    let mut service = calls.clone().layer(Answers(four_bytes));
    let mut body = call(&mut service, "/unknown", None).await;
    assert_eq!(status(next(&mut body).await), None);
    assert_eq!(calls.places.free(), 0);
    assert_eq!(status(next(&mut body).await), Some(Code::Ok));
    assert_eq!(calls.places.free(), 1);
}

#[tokio::test]
async fn trace_context_propagates_without_recorded_spans() {
    let sent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let mut service = calls().layer(tower::service_fn(|_: Request<Body>| async {
        // The handler returns the trace context that a call to another service would contain, even
        // after other tasks have run.
        tokio::task::yield_now().await;
        let mut response = Response::new(Body::empty());
        traces::inject(response.headers_mut());
        Ok::<_, Infallible>(response)
    }));
    let request = Request::post("/unknown").header("traceparent", sent);
    let request = request
        .body(Body::empty())
        .expect("the request must be well formed");
    let Ok(response) = service.call(request).await;
    let passed_on = response.headers().get("traceparent");
    assert_eq!(passed_on.and_then(|value| value.to_str().ok()), Some(sent));
}

/// The limit for unsent bytes is eight. A caller may use four of them, or one response.
#[tokio::test]
async fn unsent_answers_count_before_the_client_reads() {
    let calls = Calls {
        places: Shares::new(16),
        answering: Shares::new(8),
        ..calls()
    };
    let mut service = calls.clone().layer(Answers(four_bytes));
    let mut stuck = call(&mut service, "/unknown", None).await;
    assert_eq!(calls.answering.free(), 4);
    let mut refused = call(&mut service, "/unknown", None).await;
    assert!(next(&mut refused).await.is_none());
    let mut handled = handled(&calls);
    handled.sort_unstable();
    assert_eq!(handled, [r#"grpc_code="ResourceExhausted"} 1"#]);

    // Data in the transport counts until it is sent, even after the call has ended.
    let data = next(&mut stuck).await.expect("a frame").into_data();
    drop(stuck);
    assert_eq!(calls.answering.free(), 4);
    drop(data);
    assert_eq!(calls.answering.free(), 8);
}

#[tokio::test]
async fn messages_of_a_stream_count_until_they_are_sent() {
    let calls = Calls {
        answering: Shares::new(32),
        ..calls()
    };
    let mut service = calls.clone().layer(Answers(never_pauses));
    let mut body = call(&mut service, REFLECT, None).await;
    let first = next(&mut body).await.expect("a message");
    let second = next(&mut body).await.expect("a message");
    assert_eq!(calls.answering.free(), 24);
    assert_eq!(status(next(&mut body).await), Some(Code::ResourceExhausted));
    drop((first, second));
    assert_eq!(calls.answering.free(), 32);
}

#[tokio::test]
async fn health_is_answered_when_unsent_answers_fill_the_budget() {
    let calls = calls();
    let filled = calls.answering.take(Holder::Address(None), 16);
    let mut body = answer(&calls, never_pauses, None).await;
    let frame = next(&mut body).await.expect("a frame");
    assert_eq!(frame.into_data().ok(), Some(Bytes::from_static(b"more")));
    assert_eq!(filled.map(|_| ()), Ok(()));
}

/// Data of an unread response in the transport is freed only when its connection ends.
#[tokio::test(start_paused = true)]
async fn client_that_reads_nothing_after_the_deadline_is_closed() {
    let calls = calls();
    let stuck = answer(&calls, never_pauses, Some("1S")).await;
    tokio::time::sleep(Duration::from_millis(1500)).await;
    assert!(!calls.draining.is_cancelled());
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(calls.draining.is_cancelled());
    drop(stuck);
}

#[tokio::test(start_paused = true)]
async fn client_that_reads_the_end_of_its_call_stays_connected() {
    let calls = calls();
    let mut body = answer(&calls, never_pauses, Some("1S")).await;
    tokio::time::sleep(Duration::from_millis(1500)).await;
    let reported = status(next(&mut body).await);
    assert_eq!(reported, Some(Code::DeadlineExceeded));
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert!(!calls.draining.is_cancelled());
}

#[tokio::test]
async fn known_user_is_one_caller_for_all_addresses() {
    take_places_of_eight(&[
        ("ann", 1, true),
        ("ann", 2, true),
        ("ann", 3, false),
        ("bob", 1, true),
        ("bob", 1, true),
        ("bob", 1, false),
        ("", 1, true),
    ])
    .await;
}

#[tokio::test]
async fn service_accounts_of_a_namespace_are_one_caller() {
    take_places_of_eight(&[
        ("system:serviceaccount:harbor:pilot", 1, true),
        ("system:serviceaccount:harbor:mate", 2, true),
        ("system:serviceaccount:harbor:cook", 3, false),
        ("system:serviceaccount:ferry:pilot", 1, true),
        ("harbor", 1, true),
    ])
    .await;
}

/// A service limits its own expensive requests by caller.
#[tokio::test]
async fn request_has_its_caller_as_extension() {
    let calls = Calls {
        guard: Some(Arc::new(Names)),
        ..calls()
    };
    let service = tower::service_fn(|request: Request<Body>| async move {
        let caller = request.extensions().get::<Holder>();
        let mut response = Response::new(Body::empty());
        response.extensions_mut().insert(caller.cloned());
        Ok::<_, Infallible>(response)
    });
    let mut service = calls.layer(service);
    let request = Request::post("/unknown").header("authorization", "Bearer ann.");
    let request = request.body(Body::empty()).expect("a request");
    let Ok(response) = service.call(request).await;
    let caller = response.extensions().get::<Option<Holder>>();
    assert_eq!(caller, Some(&Some(Holder::User("ann".into()))));
}

/// Starts calls of these users and addresses. Each of them may have two calls at the same time.
/// Checks which calls get a slot.
async fn take_places_of_eight(callers: &[(&str, u8, bool)]) {
    let calls = Calls {
        places: Shares::new(8),
        answering: Shares::new(1024),
        guard: Some(Arc::new(Names)),
        ..calls()
    };
    let mut service = calls.clone().layer(Answers(never_pauses));
    let mut held = Vec::new();
    for &(user, address, expected) in callers {
        let request = Request::post("/unknown").header("authorization", format!("Bearer {user}."));
        let request = request.extension(PeerAddress([192, 0, 2, address].into()));
        let request = request.body(Body::empty()).expect("a request");
        let Ok(response) = service.call(request).await;
        let refused = Status::from_header_map(response.headers()).map(|status| status.code());
        let refusal = (!expected).then_some(Code::ResourceExhausted);
        assert_eq!(refused, refusal, "{user} at {address}");
        held.push(response);
    }
    drop(held);
    assert_eq!(calls.places.free(), 8);
}

/// An authenticator that uses each token as the name of its user.
#[derive(Debug)]
struct Names;

#[derive(Debug)]
struct Named(String);

impl Guard for Names {
    fn identify(
        &self,
        token: Option<Bearer>,
        _: Option<IpAddr>,
    ) -> BoxFuture<'_, Result<Arc<dyn Caller>, Status>> {
        let Bearer(token) = token.expect("a token");
        let name = token.trim_end_matches('.').to_owned();
        async { Ok(Arc::new(Named(name)) as Arc<dyn Caller>) }.boxed()
    }
}

impl Caller for Named {
    fn name(&self) -> &str {
        &self.0
    }

    fn permit(&self, _: Asked) -> BoxFuture<'_, Result<Permitted, Status>> {
        async { Ok(Permitted::All) }.boxed()
    }
}

fn four_bytes() -> Body {
    let mut first = Some(Bytes::from_static(b"four"));
    Body::new(Scripted(move || match first.take() {
        Some(data) => Some(Frame::data(data)),
        None => {
            let mut trailers = HeaderMap::new();
            trailers.insert("grpc-status", (Code::Ok as i32).into());
            Some(Frame::trailers(trailers))
        }
    }))
}

fn panics_second() -> Body {
    let mut first = Some(Bytes::from_static(b"one"));
    Body::new(Scripted(move || match first.take() {
        Some(data) => Some(Frame::data(data)),
        None => panic!("the body was asked to panic"),
    }))
}

fn never_pauses() -> Body {
    Body::new(Scripted(|| Some(Frame::data(Bytes::from_static(b"more")))))
}

fn body_without_status() -> Body {
    Body::new(Scripted(|| None))
}

impl<F: FnMut() -> Option<Frame<Bytes>> + Unpin> HttpBody for Scripted<F> {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        Poll::Ready((self.0)().map(Ok))
    }
}

impl Service<Request<Body>> for Answers {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Ready<Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request<Body>) -> Self::Future {
        ready(Ok(Response::new((self.0)())))
    }
}

/// Creates limits with one slot.
fn calls() -> Calls {
    let methods = Methods::decode(&[
        tonic_health::pb::FILE_DESCRIPTOR_SET,
        tonic_reflection::pb::v1::FILE_DESCRIPTOR_SET,
    ])
    .expect("the descriptors must decode");
    Calls {
        methods: Arc::new(methods),
        metrics: Arc::new(CallMetrics::new()),
        guard: None,
        places: Shares::new(1),
        streams: Shares::new(1),
        mirrors: Shares::new(1),
        pulses: Arc::new(Semaphore::new(1)),
        reading: Arc::new(Semaphore::new(1)),
        answering: Shares::new(16),
        max_message_bytes: 1024,
        call_timeout: Duration::from_secs(60),
        running: TaskTracker::new(),
        draining: CancellationToken::new(),
        cut: CancellationToken::new(),
    }
}

/// Returns the body of the response to a watch.
async fn answer(calls: &Calls, body: fn() -> Body, timeout: Option<&str>) -> Body {
    call(&mut calls.clone().layer(Answers(body)), WATCH, timeout).await
}

async fn call(service: &mut CallService<Answers>, path: &str, timeout: Option<&str>) -> Body {
    let mut request = Request::post(path);
    if let Some(timeout) = timeout {
        request = request.header("grpc-timeout", timeout);
    }
    let request = request
        .body(Body::empty())
        .expect("the request must be well formed");
    match service.call(request).await {
        Ok(response) => response.into_body(),
        Err(never) => match never {},
    }
}

async fn next(body: &mut Body) -> Option<Frame<Bytes>> {
    std::future::poll_fn(|cx| std::pin::Pin::new(&mut *body).poll_frame(cx))
        .await
        .map(|frame| frame.expect("these bodies must not fail"))
}

fn status(frame: Option<Frame<Bytes>>) -> Option<Code> {
    let trailers = frame?.into_trailers().ok()?;
    Status::from_header_map(&trailers).map(|status| status.code())
}

/// Returns the counts of ended calls, beginning with their codes.
fn handled(calls: &Calls) -> Vec<String> {
    crate::metrics::render(&[calls.metrics.registry()])
        .lines()
        .filter(|line| line.starts_with("grpc_server_handled_total"))
        .filter_map(|line| line.find("grpc_code").map(|at| line[at..].to_owned()))
        .collect()
}
