//! Reduces catalogs to the packages that a namespace can reach. Other packages would only cost
//! time, because they do not change the forecast.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_catalog::{Api, Catalog, Package, Requirements};
use portolan_core_forecast::Namespace;
use portolan_core_names::PackageName;

/// Returns the catalogs without unreachable packages. A package is reachable if a Subscription
/// requests it, or if a reachable package requires it. A catalog that has packages keeps at least
/// one package, because OLM reports empty catalogs as a failure.
pub(super) fn within_reach(catalogs: &[&Catalog], namespace: &Namespace) -> Vec<Catalog> {
    let Some(reached) = Reachable::over(catalogs, namespace) else {
        return catalogs.iter().map(|catalog| (*catalog).clone()).collect();
    };
    let kept = |catalog: &&Catalog| {
        let packages = catalog.packages.iter();
        let mut packages: BTreeMap<_, _> = packages
            .filter(|(name, _)| reached.contains(*name))
            .map(|(name, package)| (name.clone(), package.clone()))
            .collect();
        if packages.is_empty() {
            let first = catalog.packages.iter().next();
            packages.extend(first.map(|(name, package)| (name.clone(), package.clone())));
        }
        Catalog {
            packages,
            faults: Vec::new(),
            foreign: BTreeMap::new(),
            digest: catalog.digest,
            display_digest: catalog.display_digest,
            fault_digest: catalog.fault_digest,
        }
    };
    catalogs.iter().map(kept).collect()
}

/// A search for packages along their dependencies.
struct Reachable<'a> {
    catalogs: &'a [&'a Catalog],
    reached: BTreeSet<PackageName>,
    open: Vec<PackageName>,
    apis: BTreeSet<&'a Api>,
    /// True if a requirement can be satisfied by any bundle, so that every package may be
    /// reachable.
    is_unbounded: bool,
}

// === impl Reachable ===

impl<'a> Reachable<'a> {
    /// Returns the reachable packages. Returns None if every package may be reachable.
    fn over(
        catalogs: &'a [&'a Catalog],
        namespace: &'a Namespace,
    ) -> Option<BTreeSet<PackageName>> {
        let mut reach = Self {
            catalogs,
            reached: BTreeSet::new(),
            open: Vec::new(),
            apis: BTreeSet::new(),
            is_unbounded: false,
        };
        for subscription in &namespace.subscriptions {
            reach.add(&subscription.package);
        }
        for csv in &namespace.csvs {
            reach.need(&csv.traits.requires);
        }
        while let Some(name) = reach.open.pop() {
            let all = catalogs.iter();
            for package in all.filter_map(|catalog| catalog.packages.get(&name)) {
                reach.enter(package);
            }
        }
        (!reach.is_unbounded).then_some(reach.reached)
    }

    fn add(&mut self, name: &PackageName) {
        if self.reached.insert(name.clone()) {
            self.open.push(name.clone());
        }
    }

    fn enter(&mut self, package: &'a Package) {
        for bundle in package.bundles.values() {
            self.need(&bundle.requires);
        }
    }

    fn need(&mut self, requires: &'a Requirements) {
        let Requirements {
            apis,
            packages,
            constraints,
        } = requires;
        self.is_unbounded |= !constraints.is_empty();
        for required in packages {
            self.add(&required.package);
        }
        for api in apis {
            if self.apis.insert(api) {
                self.add_providers(api);
            }
        }
    }

    fn add_providers(&mut self, api: &Api) {
        let packages = self
            .catalogs
            .iter()
            .flat_map(|catalog| catalog.packages.values());
        let provides = |package: &&std::sync::Arc<Package>| {
            let mut bundles = package.bundles.values();
            bundles.any(|bundle| bundle.provides.contains(api))
        };
        let names: Vec<PackageName> = packages
            .filter(provides)
            .map(|package| package.name.clone())
            .collect();
        names.iter().for_each(|name| self.add(name));
    }
}

#[cfg(test)]
mod tests;
