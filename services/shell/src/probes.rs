//! The HTTP endpoints for the kubelet and for metrics scrapers.

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

/// The connection limit. There are few kubelets and scrapers, but every client that reaches the
/// port can connect. At the limit, the oldest connection is closed, so that the kubelet always gets
/// a response.
const FULL: Full = Full::CloseOldest(64);

/// The maximum time for a client to send the headers of a request, including the next request on
/// the same connection. A scraper whose connection was closed can connect again.
const HEADER_TIMEOUT: Duration = Duration::from_secs(3);

/// The maximum duration of a connection. Without this limit, a client that does not read its
/// response would keep its connection forever.
const LONGEST: Duration = Duration::from_secs(60);

/// The state that the probes report.
#[derive(Debug, Clone)]
pub(crate) struct Probes {
    /// The components of the process that must be ready.
    pub(crate) hosted: Arc<[Hosted]>,
    /// The metrics of the process. No metric family occurs in two registries.
    pub(crate) metrics: Vec<Arc<Registry>>,
    pub(crate) draining: CancellationToken,
}

// === impl Probes ===

impl Probes {
    /// Processes requests until the future is dropped.
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

/// Processes the requests on one connection. Supports only HTTP/1, which kubelets and scrapers use
/// without TLS. Each phase in which a client may be silent has a time limit.
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
