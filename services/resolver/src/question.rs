//! What can be asked, and finding in the Snapshot what it is about.

use portolan_catalog::{Catalog, Fault};
use portolan_graph::{Installed, UnknownChannel, Upgrades};
use portolan_names::{CatalogName, ChannelName, PackageName};
use thiserror::Error;

use crate::Snapshot;

/// What a bundle can be updated to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListUpgrades {
    /// None for the only catalog.
    pub(crate) catalog: Option<CatalogName>,
    pub(crate) package: PackageName,
    /// None for all channels at once.
    pub(crate) channel: Option<ChannelName>,
    pub(crate) installed: Installed,
}

/// The answer, and what it was made from.
#[derive(Debug)]
pub(crate) struct ListedUpgrades<'a> {
    pub(crate) catalog: (&'a CatalogName, &'a Catalog),
    pub(crate) package: &'a PackageName,
    pub(crate) upgrades: Upgrades,
}

/// A question that has no answer in this Snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum Refusal {
    /// A field does not hold what it should.
    #[error("{field}: {message}")]
    Field {
        /// The field of the request.
        field: &'static str,
        /// What is wrong with its value, and what would do.
        message: String,
    },
    /// No catalog of that name.
    #[error("there is no catalog {name}; there is {}", list(known))]
    UnknownCatalog {
        name: CatalogName,
        known: Vec<CatalogName>,
    },
    /// No package at all, and nothing that could not be read.
    #[error("catalog {0} has no packages; is the folder given for it the right one?")]
    EmptyCatalog(CatalogName),
    /// No package of that name.
    #[error("catalog {catalog} has no package {name}{}", hint(near.as_ref(), hidden.as_deref()))]
    UnknownPackage {
        name: PackageName,
        catalog: CatalogName,
        near: Option<PackageName>,
        hidden: Option<String>,
    },
    /// No channel of that name.
    #[error(transparent)]
    UnknownChannel(#[from] UnknownChannel),
}

// === impl ListUpgrades ===

impl ListUpgrades {
    pub(crate) fn ask<'a>(&self, snapshot: &'a Snapshot) -> Result<ListedUpgrades<'a>, Refusal> {
        let Self {
            catalog,
            package,
            channel,
            installed,
        } = self;
        let (name, catalog) = find_catalog(snapshot, catalog.as_ref())?;
        let graph = snapshot.graph(name, package);
        let graph = graph.ok_or_else(|| unknown_package(name, catalog, package))?;
        Ok(ListedUpgrades {
            catalog: (name, catalog),
            upgrades: graph.list_upgrades(installed, channel.as_ref())?,
            package: &graph.package().name,
        })
    }
}

// === impl ListedUpgrades ===

impl ListedUpgrades<'_> {
    /// The faults that may bear on the answer: those of the package, and those of documents that
    /// could be anybody's.
    pub(crate) fn faults(&self) -> impl Iterator<Item = &Fault> {
        self.catalog
            .1
            .faults
            .iter()
            .filter(|fault| may_concern(fault, self.package))
    }
}

fn may_concern(fault: &Fault, package: &PackageName) -> bool {
    fault
        .package
        .as_deref()
        .is_none_or(|name| name == package.as_str())
}

fn find_catalog<'a>(
    snapshot: &'a Snapshot,
    name: Option<&CatalogName>,
) -> Result<(&'a CatalogName, &'a Catalog), Refusal> {
    let known = || snapshot.catalogs.keys().cloned().collect::<Vec<_>>();
    match name {
        Some(name) => {
            snapshot
                .catalogs
                .get_key_value(name)
                .ok_or_else(|| Refusal::UnknownCatalog {
                    name: name.clone(),
                    known: known(),
                })
        }
        None => {
            let mut catalogs = snapshot.catalogs.iter();
            match (catalogs.next(), catalogs.next()) {
                (Some(only), None) => Ok(only),
                _ => Err(Refusal::Field {
                    field: "catalog",
                    message: format!("say which catalog; there is {}", list(&known())),
                }),
            }
        }
    }
}

fn unknown_package(catalog_name: &CatalogName, catalog: &Catalog, name: &PackageName) -> Refusal {
    if catalog.packages.is_empty() && catalog.faults.is_empty() {
        return Refusal::EmptyCatalog(catalog_name.clone());
    }
    let hidden = catalog.faults.iter().find(|fault| may_concern(fault, name));
    Refusal::UnknownPackage {
        name: name.clone(),
        catalog: catalog_name.clone(),
        near: nearest(name, catalog.packages.keys()),
        hidden: hidden.map(ToString::to_string),
    }
}

/// The name that was probably meant: a slip of the pen away, or one that has the asked word in it.
fn nearest<'a>(
    name: &PackageName,
    known: impl Iterator<Item = &'a PackageName> + Clone,
) -> Option<PackageName> {
    let name = name.as_str();
    // One slip in three letters; no more than three, for many names end in "-operator".
    let forgiven = (name.len() / 3).clamp(1, 3);
    let slip = known
        .clone()
        .map(|other| (strsim::damerau_levenshtein(name, other.as_str()), other))
        .filter(|(slips, _)| *slips <= forgiven)
        .min();
    let longer = known.filter(|other| other.as_str().split('-').any(|word| word == name));
    slip.map(|(_, other)| other)
        .or_else(|| longer.min())
        .cloned()
}

fn hint(near: Option<&PackageName>, hidden: Option<&str>) -> String {
    let near = near
        .map(|name| format!("; did you mean {name}?"))
        .unwrap_or_default();
    let hidden = hidden
        .map(|fault| format!(" (what may hide it: {fault})"))
        .unwrap_or_default();
    near + &hidden
}

fn list(names: &[CatalogName]) -> String {
    match names.is_empty() {
        true => "none".to_owned(),
        false => names
            .iter()
            .map(CatalogName::as_str)
            .collect::<Vec<_>>()
            .join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suggested(asked: &str) -> Option<String> {
        let known = [
            "aqua",
            "cert-manager",
            "ferry",
            "kairos-operator",
            "project-quay",
        ];
        let known = known.map(|name| PackageName::parse(name).expect("the name must parse"));
        let asked = PackageName::parse(asked).expect("the name must parse");
        nearest(&asked, known.iter()).map(|name| name.to_string())
    }

    #[test]
    fn a_suggestion_is_a_slip_away_or_has_the_word() {
        assert_eq!(suggested("fery").as_deref(), Some("ferry"));
        assert_eq!(suggested("cert-manger").as_deref(), Some("cert-manager"));
        assert_eq!(suggested("quay").as_deref(), Some("project-quay"));
    }

    #[test]
    fn what_only_looks_alike_is_not_suggested() {
        assert_eq!(suggested("argocd-operator"), None);
        assert_eq!(suggested("etcd"), None);
    }
}
