//! Tests of failures of a server like catalogd.

use std::error::Error;
use std::time::Duration;

use portolan_core_catalog::Limits;
use portolan_kit::catalogd::{Catalogd as Server, Trouble};
use portolan_kit::{TempFolder, catalog};
use portolan_resolver::source::catalogd::{Catalogd, Options, Read, ReadCatalogd};
use rstest::rstest;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpSocket};

/// The maximum duration of a slow test. A working server responds much earlier.
const LONG: Duration = Duration::from_secs(20);

const SHORT: Duration = Duration::from_millis(150);

fn content() -> String {
    let packages: String = (0..50)
        .map(|n| format!("p{n}: 1.0.{n} -> 1.1.0\n"))
        .collect();
    catalog(&packages).to_json_lines()
}

fn options() -> Options {
    Options {
        authority: None,
        connect: LONG,
        answer: LONG,
        stall: LONG,
        whole: LONG,
        limits: Limits::default(),
    }
}

fn at(url: &str, options: Options) -> Catalogd {
    Catalogd::new(url, options).expect("the URL must be one of a catalog")
}

async fn refused(catalogd: &Catalogd) -> ReadCatalogd {
    match catalogd.read(None).await {
        Ok(read) => panic!("it must not be read: {read:?}"),
        Err(error) => error,
    }
}

/// Returns the error with all its causes.
fn with_sources(error: &dyn Error) -> String {
    let sources = std::iter::successors(Some(error), |&error| error.source());
    let messages: Vec<_> = sources.map(ToString::to_string).collect();
    messages.join(": ")
}

/// A failure leaves no state, so the next read succeeds as soon as the server works again.
#[rstest]
#[case::no_content(
    Trouble::Status(404),
    "has no catalog with this name, or has not unpacked it"
)]
#[case::broken(Trouble::Status(500), "answers 500 Internal Server Error")]
#[case::not_ready(Trouble::Status(503), "answers 503 Service Unavailable")]
#[case::not_ours(Trouble::Status(403), "answers 403 Forbidden")]
#[case::nothing_to_say(Trouble::Status(204), "answers 204 No Content")]
#[case::unasked(Trouble::Status(304), "answers 304 Not Modified")]
#[case::elsewhere(
    Trouble::Moved("https://other.test/".to_owned()),
    "redirects to \"https://other.test/\", but redirects are not followed; if the URL is correct, \
     use it instead"
)]
#[case::a_page(
    Trouble::Page,
    "the response is not a catalog: it is text/html; charset=utf-8"
)]
#[case::cut_at_once(Trouble::Cut(0), "cannot receive the response")]
#[case::cut_in_the_middle(Trouble::Cut(2000), "cannot receive the response")]
#[tokio::test]
async fn failing_server_is_an_error(#[case] trouble: Trouble, #[case] why: &str) {
    let server = Server::of("demo", content()).await;
    let catalogd = at(&server.url(), options());
    server.make(trouble);
    let message = with_sources(&refused(&catalogd).await);
    assert!(message.contains(why), "{message}");
    server.behave();
    let read = catalogd.read(None).await;
    assert!(matches!(read, Ok(Read::Changed(..))), "{read:?}");
}

/// Each cut is at the end of a line, so the truncated content would be a valid catalog.
#[tokio::test]
async fn truncated_content_is_an_error() {
    // The text is too short to be compressed.
    let content = catalog("a: 1.0.0").to_json_lines();
    let server = Server::of("demo", content.clone()).await;
    let catalogd = at(&server.url(), options());
    for cut in content.match_indices('\n').map(|(at, _)| at + 1).take(2) {
        server.make(Trouble::Cut(cut));
        let error = refused(&catalogd).await;
        assert!(matches!(error, ReadCatalogd::Receive(_)), "{error:?}");
    }
}

#[tokio::test]
async fn failed_read_keeps_the_last_edition() {
    let server = Server::of("demo", content()).await;
    let catalogd = at(&server.url(), options());
    let Ok(Read::Changed(_, edition)) = catalogd.read(None).await else {
        panic!("it must be readable");
    };
    server.make(Trouble::Cut(1000));
    // Unchanged content is not sent, so it cannot be truncated.
    assert!(matches!(
        catalogd.read(Some(&edition)).await,
        Ok(Read::Unchanged)
    ));
    server.replace(catalog("a: 1.0.0 -> 1.0.1 -> 1.0.2 -> 1.0.3 -> 1.0.4").to_json_lines());
    assert!(catalogd.read(Some(&edition)).await.is_err());
    assert!(catalogd.read(Some(&edition)).await.is_err());
    server.behave();
    assert!(matches!(
        catalogd.read(Some(&edition)).await,
        Ok(Read::Changed(..))
    ));
    assert_eq!(server.statuses(), [200, 304, 200, 200, 200]);
}

/// A connection always leads to the same replica, and this replica lacks the content.
#[tokio::test]
async fn refused_request_is_retried_on_another_replica() {
    let server = Server::of("demo", content()).await;
    let catalogd = at(&server.url(), options());
    server.make(Trouble::Status(404));
    refused(&catalogd).await;
    refused(&catalogd).await;
    server.behave();
    assert!(catalogd.read(None).await.is_ok());
    let connections: Vec<_> = server
        .asked()
        .iter()
        .map(|asked| asked.connection)
        .collect();
    assert_eq!(connections, [1, 2, 3]);
}

#[tokio::test]
async fn catalog_name_unknown_to_the_server_is_not_found() {
    let server = Server::of("demo", content()).await;
    let message = with_sources(&refused(&at(&server.url_of("memo"), options())).await);
    assert!(
        message.contains("has no catalog with this name"),
        "{message}"
    );
}

#[tokio::test]
async fn refused_connection_error_names_the_address() {
    // The socket is bound but does not listen. Connections are refused, and no other test can get
    // the port.
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let address = socket.local_addr().unwrap();
    let message = with_sources(&refused(&at(&format!("http://{address}"), options())).await);
    assert!(
        message.starts_with(&format!("cannot connect to {address}: ")),
        "{message}"
    );
    assert!(message.contains("refused"), "{message}");
}

#[rstest]
#[case::silent(
    Trouble::Silence,
    Options { answer: SHORT, ..options() },
    "did not answer within 150ms"
)]
#[case::stalled_at_once(
    Trouble::Stall(0),
    Options { stall: SHORT, ..options() },
    "no data was received for 150ms"
)]
#[case::stalled(
    Trouble::Stall(2000),
    Options { stall: SHORT, ..options() },
    "no data was received for 150ms"
)]
#[case::slow(
    Trouble::Stall(2000),
    Options { whole: SHORT, ..options() },
    "the response was not complete within 150ms"
)]
#[tokio::test]
async fn stopped_server_times_out(
    #[case] trouble: Trouble,
    #[case] options: Options,
    #[case] why: &str,
) {
    let server = Server::of("demo", content()).await;
    server.make(trouble);
    let message = with_sources(&refused(&at(&server.url(), options)).await);
    assert!(message.contains(why), "{message}");
}

#[tokio::test]
async fn content_above_the_size_limit_is_an_error() {
    let limits = Limits {
        file: 3000,
        ..Limits::default()
    };
    let server = Server::of("demo", content()).await;
    let error = refused(&at(
        &server.url(),
        Options {
            limits,
            ..options()
        },
    ))
    .await;
    assert_eq!(error.to_string(), "the catalog has more than 3000 bytes");
}

/// Responds to each request with the same bytes and closes the connection.
async fn answering(bytes: &'static [u8]) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await;
    let listener = listener.expect("a loopback port must be free");
    let address = listener.local_addr();
    let address = address.expect("a listener must have an address");
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = [0; 1024];
            let _ = stream.read(&mut request).await;
            let _ = stream.write_all(bytes).await;
        }
    });
    format!("http://{address}")
}

#[rstest]
#[case::no_length(
    b"HTTP/1.1 200 OK\r\n\r\n{\"schema\":\"olm.package\",\"name\":\"a\"}\n",
    "the response is not a catalog: the response has no end marker"
)]
#[case::another_encoding(
    b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 3\r\n\r\nabc",
    "the response is not a catalog: it has the unsupported encoding \"br\""
)]
#[case::not_zipped(
    b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
    "cannot unzip the catalog: "
)]
#[case::not_http(b"SSH-2.0-OpenSSH\r\n", "no response from 127.0.0.1:")]
#[case::nothing(b"", "no response from 127.0.0.1:")]
#[tokio::test]
async fn untrusted_answer_is_an_error(#[case] answer: &'static [u8], #[case] why: &str) {
    let message = with_sources(&refused(&at(&answering(answer).await, options())).await);
    assert!(message.starts_with(why), "{message}");
}

fn trusting(folder: &TempFolder, authority: &str) -> Options {
    let path = folder.join("ca.crt");
    std::fs::write(&path, authority).expect("the temporary folder must be writable");
    Options {
        authority: Some(path),
        ..options()
    }
}

#[tokio::test]
async fn configured_certificate_authority_is_trusted() {
    let server = Server::over_tls("demo", content()).await;
    let folder = TempFolder::empty();
    let catalogd = at(&server.url(), trusting(&folder, server.authority()));
    assert!(matches!(catalogd.read(None).await, Ok(Read::Changed(..))));
    assert!(matches!(catalogd.read(None).await, Ok(Read::Changed(..))));
    assert!(server.asked().iter().all(|asked| asked.connection == 1));
}

#[tokio::test]
async fn wrong_certificate_authority_is_rejected_until_replaced() {
    let server = Server::over_tls("demo", content()).await;
    let other = Server::over_tls("demo", content()).await;
    let folder = TempFolder::empty();
    let catalogd = at(&server.url(), trusting(&folder, other.authority()));
    let message = with_sources(&refused(&catalogd).await);
    assert!(
        message.starts_with("cannot connect to 127.0.0.1:"),
        "{message}"
    );
    assert!(message.contains("certificate"), "{message}");
    assert_eq!(server.asked(), []);
    trusting(&folder, server.authority());
    assert!(matches!(catalogd.read(None).await, Ok(Read::Changed(..))));
}

#[rstest]
#[case::missing(None, "No such file")]
#[case::empty(Some(""), "it contains no certificate")]
#[case::no_certificate(
    Some("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
    "BadEncoding"
)]
#[tokio::test]
async fn invalid_certificate_authority_is_an_error(#[case] pem: Option<&str>, #[case] why: &str) {
    let server = Server::over_tls("demo", content()).await;
    let folder = TempFolder::empty();
    let options = trusting(&folder, pem.unwrap_or_default());
    if pem.is_none() {
        std::fs::remove_file(folder.join("ca.crt")).unwrap();
    }
    let message = with_sources(&refused(&at(&server.url(), options)).await);
    let path = folder.join("ca.crt");
    assert!(
        message.starts_with(&format!(
            "cannot read the certificate authorities from {}: ",
            path.display()
        )),
        "{message}"
    );
    assert!(message.contains(why), "{message}");
}
