//! Tests content from the image of a bundle, and images that are not bundles.

use portolan_kit::oci::{Image, Registry, Trouble, digest};
use portolan_rig::Failure;
use serde_json::Value;

use super::stage::{APPROVER, Yard, condition, is_observed, yard};

/// An address on which no server listens.
const AWAY: &str = "127.0.0.1:1";
pub(crate) const ANNOTATIONS: &str =
    "annotations: {operators.operatorframework.io.bundle.package.v1: plum}\n";
pub(crate) const CSV: &str = "
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: plum.v1.0.0}
spec:
  displayName: Plum
  version: 1.0.0
  installModes:
  - {type: AllNamespaces, supported: true}
  install:
    strategy: deployment
    spec:
      deployments:
      - name: plum
        spec:
          replicas: 0
          selector: {matchLabels: {app: plum}}
          template:
            metadata: {labels: {app: plum}}
            spec:
              serviceAccountName: default
              containers: [{name: main, image: 'registry.test/plum:VERSION'}]
";

fn install(image: &str) -> String {
    format!(
        "
apiVersion: operators.coreos.com/v2alpha1
kind: Install
metadata: {{name: plumbus}}
spec:
  namespaces: [{{from: default, to: harbor}}]
  content: [{{type: ManifestImage, manifestImage: '{image}'}}]
"
    )
}

/// Returns an image with a bundle of the package plum. Its Deployment has this version, and no
/// Pods.
pub(crate) fn bundle(version: &str) -> Image {
    let csv = CSV.replace("VERSION", version);
    Image::of(&[&[
        ("manifests/csv.yaml", &csv),
        ("metadata/annotations.yaml", ANNOTATIONS),
    ]])
}

#[tokio::test]
async fn bundle_from_an_image_is_installed_and_a_broken_image_is_reported() -> Result<(), Failure> {
    let Some(mut yard) = yard().await? else {
        return Ok(());
    };
    yard.applies(APPROVER).await?;
    let registry = Registry::start().await;
    let host = registry.host();
    yard.asks(&[&host, AWAY]).await?;

    let tag = format!("{host}/plum:v1");
    yard.applies(&install(&tag)).await?;
    is_reported(&yard, "ManifestImagePullFailed", "plum").await?;
    let asked = registry.asked().len();
    assert!(asked < 8, "too many requests: {asked}");
    // The controller requests the image again automatically.
    let first = bundle("one");
    registry.serve("plum", "v1", &first);
    let pending = "True UnsatisfiedPermissions";
    yard.until_condition("plumbus", "PendingApproval", pending)
        .await?;
    let (is_done, message) = yard.approves("approver", "plumbus").await?;
    assert!(is_done, "{message}");
    yard.until_condition("plumbus", "Ready", "True Installed")
        .await?;
    let pinned = format!("{host}/plum@{}", first.digest());
    is_installed(&yard, &pinned).await?;

    // The tag now refers to another image. A restarted controller does not contact the registry, so
    // it keeps the old content.
    registry.serve("plum", "v1", &bundle("two"));
    let asked = registry.asked().len();
    yard.starts().await?;
    yard.run(&["label", "install.operators.coreos.com/plumbus", "a=b"])
        .await?;
    is_installed(&yard, &pinned).await?;
    assert_eq!(registry.asked().len(), asked);

    is_broken(&yard, &registry).await?;
    is_installed_still(&yard).await
}

/// The controller reports errors of images, and keeps the installed objects.
async fn is_broken(yard: &Yard, registry: &Registry) -> Result<(), Failure> {
    let host = registry.host();
    registry.serve("none", "v1", &Image::of(&[&[("readme.txt", "nothing")]]));
    let other = digest(b"another one");
    registry.make(100, &other, Trouble::Bytes(bundle("three").manifest));
    for (image, reason, word) in [
        (
            format!("{host}/none:v1"),
            "ManifestImageInvalid",
            "manifests",
        ),
        (
            format!("{host}/plum@{other}"),
            "ManifestImagePullFailed",
            "digest",
        ),
        (format!("{AWAY}/plum:v1"), "ManifestImagePullFailed", AWAY),
        (
            "elsewhere.test/plum:v1".to_owned(),
            "ManifestImagePullFailed",
            "elsewhere.test",
        ),
    ] {
        yard.applies(&install(&image)).await?;
        is_reported(yard, reason, word).await?;
        is_installed_still(yard).await?;
    }
    Ok(())
}

async fn is_reported(yard: &Yard, reason: &str, word: &str) -> Result<(), Failure> {
    let wanted = format!("True {reason}");
    let is_so = |it: &Value| is_observed(it) && condition(it, "ContentImportError") == wanted;
    let message = yard.until_install("plumbus", &wanted, is_so).await?;
    let conditions = message["status"]["conditions"].to_string();
    let place = "spec.content[0].manifestImage: ";
    assert!(
        conditions.contains(place) && conditions.contains(word),
        "{word}: {conditions}"
    );
    Ok(())
}

async fn is_installed(yard: &Yard, pinned: &str) -> Result<(), Failure> {
    let is_so = |it: &Value| {
        let resolved = &it["status"]["resolved"][0];
        resolved["manifestImage"] == pinned && condition(it, "Ready") == "True Installed"
    };
    yard.until_install("plumbus", pinned, is_so).await?;
    is_installed_still(yard).await
}

async fn is_installed_still(yard: &Yard) -> Result<(), Failure> {
    let image = "-o=jsonpath={.spec.template.spec.containers[0].image}";
    let image = yard
        .run(&["-n=harbor", "get", "deployment/plum", image])
        .await?;
    assert_eq!(image, "registry.test/plum:one");
    Ok(())
}
