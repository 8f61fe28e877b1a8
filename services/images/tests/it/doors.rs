//! Tests that logins are sent only to the registries to which they belong.

use portolan_images::{Credentials, Options};
use portolan_kit::oci::{Door, Registry, Trouble};
use rstest::rstest;

use crate::kit::*;

/// The credentials `me:secret` in base64.
const PROOF: &str = "Basic bWU6c2VjcmV0";

/// Returns options with a config.json that contains the login of the user `me` for the registry.
fn as_me(options: Options, registry: &Registry, auth: &str) -> Options {
    let config = format!(r#"{{"auths": {{"{}": {auth}}}}}"#, registry.host());
    let credentials = Credentials::of_docker_config(config.as_bytes());
    Options {
        credentials: credentials.expect("a config"),
        ..options
    }
}

const ME: &str = r#"{"auth": "bWU6c2VjcmV0"}"#;
const OTHER: &str = r#"{"auth": "bWU6b3RoZXI="}"#;

fn proofs(registry: &Registry) -> Vec<Option<String>> {
    let asked = registry.asked().into_iter();
    asked.map(|asked| asked.authorization).collect()
}

#[tokio::test]
async fn password_is_sent_only_after_a_challenge() {
    let registry = serving(&image()).await;
    registry.close(Door::Basic(PROOF.to_owned()));
    let images = images(as_me(options(&[&registry]), &registry, ME));
    pull(&images, &registry).await.expect("an image");
    let proofs = proofs(&registry);
    assert_eq!(
        proofs[0], None,
        "a registry without a challenge gets no login"
    );
    assert!(
        proofs[1..]
            .iter()
            .all(|proof| proof.as_deref() == Some(PROOF)),
        "{proofs:?}"
    );
    assert_eq!(
        proofs.len(),
        5,
        "the manifest twice, the config and two layers"
    );
}

#[rstest]
#[case::none(
    "{}",
    "HOST requires a login, or does not have the image; no login is configured for it (--registry-auth)"
)]
#[case::wrong_password(OTHER, "HOST rejects the configured login (--registry-auth)")]
#[tokio::test]
async fn rejected_login_is_reported(#[case] auth: &str, #[case] expected: &str) {
    let registry = serving(&image()).await;
    registry.close(Door::Basic(PROOF.to_owned()));
    let images = images(as_me(options(&[&registry]), &registry, auth));
    let refused = pull(&images, &registry).await.expect_err("no login");
    assert_eq!(
        refused,
        format!("HOST/ferry/bundle:v1 cannot be pulled: {expected}")
    );
    assert!(registry.asked().len() <= 2);
}

#[tokio::test]
async fn error_names_the_credential_helper() {
    let registry = serving(&image()).await;
    registry.close(Door::Basic(PROOF.to_owned()));
    let config = format!(
        r#"{{"credHelpers": {{"{}": "ecr-login"}}}}"#,
        registry.host()
    );
    let credentials = Credentials::of_docker_config(config.as_bytes()).expect("a config");
    let options = Options {
        credentials,
        ..options(&[&registry])
    };
    let refused = pull(&images(options), &registry)
        .await
        .expect_err("a helper");
    let expected =
        "the credential helper \"ecr-login\" keeps the login for HOST, but Portolan does not run";
    assert!(refused.contains(expected), "{refused}");
}

#[rstest]
#[case::other_registry("{}", None)]
#[case::for_a_password(ME, Some(PROOF))]
#[tokio::test]
async fn tokens_are_requested_from_the_token_server(
    #[case] auth: &str,
    #[case] proof: Option<&str>,
) {
    let (registry, tokens) = (serving(&image()).await, Registry::start().await);
    tokens.give("t1", proof);
    let realm = format!("http://{}/token", tokens.host());
    registry.close(Door::Token {
        token: "t1".to_owned(),
        realm,
    });
    let images = images(as_me(options(&[&registry, &tokens]), &registry, auth));
    pull(&images, &registry).await.expect("an image");
    assert_eq!(
        proofs(&tokens),
        [proof.map(str::to_owned)],
        "one token for all"
    );
    let shown = proofs(&registry);
    assert!(
        shown[1..]
            .iter()
            .all(|proof| proof.as_deref() == Some("Bearer t1")),
        "{shown:?}"
    );

    // The token expires, and the client requests another token.
    tokens.give("t2", proof);
    let realm = format!("http://{}/token", tokens.host());
    registry.close(Door::Token {
        token: "t2".to_owned(),
        realm,
    });
    pull(&images, &registry).await.expect("an image");
}

#[tokio::test]
async fn token_server_with_a_temporary_failure_is_retried() {
    let (registry, tokens) = (serving(&image()).await, Registry::start().await);
    tokens.give("t", None);
    tokens.make(2, "/token", Trouble::Status(503, Vec::new()));
    let realm = format!("http://{}/token", tokens.host());
    registry.close(Door::Token {
        token: "t".to_owned(),
        realm,
    });
    let images = images(options(&[&registry, &tokens]));
    pull(&images, &registry).await.expect("an image");
}

#[tokio::test]
async fn token_server_response_without_a_token_is_reported() {
    let (registry, tokens) = (serving(&image()).await, Registry::start().await);
    tokens.make(1, "/token", Trouble::Bytes(b"<html>".to_vec()));
    let realm = format!("http://{}/token", tokens.host());
    registry.close(Door::Token {
        token: "t".to_owned(),
        realm,
    });
    let refused = pull(&images(options(&[&registry, &tokens])), &registry).await;
    let refused = refused
        .expect_err("no token")
        .replace(&tokens.host(), "OTHER");
    let expected = "HOST requires a token, which cannot be obtained: OTHER did not send a token";
    assert!(refused.ends_with(expected), "{refused}");
}

#[tokio::test]
async fn insufficient_anonymous_token_reports_a_missing_login() {
    let (registry, tokens) = (serving(&image()).await, Registry::start().await);
    tokens.give("public", None);
    let realm = format!("http://{}/token", tokens.host());
    registry.close(Door::Token {
        token: "private".to_owned(),
        realm,
    });
    let refused = pull(&images(options(&[&registry, &tokens])), &registry).await;
    let expected = "HOST/ferry/bundle:v1 cannot be pulled: HOST requires a login, or does not \
     have the image; no login is configured for it (--registry-auth)";
    assert_eq!(refused.expect_err("no login"), expected);
    assert_eq!(registry.asked().len(), 2);
}

#[rstest]
#[case::that_declines(&[], "HOST requires a login, or does not have the image; no login is \
 configured for it (--registry-auth)")]
#[case::that_has_an_accident(&[500], "OTHER answers 500 Internal Server Error for a token")]
#[case::redirect_to_another_redirect(&[302], "OTHER answers 302 Found for a token")]
#[tokio::test]
async fn token_server_failure_is_reported(#[case] troubles: &[u16], #[case] expected: &str) {
    let (registry, tokens) = (serving(&image()).await, Registry::start().await);
    let realm = format!("http://{}/token", tokens.host());
    registry.close(Door::Token {
        token: "t".to_owned(),
        realm,
    });
    for status in troubles {
        tokens.make(usize::MAX, "/token", Trouble::Status(*status, Vec::new()));
    }
    let refused = pull(&images(options(&[&registry, &tokens])), &registry).await;
    let refused = refused
        .expect_err("no token")
        .replace(&tokens.host(), "OTHER");
    assert_eq!(
        refused,
        format!("HOST/ferry/bundle:v1 cannot be pulled: {expected}")
    );
}

#[rstest]
#[case::of_a_blob("/blobs/")]
#[case::of_a_manifest("manifests/v1")]
#[tokio::test]
async fn redirect_to_another_host_sends_no_login(#[case] within: &str) {
    let image = image();
    let (registry, other) = (serving(&image).await, serving(&image).await);
    registry.close(Door::Basic(PROOF.to_owned()));
    let images = images(as_me(options(&[&registry, &other]), &registry, ME));
    // The first request is sent without a login, and is rejected.
    pull(&images, &registry).await.expect("an image");
    let path = match within {
        "/blobs/" => format!("blobs/{}", large(&image)),
        manifest => manifest.to_owned(),
    };
    let to = format!("http://{}/v2/{REPOSITORY}/{path}", other.host());
    registry.make(1, &path, Trouble::Status(307, vec![("location", to)]));
    pull(&images, &registry).await.expect("an image");
    assert_eq!(proofs(&other), [None]);
}

#[tokio::test]
async fn redirect_within_a_registry_keeps_its_login() {
    let image = image();
    let registry = serving(&image).await;
    registry.serve("elsewhere", "v1", &image);
    registry.close(Door::Basic(PROOF.to_owned()));
    let images = images(as_me(options(&[&registry]), &registry, ME));
    let to = "/v2/elsewhere/manifests/v1".to_owned();
    registry.make(
        2,
        "bundle/manifests/v1",
        Trouble::Status(307, vec![("location", to)]),
    );
    pull(&images, &registry).await.expect("an image");
}

#[tokio::test]
async fn redirect_target_on_another_host_gets_no_login() {
    let image = image();
    let (registry, other) = (serving(&image).await, serving(&image).await);
    other.close(Door::Basic(PROOF.to_owned()));
    let to = format!("http://{}/v2/{REPOSITORY}/manifests/v1", other.host());
    registry.make(
        9,
        "manifests/v1",
        Trouble::Status(302, vec![("location", to)]),
    );
    // The other registry would accept the login, too.
    let images = images(as_me(options(&[&registry, &other]), &registry, ME));
    let refused = pull(&images, &registry).await.expect_err("a login");
    let refused = refused.replace(&other.host(), "OTHER");
    assert_eq!(
        refused,
        "HOST/ferry/bundle:v1 cannot be pulled: OTHER answers 401 Unauthorized for image v1"
    );
    assert_eq!(proofs(&other), [None]);
}
