//! Tests of the registries and mirrors that are tried for an image.

use portolan_images::{Mirror, Options, Registries};
use portolan_kit::oci::{Registry, Trouble};
use rstest::rstest;

use crate::kit::*;

fn mirror(from: &str, to: &Registry) -> Mirror {
    let text = format!("{from}={}", to.host());
    text.parse().expect("a mirror")
}

#[tokio::test]
async fn mirror_is_used_instead_of_the_registry() {
    let image = image();
    let (registry, other) = (serving(&image).await, serving(&image).await);
    let options = Options {
        mirrors: vec![mirror(&registry.host(), &other)],
        ..options(&[&registry, &other])
    };
    pull(&images(options), &registry).await.expect("an image");
    assert_eq!(registry.asked(), []);
}

#[rstest]
#[case::that_has_no_image(None)]
#[case::that_is_ill(Some(Trouble::Status(500, Vec::new())))]
#[case::that_lies(Some(Trouble::Bytes(b"other".to_vec())))]
#[tokio::test]
async fn failing_mirror_does_not_prevent_the_pull(#[case] trouble: Option<Trouble>) {
    let (registry, other) = (serving(&image()).await, Registry::start().await);
    if let Some(trouble) = trouble {
        other.serve(REPOSITORY, "v1", &image());
        other.make(usize::MAX, "/blobs/", trouble);
    }
    let options = Options {
        mirrors: vec![mirror(&registry.host(), &other)],
        ..options(&[&registry, &other])
    };
    let (pulled, messages) = pull_messages(&images(options), &registry).await;
    pulled.expect("an image");
    let not_there = format!("cannot pull from {}/{REPOSITORY}: ", other.host());
    assert!(
        messages.iter().any(|line| line.starts_with(&not_there)),
        "{messages:?}"
    );
}

#[tokio::test]
async fn tag_is_resolved_once_even_if_mirrors_differ() {
    let (ours, theirs) = (image(), portolan_kit::oci::Image::of(&[]));
    let (registry, other) = (serving(&ours).await, serving(&theirs).await);
    other.make(usize::MAX, "/blobs/", Trouble::Status(404, Vec::new()));
    let options = Options {
        mirrors: vec![mirror(&registry.host(), &other)],
        ..options(&[&registry, &other])
    };
    let refused = pull(&images(options), &registry)
        .await
        .expect_err("no such image");
    let expected = format!("HOST answers that it has no image {}", theirs.digest());
    assert!(refused.contains(&expected), "{refused}");
    assert_eq!(asked(&registry, "manifests/v1"), []);
}

#[tokio::test]
async fn errors_of_all_mirrors_are_reported() {
    let (registry, other) = (Registry::start().await, Registry::start().await);
    other.make(usize::MAX, "/", Trouble::Status(418, Vec::new()));
    let options = Options {
        mirrors: vec![mirror(&registry.host(), &other)],
        ..options(&[&registry, &other])
    };
    let refused = pull(&images(options), &registry)
        .await
        .expect_err("nowhere");
    assert_eq!(
        refused.replace(&other.host(), "OTHER"),
        "HOST/ferry/bundle:v1 cannot be pulled: from OTHER/ferry/bundle: OTHER answers 418 I'm a \
         teapot for image v1; from HOST/ferry/bundle: HOST answers that it has no image v1 (not \
         here)"
    );
}

#[rstest]
#[case::by_default(Registries::default(), "is not an allowed registry")]
#[case::on_this_machine(
    Registries::any(),
    "has the address 127.0.0.1, on or near this machine, and is contacted only if it is listed by \
     name"
)]
#[tokio::test]
async fn unlisted_registry_is_not_contacted(#[case] registries: Registries, #[case] why: &str) {
    let registry = serving(&image()).await;
    let options = Options {
        registries,
        ..options(&[&registry])
    };
    let refused = pull(&images(options), &registry)
        .await
        .expect_err("not listed");
    assert!(refused.ends_with(why), "{refused}");
    assert_eq!(registry.asked(), []);
}

/// The name looks public, but its address is not public.
#[tokio::test]
async fn host_name_is_checked_by_its_resolved_address() {
    let registry = serving(&image()).await;
    let by_name = registry.host().replace("127.0.0.1", "localhost");
    let wanted = format!("{by_name}/{REPOSITORY}:v1")
        .parse()
        .expect("a reference");
    let allowed = Registries::any();
    let plain = vec![by_name.parse().expect("a host")];
    let options = Options {
        registries: allowed,
        plain,
        ..options(&[&registry])
    };
    let refused = images(options.clone()).pull(&wanted, &|_| {}).await;
    let refused = refused.expect_err("near").to_string();
    assert!(refused.contains("on or near this machine"), "{refused}");
    assert_eq!(registry.asked(), []);

    let listed = Registries::any().and([by_name.as_str()]).expect("a list");
    let options = Options {
        registries: listed,
        ..options
    };
    images(options)
        .pull(&wanted, &|_| {})
        .await
        .expect("an image");
}

#[rstest]
#[case::host_is_not_listed("http://OTHER/x", "OTHER is not an allowed registry")]
#[case::a_secret_of_the_machine(
    "http://169.254.169.254/latest",
    "169.254.169.254 is not an allowed registry"
)]
#[case::without_tls(
    "http://HOST.listed.example/x",
    "HOST.listed.example is the target of a redirect without TLS, and plain HTTP is not allowed \
     for it"
)]
#[case::a_file(
    "file:///etc/passwd",
    "has the location \"file:///etc/passwd\", which is not a valid address"
)]
#[case::a_user("http://a:b@OTHER/x", "which is not a valid address")]
#[case::itself("/v2/ferry/bundle/manifests/v1", "redirects more than 5 times")]
#[tokio::test]
async fn redirect_to_a_forbidden_registry_is_rejected(#[case] to: &str, #[case] why: &str) {
    let (registry, other) = (serving(&image()).await, serving(&image()).await);
    let named = |text: &str| {
        text.replace("OTHER", &other.host())
            .replace("HOST.", "cdn.")
    };
    let to = vec![("location", named(to))];
    registry.make(usize::MAX, "manifests/v1", Trouble::Status(307, to));
    let options = options(&[&registry]);
    let registries = options.registries.clone().and(["*.listed.example"]);
    let options = Options {
        registries: registries.expect("a list"),
        ..options
    };
    let refused = pull(&images(options), &registry)
        .await
        .expect_err("led astray");
    assert!(refused.contains(&named(why)), "{refused}");
    assert_eq!(other.asked(), []);
}

#[tokio::test]
async fn forbidden_token_server_is_not_contacted() {
    let (registry, other) = (serving(&image()).await, Registry::start().await);
    let realm = format!("http://{}/token", other.host());
    registry.close(portolan_kit::oci::Door::Token {
        token: "t".to_owned(),
        realm,
    });
    let refused = pull(&images(options(&[&registry])), &registry).await;
    let refused = refused
        .expect_err("not listed")
        .replace(&other.host(), "OTHER");
    assert!(
        refused.ends_with("OTHER is not an allowed registry"),
        "{refused}"
    );
    assert_eq!(other.asked(), []);
}

#[tokio::test]
async fn registry_without_tls_has_its_own_error() {
    let registry = serving(&image()).await;
    let options = Options {
        plain: Vec::new(),
        ..options(&[&registry])
    };
    let refused = pull(&images(options), &registry).await.expect_err("no TLS");
    assert_eq!(
        refused,
        "HOST/ferry/bundle:v1 cannot be pulled: HOST cannot be reached: the server does not use \
         TLS; if it supports only plain HTTP, allow plain HTTP for it"
    );
}
