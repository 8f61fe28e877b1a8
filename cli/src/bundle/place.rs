//! Where a bundle is, and its files.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use portolan_core_bundle::{Bundle, Fault, Limits, Severity};
use portolan_resolver::bundles::{BundleFlags, ReadBundleFolder, read_bundle_folder};

use crate::facts::{CatalogFacts, ResolverConnection};
use crate::failure::Failure;
use crate::print;
use crate::scope::Within;

/// A place that a bundle is read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// A folder with `manifests` and `metadata`, or a tar archive of one, as it is or compressed.
    Files(PathBuf),
}

/// Which catalog is asked for a bundle, and where its files are looked for.
#[derive(Debug, Args)]
pub(super) struct InCatalog {
    #[command(flatten)]
    within: Within,

    #[command(flatten)]
    facts: CatalogFacts,

    #[command(flatten, next_help_heading = "Bundles")]
    bundles: BundleFlags,
}

/// Why there is no bundle.
#[derive(Debug)]
pub(super) enum Unread {
    /// Its files cannot be had.
    Failed(String),
    /// They are no bundle.
    Faults(Vec<Fault>),
}

// === impl InCatalog ===

impl InCatalog {
    /// The name of the catalog; empty for the best one.
    pub(super) fn catalog(&self) -> String {
        self.within.catalog.clone()
    }

    pub(super) async fn connect(&self) -> Result<ResolverConnection, Failure> {
        self.facts.connect_with_bundles(&self.bundles).await
    }
}

// === impl Place ===

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once("://") {
            None if text.is_empty() => Err("a place has a name".to_owned()),
            None => Ok(Self::Files(text.into())),
            Some(("oci" | "docker", image)) => Err(format!(
                "images are not read here; unpack {image} and name the folder, or its tar archive"
            )),
            Some((other, _)) => Err(format!(
                "there are no bundles behind {other}://; name a folder with `manifests` and \
                 `metadata`, or a tar archive of one"
            )),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Files(path) = self;
        path.display().fmt(f)
    }
}

impl Place {
    /// The place that a command was given in one word; with two it is asked about a catalog.
    pub(super) fn given(word: &str, command: &str) -> Result<Self, Failure> {
        word.parse().map_err(|why| {
            Failure::taught(format!(
                "{why}; `bundle {command} PACKAGE BUNDLE` is that of a catalog"
            ))
        })
    }

    /// The bundle that is there.
    pub(super) fn read(&self) -> Result<Bundle, Unread> {
        let Self::Files(path) = self;
        let limits = Limits::default();
        let folder = read_bundle_folder(path, &limits).map_err(|why| match why {
            ReadBundleFolder::Faults(faults) => Unread::Faults(faults),
            ReadBundleFolder::Io { source, .. } => {
                let way_out = match source.kind() {
                    io::ErrorKind::NotFound => {
                        "; a place is a folder with `manifests` and `metadata`, or a tar archive of \
                         one"
                    }
                    _ => "",
                };
                Unread::Failed(format!("read {self}: {source}{way_out}"))
            }
        })?;
        Bundle::read(folder, &limits).map_err(Unread::Faults)
    }

    /// The bundle, or all that keeps it from being read, told on standard error.
    pub(super) fn read_or_tell(&self) -> Option<Bundle> {
        match self.read() {
            Ok(bundle) => return Some(bundle),
            Err(Unread::Failed(sentence)) => print::error(&sentence),
            Err(Unread::Faults(faults)) => {
                let errors = faults.iter().filter(|it| it.severity == Severity::Error);
                errors.for_each(|fault| print::error(&self.located(fault)));
            }
        }
        None
    }

    /// A fault with the place before its file, as editors find it.
    pub(super) fn located(&self, fault: &Fault) -> String {
        let Self::Files(path) = self;
        if path.is_dir() && fault.line > 0 {
            path.join(fault.to_string()).display().to_string()
        } else {
            format!("{self}: {fault}")
        }
    }
}
