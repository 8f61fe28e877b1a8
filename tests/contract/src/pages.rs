//! The probes, as read by a kubelet and by a scraper.

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;

use crate::{Running, within};

/// The answer of a probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub text: String,
}

/// Returns the sample for the path of a method in a metric of running or started calls.
pub fn calls(path: &str, count: u32) -> String {
    format!("{{{}}} {count}", method(path))
}

/// Returns the sample for the path of a method in the metric of ended calls.
pub fn ended_calls(path: &str, code: &str, count: u32) -> String {
    format!(r#"{{{},grpc_code="{code}"}} {count}"#, method(path))
}

fn method(path: &str) -> String {
    let mut names = path.split('/').skip(1);
    let service = names.next().expect("a path must have a service");
    let name = names.next().expect("a path must have a method");
    format!(r#"grpc_service="{service}",grpc_method="{name}""#)
}

// === impl Page ===

impl Page {
    /// A page with this status and body.
    pub fn new(status: u16, text: &str) -> Self {
        let text = text.to_owned();
        Self { status, text }
    }
}

// === impl Running ===

impl Running {
    /// Reads one page of the probes over a separate connection.
    pub async fn page(&self, path: &str) -> Page {
        let url = format!("http://{}{path}", self.probes);
        let client = Client::builder(TokioExecutor::new()).build_http::<Empty<Bytes>>();
        let answer = within(client.get(url.parse().expect("a path must make a URL")))
            .await
            .expect("the probes must answer");
        let status = answer.status().as_u16();
        let body = within(answer.into_body().collect())
            .await
            .expect("the page must be complete")
            .to_bytes();
        let text = String::from_utf8(body.into()).expect("the page must be text");
        Page { status, text }
    }

    /// Returns the samples of a metric in order, without the name of the metric.
    pub async fn samples(&self, metric: &str) -> Vec<String> {
        let mut samples: Vec<_> = self
            .page("/metrics")
            .await
            .text
            .lines()
            .filter_map(|line| line.strip_prefix(metric))
            .filter(|rest| rest.starts_with('{'))
            .map(str::to_owned)
            .collect();
        samples.sort();
        samples
    }

    /// Waits until a metric has exactly these samples. Each read lets some time pass.
    pub async fn counts(&self, metric: &str, wanted: &[String]) {
        let mut seen = Vec::new();
        let counted = async {
            while seen != wanted {
                seen = self.samples(metric).await;
            }
        };
        if tokio::time::timeout(crate::PATIENCE, counted)
            .await
            .is_err()
        {
            panic!("{metric} must become {wanted:#?} but is {seen:#?}");
        }
    }
}
