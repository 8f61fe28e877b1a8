//! Tests Operators from a CatalogSource, on a cluster with OLM. One Operator is upgraded in its
//! channel, together with its dependency. Another Operator gives only an entrypoint.

use portolan_kit::catalog;
use portolan_kit::oci::{Image, Registry};
use portolan_rig::{Catalog, Failure};
use serde_json::{Value, json};

use super::image::{GIVEN, Resolving, installs};
use super::stage::{Quay, V2, components, condition, quay};

/// `plum` and `pear` must be upgraded together, because the versions of `plum` require different
/// versions of `pear`.
const FRUITS: &str = "plum: 1.0.0 -> 2.0.0
                      1.0.0 requires pear >=1.0.0 <2.0.0
                      2.0.0 requires pear >=2.0.0 <3.0.0
                      pear: 1.0.0 -> 2.0.0
                      fig: 1.0.0 -> 2.0.0
                      quince: 1.0.0
                      1.0.0 requires pear >=2.0.0";
const BUNDLES: [(&str, &str); 7] = [
    ("plum", "1.0.0"),
    ("plum", "2.0.0"),
    ("pear", "1.0.0"),
    ("pear", "2.0.0"),
    ("fig", "1.0.0"),
    ("fig", "2.0.0"),
    ("quince", "1.0.0"),
];
const CSV: &str = "
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: NAME.vVERSION}
spec:
  displayName: NAME fruit
  version: VERSION
  installModes:
  - {type: AllNamespaces, supported: true}
  install:
    strategy: deployment
    spec:
      deployments:
      - name: NAME
        spec:
          replicas: 0
          selector: {matchLabels: {app: NAME}}
          template:
            metadata: {labels: {app: NAME}}
            spec:
              serviceAccountName: default
              containers: [{name: main, image: 'registry.test/NAME:VERSION'}]
";

/// Returns a bundle image. Its Deployment has no Pods.
fn image(package: &str, version: &str) -> Image {
    let csv = CSV.replace("NAME", package).replace("VERSION", version);
    let annotations =
        format!("annotations: {{operators.operatorframework.io.bundle.package.v1: {package}}}\n");
    Image::of(&[&[
        ("manifests/csv.yaml", &csv),
        ("metadata/annotations.yaml", &annotations),
    ]])
}

pub(super) fn operator(quay: &Quay, name: &str, source: &str) -> String {
    format!(
        "
apiVersion: operators.coreos.com/v2alpha1
kind: Operator
metadata: {{name: {name}}}
spec:
  updates:
    type: CatalogSource
    catalogSource: {{{source}, ref: {{name: fruits, namespace: {}}}}}
",
        quay.namespace()
    )
}

/// A CatalogSource with the packages `FRUITS`, a registry with their bundles, and a resolver.
pub(super) struct Fruits {
    pub(super) registry: Registry,
    pub(super) resolver: Resolving,
    _catalog: Catalog,
}

/// Serves the catalog, and starts a resolver and a controller for Installs.
pub(super) async fn fruits(quay: &mut Quay) -> Result<Fruits, Failure> {
    let registry = Registry::start().await;
    let mut fruits = catalog(FRUITS);
    for package in &mut fruits.packages {
        for bundle in &mut package.bundles {
            bundle.image = format!("{}/{}:v{}", registry.host(), package.name, bundle.version);
        }
    }
    for (package, version) in BUNDLES {
        registry.serve(package, &format!("v{version}"), &image(package, version));
    }
    let folder = fruits.temp();
    let catalog = quay.world.catalog("fruits", &folder).await?;
    let resolver = installs(quay, &registry.host()).await?;
    for namespace in ["plum", "pear", "fig"] {
        quay.run(&["create", "namespace", namespace]).await?;
    }
    Ok(Fruits {
        registry,
        resolver,
        _catalog: catalog,
    })
}

#[tokio::test]
async fn installs_operator_from_its_catalog_with_dependencies() -> Result<(), Failure> {
    let Some(mut quay) = quay().await? else {
        return Ok(());
    };
    let fruits = fruits(&mut quay).await?;
    let registry = &fruits.registry;
    let source = "package: plum, channel: stable, entrypoint: plum.v1.0.0";
    quay.applies(&operator(&quay, "plum", source)).await?;
    quay.applies(&operator(&quay, "single", "entrypoint: fig.v1.0.0"))
        .await?;
    for name in ["plum", "single"] {
        let pending = "True PrivilegeEscalationRequired";
        until(&quay, name, "InstallPendingApproval", pending).await?;
    }
    let first = content(&quay, "plum").await?;
    assert_eq!(first, images(registry, &["plum:v1.0.0", "pear:v1.0.0"]));
    quay.applies(&operator(&quay, "other", "package: pear"))
        .await?;
    until(&quay, "other", "ContentResolved", "False PackageTaken").await?;

    quay.applies(GIVEN).await?;
    for name in ["plum", "single"] {
        let approved = json!({"spec": {"approval": "Approved"}}).to_string();
        let install = format!("installs.operators.coreos.com/{name}");
        quay.run(&["patch", &install, "--type=merge", "-p", &approved])
            .await?;
    }
    is_there(&quay, &["plum:2.0.0", "pear:2.0.0", "fig:1.0.0"]).await?;
    moved_together(&quay).await?;
    // The Operator with only an entrypoint reports an update, but is not upgraded.
    let reported = until(
        &quay,
        "single",
        "UpdateAvailable",
        "True UpdateFoundInChannel",
    )
    .await?;
    assert_eq!(reported["status"]["metadata"]["version"], "1.0.0");
    quay.until_operator("plum", "its bundle and its components", |it| {
        let all = components(it);
        let has = |name: &str| all.contains(&format!("Deployment {name}"));
        let metadata = &it["status"]["metadata"];
        (&metadata["displayName"], &metadata["version"]) == (&json!("plum fruit"), &json!("2.0.0"))
            && has("plum")
            && has("pear")
    })
    .await?;
    let fig = content(&quay, "single").await?;
    assert_eq!(fig, images(registry, &["fig:v1.0.0"]));
    let as_installed = "False ComponentsAsInstalled";
    until(&quay, "plum", "ComponentsDiverge", as_installed).await?;

    shared_dependency_stays(&quay, registry).await?;
    for name in ["plum", "pear"] {
        let deployment = format!("deployment/{name}");
        let namespace = format!("-n={name}");
        quay.until_output(&[&namespace, "get", &deployment], "not found")
            .await?;
    }
    quay.assert_no_forbidden_requests()
}

/// A shared dependency is kept until the last Operator that needs it is deleted.
async fn shared_dependency_stays(quay: &Quay, registry: &Registry) -> Result<(), Failure> {
    quay.applies(&operator(quay, "quince", "package: quince"))
        .await?;
    until(quay, "quince", "ContentResolved", "True BundlesFound").await?;
    let quince = content(quay, "quince").await?;
    assert_eq!(quince, images(registry, &["quince:v1.0.0"]));
    quay.run(&["delete", V2, "plum", "--wait=false"]).await?;
    // Two other Operators block the deletion: `other` requests the package `pear`, and `quince`
    // requires `pear`.
    let named = "Operator other names the package of pear.v2.0.0, which is deleted together \
                 with the Install";
    is_blocked(quay, named).await?;
    is_there(quay, &["plum:2.0.0", "pear:2.0.0"]).await?;
    quay.run(&["delete", V2, "other", "--timeout=180s"]).await?;
    is_blocked(quay, "Operator quince needs pear.v2.0.0 of the Install").await?;
    is_there(quay, &["plum:2.0.0", "pear:2.0.0"]).await?;
    quay.run(&["delete", V2, "quince", "--timeout=180s"])
        .await?;
    quay.run(&[
        "wait",
        "--for=delete",
        &format!("{V2}/plum"),
        "--timeout=180s",
    ])
    .await?;
    Ok(())
}

/// Waits until the Operator `plum` reports that its deletion is blocked for this reason.
async fn is_blocked(quay: &Quay, why: &str) -> Result<(), Failure> {
    let is_so = |it: &Value| {
        let is_blocked = condition(it, "Deleting") == "True DeletionBlocked";
        is_blocked && it["status"].to_string().contains(why)
    };
    quay.until_operator("plum", why, is_so).await.map(drop)
}

pub(super) async fn until(
    quay: &Quay,
    name: &str,
    about: &str,
    wanted: &str,
) -> Result<Value, Failure> {
    let what = format!("{about} {wanted}");
    quay.until_operator(name, &what, |it| condition(it, about) == wanted)
        .await
}

/// Returns the images in the content of an Install.
pub(super) async fn content(quay: &Quay, name: &str) -> Result<Vec<String>, Failure> {
    let install = format!("installs.operators.coreos.com/{name}");
    let install = quay.json(&["get", &install]).await?;
    let content = install["spec"]["content"].as_array().into_iter().flatten();
    let images = content.map(|it| it["manifestImage"].as_str().unwrap_or_default().to_owned());
    Ok(images.collect())
}

pub(super) fn images(registry: &Registry, names: &[&str]) -> Vec<String> {
    let images = names.iter().map(|it| format!("{}/{it}", registry.host()));
    images.collect()
}

/// Waits until the Deployments run these versions.
pub(super) async fn is_there(quay: &Quay, versions: &[&str]) -> Result<(), Failure> {
    for version in versions {
        let (name, _) = version.split_once(':').expect("a version");
        let deployment = format!("deployment/{name}");
        let namespace = format!("-n={name}");
        let image = "-o=jsonpath={.spec.template.spec.containers[0].image}";
        let words = [&*namespace, "get", &deployment, image];
        quay.until_output(&words, &format!("registry.test/{version}"))
            .await?;
    }
    Ok(())
}

/// Checks that both packages were upgraded in one change of the Install. So the Install has three
/// generations: the initial content, the approval, and the upgrade.
async fn moved_together(quay: &Quay) -> Result<(), Failure> {
    let install = quay
        .json(&["get", "installs.operators.coreos.com/plum"])
        .await?;
    assert_eq!(install["metadata"]["generation"], 3, "{install}");
    let record = &install["metadata"]["annotations"]["operators.portolan.dev/bundles"];
    let record: Value = serde_json::from_str(record.as_str().expect("a record")).expect("JSON");
    let moves = record["moves"].as_array().expect("moves").iter();
    let moves: Vec<_> = moves
        .map(|it| it["to"].as_str().expect("a bundle"))
        .collect();
    assert_eq!(moves, ["pear.v2.0.0", "plum.v2.0.0"]);
    Ok(())
}
