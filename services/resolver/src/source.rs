//! Where catalogs come from: folders of files, and catalogd.

pub mod catalogd;
mod folder;

use std::path::PathBuf;
use std::str::FromStr;

use jiff::Timestamp;
use portolan_names::{CatalogName, Refusal, name};
use thiserror::Error;

use crate::snapshot::{Observed, Offer, Snapshot, Standing};

pub use folder::{ReadDocument, ReadFolder, document as folder_document, read as read_folder};

/// The content of one catalog: `NAME=DIR`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogFolder {
    /// What the catalog is called in questions and answers.
    pub name: CatalogName,
    /// A folder of catalog files, or one such file.
    pub path: PathBuf,
}

/// A `--catalog` that is none.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ParseFolder {
    /// There is no `=`, or nothing behind it.
    #[error("`{0}` is not NAME=DIR, such as demo=./catalogs/demo")]
    Form(String),
    /// The name is no catalog name.
    #[error(transparent)]
    Name(#[from] Refusal<name::Fault>),
}

/// The same catalog given twice.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("catalog {0} is given twice; give each --catalog a name of its own")]
pub struct SameName(CatalogName);

/// Why catalogs cannot be read.
#[derive(Debug, Error)]
pub enum ReadCatalogs {
    /// Two catalogs have one name.
    #[error(transparent)]
    SameName(#[from] SameName),
    /// A folder or file cannot be read.
    #[error("read catalog {name}")]
    Read {
        /// The catalog.
        name: CatalogName,
        /// What could not be read.
        source: ReadFolder,
    },
}

// === impl CatalogFolder ===

impl CatalogFolder {
    fn offer(&self) -> Offer {
        Offer {
            observed: Observed::local("Folder", self.path.display().to_string()),
            priority: 0,
            standing: Standing::Pending,
        }
    }
}

impl FromStr for CatalogFolder {
    type Err = ParseFolder;

    fn from_str(text: &str) -> Result<Self, ParseFolder> {
        let form = || ParseFolder::Form(text.to_owned());
        let (name, path) = text.split_once('=').ok_or_else(form)?;
        if path.is_empty() {
            return Err(form());
        }
        let name = CatalogName::parse(name)?;
        Ok(Self {
            name,
            path: path.into(),
        })
    }
}

/// The catalogs before any is read.
pub fn unread(folders: &[CatalogFolder]) -> Snapshot {
    let offers = folders
        .iter()
        .map(|folder| (folder.name.clone(), folder.offer()));
    offers.fold(Snapshot::default(), |snapshot, (name, offer)| {
        snapshot.with(name, offer)
    })
}

/// Reads all catalogs. What is wrong inside a file is a fault of its catalog and no error.
pub fn read(folders: &[CatalogFolder]) -> Result<Snapshot, ReadCatalogs> {
    let mut snapshot = Snapshot::default();
    for folder in folders {
        let CatalogFolder { name, path } = folder;
        if snapshot.offers.contains_key(name) {
            return Err(SameName(name.clone()).into());
        }
        let catalog = read_folder(path).map_err(|source| ReadCatalogs::Read {
            name: name.clone(),
            source,
        })?;
        let mut offer = folder.offer();
        offer.standing = offer.standing.read(Timestamp::now(), catalog);
        snapshot = snapshot.with(name.clone(), offer);
    }
    Ok(snapshot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_catalog_flag_is_a_name_and_a_folder() {
        let parsed: CatalogFolder = "demo=./a=b".parse().expect("the flag must parse");
        assert_eq!(parsed.name.as_str(), "demo");
        assert_eq!(parsed.path, PathBuf::from("./a=b"));
    }

    #[test]
    fn a_catalog_flag_that_is_none_says_what_one_looks_like() {
        for text in ["demo", "demo="] {
            let refusal = text
                .parse::<CatalogFolder>()
                .expect_err("the flag must be refused");
            assert_eq!(
                refusal.to_string(),
                format!("`{text}` is not NAME=DIR, such as demo=./catalogs/demo")
            );
        }
        assert!(matches!(
            "De mo=x".parse::<CatalogFolder>(),
            Err(ParseFolder::Name(_))
        ));
    }
}
