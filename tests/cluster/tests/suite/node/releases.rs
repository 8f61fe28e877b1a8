//! Publishes five versions of the test operator, with their bundles and a catalog, in the registry
//! of a node.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use portolan_rig::image::{Entry, Image, Start};
use portolan_rig::{Cluster, Failure};
use serde_json::{Value, json};

use super::stage::{operator_image, probe, restricted};

pub(super) const GROUP: &str = "ferries.portolan.dev";
const CRD: &str = "ferries.ferries.portolan.dev";

/// A version of the operator.
pub(super) struct Release {
    pub(super) version: &'static str,
    /// The API versions of its kind. The first API version is the storage version.
    apis: &'static [&'static str],
    /// The problem that this version has on purpose.
    trouble: &'static str,
}

/// The problem of a version whose image does not exist. Only the tests use this value. The program
/// of the operator does not handle it.
pub(super) const NO_IMAGE: &str = "no-image";

/// The versions of a channel. Each version replaces the previous version without a problem, and
/// skips all versions in between.
pub(super) const WITH_FAILURES: [Release; 4] = [
    release("1.0.0", &["v1alpha1"], "none"),
    release("1.1.0", &["v1", "v1alpha1"], "crash"),
    release("1.2.0", &["v1", "v1alpha1"], NO_IMAGE),
    release("1.3.0", &["v1", "v1alpha1"], "none"),
];
/// The number of seconds for which Pods still serve requests after SIGTERM. It is longer than
/// kube-proxy needs to remove a Pod.
const DRAIN: &str = "10";

/// The releases of the test operator. Each release replaces the previous one.
pub(super) const RELEASES: [Release; 5] = [
    release("1.0.0", &["v1alpha1"], "none"),
    release("1.1.0", &["v1", "v1alpha1"], "none"),
    release("1.2.0", &["v1", "v1alpha1"], "crash"),
    release("1.3.0", &["v1", "v1alpha1"], "hang"),
    release("1.4.0", &["v1", "v1alpha1"], "not-upgradeable"),
];

pub(super) const fn release(
    version: &'static str,
    apis: &'static [&'static str],
    trouble: &'static str,
) -> Release {
    Release {
        version,
        apis,
        trouble,
    }
}

/// Pushes the images of all versions, their bundles, and the catalog. Returns the reference of the
/// catalog.
pub(super) async fn publish(cluster: &Cluster) -> Result<String, Failure> {
    let catalog = publish_bundles(cluster).await?;
    let files = vec![Entry::file(
        "configs/catalog.yaml",
        0o644,
        catalog.into_bytes(),
    )];
    let label = (
        "operators.operatorframework.io.index.configs.v1",
        "/configs",
    );
    cluster
        .push(files_image(files, &[label]), "ferry/catalog:v1")
        .await
}

/// Pushes the images of all versions and their bundles. Returns the content of the catalog.
pub(super) async fn publish_bundles(cluster: &Cluster) -> Result<String, Failure> {
    let mut catalog = String::from(
        "---\nschema: olm.package\nname: ferry\ndefaultChannel: stable\n---\n\
         schema: olm.channel\npackage: ferry\nname: stable\nentries:\n",
    );
    let mut before: Option<&str> = None;
    for Release { version, .. } in &RELEASES {
        let _ = writeln!(catalog, "- name: ferry.v{version}");
        if let Some(before) = before.replace(version) {
            let _ = writeln!(catalog, "  replaces: ferry.v{before}");
        }
    }
    for release in &RELEASES {
        let Release { version, .. } = release;
        let name = format!("ferry/operator:v{version}");
        let image = cluster.push(image(release, "0").await?, &name).await?;
        let name = format!("ferry/bundle:v{version}");
        let bundle = cluster.push(bundle(release, &image), &name).await?;
        let _ = write!(
            catalog,
            "---\nschema: olm.bundle\npackage: ferry\nname: ferry.v{version}\nimage: {bundle}\n\
             properties:\n- type: olm.package\n  value: {{packageName: ferry, version: {version}}}\n"
        );
    }
    Ok(catalog)
}

/// Pushes the images of these versions. Returns a catalog that contains the manifests of their
/// bundles, so that OLM and Portolan need no bundle images.
pub(super) async fn inline_catalog(
    cluster: &Cluster,
    releases: &[Release],
) -> Result<String, Failure> {
    let package = json!({"schema": "olm.package", "name": "ferry", "defaultChannel": "stable"});
    let mut documents = vec![package, channel(releases)];
    for release in releases {
        let Release { version, .. } = release;
        let image = match release.trouble {
            NO_IMAGE => {
                let registry = cluster.registry().unwrap_or_default();
                format!("{registry}/ferry/operator:v{version}-missing")
            }
            _ => {
                let name = format!("ferry/operator:v{version}");
                cluster.push(image(release, DRAIN).await?, &name).await?
            }
        };
        let package = json!({"packageName": "ferry", "version": version});
        let mut properties = vec![json!({"type": "olm.package", "value": package})];
        for manifest in [crd(release.apis), csv(release, &image)] {
            let data = STANDARD.encode(manifest.to_string());
            properties.push(json!({"type": "olm.bundle.object", "value": {"data": data}}));
        }
        documents.push(json!({
            "schema": "olm.bundle", "package": "ferry", "name": format!("ferry.v{version}"),
            "image": "", "properties": properties,
        }));
    }
    Ok(documents.iter().map(|it| format!("---\n{it}\n")).collect())
}

fn channel(releases: &[Release]) -> Value {
    let name = |version: &str| format!("ferry.v{version}");
    let (mut last, mut skipped) = (None, Vec::new());
    let mut entries = Vec::new();
    for Release {
        version, trouble, ..
    } in releases
    {
        let mut entry = json!({"name": name(version), "skips": skipped});
        if let Some(last) = last {
            entry["replaces"] = json!(name(last));
        }
        entries.push(entry);
        if *trouble == "none" {
            last = Some(version);
            skipped.clear();
        } else {
            skipped.push(name(version));
        }
    }
    json!({"schema": "olm.channel", "package": "ferry", "name": "stable", "entries": entries})
}

pub(super) async fn image(release: &Release, drain: &str) -> Result<Image, Failure> {
    operator_image(&[
        ("FERRY_VERSION", release.version),
        ("FERRY_API", release.apis[0]),
        ("FERRY_TROUBLE", release.trouble),
        ("FERRY_DRAIN", drain),
    ])
    .await
}

fn bundle(release: &Release, image: &str) -> Image {
    bundle_of(release, &csv(release, image))
}

/// Returns the bundle of a version with this ClusterServiceVersion.
pub(super) fn bundle_of(release: &Release, csv: &Value) -> Image {
    let prefix = "operators.operatorframework.io.bundle";
    let package = format!("{prefix}.package.v1");
    let annotations = json!({"annotations": {&package: "ferry"}});
    let files = [
        ("manifests/crd.yaml", crd(release.apis)),
        ("manifests/csv.yaml", csv.clone()),
        ("metadata/annotations.yaml", annotations),
    ];
    let files = files.map(|(path, text)| Entry::file(path, 0o644, text.to_string().into_bytes()));
    files_image(files.to_vec(), &[(&package, "ferry")])
}

pub(super) fn files_image(files: Vec<Entry>, labels: &[(&str, &str)]) -> Image {
    let labels = labels.iter();
    let labels = labels.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let start = Start {
        labels: labels.collect(),
        ..Start::default()
    };
    Image::of(&[files], &start)
}

/// Returns the CRD with these API versions. The first one is the storage version.
pub(super) fn crd(apis: &[&str]) -> Value {
    let versions = apis.iter().enumerate().map(|(place, api)| {
        let seats = json!({"type": "integer"});
        let spec = match *api {
            "v1" => json!({"capacity": {"type": "object", "properties": {"seats": seats}}}),
            _ => json!({"seats": seats}),
        };
        let status =
            json!({"ready": {"type": "boolean"}, "observedGeneration": {"type": "integer"}});
        json!({
            "name": api, "served": true, "storage": place == 0, "subresources": {"status": {}},
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                "spec": {"type": "object", "properties": spec},
                "status": {"type": "object", "properties": status},
            }}},
        })
    });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": CRD},
        "spec": {
            "group": GROUP, "scope": "Namespaced",
            "names": {
                "kind": "Ferry", "listKind": "FerryList", "plural": "ferries", "singular": "ferry",
            },
            "versions": versions.collect::<Vec<_>>(),
        },
    })
}

/// Returns a Ferry in an API version.
pub(super) fn ferry(namespace: &str, name: &str, version: &str, spec: Value) -> Value {
    json!({
        "apiVersion": format!("{GROUP}/{version}"), "kind": "Ferry",
        "metadata": {"name": name, "namespace": namespace}, "spec": spec,
    })
}

/// Returns the RBAC rules that the operator needs.
pub(super) fn rules() -> Value {
    let all = ["get", "list", "watch", "create", "update", "patch"];
    json!([
        {"apiGroups": [GROUP], "resources": ["ferries", "ferries/status"], "verbs": all},
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": all},
        {"apiGroups": ["operators.coreos.com"], "resources": ["operatorconditions"], "verbs": all},
    ])
}

pub(super) fn csv(release: &Release, image: &str) -> Value {
    let Release { version, apis, .. } = release;
    let owned = apis.iter();
    let owned = owned.map(|api| json!({"name": CRD, "version": api, "kind": "Ferry"}));
    let webhooks = match apis {
        [_] => vec![validation(apis)],
        apis => vec![validation(apis), conversion()],
    };
    json!({
        "apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
        "metadata": {"name": format!("ferry.v{version}")},
        "spec": {
            "displayName": "Ferry", "version": version,
            "installModes": [{"type": "AllNamespaces", "supported": true}],
            "customresourcedefinitions": {"owned": owned.collect::<Vec<_>>()},
            "webhookdefinitions": webhooks,
            "install": {"strategy": "deployment", "spec": {
                "clusterPermissions": [{"serviceAccountName": "ferry", "rules": rules()}],
                "deployments": [{"name": "ferry", "spec": deployment(image)}],
            }},
        },
    })
}

fn deployment(image: &str) -> Value {
    let labels = json!({"app": "ferry"});
    json!({
        "replicas": 1,
        "selector": {"matchLabels": labels},
        "template": {
            "metadata": {"labels": labels},
            "spec": {
                "serviceAccountName": "ferry",
                "containers": [{
                    "name": "manager",
                    "image": image,
                    "ports": [{"containerPort": 9443, "name": "webhooks"}],
                    "securityContext": restricted(),
                    "readinessProbe": probe("/readyz", 8081),
                    "livenessProbe": probe("/healthz", 8081),
                    "resources": {"limits": {"memory": "64Mi"}},
                }],
            },
        },
    })
}

fn validation(apis: &[&str]) -> Value {
    json!({
        "type": "ValidatingAdmissionWebhook", "generateName": "seats.ferries.portolan.dev",
        "deploymentName": "ferry", "containerPort": 9443, "targetPort": 9443,
        "webhookPath": "/validate", "failurePolicy": "Fail", "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "rules": [{
            "apiGroups": [GROUP], "apiVersions": apis, "resources": ["ferries"],
            "operations": ["CREATE", "UPDATE"],
        }],
    })
}

fn conversion() -> Value {
    json!({
        "type": "ConversionWebhook", "generateName": "conversion.ferries.portolan.dev",
        "deploymentName": "ferry", "containerPort": 9443, "targetPort": 9443,
        "webhookPath": "/convert", "sideEffects": "None", "admissionReviewVersions": ["v1"],
        "conversionCRDs": [CRD],
    })
}
