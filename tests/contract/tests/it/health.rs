//! Tests of the readiness of a server, as gRPC clients and a kubelet see it.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::task::{Context, Poll};

use http::{Request, Response};
use portolan_contract::{End, Fake, Page, Running, ask, flags, run, served, within};
use portolan_proto::DESCRIPTORS;
use portolan_proto::resolver::v1::resolver_server::ResolverServer;
use portolan_shell::{Readiness, Server};
use tonic::body::Body;
use tonic::server::NamedService;
use tonic::{Code, Status, Streaming};
use tonic_health::pb::health_check_response::ServingStatus::{self, NotServing, Serving};
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};

const RESOLVER: &str = "portolan.resolver.v1.Resolver";

#[tokio::test]
async fn server_reports_serving_when_its_service_is_ready() {
    let running = served(Fake::default()).await;
    assert_eq!(state(&running, "").await, Ok(NotServing));
    assert_eq!(state(&running, RESOLVER).await, Ok(NotServing));
    let (mut server, mut service) = (watch(&running, "").await, watch(&running, RESOLVER).await);
    assert_eq!(next(&mut server).await, Ok(Some(NotServing)));
    assert_eq!(next(&mut service).await, Ok(Some(NotServing)));

    running.ready.set_ready();

    assert_eq!(next(&mut server).await, Ok(Some(Serving)));
    assert_eq!(next(&mut service).await, Ok(Some(Serving)));
    assert_eq!(state(&running, "").await, Ok(Serving));
    assert_eq!(state(&running, RESOLVER).await, Ok(Serving));
}

#[tokio::test]
async fn unknown_service_has_no_health() {
    let running = served(Fake::default()).await;
    let unknown = End::new(Code::NotFound, "service not registered");
    assert_eq!(
        state(&running, "portolan.health.v1.Health").await,
        Err(unknown)
    );
}

#[tokio::test]
async fn unready_service_does_not_affect_the_health_of_a_ready_service() {
    let (stuck, ready) = (Readiness::pending(), Readiness::pending());
    let server = Server::new(flags(), DESCRIPTORS)
        .host(ResolverServer::new(Fake::default()), stuck)
        .host(Second, ready.clone());
    let running = run(server, ready).await;
    let mut second = watch(&running, Second::NAME).await;
    assert_eq!(next(&mut second).await, Ok(Some(NotServing)));

    running.ready.set_ready();

    assert_eq!(next(&mut second).await, Ok(Some(Serving)));
    assert_eq!(state(&running, RESOLVER).await, Ok(NotServing));
    assert_eq!(state(&running, "").await, Ok(NotServing));
    let waiting = Page::new(503, "no snapshot yet: portolan.resolver.v1.Resolver\n");
    assert_eq!(running.page("/readyz").await, waiting);
}

#[tokio::test]
async fn health_watch_reports_the_drain_and_ends() {
    let running = served(Fake::default()).await;
    running.ready.set_ready();
    let mut states = watch(&running, "").await;
    // The first states may be older than the change of the readiness.
    while next(&mut states).await != Ok(Some(Serving)) {}

    running.stop();

    assert_eq!(next(&mut states).await, Ok(Some(NotServing)));
    let away = "this server is shutting down; watch again on another connection";
    let end = End::new(Code::Unavailable, away);
    assert_eq!(next(&mut states).await, Err(end));
    // The server ends before the drain timeout of one minute, which is longer than a test waits.
    running.wait_for_end().await;
}

#[tokio::test]
async fn probes_follow_the_server_from_start_to_drain() {
    let fake = Fake::default();
    let running = served(fake.clone()).await;
    let alive = Page::new(200, "ok\n");
    let waiting = Page::new(503, "no snapshot yet: portolan.resolver.v1.Resolver\n");
    assert_eq!(running.page("/livez").await, alive);
    assert_eq!(running.page("/readyz").await, waiting);

    running.ready.set_ready();
    assert_eq!(running.page("/readyz").await, Page::new(200, "ok\n"));

    let mut client = running.resolver();
    let slow = tokio::spawn(async move { client.list_upgrades(ask("slow")).await });
    fake.begun().await;
    let mut states = watch(&running, "").await;
    running.stop();
    while next(&mut states).await.is_ok() {}

    assert_eq!(running.page("/readyz").await, Page::new(503, "draining\n"));
    assert_eq!(running.page("/livez").await, alive);
    fake.permit();
    within(slow)
        .await
        .expect("the call must not panic")
        .expect("a call that runs when the drain begins must be answered");
    running.wait_for_end().await;
}

async fn state(running: &Running, service: &str) -> Result<ServingStatus, End> {
    let service = service.to_owned();
    let request = HealthCheckRequest { service };
    let answer = within(running.health().check(request)).await?;
    Ok(answer.into_inner().status())
}

async fn watch(running: &Running, service: &str) -> Streaming<HealthCheckResponse> {
    let service = service.to_owned();
    let request = HealthCheckRequest { service };
    within(running.health().watch(request))
        .await
        .expect("health must be served")
        .into_inner()
}

async fn next(states: &mut Streaming<HealthCheckResponse>) -> Result<Option<ServingStatus>, End> {
    let state = within(states.message()).await?;
    Ok(state.map(|state| state.status()))
}

/// A service whose methods are never called.
#[derive(Clone)]
struct Second;

impl NamedService for Second {
    const NAME: &'static str = "portolan.contract.v1.Second";
}

impl tower::Service<Request<Body>> for Second {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Ready<Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request<Body>) -> Self::Future {
        ready(Ok(Status::unimplemented("this is never called").into_http()))
    }
}
