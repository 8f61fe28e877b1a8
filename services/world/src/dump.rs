//! The description of a dump: its time, the Kubernetes version, and the objects that could not be
//! read from the cluster.

mod redactor;
mod registry_probe;
mod workloads;

use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::kind::dumped_kinds;
use crate::regular;

pub(crate) use self::redactor::Redactor;
pub use self::registry_probe::RegistryProbe;
pub(crate) use self::workloads::workload_namespaces;

/// The name of the file with the description, in the folder of a dump.
const FILE: &str = "dump.json";
/// The subfolder of a dump that contains the objects.
pub(crate) const OBJECTS: &str = "objects";

/// The description of a dump, stored in the same folder as the objects. Files with a description
/// contain all objects of each kind, except for the kinds that the description excludes. Files
/// without a description may lack any object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Dump {
    api_version: ApiVersion,
    kind: DumpKind,
    /// The time at which the dump was started.
    pub taken: Timestamp,
    /// The name of the program that wrote the dump.
    pub by: String,
    /// The Kubernetes version that the API server reported. None if it is unknown.
    pub kubernetes: Option<String>,
    /// The kinds that the API server did not serve.
    #[serde(default)]
    pub not_served: Vec<KindName>,
    /// The kinds that could not be listed.
    #[serde(default)]
    pub not_seen: Vec<NotSeen>,
    /// The catalogs whose content could not be read.
    #[serde(default)]
    pub not_read: Vec<NotRead>,
    /// The catalogs of which the dump contains only the list of the registry. The content of these
    /// catalogs is incomplete, because a registry returns more details for single bundles.
    #[serde(default)]
    pub listed: Vec<String>,
}

/// A kind, in any version.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KindName {
    /// The API group. Empty for the core group.
    pub group: String,
    /// The kind, such as `Pod`.
    pub kind: String,
    /// True for a list of objects with only metadata. The dump may contain such a list although the
    /// complete objects of the kind could not be read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub metadata_only: bool,
}

/// A kind that could not be listed, in all namespaces or in one namespace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotSeen {
    /// The kind.
    #[serde(flatten)]
    pub kind: KindName,
    /// The namespace in which the kind could not be listed. None for all namespaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The reason why the kind could not be listed.
    pub why: String,
}

/// A catalog whose content could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotRead {
    /// The name of the catalog: `NAMESPACE/NAME` for a CatalogSource, and `NAME` for a
    /// ClusterCatalog.
    pub catalog: String,
    /// The reason as one word.
    pub code: String,
    /// The reason as a sentence.
    pub why: String,
}

/// The error for an invalid description of a dump.
#[derive(Debug, Error)]
pub enum ReadDump {
    /// The file cannot be read.
    #[error("cannot read {}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The file is not the description of a dump.
    #[error("{} is not a valid file of a dump", path.display())]
    Parse {
        /// The file.
        path: PathBuf,
        /// The parse error.
        source: serde_json::Error,
    },
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
enum ApiVersion {
    #[default]
    #[serde(rename = "portolan.dev/v1")]
    V1,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
enum DumpKind {
    #[default]
    Dump,
}

// === impl Dump ===

impl Dump {
    /// Creates the description of a dump that is being started.
    pub fn begun(taken: Timestamp, by: String) -> Self {
        Self {
            api_version: ApiVersion::default(),
            kind: DumpKind::default(),
            taken,
            by,
            kubernetes: None,
            not_served: Vec::new(),
            not_seen: Vec::new(),
            not_read: Vec::new(),
            listed: Vec::new(),
        }
    }

    /// Returns the path of the description in the folder of a dump.
    pub fn file(root: &Path) -> PathBuf {
        root.join(FILE)
    }

    /// Returns the kinds that the program that wrote the dump did not support. The folder contains
    /// no list of such a kind, not even an empty list, and the description gives no reason.
    pub(crate) fn not_asked(&self, root: &Path) -> Vec<KindName> {
        let unseen = self.not_seen.iter().map(|unseen| &unseen.kind);
        let told: Vec<_> = self.not_served.iter().chain(unseen).collect();
        let kinds = dumped_kinds().into_iter();
        let kinds = kinds.filter(|kind| !list_path(root, &kind.file_stem()).exists());
        let kinds = kinds.map(|kind| kind.name());
        kinds.filter(|name| !told.contains(&name)).collect()
    }

    /// Reads the description in a folder. Returns None if the folder has no description.
    ///
    /// # Errors
    /// Returns an error if the description is invalid.
    pub fn of(root: &Path) -> Result<Option<Self>, ReadDump> {
        let path = Self::file(root);
        match regular::read(&path) {
            Ok(bytes) => {
                let parsed = serde_json::from_slice(&bytes);
                parsed.map_err(|source| ReadDump::Parse { path, source })
            }
            Err(error) if is_absence(&error) => Ok(None),
            Err(source) => Err(ReadDump::Open { path, source }),
        }
    }
}

/// Returns the path of the file with the objects of a kind in the folder of a dump.
pub(crate) fn list_path(root: &Path, stem: &str) -> PathBuf {
    root.join(OBJECTS).join(format!("{stem}.json"))
}

/// Returns the name of the file for the objects of a kind, without its extension, such as
/// `deployments.apps`.
pub(crate) fn file_stem(plural: &str, group: &str) -> String {
    match group {
        "" => plural.to_owned(),
        group => format!("{plural}.{group}"),
    }
}

/// Returns true if the error means that the file does not exist. This includes a path in which a
/// folder is a file.
fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

#[cfg(test)]
mod tests {
    use std::fs;

    use portolan_kit::TempFolder;

    use super::*;

    fn dump() -> Dump {
        let kind = |kind: &str| KindName {
            group: "olm.operatorframework.io".to_owned(),
            kind: kind.to_owned(),
            metadata_only: false,
        };
        Dump {
            kubernetes: Some("v1.34.1".to_owned()),
            not_served: vec![kind("ClusterCatalog")],
            not_seen: vec![NotSeen {
                kind: kind("Pod"),
                namespace: Some("harbor".to_owned()),
                why: "forbidden: no".to_owned(),
            }],
            not_read: vec![NotRead {
                catalog: "olm/shop".to_owned(),
                code: "ReadRegistry".to_owned(),
                why: "connection refused".to_owned(),
            }],
            ..Dump::begun(Timestamp::UNIX_EPOCH, "portolan 0.1.0".to_owned())
        }
    }

    #[test]
    fn dump_file_is_unchanged_after_a_round_trip() {
        let folder = TempFolder::empty();
        assert_eq!(Dump::of(&folder).expect("nothing"), None);
        let text = serde_json::to_string_pretty(&dump()).expect("JSON");
        fs::write(Dump::file(&folder), &text).expect("a file");
        assert_eq!(Dump::of(&folder).expect("a dump"), Some(dump()));
        assert!(
            text.contains(r#""apiVersion": "portolan.dev/v1""#),
            "{text}"
        );
    }

    #[test]
    fn dump_file_of_another_version_is_refused() {
        let folder = TempFolder::empty();
        let text = r#"{"apiVersion": "portolan.dev/v2", "kind": "Dump"}"#;
        fs::write(Dump::file(&folder), text).expect("a file");
        let error = Dump::of(&folder).expect_err("another version");
        assert!(error.to_string().ends_with("is not a valid file of a dump"));
    }

    /// Reading a device may never end.
    #[test]
    fn device_file_is_not_opened() {
        let folder = TempFolder::empty();
        std::os::unix::fs::symlink("/dev/zero", Dump::file(&folder)).expect("a link");
        let error = Dump::of(&folder).expect_err("a device");
        let source = std::error::Error::source(&error).map(ToString::to_string);
        assert_eq!(source.as_deref(), Some("it is not a regular file"));
    }

    #[test]
    fn single_file_is_not_a_dump() {
        let folder = TempFolder::empty();
        let file = folder.join("all.yaml");
        fs::write(&file, "").expect("a file");
        assert_eq!(Dump::of(&file).expect("nothing"), None);
    }
}
