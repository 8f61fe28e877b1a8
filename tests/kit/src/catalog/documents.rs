//! Converts a package to the documents of a file-based catalog.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Bundle, Entry, Package, Requirement};

/// A document. Its fields are in the order in which catalog authors usually write them.
#[derive(Serialize)]
#[serde(tag = "schema", rename_all_fields = "camelCase")]
enum Document<'p> {
    #[serde(rename = "olm.package")]
    Package {
        name: &'p str,
        #[serde(skip_serializing_if = "Option::is_none")]
        default_channel: Option<&'p str>,
    },
    #[serde(rename = "olm.channel")]
    Channel {
        package: &'p str,
        name: &'p str,
        entries: &'p [Entry],
    },
    #[serde(rename = "olm.bundle")]
    Bundle {
        package: &'p str,
        name: &'p str,
        image: &'p str,
        properties: Vec<Property<'p>>,
    },
    #[serde(rename = "olm.deprecations")]
    Deprecations {
        package: &'p str,
        entries: Vec<Deprecation<'p>>,
    },
}

#[derive(Serialize)]
struct Property<'p> {
    #[serde(rename = "type")]
    kind: &'p str,
    value: Value,
}

#[derive(Serialize)]
struct Deprecation<'p> {
    reference: Reference<'p>,
    message: &'p str,
}

#[derive(Serialize)]
struct Reference<'p> {
    schema: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'p str>,
}

pub(super) fn yaml(package: &Package) -> String {
    let text = |document| {
        let yaml = serde_saphyr::to_string(&document).expect("a document must have a YAML form");
        format!("---\n{yaml}")
    };
    documents(package).into_iter().map(text).collect()
}

pub(super) fn json_lines(package: &Package) -> String {
    let line = |document| {
        let json = serde_json::to_string(&document).expect("a document must have a JSON form");
        format!("{json}\n")
    };
    documents(package).into_iter().map(line).collect()
}

fn documents(package: &Package) -> Vec<Document<'_>> {
    let name = package.name.as_str();
    let head = Document::Package {
        name,
        default_channel: package.default_channel.as_deref(),
    };
    let channels = package.channels.iter().map(|channel| Document::Channel {
        package: name,
        name: &channel.name,
        entries: &channel.entries,
    });
    let bundles = package.bundles.iter().map(|bundle| Document::Bundle {
        package: name,
        name: &bundle.name,
        image: &bundle.image,
        properties: properties(name, bundle),
    });
    let entries = deprecations(package);
    let deprecated = (!entries.is_empty()).then_some(Document::Deprecations {
        package: name,
        entries,
    });
    [head]
        .into_iter()
        .chain(channels)
        .chain(bundles)
        .chain(deprecated)
        .collect()
}

fn properties<'p>(package: &str, bundle: &'p Bundle) -> Vec<Property<'p>> {
    let version = json!({"packageName": package, "version": bundle.version});
    let identity = Property {
        kind: "olm.package",
        value: version,
    };
    let provided = bundle.provides.iter().map(|api| ("olm.gvk", json!(api)));
    let required = bundle.requires.iter().map(|requirement| match requirement {
        Requirement::Package { name, range } => (
            "olm.package.required",
            json!({"packageName": name, "versionRange": range}),
        ),
        Requirement::Api(api) => ("olm.gvk.required", json!(api)),
    });
    let further = bundle.properties.iter();
    let further = further.map(|(kind, value)| (kind.as_str(), value.clone()));
    let others = provided
        .chain(required)
        .chain(further)
        .chain(manifests(bundle));
    let others = others.map(|(kind, value)| Property { kind, value });
    [identity].into_iter().chain(others).collect()
}

/// Returns the manifests of a bundle without an image. If the bundle has an image, returns the
/// `olm.csv.metadata` property of its ClusterServiceVersion instead.
fn manifests(bundle: &Bundle) -> impl Iterator<Item = (&str, Value)> {
    let has_image = !bundle.image.is_empty();
    bundle.objects.iter().filter_map(move |object| {
        if !has_image {
            let data = BASE64.encode(object.to_string());
            return Some(("olm.bundle.object", json!({"data": data})));
        }
        let is_csv = object["kind"] == "ClusterServiceVersion";
        is_csv.then(|| ("olm.csv.metadata", csv_metadata(object)))
    })
}

fn csv_metadata(csv: &Value) -> Value {
    let spec = &csv["spec"];
    let mut metadata = json!({
        "crdDescriptions": spec["customresourcedefinitions"],
        "displayName": spec["displayName"],
        "installModes": spec["installModes"],
    });
    if let Some(annotations) = csv["metadata"].get("annotations") {
        metadata["annotations"] = annotations.clone();
    }
    metadata
}

fn deprecations(package: &Package) -> Vec<Deprecation<'_>> {
    let whole = deprecation("olm.package", None, &package.deprecated);
    let channels = package
        .channels
        .iter()
        .filter_map(|channel| deprecation("olm.channel", Some(&channel.name), &channel.deprecated));
    let bundles = package
        .bundles
        .iter()
        .filter_map(|bundle| deprecation("olm.bundle", Some(&bundle.name), &bundle.deprecated));
    whole.into_iter().chain(channels).chain(bundles).collect()
}

fn deprecation<'p>(
    schema: &'static str,
    name: Option<&'p str>,
    message: &'p Option<String>,
) -> Option<Deprecation<'p>> {
    let message = message.as_deref()?;
    Some(Deprecation {
        reference: Reference { schema, name },
        message,
    })
}
