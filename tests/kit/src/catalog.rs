//! Whole catalogs in one line.
//!
//! A catalog text is a list of statements, separated by `;` or by the end of a line; `#` begins
//! a comment. A *head* opens a package and the channels that the statements after it speak of:
//!
//! | Head               | Package and channels                                         |
//! |--------------------|--------------------------------------------------------------|
//! | `a:`               | package `a`, channel `stable`                                |
//! | `a/fast:`          | package `a`, channel `fast`, which exists even with no entry |
//! | `a[stable, fast]:` | package `a`, the same entries in both channels               |
//!
//! A statement names a version, or a chain of them, and may end in a clause about the last one:
//!
//! | Statement                            | Meaning                                            |
//! |--------------------------------------|----------------------------------------------------|
//! | `1.0.0`                              | an entry and its bundle, named `a.v1.0.0`          |
//! | `1.0.0 -> 1.1.0 -> 2.0.0`            | entries, of which the right replaces the left      |
//! | `2.0.0 replaces 0.9.0`               | replaces a version that need not be there          |
//! | `2.0.0 skips 1.0.0, 1.1.0`           | skips versions that need not be there              |
//! | `2.0.0 covers >=1.0.0 <2.0.0`        | has this `skipRange`                               |
//! | `2.0.0 provides g.test/v1/Kind, …`   | the bundle provides these APIs                     |
//! | `2.0.0 requires b >=1.0.0 <2.0.0`    | the bundle requires a version of a package         |
//! | `2.0.0 requires g.test/v1/Kind`      | the bundle requires an API                         |
//! | `2.0.0 deprecated "why"`             | the bundle is deprecated                           |
//! | `2.0.0 unlisted`                     | a bundle that is in no channel                     |
//! | `2.0.0 missing`                      | an entry whose bundle is not there                 |
//! | `default fast`                       | the default channel; the first one if never said   |
//! | `channel fast deprecated "why"`      | the channel is deprecated                          |
//! | `package deprecated "why"`           | the package is deprecated                          |
//!
//! Statements about the graph put the version into every channel of the head. Statements about
//! the bundle do so only when they are the first to name it. Versions, names and ranges are kept
//! as written; nothing is validated. So `a: 1.0.0; 2.0.0` has two heads, `a: 1.0.0 -> 2.0.0 ->
//! 1.0.0` is a cycle, and what no statement can say is done to the [`Catalog`] itself, whose
//! fields are public.
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

/// Everything one source offers, in the order in which the text named it.
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

/// A bundle's place in a channel. All names are names of bundles.
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
    /// Empty when `objects` carry the bundle; else they are what is in the image.
    pub image: String,
    pub provides: Vec<Api>,
    pub requires: Vec<Requirement>,
    /// Further properties: the type, and the value.
    pub properties: Vec<(String, Value)>,
    /// The manifests of an installable bundle, the ClusterServiceVersion first.
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

/// The catalog that a text describes; the language is that of [this module](self).
///
/// # Panics
/// When the text cannot be read, with the place and what was expected there.
#[track_caller]
pub fn catalog(text: &str) -> Catalog {
    language::parse(text).unwrap_or_else(|misreading| panic!("{misreading}"))
}

impl Catalog {
    /// One file-based catalog: YAML documents, packages one after the other.
    pub fn to_yaml(&self) -> String {
        self.packages.iter().map(documents::yaml).collect()
    }

    /// The same documents as [`to_yaml`](Self::to_yaml), one JSON object a line.
    pub fn to_json_lines(&self) -> String {
        self.packages.iter().map(documents::json_lines).collect()
    }

    /// Writes a folder a package, each with one `catalog.yaml`.
    ///
    /// # Panics
    /// When the folder cannot be written.
    pub fn write(&self, folder: &Path) {
        for package in &self.packages {
            let path = folder.join(&package.name).join("catalog.yaml");
            folder::write(&path, &documents::yaml(package));
        }
    }

    /// The catalog in a folder of its own, which is removed with the returned value.
    pub fn temp(&self) -> TempFolder {
        let folder = TempFolder::empty();
        self.write(&folder);
        folder
    }

    /// Gives one more property to the bundle of that name.
    ///
    /// # Panics
    /// When there is no such bundle.
    #[must_use]
    #[track_caller]
    pub fn with_property(mut self, bundle: &str, kind: &str, value: Value) -> Self {
        let found = self.bundles_mut().find(|found| found.name == bundle);
        let found = found.unwrap_or_else(|| panic!("the catalog has no bundle {bundle:?}"));
        found.properties.push((kind.to_owned(), value));
        self
    }

    /// The package of that name.
    ///
    /// # Panics
    /// When there is none.
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
    /// The bundle of that version.
    ///
    /// # Panics
    /// When there is none.
    #[track_caller]
    pub fn bundle(&self, version: &str) -> &Bundle {
        let found = self.bundles.iter().find(|bundle| bundle.version == version);
        found.unwrap_or_else(|| panic!("package {:?} has no bundle {version:?}", self.name))
    }

    /// The channel of that name.
    ///
    /// # Panics
    /// When there is none.
    #[track_caller]
    pub fn channel(&self, name: &str) -> &Channel {
        let found = self.channels.iter().find(|channel| channel.name == name);
        found.unwrap_or_else(|| panic!("package {:?} has no channel {name:?}", self.name))
    }
}
