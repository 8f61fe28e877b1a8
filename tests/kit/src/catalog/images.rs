//! Catalogs whose bundles have images with their manifests. OLM unpacks an image before it creates
//! an InstallPlan.

use std::path::Path;

use serde_json::{Value, json};

use super::{Bundle, Catalog, Package};
use crate::folder::{self, TempFolder};

impl Catalog {
    /// Moves the manifests of each installable bundle into an image. Then the catalog contains only
    /// `olm.csv.metadata`, and [`Catalog::images`] returns the images.
    #[must_use]
    pub fn by_image(mut self) -> Self {
        for package in &mut self.packages {
            for bundle in &mut package.bundles {
                bundle.image = image(&package.name, &bundle.version);
            }
        }
        self
    }

    /// Returns a folder with the content of the bundle images. Each image has a subfolder with its
    /// name. For example, the manifests of the image `registry.example/a:v1.0.0` are in
    /// `registry.example/a:v1.0.0/manifests`.
    pub fn images(&self) -> TempFolder {
        let folder = TempFolder::empty();
        for package in &self.packages {
            let bundles = package.bundles.iter();
            for bundle in bundles.filter(|it| !it.image.is_empty() && !it.objects.is_empty()) {
                write(&folder.join(&bundle.image), package, bundle);
            }
        }
        folder
    }
}

/// Returns the name of the image of a bundle. The tag must not contain a `+`, so the `+` before
/// build metadata is replaced.
pub(super) fn image(package: &str, version: &str) -> String {
    format!("registry.example/{package}:v{}", version.replace('+', "-"))
}

fn write(folder: &Path, package: &Package, bundle: &Bundle) {
    let files = bundle.objects.iter().enumerate().map(|(at, object)| {
        let kind = object["kind"].as_str().unwrap_or_default().to_lowercase();
        (format!("manifests/{at}-{kind}.yaml"), object.clone())
    });
    let annotations = ("metadata/annotations.yaml".to_owned(), annotations(package));
    for (file, content) in files.chain([annotations]) {
        let yaml = serde_saphyr::to_string(&content).expect("a manifest must have a YAML form");
        folder::write(&folder.join(file), &yaml);
    }
}

/// Returns the annotations with which tools recognize a bundle.
fn annotations(package: &Package) -> Value {
    let channels = package.channels.iter().map(|channel| channel.name.as_str());
    let of_bundle = |key: &str| format!("operators.operatorframework.io.bundle.{key}.v1");
    json!({"annotations": {
        of_bundle("mediatype"): "registry+v1",
        of_bundle("manifests"): "manifests/",
        of_bundle("metadata"): "metadata/",
        of_bundle("package"): package.name,
        of_bundle("channels"): channels.collect::<Vec<_>>().join(","),
        of_bundle("channel.default"): package.default_channel,
    }})
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::{assert_same, catalog};

    #[test]
    fn bundle_in_an_image_has_no_manifests_in_the_catalog() {
        let shop = catalog("a: 1.0.0+one").installable();
        let shop = shop.with_suggested_namespace("harbor").by_image();
        let lines = shop.to_json_lines();
        let bundle = lines.lines().last().expect("the bundle must come last");
        let bundle: Value = serde_json::from_str(bundle).unwrap();
        let csv = &shop.package("a").bundle("1.0.0+one").objects[0];
        let api = json!({"group": "a.example.test", "kind": "A", "version": "v1"});
        let expected = json!({
            "schema": "olm.bundle",
            "package": "a",
            "name": "a.v1.0.0+one",
            "image": "registry.example/a:v1.0.0-one",
            "properties": [
                {"type": "olm.package", "value": {"packageName": "a", "version": "1.0.0+one"}},
                {"type": "olm.gvk", "value": api},
                {"type": "olm.csv.metadata", "value": {
                    "annotations": {"operatorframework.io/suggested-namespace": "harbor"},
                    "crdDescriptions": csv["spec"]["customresourcedefinitions"],
                    "displayName": "a",
                    "installModes": csv["spec"]["installModes"],
                }},
            ],
        });
        assert_same!(json: bundle, expected);
    }

    #[test]
    fn bundle_image_has_manifests_and_annotations() {
        let shop = catalog("a[stable, fast]: 1.0.0").installable().by_image();
        let images = shop.images();
        let image = images.join("registry.example/a:v1.0.0");
        let read = |file: &str| {
            let text = fs::read_to_string(image.join(file)).unwrap();
            serde_saphyr::from_str::<Value>(&text).unwrap()
        };
        let objects = &shop.package("a").bundle("1.0.0").objects;
        let manifests = ["0-clusterserviceversion", "1-customresourcedefinition"];
        let manifests = manifests.map(|name| read(&format!("manifests/{name}.yaml")));
        assert_same!(json: manifests, objects);
        let bundle = "operators.operatorframework.io.bundle";
        let known = json!({"annotations": {
            format!("{bundle}.mediatype.v1"): "registry+v1",
            format!("{bundle}.manifests.v1"): "manifests/",
            format!("{bundle}.metadata.v1"): "metadata/",
            format!("{bundle}.package.v1"): "a",
            format!("{bundle}.channels.v1"): "stable,fast",
            format!("{bundle}.channel.default.v1"): "stable",
        }});
        assert_same!(json: read("metadata/annotations.yaml"), known);
    }
}
