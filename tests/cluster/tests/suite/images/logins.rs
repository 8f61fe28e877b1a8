//! Tests logins that a real registry requires, and images at other paths.

use portolan_core_bundle::Limits;
use portolan_images::{Credentials, Options};
use portolan_kit::{Authority, oci};
use portolan_rig::Failure;
use serde_json::json;

use super::registry::Store;
use super::{REPOSITORY, from_now, options, parsed, pull, reference, small_image};
use crate::begin;

/// The user `me` with the password `secret`, hashed with bcrypt at the lowest cost.
const HTPASSWD: &str = "me:$2a$04$bT2lQn.T0u.Ne.ajmwLFgOFDpcSxu/RzY18qv2vL8L.qawVJFzlfO\n";
const PROOF: &str = "Basic bWU6c2VjcmV0";

/// Returns the credentials of `me` with this password.
fn login(host: &str, password: &str) -> Credentials {
    let config = json!({"auths": {host: {"username": "me", "password": password}}});
    Credentials::of_docker_config(config.to_string().as_bytes()).expect("a config")
}

#[tokio::test]
async fn files_of_a_bundle_are_read_from_a_registry_without_login() -> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let image = small_image();
    for image in [
        image.clone(),
        image.clone().docker(),
        oci::Image::index(vec![("linux/s390x", image)]),
    ] {
        let store = Store::with(&image).await?;
        let registry = store.serve("").await?;
        let pulled = pull(options(&[registry.host()]), registry.host()).await;
        let pulled = pulled.expect("an image");
        let digest = image.digest().parse().expect("a digest");
        assert_eq!(pulled.reference, reference(registry.host()).at(digest));
        let folder = pulled.folder(&Limits::default()).expect("a bundle");
        assert_eq!(
            folder.file("manifests/ferry.yaml"),
            Some(&b"kind: ConfigMap\n"[..])
        );
    }
    Ok(())
}

#[tokio::test]
async fn registry_with_password_needs_the_right_login() -> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let store = Store::with(&small_image()).await?;
    let file = store.write("htpasswd", HTPASSWD)?;
    let door = format!("auth: {{htpasswd: {{realm: kit, path: {file}}}}}\n");
    let registry = store.serve(&door).await?;
    let host = registry.host();
    let as_me = |password| Options {
        credentials: login(host, password),
        ..options(&[host])
    };
    pull(as_me("secret"), host).await.expect("an image");
    let error = |why| {
        Err(format!(
            "{host}/{REPOSITORY}:v1 cannot be pulled: {host} {why}"
        ))
    };
    let declined = pull(as_me("wrong"), host).await;
    assert_eq!(
        declined,
        error("rejects the configured login (--registry-auth)")
    );
    let unknown = pull(options(&[host]), host).await;
    assert_eq!(
        unknown,
        error(
            "requires a login, or does not have the image; no login is configured for it (--registry-auth)"
        )
    );
    Ok(())
}

#[tokio::test]
async fn registry_with_tokens_requires_a_valid_token() -> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let store = Store::with(&small_image()).await?;
    let authority = Authority::default();
    let signer = authority.vouch("tokens.example");
    let roots = store.write("tokens.pem", authority.pem())?;
    let server = oci::Registry::start().await;
    let door = format!(
        "auth:\n  token: {{realm: \"http://{}/token\", service: ferries, issuer: kit, rootcertbundle: {roots}}}\n",
        server.host()
    );
    let registry = store.serve(&door).await?;
    let host = registry.host();
    let grant = |name: &str, until: u64| {
        let access = json!([{"type": "repository", "name": name, "actions": ["pull"]}]);
        let claims = json!({"iss": "kit", "sub": "me", "aud": "ferries", "exp": until, "nbf": 0, "iat": 0, "jti": "1", "access": access});
        oci::token(&signer, &claims)
    };
    let in_an_hour = from_now(3600)?;
    server.give(&grant(REPOSITORY, in_an_hour), Some(PROOF));
    let both = [host, &server.host()];
    let as_me = Options {
        credentials: login(host, "secret"),
        ..options(&both)
    };
    pull(as_me.clone(), host).await.expect("an image");

    let error = |why| {
        Err(format!(
            "{host}/{REPOSITORY}:v1 cannot be pulled: {host} {why}"
        ))
    };
    let unknown = pull(options(&both), host).await;
    assert_eq!(
        unknown,
        error(
            "requires a login, or does not have the image; no login is configured for it (--registry-auth)"
        )
    );
    // First a token for another repository, and then an expired token.
    for token in [grant("other", in_an_hour), grant(REPOSITORY, 1)] {
        server.give(&token, Some(PROOF));
        let declined = pull(as_me.clone(), host).await;
        assert_eq!(
            declined,
            error("rejects the configured login (--registry-auth)")
        );
    }
    Ok(())
}

#[tokio::test]
async fn registry_certificate_must_have_a_trusted_authority() -> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let store = Store::with(&small_image()).await?;
    let authority = Authority::default();
    authority.vouch("127.0.0.1").write(store.folder());
    let folder = store.folder().display();
    let tls = format!("  tls: {{certificate: {folder}/tls.crt, key: {folder}/tls.key}}\n");
    let registry = store.serve(&tls).await?;
    let host = registry.host();
    let unknown = Options {
        plain: Vec::new(),
        ..options(&[host])
    };
    let trusting = Options {
        authorities: vec![authority.pem().as_bytes().to_vec()],
        ..unknown.clone()
    };
    pull(trusting, host).await.expect("an image");
    let refused = pull(unknown, host).await.expect_err("an unknown authority");
    assert!(
        refused.contains("its certificate is not trusted"),
        "{refused}"
    );
    Ok(())
}

#[tokio::test]
async fn mirror_is_used_instead_of_an_unreachable_registry() -> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let store = Store::with(&small_image()).await?;
    let registry = store.serve("").await?;
    let mirror = format!("registry.invalid/charts={}/ferry", registry.host());
    let hosts = [registry.host(), "registry.invalid"];
    let options = Options {
        mirrors: vec![mirror.parse().expect("a mirror")],
        plain: vec![parsed(registry.host())],
        ..options(&hosts)
    };
    let images = portolan_images::Images::new(options).expect("authorities");
    let wanted = "registry.invalid/charts/bundle:v1"
        .parse()
        .expect("a reference");
    let pulled = images.pull(&wanted, &|_| {}).await.expect("an image");
    assert_eq!(pulled.reference.host().as_str(), "registry.invalid");
    let missing = "registry.invalid/charts/other:v1"
        .parse()
        .expect("a reference");
    let refused = images.pull(&missing, &|_| {}).await.expect_err("nowhere");
    let refused = refused.to_string();
    // The error must contain these parts. The message comes from the registry.
    for part in [
        " it has no image v1 (manifest unknown); ",
        "registry.invalid cannot be reached: its name",
    ] {
        assert!(refused.contains(part), "{refused}");
    }
    Ok(())
}
