//! Creates complete catalogs from a short text.
//!
//! A catalog text is a list of statements, separated by `;` or by the end of a line. `#` starts a
//! comment. A *head* starts a package, and lists the channels for the statements after the head:
//!
//! | Head               | Package and channels                                         |
//! |--------------------|--------------------------------------------------------------|
//! | `a:`               | package `a`, channel `stable`                                |
//! | `a/fast:`          | package `a`, channel `fast`, which may have no entries       |
//! | `a[stable, fast]:` | package `a`, the same entries in both channels               |
//!
//! A statement contains a version or a chain of versions. It may end with a clause about the last
//! version:
//!
//! | Statement                            | Meaning                                            |
//! |--------------------------------------|----------------------------------------------------|
//! | `1.0.0`                              | an entry and its bundle, named `a.v1.0.0`          |
//! | `1.0.0 -> 1.1.0 -> 2.0.0`            | entries; each entry replaces the previous one      |
//! | `2.0.0 replaces 0.9.0`               | replaces this version, which may be missing        |
//! | `2.0.0 skips 1.0.0, 1.1.0`           | skips these versions, which may be missing         |
//! | `2.0.0 covers >=1.0.0 <2.0.0`        | the entry has this `skipRange`                     |
//! | `2.0.0 provides g.test/v1/Kind, …`   | the bundle provides these APIs                     |
//! | `2.0.0 requires b >=1.0.0 <2.0.0`    | the bundle requires a version of a package         |
//! | `2.0.0 requires g.test/v1/Kind`      | the bundle requires an API                         |
//! | `2.0.0 deprecated "why"`             | the bundle is deprecated                           |
//! | `2.0.0 unlisted`                     | a bundle that is in no channel                     |
//! | `2.0.0 missing`                      | an entry without a bundle                          |
//! | `default fast`                       | the default channel; otherwise the first channel   |
//! | `channel fast deprecated "why"`      | the channel is deprecated                          |
//! | `package deprecated "why"`           | the package is deprecated                          |
//!
//! A statement about the upgrade graph adds the version to each channel of the head. A statement
//! about a bundle adds the version only if no previous statement contains this version. Versions,
//! names and ranges are not changed or validated. For example, the channel of `a: 1.0.0; 2.0.0` has
//! two heads, and `a: 1.0.0 -> 2.0.0 -> 1.0.0` is a cycle. To create other catalogs, modify the
//! public fields of the [`Catalog`].
//!
//! ```
//! use portolan_kit::catalog;
//!
//! let shop = catalog(
//!     "a[stable, fast]: 1.0.0 -> 1.1.0
//!      a/fast:          1.1.0 -> 2.0.0-rc.1 covers >=1.0.0 <2.0.0-rc.1
//!      b:               1.0.0 requires a >=1.1.0  # and nothing else",
//! );
//! assert_eq!(shop.packages[0].channels[1].entries.len(), 3);
//! ```

mod documents;
mod images;
mod language;
mod manifests;
mod real;
#[cfg(test)]
mod tests;

use std::path::Path;

use serde::Serialize;
use serde_json::Value;

pub use crate::catalog::language::Misreading;
pub(crate) use crate::catalog::manifests::install_modes;
use crate::folder::{self, TempFolder};

/// The packages of a catalog, in the order of the text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Catalog {
    pub packages: Vec<Package>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Package {
    pub name: String,
    pub default_channel: Option<String>,
    pub channels: Vec<Channel>,
    pub bundles: Vec<Bundle>,
    pub deprecated: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Channel {
    pub name: String,
    pub entries: Vec<Entry>,
    pub deprecated: Option<String>,
}

/// An entry of a channel. Each field with names contains the names of bundles.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skips: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip_range: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bundle {
    pub name: String,
    pub version: String,
    /// The image of the bundle, which contains `objects`. Empty if the catalog itself contains
    /// `objects`.
    pub image: String,
    pub provides: Vec<Api>,
    pub requires: Vec<Requirement>,
    /// The additional properties of the bundle, each with its type and value.
    pub properties: Vec<(String, Value)>,
    /// The manifests of an installable bundle. The first manifest is the ClusterServiceVersion.
    pub objects: Vec<Value>,
    pub deprecated: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Api {
    pub group: String,
    pub kind: String,
    pub version: String,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Requirement {
    Package { name: String, range: String },
    Api(Api),
}

/// Returns the catalog that a text describes. [This module](self) documents the language.
///
/// # Panics
/// Panics if the text is invalid. The message contains the position and the expected text.
#[track_caller]
pub fn catalog(text: &str) -> Catalog {
    language::parse(text).unwrap_or_else(|misreading| panic!("{misreading}"))
}

impl Catalog {
    /// Returns the catalog as YAML documents in the format of a file-based catalog. The documents
    /// of a package follow each other.
    pub fn to_yaml(&self) -> String {
        self.packages.iter().map(documents::yaml).collect()
    }

    /// Returns the same documents as [`to_yaml`](Self::to_yaml), as JSON. Each document is one
    /// line.
    pub fn to_json_lines(&self) -> String {
        self.packages.iter().map(documents::json_lines).collect()
    }

    /// Writes a folder with a `catalog.yaml` for each package.
    ///
    /// # Panics
    /// Panics if the folder cannot be written.
    pub fn write(&self, folder: &Path) {
        for package in &self.packages {
            let path = folder.join(&package.name).join("catalog.yaml");
            folder::write(&path, &documents::yaml(package));
        }
    }

    /// Writes the catalog to a temporary folder. Dropping the returned value removes the folder.
    pub fn temp(&self) -> TempFolder {
        let folder = TempFolder::empty();
        self.write(&folder);
        folder
    }

    /// Adds a property to the bundle with this name.
    ///
    /// # Panics
    /// Panics if there is no such bundle.
    #[must_use]
    #[track_caller]
    pub fn with_property(mut self, bundle: &str, kind: &str, value: Value) -> Self {
        let found = self.bundles_mut().find(|found| found.name == bundle);
        let found = found.unwrap_or_else(|| panic!("the catalog has no bundle {bundle:?}"));
        found.properties.push((kind.to_owned(), value));
        self
    }

    /// Returns the package with this name.
    ///
    /// # Panics
    /// Panics if the package does not exist.
    #[track_caller]
    pub fn package(&self, name: &str) -> &Package {
        let found = self.packages.iter().find(|package| package.name == name);
        found.unwrap_or_else(|| panic!("the catalog has no package {name:?}"))
    }

    fn bundles_mut(&mut self) -> impl Iterator<Item = &mut Bundle> {
        self.packages
            .iter_mut()
            .flat_map(|package| &mut package.bundles)
    }
}

impl Package {
    /// Returns the bundle with this version.
    ///
    /// # Panics
    /// Panics if the bundle does not exist.
    #[track_caller]
    pub fn bundle(&self, version: &str) -> &Bundle {
        let found = self.bundles.iter().find(|bundle| bundle.version == version);
        found.unwrap_or_else(|| panic!("package {:?} has no bundle {version:?}", self.name))
    }

    /// Returns the channel with this name.
    ///
    /// # Panics
    /// Panics if the channel does not exist.
    #[track_caller]
    pub fn channel(&self, name: &str) -> &Channel {
        let found = self.channels.iter().find(|channel| channel.name == name);
        found.unwrap_or_else(|| panic!("package {:?} has no channel {name:?}", self.name))
    }
}
