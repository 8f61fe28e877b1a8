//! Where catalogs come from.
//!
//! A source says what it has: once, for a question on the command line, or again whenever that has
//! changed, for as long as a process runs.

mod folder;
mod follow;
mod origin;
pub mod registry;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use portolan_names::{CatalogName, Refusal, name};
use portolan_settle::{Pace, Settled};
use thiserror::Error;
use tokio::task::JoinSet;

use self::folder::Folder;
use self::follow::{News, Source, follow};
use crate::catalogs::Catalogs;
use crate::snapshot::{Observed, Offer, Snapshot, Standing, Trouble};

pub use self::folder::{ReadFolder, read as read_folder};
pub use self::origin::Origin;

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

/// A folder that is read again when it has changed.
#[derive(Debug)]
struct Watched {
    settled: Settled,
    folder: Arc<Mutex<Folder>>,
}

// === impl CatalogFolder ===

impl CatalogFolder {
    fn observed(&self) -> Observed {
        Observed::local("Folder", self.path.display().to_string())
    }

    /// A folder that is not there at the start is taken for a slip of the pen.
    fn look(&self) -> Result<(), ReadCatalogs> {
        let looked = std::fs::metadata(&self.path).map(drop);
        looked.map_err(|source| {
            self.failed(ReadFolder::Open {
                path: self.path.clone(),
                source,
            })
        })
    }

    fn failed(&self, source: ReadFolder) -> ReadCatalogs {
        ReadCatalogs::Read {
            name: self.name.clone(),
            source,
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

// === impl Watched ===

impl Watched {
    fn at(path: PathBuf) -> Self {
        let settled = Settled::at(&path, Pace::default());
        // By the path as given: reasons name it as a person wrote it.
        let folder = Folder::new(settled.root().to_owned());
        Self {
            settled,
            folder: Arc::new(Mutex::new(folder)),
        }
    }
}

impl Source for Watched {
    async fn next(&mut self) -> Result<News, Trouble> {
        let folder = Arc::clone(&self.folder);
        let read = self.settled.read(move |stamps| {
            let mut folder = folder.lock().unwrap_or_else(PoisonError::into_inner);
            folder.read(stamps)
        });
        match read.await {
            Ok(catalog) => {
                let origin = Origin::folder(self.settled.root().to_owned());
                Ok(News::Content(catalog, origin))
            }
            Err(error) => Err(Trouble::new("ReadFolder", &error)),
        }
    }
}

/// Reads all catalogs once. What is wrong inside a file is a fault of its catalog and no error.
pub fn read(folders: &[CatalogFolder]) -> Result<Snapshot, ReadCatalogs> {
    named_once(folders)?;
    let mut snapshot = Snapshot::default();
    for given in folders {
        let catalog = read_folder(&given.path).map_err(|source| given.failed(source))?;
        let origin = Origin::folder(given.path.clone());
        let offer = Offer {
            observed: given.observed(),
            priority: 0,
            standing: Standing::Pending.read(Timestamp::now(), catalog, origin),
        };
        snapshot = snapshot.with(given.name.clone(), offer);
    }
    Ok(snapshot)
}

/// Follows all catalogs for as long as the tasks live, which do not end by themselves.
pub fn watch(
    folders: Vec<CatalogFolder>,
    catalogs: &Catalogs,
) -> Result<JoinSet<()>, ReadCatalogs> {
    named_once(&folders)?;
    folders.iter().try_for_each(CatalogFolder::look)?;
    let mut following = JoinSet::new();
    for given in folders {
        catalogs.place(&given.name, given.observed(), 0);
        let CatalogFolder { name, path } = given;
        following.spawn(follow(Watched::at(path), name, catalogs.clone()));
    }
    Ok(following)
}

fn named_once(folders: &[CatalogFolder]) -> Result<(), SameName> {
    let mut names = BTreeSet::new();
    match folders.iter().find(|given| !names.insert(&given.name)) {
        Some(again) => Err(SameName(again.name.clone())),
        None => Ok(()),
    }
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
