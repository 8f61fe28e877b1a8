//! What a kubelet and a metrics scraper ask over HTTP.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::get;
use tokio_util::sync::CancellationToken;

use crate::metrics::CallMetrics;
use crate::server::Hosted;

/// What the probes look at.
#[derive(Debug, Clone)]
pub(crate) struct Probes {
    pub(crate) hosted: Arc<[Hosted]>,
    pub(crate) metrics: Arc<CallMetrics>,
    pub(crate) draining: CancellationToken,
}

// === impl Probes ===

impl Probes {
    pub(crate) fn router(self) -> Router {
        Router::new()
            .route("/livez", get(|| async { "ok\n" }))
            .route("/readyz", get(readyz))
            .route("/metrics", get(metrics))
            .with_state(self)
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
    match waiting.is_empty() {
        true => (StatusCode::OK, "ok\n".to_owned()),
        false => {
            let names = waiting.join(", ");
            (
                StatusCode::SERVICE_UNAVAILABLE,
                format!("no snapshot yet: {names}\n"),
            )
        }
    }
}

async fn metrics(State(probes): State<Probes>) -> impl IntoResponse {
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], probes.metrics.render())
}
