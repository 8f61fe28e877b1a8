//! The HTTP endpoints for a kubelet and a metrics scraper.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::get;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use prometheus_client::registry::Registry;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::metrics::render;
use crate::server::{Full, Hosted, accept};

/// There are few kubelets and scrapers, and every client that reaches the port can connect. Beyond
/// this limit the oldest connection is closed, so a kubelet always gets an answer.
const FULL: Full = Full::CloseOldest(64);

/// The longest time for a client to send the headers of a request, also of the next one. Scrapers
/// connect again.
const HEADER_TIMEOUT: Duration = Duration::from_secs(3);

/// The longest time for a connection: a client that does not read its answer must not keep its
/// place for ever.
const LONGEST: Duration = Duration::from_secs(60);

/// The state that the probes report.
#[derive(Debug, Clone)]
pub(crate) struct Probes {
    /// The parts of the process that have to be ready.
    pub(crate) hosted: Arc<[Hosted]>,
    /// The metrics of the process. No two have a family in common.
    pub(crate) metrics: Vec<Arc<Registry>>,
    pub(crate) draining: CancellationToken,
}

// === impl Probes ===

impl Probes {
    /// Answers until it is dropped.
    pub(crate) async fn serve(self, listener: TcpListener) {
        let service = TowerToHyperService::new(self.router());
        let never = CancellationToken::new();
        accept(listener, FULL, never, |stream| {
            answer(stream, service.clone())
        })
        .await;
    }

    fn router(self) -> Router {
        Router::new()
            .route("/livez", get(|| async { "ok\n" }))
            .route("/readyz", get(readyz))
            .route("/metrics", get(metrics))
            .with_state(self)
    }
}

/// Answers on one connection. Over HTTP/1 alone, as kubelets and scrapers ask in the clear: there is
/// a bound on every time that a client may be silent.
async fn answer(stream: TcpStream, service: TowerToHyperService<Router>) {
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .serve_connection(TokioIo::new(stream), service);
    if let Ok(Err(error)) = timeout(LONGEST, served).await {
        tracing::debug!(%error, "a connection to the probes ended");
    }
}

async fn readyz(State(probes): State<Probes>) -> (StatusCode, String) {
    if probes.draining.is_cancelled() {
        return (StatusCode::SERVICE_UNAVAILABLE, "draining\n".to_owned());
    }
    let waiting: Vec<_> = probes
        .hosted
        .iter()
        .filter(|hosted| !hosted.ready.is_ready())
        .map(|h| h.name)
        .collect();
    if waiting.is_empty() {
        (StatusCode::OK, "ok\n".to_owned())
    } else {
        let names = waiting.join(", ");
        (
            StatusCode::SERVICE_UNAVAILABLE,
            format!("no snapshot yet: {names}\n"),
        )
    }
}

async fn metrics(State(probes): State<Probes>) -> impl IntoResponse {
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], render(&probes.metrics))
}

#[cfg(test)]
mod tests;
