//! Generates catalogs of any size. Each run generates the same bytes.
//!
//! A package has an icon, and ten bundles in two channels. A bundle contains its manifests and the
//! metadata of its ClusterServiceVersion, like catalogs that were rendered from bundle images. A
//! bundle has about 29 kB. opm accepts these catalogs.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::question::Entry;

/// The number of bundles of each package.
pub(crate) const BUNDLES: usize = 10;

/// The number of the first bundle in the second channel, which has only later bundles.
const LATE: usize = 5;

const WORDS: [&str; 16] = [
    "anchor",
    "beacon",
    "cluster",
    "deployment",
    "ensign",
    "fleet",
    "gateway",
    "harbor",
    "invoice",
    "jetty",
    "keel",
    "lantern",
    "manifest",
    "namespace",
    "operator",
    "\n\n## Pilot\n\n",
];

/// The format in which a catalog is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Json,
    Yaml,
}

/// Writes a catalog with this number of packages. Each package has its own file. Returns the size
/// of the catalog in bytes.
pub(crate) fn write(folder: &Path, packages: usize, format: Format) -> Result<u64, Failure> {
    let mut bytes = 0;
    for at in 0..packages {
        let name = package(at);
        let folder = folder.join(&name);
        fs::create_dir_all(&folder).map_err(Failure::touch("create", &folder))?;
        let path = folder.join(format.file());
        let file = File::create(&path).map_err(Failure::touch("create", &path))?;
        let mut file = BufWriter::new(file);
        for document in documents(&name) {
            format.write(&document, &mut file)?;
        }
        let file = file.into_inner().map_err(|error| error.into_error());
        let written = file.and_then(|file| file.metadata());
        bytes += written.map_err(Failure::touch("write", &path))?.len();
    }
    Ok(bytes)
}

/// Returns the entries of all channels in a catalog with this number of packages.
pub(crate) fn entries(packages: usize) -> Vec<Entry> {
    let packages = (0..packages).map(package);
    let entry = |package: &str, channel: &str, at| Entry {
        package: package.to_owned(),
        channel: channel.to_owned(),
        bundle: name(package, at),
    };
    let entries = packages.flat_map(|package| {
        let stable = (0..BUNDLES).map(|at| entry(&package, "stable", at));
        let fast = (LATE..BUNDLES).map(|at| entry(&package, "fast", at));
        fast.chain(stable).collect::<Vec<_>>()
    });
    entries.collect()
}

// === impl Format ===

impl Format {
    fn file(self) -> &'static str {
        match self {
            Self::Json => "catalog.json",
            Self::Yaml => "catalog.yaml",
        }
    }

    fn write(self, document: &Value, into: &mut impl Write) -> Result<(), Failure> {
        let text = match self {
            Self::Json => serde_json::to_string(document).map_err(|error| error.into()),
            Self::Yaml => serde_saphyr::to_string(document).map_err(|error| error.into()),
        };
        let text = text.map_err(Failure::Write)?;
        let between = match self {
            Self::Json => "",
            Self::Yaml => "---\n",
        };
        writeln!(into, "{between}{}", text.trim_end()).map_err(|error| Failure::Write(error.into()))
    }
}

fn documents(package: &str) -> Vec<Value> {
    let channel = |name: &str, from: usize| {
        json!({
            "schema": "olm.channel",
            "package": package,
            "name": name,
            "entries": (from..BUNDLES).map(|at| entry(package, at)).collect::<Vec<_>>(),
        })
    };
    let mut documents = vec![
        json!({
            "schema": "olm.package",
            "name": package,
            "defaultChannel": "stable",
            "description": prose(package.len(), 400),
            "icon": {
                "base64data": BASE64_STANDARD.encode(prose(1, 9_000)),
                "mediatype": "image/svg+xml",
            },
        }),
        channel("stable", 0),
        channel("fast", LATE),
    ];
    documents.extend((0..BUNDLES).map(|at| bundle(package, at)));
    documents
}

/// Returns an entry. It replaces the previous bundle. Every third bundle can be reached from all
/// earlier bundles.
fn entry(package: &str, at: usize) -> Value {
    let mut entry = json!({"name": name(package, at)});
    if at > 0 {
        entry["replaces"] = json!(name(package, at - 1));
    }
    if at > 0 && at.is_multiple_of(3) {
        entry["skipRange"] = json!(format!(">=1.0.0 <{}", version(at)));
    }
    entry
}

fn bundle(package: &str, at: usize) -> Value {
    let group = format!("{package}.example.test");
    let object = |manifest: Value| {
        let data = BASE64_STANDARD.encode(manifest.to_string());
        json!({"type": "olm.bundle.object", "value": {"data": data}})
    };
    let kind = json!({"group": group, "kind": "Fleet", "version": "v1"});
    let own = json!({"packageName": package, "version": version(at)});
    json!({
        "schema": "olm.bundle",
        "package": package,
        "name": name(package, at),
        "image": format!("registry.example.test/{package}@sha256:{:064x}", at + 1),
        "properties": [
            {"type": "olm.gvk", "value": kind},
            {"type": "olm.package", "value": own},
            object(csv(package, at)),
            object(crd(&group, at)),
            {"type": "olm.csv.metadata", "value": metadata(at)},
        ],
        "relatedImages": [{"name": "", "image": format!("registry.example.test/{package}:{at}")}],
    })
}

fn csv(package: &str, at: usize) -> Value {
    json!({
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": {"name": name(package, at)},
        "spec": {
            "displayName": package,
            "version": version(at),
            "description": prose(at, 7_500),
            "install": {"strategy": "deployment", "spec": {"deployments": []}},
        },
    })
}

fn crd(group: &str, at: usize) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("fleets.{group}")},
        "spec": {
            "group": group,
            "names": {"kind": "Fleet", "plural": "fleets"},
            "scope": "Namespaced",
            "versions": [{
                "name": "v1",
                "schema": {"openAPIV3Schema": {"type": "object", "description": prose(at, 6_000)}},
                "served": true,
                "storage": true,
            }],
        },
    })
}

fn metadata(at: usize) -> Value {
    json!({
        "annotations": {"alm-examples": prose(at + 1, 2_000), "capabilities": "Basic Install"},
        "description": prose(at, 7_500),
        "displayName": "Fleet",
        "installModes": [{"type": "AllNamespaces", "supported": true}],
        "minKubeVersion": "1.28.0",
        "provider": {"name": "Example"},
    })
}

fn package(at: usize) -> String {
    format!("fleet-{at:03}")
}

fn name(package: &str, at: usize) -> String {
    format!("{package}.v{}", version(at))
}

fn version(at: usize) -> String {
    format!("1.{at}.0")
}

/// Returns a text of random words with about this number of bytes.
fn prose(seed: usize, bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 16);
    let mut state = seed as u32;
    while text.len() < bytes {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        text.push_str(WORDS[(state >> 28) as usize]);
        text.push(' ');
    }
    text
}
