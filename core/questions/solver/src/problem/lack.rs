//! Finds the reason why no bundle satisfies a requirement or a dependency.

use portolan_core_names::{CatalogName, PackageName};

use super::Problem;
use super::aim::{Reaches, placed};
use crate::universe::{OfferedBundle, Package, Universe};
use crate::{Freshness, Hiding, Lack, RequestedPackage, Requirement};

/// Returns the reason why no bundle satisfies a requirement.
pub(super) fn lack(problem: &Problem<'_>, wish: &RequestedPackage) -> Lack {
    let universe = problem.universe;
    let named = |name: &CatalogName| {
        universe
            .catalogs
            .iter()
            .any(|catalog| catalog.name == *name)
    };
    if wish.catalog.as_ref().is_some_and(|name| !named(name)) {
        return Lack::NoCatalog;
    }
    let Some(id) = universe.package(&wish.package) else {
        return Lack::no_package(universe, &wish.package, wish.catalog.as_ref());
    };
    let package = &universe.packages[id as usize];
    let candidates = || {
        let ids = package.candidates.clone();
        ids.map(|id| universe.candidate(id))
    };
    let in_catalog = |candidate: &&OfferedBundle| {
        let wish = RequestedPackage {
            channel: None,
            ..wish.clone()
        };
        placed(universe, &wish, candidate).is_some()
    };
    if !candidates().any(|candidate| in_catalog(&candidate)) {
        let best = candidates().next().filter(|_| wish.catalog.is_some());
        return match best {
            Some(best) => Lack::Elsewhere {
                catalog: universe.catalogs[best.catalog].name.clone(),
            },
            None => Lack::NoPackage {
                near: None,
                hidden_by: hiding(universe, &wish.package, wish.catalog.as_ref()),
            },
        };
    }
    let placed: Vec<_> = candidates()
        .filter(|candidate| placed(universe, wish, candidate).is_some())
        .collect();
    if placed.is_empty() {
        return Lack::NoChannel;
    }
    no_bundle(problem, wish, package, &placed)
}

/// Returns the reason why no bundle in the requested catalog and channel satisfies the requirement.
fn no_bundle(
    problem: &Problem<'_>,
    wish: &RequestedPackage,
    package: &Package,
    placed: &[&OfferedBundle],
) -> Lack {
    let in_range = |candidate: &&&OfferedBundle| {
        let range = wish.range.as_ref();
        range.is_none_or(|range| range.matches(&candidate.bundle.version))
    };
    let newest = |candidates: &mut dyn Iterator<Item = &&OfferedBundle>| {
        candidates
            .map(|candidate| (&candidate.bundle.version, &candidate.bundle.name))
            .max()
            .map(|(version, name)| (version.clone(), name.clone()))
    };
    let Some((version, _)) = newest(&mut placed.iter().filter(in_range)) else {
        let newest = newest(&mut placed.iter()).map(|(version, _)| version);
        return Lack::NoVersion { newest };
    };
    let residents = problem.residents_of(&package.name);
    let installed = residents.first().map(|(_, resident)| *resident);
    // If a reachable bundle is in the range, it must be a prerelease, because the requirement
    // accepts all other bundles.
    let reaches = installed.map(|resident| Reaches::of(package, wish, &resident.known()));
    let is_reached = |candidate: &&&OfferedBundle| {
        let reaches = reaches.as_ref();
        reaches.is_none_or(|reaches| reaches.hops(candidate).is_some())
    };
    let mut reached = placed.iter().filter(in_range).filter(is_reached);
    match (newest(&mut reached), installed) {
        (Some((version, newest)), _) if version.is_prerelease() => Lack::OnlyPrereleases { newest },
        (_, Some(resident)) => Lack::NoPath {
            installed: resident.installed.name.clone(),
        },
        (_, None) => Lack::NoVersion {
            newest: Some(version),
        },
    }
}

/// Returns the reason why no bundle satisfies a dependency.
pub(crate) fn unprovided(universe: &Universe, requirement: &Requirement) -> Lack {
    match requirement {
        Requirement::Package(required) => match universe.package(&required.package) {
            None => Lack::no_package(universe, &required.package, None),
            Some(id) => {
                let candidates = universe.packages[id as usize].candidates.clone();
                let versions = candidates.map(|id| &universe.candidate(id).bundle.version);
                Lack::NoVersion {
                    newest: versions.max().cloned(),
                }
            }
        },
        Requirement::Api(_) | Requirement::Constraint(_) => Lack::NoProvider,
    }
}

/// Returns a catalog error that may hide a package. The best catalog comes first. An error about
/// this package takes precedence over an error in a document whose package is unknown. Returns None
/// if no such error exists.
fn hiding(
    universe: &Universe,
    asked: &PackageName,
    catalog: Option<&CatalogName>,
) -> Option<Hiding> {
    let asked_in = |name: &CatalogName| catalog.is_none_or(|catalog| catalog == name);
    let all = || {
        let catalogs = universe.catalogs.iter();
        let catalogs = catalogs.filter(|catalog| asked_in(&catalog.name));
        catalogs.flat_map(|catalog| catalog.errors.iter().map(|error| (&catalog.name, error)))
    };
    let own = all().find(|(_, error)| error.package.as_deref() == Some(asked.as_str()));
    let (catalog, error) = own.or_else(|| all().find(|(_, error)| error.package.is_none()))?;
    Some(Hiding {
        catalog: catalog.clone(),
        error: error.clone(),
    })
}

// === impl Lack ===

impl Lack {
    fn no_package(universe: &Universe, asked: &PackageName, catalog: Option<&CatalogName>) -> Self {
        let read = universe
            .catalogs
            .iter()
            .any(|catalog| !matches!(catalog.freshness, Freshness::Unread(_)));
        let near = read.then(|| universe.nearest(asked)).flatten();
        Self::NoPackage {
            near: near.cloned(),
            hidden_by: hiding(universe, asked, catalog),
        }
    }
}
