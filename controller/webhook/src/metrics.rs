//! The metrics of the webhook.

use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use crate::admission::{Kind, Response};

/// The limits of the histogram buckets, in seconds. The first is for small objects, and the last is
/// for reviews that take too long.
const BUCKETS: [f64; 8] = [0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1.0, 2.0];

/// The metrics of the webhook. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct Metrics {
    reviews: Family<ReviewLabels, Counter>,
    seconds: Histogram,
    conversions: Family<ConversionLabels, Counter>,
    ends: Gauge,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ReviewLabels {
    kind: &'static str,
    answer: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ConversionLabels {
    answer: &'static str,
}

/// The result of a request in metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReviewOutcome {
    Allowed,
    Warned,
    Refused,
    /// The review failed or took too long, so the request was allowed.
    Late,
    /// The request could not be read or checked.
    Unread,
}

// === impl ReviewOutcome ===

impl ReviewOutcome {
    pub(crate) fn of(response: &Response) -> Self {
        if !response.is_allowed() {
            Self::Refused
        } else if response.warnings.is_empty() {
            Self::Allowed
        } else {
            Self::Warned
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Warned => "warned",
            Self::Refused => "refused",
            Self::Late => "late",
            Self::Unread => "unread",
        }
    }
}

// === impl Metrics ===

impl Metrics {
    pub(crate) fn new() -> (Self, Registry) {
        let metrics = Self {
            reviews: Family::default(),
            seconds: Histogram::new(BUCKETS),
            conversions: Family::default(),
            ends: Gauge::default(),
        };
        let mut registry = Registry::default();
        registry.register(
            "portolan_webhook_reviews",
            "Number of admission reviews, by response",
            metrics.reviews.clone(),
        );
        registry.register(
            "portolan_webhook_review_seconds",
            "Seconds until the webhook has responded",
            metrics.seconds.clone(),
        );
        registry.register(
            "portolan_webhook_conversions",
            "Number of conversion requests for Operators of OLM, by response",
            metrics.conversions.clone(),
        );
        registry.register(
            "portolan_webhook_certificate_end_timestamp_seconds",
            "Expiry time of the serving certificate in Unix time; 0 before the first certificate",
            metrics.ends.clone(),
        );
        (metrics, registry)
    }

    pub(crate) fn answered(&self, kind: Option<Kind>, answer: ReviewOutcome, took: Duration) {
        let labels = ReviewLabels {
            kind: kind.map_or("other", Kind::as_str),
            answer: answer.as_str(),
        };
        self.reviews.get_or_create(&labels).inc();
        self.seconds.observe(took.as_secs_f64());
    }

    pub(crate) fn converted(&self, is_done: bool) {
        let answer = if is_done { "converted" } else { "refused" };
        let labels = ConversionLabels { answer };
        self.conversions.get_or_create(&labels).inc();
    }

    /// Returns the metric with the time at which the serving certificate expires.
    pub(crate) fn ends(&self) -> Gauge {
        self.ends.clone()
    }
}
