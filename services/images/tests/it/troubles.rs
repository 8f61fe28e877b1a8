//! Tests with registries that are slow, send wrong data, close connections, or do not return an
//! image. Each failure must cause one message, and no more requests than permitted.

use std::time::Duration;

use portolan_images::{Options, Progress, Registries};
use portolan_kit::oci::{Image, Registry, Trouble, digest};
use rstest::rstest;

use crate::kit::*;

const PAGE: &[u8] = b"<html>Log in</html>";

fn status(status: u16) -> Trouble {
    Trouble::Status(status, Vec::new())
}

/// The failures are temporary.
#[rstest]
#[case::unavailable("manifests/v1", status(503))]
#[case::its_own_fault("manifests/v1", status(500))]
#[case::too_many_questions("/blobs/", Trouble::Status(429, vec![("retry-after", "0".to_owned())]))]
#[case::a_gateway("/blobs/", status(502))]
#[case::cut_off_before_it_begins("/blobs/", Trouble::Cut(0))]
#[tokio::test]
async fn temporary_failures_are_retried(#[case] within: &str, #[case] trouble: Trouble) {
    let registry = serving(&image()).await;
    registry.make(2, within, trouble);
    let images = images(options(&[&registry]));
    pull(&images, &registry)
        .await
        .expect("at the third attempt");
}

/// The failures are permanent, and have these messages. All of them occur for the manifest of the
/// tag.
#[rstest]
#[case::gone(status(404), 1, "HOST answers that it has no image v1")]
#[case::forbidden(status(403), 1, "HOST does not allow this login to read the image")]
#[case::no_login(Trouble::Status(401, vec![("www-authenticate", "Basic".to_owned())]), 1, "HOST \
 requires a login, or does not have the image; no login is configured for it (--registry-auth)")]
#[case::no_way_to_prove_it(
    status(401),
    1,
    "HOST requires a login, or does not have the image; no login is configured for it (--registry-auth)"
)]
#[case::its_own_fault(status(500), 3, "HOST answers 500 Internal Server Error for image v1")]
#[case::too_many_questions(status(429), 3, "HOST answers 429 Too Many Requests for image v1")]
#[case::too_many_questions_for_long(
    Trouble::Status(429, vec![("retry-after", "3600".to_owned())]),
    1,
    "HOST answers 429 Too Many Requests for image v1; the registry requests a retry after 3600 s"
)]
#[case::a_teapot(status(418), 1, "HOST answers 418 I'm a teapot for image v1")]
#[case::cut(
    Trouble::Cut(10),
    3,
    "HOST interrupted the transfer: end of file before message length reached"
)]
#[case::garbage(
    Trouble::Bytes(PAGE.to_vec()),
    1,
    "the response of HOST for DIGEST is not a manifest: expected value at line 1 column 1"
)]
#[tokio::test]
async fn permanent_failures_are_reported(
    #[case] trouble: Trouble,
    #[case] questions: usize,
    #[case] expected: &str,
) {
    let registry = serving(&image()).await;
    registry.make(usize::MAX, "manifests/v1", trouble);
    let refused = pull(&images(options(&[&registry])), &registry).await;
    let refused = refused.expect_err("trouble");
    let refused = refused.replace(&digest(PAGE), "DIGEST");
    assert_eq!(
        refused,
        format!("HOST/ferry/bundle:v1 cannot be pulled: {expected}")
    );
    assert_eq!(asked(&registry, "manifests/v1").len(), questions);
}

#[tokio::test]
async fn error_quotes_the_message_of_the_registry() {
    let registry = Registry::start().await;
    let refused = pull(&images(options(&[&registry])), &registry).await;
    assert_eq!(
        refused.expect_err("no image"),
        "HOST/ferry/bundle:v1 cannot be pulled: HOST answers that it has no image v1 (not here)"
    );
}

#[tokio::test]
async fn closed_port_is_reported_without_a_retry() {
    // The port was never open. The next request for a free port returns another port.
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let name = free.local_addr().expect("an address").to_string();
    drop(free);
    let registries = Registries::default().and([name.as_str()]);
    let options = Options {
        registries: registries.expect("a list"),
        ..Options::default()
    };
    let wanted = format!("{name}/a:v1").parse().expect("a reference");
    let note = |progress: Progress<'_>| panic!("{progress}");
    let refused = images(options).pull(&wanted, &note).await;
    let refused = refused.expect_err("the port is closed").to_string();
    assert_eq!(
        refused.replace(&name, "HOST"),
        "HOST/a:v1 cannot be pulled: HOST cannot be reached: HOST: Connection refused (os error 111)"
    );
}

#[tokio::test]
async fn host_name_without_an_address_is_reported() {
    let wanted = "registry.invalid/ferry/bundle:v1"
        .parse()
        .expect("a reference");
    let options = Options {
        registries: Registries::any(),
        ..Options::default()
    };
    let refused = images(options).pull(&wanted, &|_| {}).await;
    let refused = refused.expect_err("no address").to_string();
    let expected = "registry.invalid cannot be reached: its name cannot be resolved";
    assert!(refused.contains(expected), "{refused}");
}

#[rstest]
#[case::before_it_answers("manifests/v1", Trouble::Silence)]
#[case::in_the_middle("/blobs/", Trouble::Stall(10))]
#[tokio::test]
async fn silent_registry_times_out(#[case] within: &str, #[case] trouble: Trouble) {
    let registry = serving(&image()).await;
    registry.make(usize::MAX, within, trouble);
    let impatient = Options {
        silence: Duration::from_millis(300),
        ..options(&[&registry])
    };
    let refused = pull(&images(impatient), &registry)
        .await
        .expect_err("silence");
    assert_eq!(
        refused,
        "HOST/ferry/bundle:v1 cannot be pulled: HOST sent no data for 0.3 s"
    );
}

#[rstest]
#[case::where_it_ended(Trouble::Cut(20_000), &[(None, 200), (Some("bytes=20000-"), 206)])]
#[case::twice(Trouble::Cut(8_000), &[(None, 200), (Some("bytes=8000-"), 206), (Some("bytes=16000-"), 206)])]
#[tokio::test]
async fn truncated_blob_download_is_resumed(
    #[case] trouble: Trouble,
    #[case] expected: &[(Option<&str>, u16)],
) {
    let image = image();
    let registry = serving(&image).await;
    registry.make(expected.len() - 1, &large(&image), trouble);
    let pulled = pull(&images(options(&[&registry])), &registry).await;
    assert!(pulled.is_ok(), "{pulled:?}");
    let asked = asked(&registry, &large(&image));
    let asked: Vec<_> = asked
        .iter()
        .map(|(range, status)| (range.as_deref(), *status))
        .collect();
    assert_eq!(asked, expected);
}

#[rstest]
#[case::the_whole_in_place_of_the_rest(Trouble::Whole, 2)]
#[case::a_rest_that_it_does_not_have(status(416), 3)]
#[case::something_else(Trouble::Bytes(vec![b'x'; 100]), 3)]
#[tokio::test]
async fn mismatching_rest_of_a_blob_is_rejected(
    #[case] trouble: Trouble,
    #[case] questions: usize,
) {
    let image = image();
    let registry = serving(&image).await;
    registry.make(1, &large(&image), Trouble::Cut(20_000));
    registry.make(1, &large(&image), trouble);
    let pulled = pull(&images(options(&[&registry])), &registry).await;
    assert!(pulled.is_ok(), "{pulled:?}");
    assert_eq!(asked(&registry, &large(&image)).len(), questions);
}

#[rstest]
#[case::other_bytes(|_: &[u8]| b"other".to_vec(), "has another digest: sha256:")]
#[case::fewer(|bytes: &[u8]| bytes[1..].to_vec(), "has another digest: sha256:")]
#[case::one_changed_byte(
    |bytes: &[u8]| { let mut bytes = bytes.to_vec(); bytes[9] ^= 1; bytes },
    "has another digest: sha256:"
)]
#[case::more(|bytes: &[u8]| [bytes, b"."].concat(), "bytes")]
#[tokio::test]
async fn blob_with_a_wrong_digest_is_reported_without_a_retry(
    #[case] lie: fn(&[u8]) -> Vec<u8>,
    #[case] flaw: &str,
) {
    let image = image();
    let registry = serving(&image).await;
    let lie = lie(&image.blobs[&large(&image)]);
    registry.make(usize::MAX, &large(&image), Trouble::Bytes(lie));
    let refused = pull(&images(options(&[&registry])), &registry).await;
    let refused = refused.expect_err("a lie");
    assert!(
        refused.contains(&format!("the response of HOST for {}", large(&image))),
        "{refused}"
    );
    assert!(refused.contains(flaw), "{refused}");
    assert_eq!(asked(&registry, &large(&image)).len(), 1);
}

#[tokio::test]
async fn manifest_with_a_wrong_digest_is_rejected() {
    let registry = serving(&image()).await;
    let other = Image::of(&[]);
    let digest = image().digest();
    registry.make(1, &digest, Trouble::Bytes(other.manifest.clone()));
    let images = images(options(&[&registry]));
    let wanted = reference(&registry, &format!("@{digest}"));
    let refused = images.pull(&wanted, &|_| {}).await.expect_err("a lie");
    let expected = format!("has another digest: {}", other.digest());
    assert!(refused.to_string().ends_with(&expected), "{refused}");
}

#[tokio::test]
async fn manifest_that_differs_from_its_digest_header_is_refused() {
    let registry = serving(&image()).await;
    let said = vec![("docker-content-digest", image().digest())];
    registry.make(1, "manifests/v1", Trouble::Status(200, said));
    let refused = pull(&images(options(&[&registry])), &registry).await;
    let nothing = digest(b"");
    let expected = format!("{} has another digest: {nothing}", image().digest());
    let refused = refused.expect_err("a lie");
    assert!(refused.ends_with(&expected), "{refused}");
}

#[tokio::test]
async fn endless_manifest_is_rejected() {
    let registry = serving(&image()).await;
    registry.make(1, "manifests/v1", Trouble::Bytes(vec![b' '; 5 << 20]));
    let refused = pull(&images(options(&[&registry])), &registry).await;
    let refused = refused.expect_err("too long");
    assert!(refused.ends_with("is too long for a manifest"), "{refused}");
}

#[tokio::test]
async fn retry_delays_are_reported() {
    let registry = serving(&image()).await;
    registry.make(
        1,
        "manifests/v1",
        Trouble::Status(503, vec![("retry-after", "1".to_owned())]),
    );
    let (pulled, messages) = pull_messages(&images(options(&[&registry])), &registry).await;
    assert!(pulled.is_ok(), "{pulled:?}");
    assert_eq!(
        messages[0],
        "HOST answers 503 Service Unavailable for image v1; the registry requests a retry after 1 \
         s; retrying in 1 s"
    );
}
