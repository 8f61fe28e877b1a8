//! An installed operator, with its facts from the cluster and the catalogs.

use std::collections::BTreeSet;

use portolan_core_catalog::{self as catalog, Api, Bundle, Properties};
use portolan_core_graph as graph;
use portolan_core_names::{BundleName, PackageName, Version};

use super::NeedId;
use crate::universe::{ApiId, PackageId, Universe};
use crate::{InstalledOperator, OperatorFacts, Requirement};

/// The APIs of an operator whose bundle is unknown.
static NO_APIS: BTreeSet<Api> = BTreeSet::new();

/// An installed operator, with its facts.
#[derive(Debug, Clone)]
pub(crate) struct Resident<'a> {
    pub(crate) installed: &'a InstalledOperator,
    pub(crate) package_name: Option<&'a PackageName>,
    /// The package. None if the package is unknown, or if no catalog contains it.
    pub(crate) package: Option<PackageId>,
    pub(crate) version: Option<&'a Version>,
    provides: &'a BTreeSet<Api>,
    properties: Properties<'a>,
    /// The APIs that the operator provides, if bundles of the universe also provide or require
    /// them.
    pub(crate) apis: Vec<ApiId>,
    pub(crate) requires: Vec<Requirement>,
    /// The dependencies that a change of another operator could break.
    pub(crate) needs: Vec<NeedId>,
    /// The dependencies that no operator of the cluster satisfies.
    pub(crate) lacks: Vec<Requirement>,
}

// === impl Resident ===

impl<'a> Resident<'a> {
    /// Returns an installed operator. Its facts come from the cluster. Facts that are unknown in
    /// the cluster come from the catalogs.
    pub(super) fn of(universe: &'a Universe, installed: &'a InstalledOperator) -> Self {
        let package = installed.package.as_ref();
        let known = universe.bundle(&installed.name, package);
        let bundle = known.map(|(_, bundle)| bundle);
        let package_name =
            package.or_else(|| known.map(|(id, _)| &universe.packages[id as usize].name));
        let (provides, properties, requires) = stated_facts(installed.facts.as_deref(), bundle);
        let apis = provides.iter().filter_map(|api| universe.api(api));
        Self {
            installed,
            package_name,
            package: package_name.and_then(|name| universe.package(name)),
            version: installed
                .version
                .as_ref()
                .or_else(|| bundle.map(|bundle| &bundle.version)),
            apis: apis.collect(),
            provides,
            properties,
            requires,
            needs: Vec::new(),
            lacks: Vec::new(),
        }
    }

    /// Returns the installed bundle as the start of upgrade paths.
    pub(super) fn known(&self) -> graph::Installed {
        graph::Installed {
            name: self.installed.name.clone(),
            version: self.version.cloned(),
        }
    }

    /// Returns a sort key, so that the order does not depend on the order of the input.
    pub(super) fn order(&self) -> impl Ord + 'a {
        let version = self.version.map(ToString::to_string);
        (&self.installed.name, self.package_name, version)
    }

    /// Returns the package and the name of the installed bundle. Returns None if no catalog
    /// contains the package.
    pub(super) fn key(&self) -> Option<(PackageId, &'a BundleName)> {
        let installed = self.installed;
        self.package.map(|package| (package, &installed.name))
    }

    /// Returns the candidate for comparisons with dependencies.
    pub(crate) fn offer(&self) -> catalog::Candidate<'a> {
        catalog::Candidate {
            package: self.package_name,
            version: self.version,
            provides: self.provides,
            properties: self.properties,
        }
    }
}

fn stated_facts<'a>(
    facts: Option<&'a OperatorFacts>,
    bundle: Option<&'a Bundle>,
) -> (&'a BTreeSet<Api>, Properties<'a>, Vec<Requirement>) {
    match (facts, bundle) {
        (Some(facts), _) => {
            let properties = Properties::Listed(&facts.properties);
            let requires = Requirement::each(&facts.requires);
            (&facts.provides, properties, requires.collect())
        }
        (None, Some(bundle)) => {
            let requires = Requirement::each(&bundle.requires);
            (&bundle.provides, Properties::Of(bundle), requires.collect())
        }
        (None, None) => (&NO_APIS, Properties::Listed(&[]), Vec::new()),
    }
}
