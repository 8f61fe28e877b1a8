//! Tests with details of a bundle that a registry returns only on request.

use std::sync::Arc;

use portolan_core_names::{BundleName, PackageName};
use portolan_resolver::snapshot::{Content, ContentOrigin};

use crate::registry::fake::{Fake, Running, row};

const CSV: &str = r#"{"spec": {"displayName": "A", "minKubeVersion": "1.99.0"}}"#;

/// Returns a registry with the package `a`, and the content that was read from the registry.
async fn content() -> (Running, Content) {
    let mut fake = Fake::of([row("a", "1.0.0"), row("a", "1.1.0")]);
    fake.csvs.insert("a.v1.0.0".to_owned(), CSV.to_owned());
    let running = fake.run();
    let registry = running.connect().await;
    let catalog = registry.read().await.expect("the fake must be readable");
    let content = Content::new(catalog, ContentOrigin::Registry(Arc::new(registry)));
    (running, content)
}

/// Returns the minimum Kubernetes version of a bundle, or the error code.
async fn least(content: &Content, bundle: &str) -> Result<Option<String>, &'static str> {
    let package: PackageName = "a".parse().expect("a name");
    let bundle: BundleName = bundle.parse().expect("a name");
    let whole = content.whole(&package, &bundle).await;
    let least = |whole: Arc<portolan_core_catalog::Bundle>| {
        let least = whole.display.min_kube_version.as_deref();
        least.unwrap_or("any").to_owned()
    };
    whole.map(|whole| whole.map(least)).map_err(|why| why.code)
}

#[tokio::test]
async fn minimum_kubernetes_version_is_returned_on_request() {
    let (_running, content) = content().await;
    assert!(content.tells_if_asked());
    let bundles = content.catalog().packages["a"].bundles.values();
    let mut listed = bundles.map(|bundle| bundle.display.min_kube_version.as_deref());
    assert!(
        listed.all(|least| least.is_none()),
        "the list has no minimum Kubernetes version"
    );
    let answer = least(&content, "a.v1.0.0").await;
    assert_eq!(answer, Ok(Some("1.99.0".to_owned())));
    assert_eq!(least(&content, "a.v2.0.0").await, Ok(None), "not listed");
}

#[tokio::test]
async fn details_of_an_unavailable_bundle_are_an_error() {
    let (mut running, content) = content().await;
    assert_eq!(least(&content, "a.v1.1.0").await, Err("ReadOrigin"));
    running.kill();
    assert_eq!(least(&content, "a.v1.0.0").await, Err("ReadOrigin"));
}
