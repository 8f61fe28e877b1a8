//! The connection to one replica. The client checks the health of the replica and connects again
//! when the connection is lost.

use std::convert::Infallible;
use std::future::pending;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::Request;
use tokio::sync::Notify;
use tokio::time::timeout;
use tonic::body::Body;
use tonic::{Code, Status, Streaming};
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};

use super::balancer::State;
use super::endpoints::{DialOptions, Endpoints};
use super::failure::TransportFailure;
use super::line::Line;
use crate::pauses::Pauses;

/// The maximum time for opening a connection, and for the first health report of the server.
const COMING: Duration = Duration::from_secs(5);

/// The first and the maximum pause between attempts to connect.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(10));

/// One address of a service. The balancer receives the state of this replica.
#[derive(Debug)]
pub(super) struct Replica {
    pub(super) address: SocketAddr,
    pub(super) dial: DialOptions,
    pub(super) endpoints: Arc<Endpoints>,
    /// Notified when a call needs this replica, because no other replica is available.
    pub(super) wanted: Arc<Notify>,
}

type States = Streaming<HealthCheckResponse>;

/// The status codes of servers without a health service, or with a health service that rejects this
/// client.
const DISCREET: [Code; 3] = [
    Code::Unimplemented,
    Code::Unauthenticated,
    Code::PermissionDenied,
];

// === impl Replica ===

impl Replica {
    /// Connects again whenever the connection is lost, with growing pauses.
    pub(super) async fn keep(self) -> Infallible {
        let mut pauses = Pauses::new(PAUSES.0, PAUSES.1);
        loop {
            let lost = self.connect(&mut pauses).await;
            tracing::debug!(address = %self.address, error = %lost, "no connection");
            self.endpoints.set(self.address, State::Down(lost));
            self.endpoints.doubt();
            tokio::select! {
                () = tokio::time::sleep(pauses.pause()) => {}
                () = self.wanted.notified() => {}
            }
            self.endpoints.set(self.address, State::Coming);
        }
    }

    /// Uses one connection until it is lost or accepts no more calls.
    async fn connect(&self, pauses: &mut Pauses) -> TransportFailure {
        let connecting = Line::connect(self.address, &self.dial);
        let (line, wire) = match timeout(COMING, connecting).await {
            Ok(Ok(connected)) => connected,
            Ok(Err(lost)) => return lost,
            Err(_) => return TransportFailure::Silent(self.address),
        };
        tokio::select! {
            ended = wire => match ended {
                Ok(()) => TransportFailure::Closed(self.address),
                Err(error) => TransportFailure::Broken(self.address, Arc::new(error)),
            },
            lost = self.listen(line, pauses) => lost,
        }
    }

    /// Watches the health of the server. The connection is used only after the first health report.
    /// A host may accept connections although its process hangs, and calls would then fail.
    async fn listen(&self, line: Line, pauses: &mut Pauses) -> TransportFailure {
        let mute = |status| TransportFailure::Mute(self.address, Arc::new(status));
        let (mut states, mut state) = match timeout(COMING, greet(&line)).await {
            Ok(Ok(greeted)) => greeted,
            Ok(Err(status)) if DISCREET.contains(&status.code()) => {
                pauses.reset();
                self.endpoints.set(self.address, State::Serving(line));
                return pending().await;
            }
            Ok(Err(status)) => return mute(status),
            Err(_) => return TransportFailure::Silent(self.address),
        };
        pauses.reset();
        loop {
            let known = match state.status() {
                ServingStatus::NotServing => State::Unready(line.clone()),
                _ => State::Serving(line.clone()),
            };
            self.endpoints.set(self.address, known);
            state = match next(&mut states).await {
                Ok(state) => state,
                Err(status) => return mute(status),
            };
        }
    }
}

async fn greet(line: &Line) -> Result<(States, HealthCheckResponse), Status> {
    let mut health = HealthClient::new(tower::service_fn(|request: Request<Body>| {
        let answer = line.ask(request);
        async { answer.await.map_err(|unanswered| unanswered.error) }
    }));
    let states = health.watch(HealthCheckRequest::default()).await?;
    let mut states = states.into_inner();
    let first = next(&mut states).await?;
    Ok((states, first))
}

async fn next(states: &mut States) -> Result<HealthCheckResponse, Status> {
    let ended = || Status::unavailable("the server no longer reports its health");
    states.message().await?.ok_or_else(ended)
}
