//! Writes the objects to disk, in the form that each tool reads.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::catalogs::scratch;
use crate::failure::Failure;

/// One object of this number is a ServiceAccount. The other objects are ConfigMaps.
const ACCOUNTS: usize = 10;

/// A folder with manifests without a namespace, and a chart with the same objects.
#[derive(Debug)]
pub(super) struct Cargo {
    objects: usize,
    folder: TempDir,
}

// === impl Cargo ===

impl Cargo {
    pub(super) fn of(objects: usize) -> Result<Self, Failure> {
        let folder = scratch()?;
        let manifests: Vec<_> = (0..objects).map(manifest).collect();
        let text: String = manifests.iter().map(|it| format!("---\n{it}\n")).collect();
        let chart = json!({"apiVersion": "v2", "name": "cargo", "version": "1.0.0"});
        let files = [
            ("manifests/all.yaml", &text),
            ("chart/templates/all.yaml", &text),
            ("chart/Chart.yaml", &chart.to_string()),
        ];
        for (name, text) in files {
            let path = folder.path().join(name);
            let parent = path.parent().unwrap_or(folder.path());
            fs::create_dir_all(parent).map_err(Failure::touch("make", parent))?;
            fs::write(&path, text).map_err(Failure::touch("write", &path))?;
        }
        Ok(Self { objects, folder })
    }

    pub(super) fn manifests(&self) -> PathBuf {
        self.folder.path().join("manifests")
    }

    pub(super) fn chart(&self) -> PathBuf {
        self.folder.path().join("chart")
    }

    /// Returns the name of the ConfigMap with this number. Different numbers below the number of
    /// ConfigMaps give different names.
    pub(super) fn config_map(&self, number: usize) -> String {
        let maps = (0..self.objects).filter(|number| number % ACCOUNTS != 0);
        let maps: Vec<_> = maps.map(name).collect();
        maps[number % maps.len()].clone()
    }
}

fn name(number: usize) -> String {
    format!("cargo-{number}")
}

fn manifest(number: usize) -> Value {
    let metadata = json!({"name": name(number), "labels": {"app": "cargo"}});
    if number.is_multiple_of(ACCOUNTS) {
        json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata})
    } else {
        let data = json!({"hold": "x".repeat(200), "number": number.to_string()});
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})
    }
}
