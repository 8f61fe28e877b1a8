//! Pushes images to a registry that uses HTTP without TLS and without authentication.

use bytes::Bytes;
use http::{Method, Request, StatusCode, header};
use http_body_util::Full;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

use super::Image;

/// Pushes an image to the registry at `HOST:PORT`.
///
/// # Panics
/// Panics if the registry rejects it.
pub async fn push(host: &str, repository: &str, tag: &str, image: &Image) {
    let client: Client<HttpConnector, Full<Bytes>> =
        Client::builder(TokioExecutor::new()).build_http();
    let base = format!("http://{host}/v2/{repository}");
    let send = async |method: Method, url: &str, kind: &str, body: &[u8]| {
        let request = Request::builder()
            .method(method)
            .uri(url)
            .header(header::CONTENT_TYPE, kind)
            .body(Full::from(body.to_vec()));
        let answer = client.request(request.expect("a request")).await;
        answer.unwrap_or_else(|error| panic!("{url} must answer: {error}"))
    };
    for (digest, blob) in &image.blobs {
        let begun = send(Method::POST, &format!("{base}/blobs/uploads/"), "", b"").await;
        assert_eq!(begun.status(), StatusCode::ACCEPTED, "an upload must begin");
        let place = begun.headers()[header::LOCATION].to_str().expect("a place");
        let mark = if place.contains('?') { '&' } else { '?' };
        let url = format!("{place}{mark}digest={digest}");
        let kind = "application/octet-stream";
        let put = send(Method::PUT, &url, kind, blob).await;
        assert_eq!(put.status(), StatusCode::CREATED, "a blob must be taken");
    }
    let members = image.members.iter();
    let named = members.map(|manifest| (super::digest(manifest), manifest));
    for (name, manifest) in named.chain([(tag.to_owned(), &image.manifest)]) {
        let read: serde_json::Value = serde_json::from_slice(manifest).expect("JSON");
        let kind = read["mediaType"].as_str().expect("a type");
        let put = send(
            Method::PUT,
            &format!("{base}/manifests/{name}"),
            kind,
            manifest,
        )
        .await;
        assert_eq!(
            put.status(),
            StatusCode::CREATED,
            "a manifest must be taken"
        );
    }
}
