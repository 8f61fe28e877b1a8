//! Generates a catalog for OLM that contains the manifests of its bundles.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::bundles::ferry;

/// An older version of a CRD. Its objects are converted to the new version.
const OLD: &str = "  - name: v1alpha1
    served: true
    storage: false
    schema:
      openAPIV3Schema:
        type: object
        x-kubernetes-preserve-unknown-fields: true
";

/// Returns a ferry bundle with webhooks of all three types and an aggregated API.
pub(super) fn with_all() -> String {
    let csv = ferry::with_webhooks();
    format!(
        "{csv}  apiservicedefinitions:
    owned:
    - name: tides
      group: tides.ferry.example
      version: v1
      kind: Tide
      deploymentName: ferry-controller
      containerPort: 5443
"
    )
}

/// Returns a catalog with two versions and their manifests.
pub(super) fn catalog(csv: &str) -> String {
    let documents = [
        json!({"schema": "olm.package", "name": "ferry", "defaultChannel": "stable"}),
        json!({"schema": "olm.channel", "package": "ferry", "name": "stable", "entries": [
            {"name": "ferry.v1.0.0"}, {"name": "ferry.v1.1.0", "replaces": "ferry.v1.0.0"},
        ]}),
    ];
    let bundles = ["1.0.0", "1.1.0"].map(|version| bundle(csv, version));
    written(documents.iter().chain(&bundles))
}

/// Returns a catalog with ferry, and with the package `rope` that ferry requires.
pub(super) fn catalog_of_two() -> String {
    let mut documents = Vec::new();
    for package in ["ferry", "rope"] {
        documents
            .push(json!({"schema": "olm.package", "name": package, "defaultChannel": "stable"}));
        documents.push(json!({
            "schema": "olm.channel", "package": package, "name": "stable",
            "entries": [{"name": format!("{package}.v1.0.0")}],
        }));
    }
    let mut ferry = bundle(&ferry::plain(), "1.0.0");
    let rope = ferry.to_string();
    let required = json!({"packageName": "rope", "versionRange": ">=1.0.0"});
    let properties = ferry["properties"].as_array_mut().expect("properties");
    properties.push(json!({"type": "olm.package.required", "value": required}));
    documents.push(ferry);
    documents.push(renamed(&rope));
    written(documents.iter())
}

/// Returns the bundle with other names for all its manifests.
fn renamed(bundle: &str) -> Value {
    let mut bundle: Value = serde_json::from_str(&bundle.replace("ferry", "rope")).expect("JSON");
    for property in bundle["properties"].as_array_mut().expect("properties") {
        if let Some(data) = property["value"]["data"].as_str() {
            let text = STANDARD.decode(data).expect("base64");
            let text = String::from_utf8(text)
                .expect("text")
                .replace("ferry", "rope");
            // Without this, both bundles would contain the same kind and the same role.
            let text = text
                .replace("ships", "knots")
                .replace("Ship", "Knot")
                .replace("ship", "knot");
            property["value"]["data"] = json!(STANDARD.encode(text));
        }
    }
    bundle
}

fn written<'d>(documents: impl Iterator<Item = &'d Value>) -> String {
    documents.map(|it| format!("---\n{it}\n")).collect()
}

fn bundle(csv: &str, version: &str) -> Value {
    let csv = csv.replace("1.0.0", version);
    let is_converted = csv.contains("ConversionWebhook");
    let files = ferry::files(csv);
    let manifests = files
        .iter()
        .filter(|(name, _)| name.starts_with("manifests/"));
    let objects = manifests.map(|(_, text)| {
        let mut text =
            String::from_utf8_lossy(text).replace("namespace: system", "namespace: ferries");
        if is_converted {
            text = text.replace("  versions:\n", &format!("  versions:\n{OLD}"));
        }
        json!({"type": "olm.bundle.object", "value": {"data": STANDARD.encode(text)}})
    });
    let package = json!({"packageName": "ferry", "version": version});
    let own = [json!({"type": "olm.package", "value": package})];
    let properties: Vec<_> = own.into_iter().chain(objects).collect();
    json!({
        "schema": "olm.bundle", "package": "ferry", "name": format!("ferry.v{version}"),
        "image": "", "properties": properties,
    })
}
