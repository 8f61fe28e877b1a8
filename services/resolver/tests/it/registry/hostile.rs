//! Tests with broken or malicious registries.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use portolan_core_catalog::Catalog;
use portolan_kit::assert_same;
use portolan_proto::registry as pb;
use portolan_resolver::source::registry::{Dialer, ReadRegistry, Registry, RegistryLimits};
use rstest::rstest;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::body::Body;
use tonic::codegen::http::{HeaderMap, HeaderName, HeaderValue, Response};
use tonic::metadata::MetadataMap;
use tonic::transport::Server;
use tonic::{Code, Status};

use crate::registry::fake::{Fake, Then, content_lines, listen, property, row};

async fn read(fake: Fake) -> Catalog {
    fake.read().await.expect("the fake must be readable")
}

#[tokio::test]
async fn order_of_rows_does_not_change_the_result() {
    let rows = || {
        let versions = ["1.0.0", "1.1.0", "1.2.0", "2.0.0", "2.1.0"];
        let packages = ["a", "b", "c"].iter();
        packages.flat_map(move |name| versions.map(|version| row(name, version)))
    };
    let forward = read(Fake::of(rows())).await;
    let mut shuffled: Vec<_> = rows().collect();
    shuffled.reverse();
    shuffled.rotate_left(7);
    let backward = read(Fake::of(shuffled)).await;
    assert_eq!(forward.digest, backward.digest);
    assert_same!(content_lines(&forward), content_lines(&backward));
}

#[tokio::test]
async fn first_of_conflicting_rows_is_used() {
    let mut other = row("a", "1.0.0");
    other.properties = vec![property(
        "olm.package",
        r#"{"packageName": "a", "version": "3.0.0"}"#,
    )];
    let elsewhere = |row: pb::Bundle, channel: &str| pb::Bundle {
        channel_name: channel.to_owned(),
        ..row
    };
    let read = read(Fake::of([
        row("a", "1.0.0"),
        elsewhere(other.clone(), "t"),
        elsewhere(other, "u"),
        elsewhere(row("a", "1.0.0"), "v"),
        pb::Bundle {
            replaces: "a.v0.1.0".to_owned(),
            ..row("a", "1.0.0")
        },
    ]))
    .await;
    assert_same!(
        content_lines(&read),
        [
            "a: a.v1.0.0",
            "! package a: bundle a.v1.0.0 appears twice in the catalog; the first one is used",
            "! package a, channel s, entry a.v1.0.0: entry a.v1.0.0 appears twice in its channel; \
             the first one is used",
        ]
    );
    let package = &read.packages["a"];
    assert_eq!(package.bundles["a.v1.0.0"].version.to_string(), "1.0.0");
    assert_eq!(package.channels["s"].entries["a.v1.0.0"].replaces, None);
}

#[rstest]
#[case::no_json(b"{\"a\": ")]
#[case::two_values(b"{} {}")]
#[case::nothing(b"")]
#[case::no_text(b"\"\xff\xfe\"")]
#[case::line_break(b"\"a\n{\"")]
#[tokio::test]
async fn invalid_property_drops_only_its_bundle(#[case] value: &'static [u8]) {
    let mut broken = row("a", "1.0.0");
    broken.properties.push(pb::Property {
        r#type: "x".to_owned(),
        value: value.into(),
    });
    let read = read(Fake::of([broken, row("a", "2.0.0")])).await;
    let missing =
        "! package a: channel s has the entry a.v1.0.0, but the catalog has no such bundle";
    let mut lines = content_lines(&read);
    lines.sort();
    let fault = "! package a, bundle a.v1.0.0: `properties`: the value of \"x\" is not JSON: ";
    assert!(
        lines.pop().is_some_and(|last| last == "a: a.v2.0.0"),
        "{lines:?}"
    );
    assert!(lines[0].starts_with(fault), "{lines:?}");
    assert_same!(lines[1..], [missing]);
}

#[tokio::test]
async fn deeply_nested_value_drops_only_its_bundle() {
    let mut deep = row("a", "1.0.0");
    deep.properties.push(property("x", &"[".repeat(100_000)));
    let mut closed = row("a", "2.0.0");
    let brackets = "[".repeat(100_000) + &"]".repeat(100_000);
    closed.properties.push(property("x", &brackets));
    let read = read(Fake::of([deep, closed, row("a", "3.0.0")])).await;
    let bundles: Vec<_> = read.packages["a"]
        .bundles
        .keys()
        .map(|name| name.as_str())
        .collect();
    assert_same!(bundles, ["a.v3.0.0"]);
    assert_eq!(read.faults.len(), 4, "{:?}", content_lines(&read));
}

#[tokio::test]
async fn invalid_names_are_faults() {
    let long = "x".repeat(100_000);
    let read = read(Fake::of([
        pb::Bundle::default(),
        pb::Bundle {
            package_name: "../etc".to_owned(),
            ..row("a", "1.0.0")
        },
        pb::Bundle {
            channel_name: "a\nb".to_owned(),
            ..row("a", "1.0.0")
        },
        pb::Bundle {
            name: long.clone(),
            ..row("a", "1.1.0")
        },
        pb::Bundle {
            replaces: long,
            ..row("a", "1.2.0")
        },
    ]))
    .await;
    let lines = content_lines(&read);
    assert_eq!(lines[0], "a: a.v1.0.0, a.v1.2.0");
    assert!(lines.len() > 5, "{lines:?}");
    for line in lines {
        assert!(line.len() < 600 && !line.contains('\n'), "{line:?}");
    }
}

#[tokio::test]
async fn answer_about_another_package_is_a_fault() {
    let mut fake = Fake::of([row("a", "1.0.0")]);
    let other = pb::Package {
        name: "b".to_owned(),
        ..Default::default()
    };
    fake.packages.insert("a".to_owned(), Ok(other));
    assert_same!(
        content_lines(&read(fake).await),
        [
            "! package a: `GetPackage`: the registry answers with package \"b\"",
            "! package a: package a has no olm.package document, so it is not offered",
        ]
    );
}

#[tokio::test]
async fn messages_may_exceed_four_mebibytes_up_to_a_limit() {
    let mut big = row("a", "1.0.0");
    let value = format!("\"{}\"", "x".repeat(5 << 20));
    big.properties.push(property("x", &value));
    let fake = Fake::of([big]);
    assert_same!(
        content_lines(&read(fake.clone()).await),
        [
            "a: a.v1.0.0",
            "! package a, bundle a.v1.0.0: `value`: \"x\" is longer than 131072 bytes and is \
             hidden from rules",
        ]
    );
    let small = RegistryLimits {
        message: 4 << 20,
        ..RegistryLimits::default()
    };
    let error = fake.read_within(small).await.expect_err("it is too long");
    let sentence = error.to_string();
    assert!(
        sentence.starts_with("call ListBundles of the registry failed: "),
        "{sentence}"
    );
}

#[rstest]
#[case::without_end(
    Then::Repeat,
    "cannot read the registry: it sends more than 65536 bytes, the maximum for one catalog; to \
     allow more, increase --memory-limit of the resolver"
)]
#[case::silent(
    Then::Silence,
    "call ListBundles of the registry failed: no data was received for 1 s"
)]
#[case::too_slow(
    Then::Trickle(Duration::from_millis(100)),
    "cannot read the registry: the reading took longer than 2 s"
)]
#[tokio::test]
async fn read_fails_if_rows_stall_or_never_end(#[case] then: Then, #[case] sentence: &str) {
    let fake = Fake {
        then,
        ..Fake::of([row("a", "1.0.0")])
    };
    let limits = RegistryLimits {
        rows: 64 << 10,
        stall: Duration::from_secs(1),
        whole: Duration::from_secs(2),
        ..RegistryLimits::default()
    };
    let error = fake
        .read_within(limits)
        .await
        .expect_err("it must not be read");
    assert_eq!(error.to_string(), sentence);
}

#[tokio::test]
async fn missing_answer_about_a_package_times_out() {
    let fake = Fake {
        thinking: Duration::from_secs(600),
        ..Fake::of([row("a", "1.0.0")])
    };
    let limits = RegistryLimits {
        stall: Duration::from_secs(1),
        ..RegistryLimits::default()
    };
    let error = fake
        .read_within(limits)
        .await
        .expect_err("it must not be read");
    assert!(
        matches!(
            error,
            ReadRegistry::Stalled {
                call: "GetPackage",
                ..
            }
        ),
        "{error}"
    );
}

/// Reads a registry that answers every call with the same bytes. If `is_ok` is true, the status OK
/// follows.
async fn raw(bytes: Vec<u8>, is_ok: bool) -> Result<Catalog, ReadRegistry> {
    let (listener, address) = listen().await;
    let answer = tower::service_fn(move |_| {
        let body = Full::new(Bytes::from(bytes.clone()));
        let trailers = is_ok.then(|| {
            let status = HeaderValue::from_static("0");
            Ok(HeaderMap::from_iter([(
                HeaderName::from_static("grpc-status"),
                status,
            )]))
        });
        let body = Body::new(body.with_trailers(std::future::ready(trailers)));
        let mut response = Response::new(body);
        let grpc = HeaderValue::from_static("application/grpc");
        response.headers_mut().insert("content-type", grpc);
        std::future::ready(Ok::<_, std::convert::Infallible>(response))
    });
    let incoming = TcpListenerStream::new(listener);
    let served = tokio::spawn(async move {
        let server = Server::builder();
        server.serve_with_incoming(answer, incoming).await
    });
    let registry = Registry::connect(&address, &Dialer::default()).await?;
    let read = registry.read().await;
    served.abort();
    read
}

/// Returns a message with its gRPC prefix.
fn framed(message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len())
        .expect("it must be short")
        .to_be_bytes();
    [&[0], length.as_slice(), message].concat()
}

#[rstest]
#[case::no_message(framed(b"\xff\xff\xff\xff"), true)]
#[case::a_name_that_is_no_text(framed(b"\x0a\x02\xff\xfe"), true)]
#[case::cut_off(b"\x00\x00\x00\x00\x10abc".to_vec(), false)]
#[case::two_gigabytes(b"\x00\x7f\xff\xff\xff".to_vec(), true)]
#[case::compressed(b"\x01\x00\x00\x00\x01a".to_vec(), true)]
#[case::without_a_status(framed(b""), false)]
#[tokio::test]
async fn invalid_response_bytes_are_a_failure(#[case] bytes: Vec<u8>, #[case] is_ok: bool) {
    let error = raw(bytes, is_ok).await.expect_err("it must not be read");
    let sentence = error.to_string();
    assert!(
        sentence.starts_with("call ListBundles of the registry failed: "),
        "{sentence}"
    );
}

/// tonic's client panics on such a response.
#[tokio::test]
async fn details_with_invalid_base64_are_a_failure() {
    let details = HeaderValue::from_static("!");
    let headers =
        HeaderMap::from_iter([(HeaderName::from_static("grpc-status-details-bin"), details)]);
    let headers = MetadataMap::from_headers(headers);
    let answer = Status::with_metadata(Code::Unknown, "not found", headers);
    let mut fake = Fake::of([row("a", "1.0.0")]);
    fake.packages.insert("a".to_owned(), Err(answer));
    let error = fake.read().await.expect_err("it must not be read");
    assert_eq!(
        error.to_string(),
        "call GetPackage of the registry failed: the response cannot be decoded"
    );
}

#[tokio::test]
async fn registry_without_rows_is_an_empty_catalog() {
    let read = raw(Vec::new(), true).await.expect("it must be readable");
    assert_eq!((read.packages.len(), read.faults.len()), (0, 0));
}
