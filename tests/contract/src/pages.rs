//! Reads the probe endpoints and the metrics, as a kubelet and a metrics scraper do.

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;

use crate::{Running, within};

/// The response of a probe endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub text: String,
}

/// Returns a sample in a metric that counts running or started calls. `path` is the path of the
/// method.
pub fn calls(path: &str, count: u32) -> String {
    format!("{{{}}} {count}", method(path))
}

/// Returns a sample in the metric that counts ended calls. `path` is the path of the method.
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
    /// Creates a response with this status and body.
    pub fn new(status: u16, text: &str) -> Self {
        let text = text.to_owned();
        Self { status, text }
    }
}

// === impl Running ===

impl Running {
    /// Requests a page of the probe server, over a separate connection.
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

    /// Returns the samples of a metric, in order. Removes the name of the metric from each sample.
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

    /// Waits until a metric has only these samples. No pause is needed, because each request takes
    /// some time.
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
