//! Packages of real catalogs with replaced manifests, so that they can be installed without their
//! images.

use serde_json::{Map, Value, json};

use super::manifests::inline;
use super::{Api, Bundle, Catalog, Channel, Entry, Package, Requirement};

/// The type of a property with the metadata of a ClusterServiceVersion. Catalogs have this property
/// if the manifests are in an image.
const DESCRIBED: &str = "olm.csv.metadata";

impl Catalog {
    /// Returns the package in these documents of a file-based catalog, made installable.
    ///
    /// Replaces the manifests with minimal manifests, as in [`Catalog::installable`], and stores
    /// them in the catalog. Keeps names, versions, channels, edges, APIs, names of CRDs,
    /// requirements and install modes.
    ///
    /// # Panics
    /// Panics if no document describes a package, or if a document cannot be read.
    #[must_use]
    #[track_caller]
    pub fn stand_in(documents: &[Value]) -> Self {
        let of = |schema: &str| {
            let schema = schema.to_owned();
            documents.iter().filter(move |it| it["schema"] == *schema)
        };
        let head = of("olm.package").next();
        let head = head.expect("a document must be about the package");
        let mut package = Package {
            name: text(head, "/name"),
            default_channel: Some(text(head, "/defaultChannel")),
            channels: of("olm.channel").map(channel).collect(),
            bundles: of("olm.bundle").map(bundle).collect(),
            deprecated: None,
        };
        let shape = package.clone();
        let bundles = package.bundles.iter_mut().zip(of("olm.bundle"));
        for (bundle, document) in bundles {
            inline(&shape, bundle);
            describe(bundle, document, &shape);
        }
        Self {
            packages: vec![package],
        }
    }
}

fn channel(document: &Value) -> Channel {
    Channel {
        name: text(document, "/name"),
        entries: list(document, "/entries").iter().map(entry).collect(),
        deprecated: None,
    }
}

fn entry(entry: &Value) -> Entry {
    let skips = list(entry, "/skips").iter().filter_map(Value::as_str);
    Entry {
        name: text(entry, "/name"),
        replaces: entry["replaces"].as_str().map(str::to_owned),
        skips: skips.map(str::to_owned).collect(),
        skip_range: entry["skipRange"].as_str().map(str::to_owned),
    }
}

fn bundle(document: &Value) -> Bundle {
    let mut bundle = Bundle {
        name: text(document, "/name"),
        ..Bundle::default()
    };
    for property in list(document, "/properties") {
        let (kind, value) = (text(property, "/type"), &property["value"]);
        match kind.as_str() {
            "olm.package" => bundle.version = text(value, "/version"),
            "olm.gvk" => bundle.provides.push(api(value)),
            "olm.gvk.required" => bundle.requires.push(Requirement::Api(api(value))),
            "olm.package.required" => bundle.requires.push(Requirement::Package {
                name: text(value, "/packageName"),
                range: text(value, "/versionRange"),
            }),
            DESCRIBED => {}
            _ => bundle.properties.push((kind, value.clone())),
        }
    }
    bundle
}

fn api(value: &Value) -> Api {
    let [group, kind, version] = ["/group", "/kind", "/version"].map(|at| text(value, at));
    Api {
        group,
        kind,
        version,
    }
}

/// Copies the metadata from a document of the catalog to the manifests of the bundle.
fn describe(bundle: &mut Bundle, document: &Value, package: &Package) {
    let mut properties = list(document, "/properties").iter();
    let described = properties.find(|property| property["type"] == DESCRIBED);
    let described = described.map_or(&Value::Null, |property| &property["value"]);
    let owned = list(described, "/crdDescriptions/owned");
    let mut entries = package.channels.iter().flat_map(|channel| &channel.entries);
    let entry = entries.find(|entry| entry.name == bundle.name);
    for object in &mut bundle.objects {
        match object["kind"].as_str() {
            Some("ClusterServiceVersion") => {
                let spec = &mut object["spec"];
                spec["installModes"] = described["installModes"].clone();
                spec["customresourcedefinitions"]["owned"] = owned.iter().map(owns).collect();
                if let Some(entry) = entry {
                    spec["skips"] = json!(entry.skips);
                    let range = entry.skip_range.iter().cloned().map(Value::String);
                    let range = range.map(|range| ("olm.skipRange".to_owned(), range));
                    object["metadata"]["annotations"] = Value::Object(range.collect());
                }
            }
            _ => rename(object, owned),
        }
    }
}

/// Returns only the fields of a CRD description that OLM needs.
fn owns(description: &Value) -> Value {
    let kept = ["name", "version", "kind"];
    let kept = kept.map(|field| (field.to_owned(), description[field].clone()));
    Value::Object(Map::from_iter(kept))
}

/// Renames a generated CRD to the name in the real ClusterServiceVersion.
fn rename(definition: &mut Value, owned: &[Value]) {
    let group = format!(".{}", text(definition, "/spec/group"));
    let kind = definition["spec"]["names"]["kind"].clone();
    let names = owned
        .iter()
        .filter(|description| description["kind"] == kind);
    let mut names = names.filter_map(|description| description["name"].as_str());
    let plural = names.find_map(|name| Some((name, name.strip_suffix(&group)?)));
    if let Some((name, plural)) = plural {
        definition["metadata"]["name"] = json!(name);
        definition["spec"]["names"]["plural"] = json!(plural);
    }
}

#[track_caller]
fn text(document: &Value, at: &str) -> String {
    let text = document.pointer(at).and_then(Value::as_str);
    text.unwrap_or_else(|| panic!("there must be a text at {at} of {document}"))
        .to_owned()
}

fn list<'d>(document: &'d Value, at: &str) -> &'d [Value] {
    let list = document.pointer(at).and_then(Value::as_array);
    list.map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{assert_same, catalog};

    /// Returns documents in the form in which an author writes them. One CRD has a custom plural.
    fn documents() -> Vec<Value> {
        let api = json!({"group": "g.test", "kind": "Box", "version": "v1"});
        let owned = json!({"name": "boxes.g.test", "version": "v1", "kind": "Box",
            "description": "of which OLM needs nothing"});
        let metadata = json!({
            "crdDescriptions": {"owned": [owned]},
            "installModes": [{"type": "OwnNamespace", "supported": true}],
        });
        vec![
            json!({"schema": "olm.package", "name": "a", "defaultChannel": "stable"}),
            json!({"schema": "olm.channel", "package": "a", "name": "stable", "entries": [
                {"name": "one.v1.0.0", "replaces": "one.v0.9.0", "skips": ["one.v0.8.0"],
                    "skipRange": ">=0.7.0 <1.0.0"},
            ]}),
            json!({"schema": "olm.bundle", "package": "a", "name": "one.v1.0.0",
            "image": "registry.example/not-at-hand:1.0.0",
            "properties": [
                {"type": "olm.package", "value": {"packageName": "a", "version": "1.0.0"}},
                {"type": "olm.gvk", "value": api},
                {"type": "olm.package.required",
                    "value": {"packageName": "b", "versionRange": ">=1.0.0"}},
                {"type": "olm.maxOpenShiftVersion", "value": "4.20"},
                {"type": "olm.csv.metadata", "value": metadata},
            ]}),
        ]
    }

    #[test]
    fn stand_in_has_the_versions_of_the_package() {
        let mut package = Catalog::stand_in(&documents()).packages.remove(0);
        package.bundles[0].objects.clear();
        let text = "a: 1.0.0 replaces 0.9.0; 1.0.0 skips 0.8.0; 1.0.0 covers >=0.7.0 <1.0.0
            1.0.0 provides g.test/v1/Box; 1.0.0 requires b >=1.0.0; default stable";
        let mut expected = catalog(text).packages.remove(0);
        let named = |name: &str| name.replace("a.v", "one.v");
        let entry = &mut expected.channels[0].entries[0];
        entry.name = named(&entry.name);
        entry.replaces = entry.replaces.as_deref().map(named);
        entry.skips = entry.skips.iter().map(|name| named(name)).collect();
        let bundle = &mut expected.bundles[0];
        bundle.name = named(&bundle.name);
        bundle.image.clear();
        let property = ("olm.maxOpenShiftVersion".to_owned(), json!("4.20"));
        bundle.properties.push(property);
        assert_same!(package, expected);
    }

    #[test]
    fn stand_in_manifests_match_the_catalog() {
        let stand_in = Catalog::stand_in(&documents());
        let objects = &stand_in.package("a").bundle("1.0.0").objects;
        let [csv, definition] = &objects[..] else {
            panic!("there must be two: {objects:#?}");
        };
        let told = json!({
            "name": csv["metadata"]["name"],
            "annotations": csv["metadata"]["annotations"],
            "version": csv["spec"]["version"],
            "replaces": csv["spec"]["replaces"],
            "skips": csv["spec"]["skips"],
            "installModes": csv["spec"]["installModes"],
            "owned": csv["spec"]["customresourcedefinitions"]["owned"],
            "definition": definition["metadata"]["name"],
            "plural": definition["spec"]["names"]["plural"],
        });
        let expected = json!({
            "name": "one.v1.0.0",
            "annotations": {"olm.skipRange": ">=0.7.0 <1.0.0"},
            "version": "1.0.0",
            "replaces": "one.v0.9.0",
            "skips": ["one.v0.8.0"],
            "installModes": [{"type": "OwnNamespace", "supported": true}],
            "owned": [{"name": "boxes.g.test", "version": "v1", "kind": "Box"}],
            "definition": "boxes.g.test",
            "plural": "boxes",
        });
        assert_same!(json: told, expected);
    }
}
