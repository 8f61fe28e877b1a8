//! An installed operator, with what cluster and catalogs say of it.

use std::collections::BTreeSet;

use portolan_core_catalog::{self as catalog, Api, Bundle, Properties};
use portolan_core_graph as graph;
use portolan_core_names::{BundleName, PackageName, Version};

use super::NeedId;
use crate::universe::{ApiId, PackageId, Universe};
use crate::{InstalledOperator, OperatorFacts, Requirement};

/// The APIs of an unknown bundle.
static NO_APIS: BTreeSet<Api> = BTreeSet::new();

/// An installed operator.
#[derive(Debug, Clone)]
pub(crate) struct Resident<'a> {
    pub(crate) installed: &'a InstalledOperator,
    pub(crate) package_name: Option<&'a PackageName>,
    /// None also if no catalog has its package.
    pub(crate) package: Option<PackageId>,
    pub(crate) version: Option<&'a Version>,
    provides: &'a BTreeSet<Api>,
    properties: Properties<'a>,
    /// The APIs that it provides, as far as any bundle provides them.
    pub(crate) apis: Vec<ApiId>,
    pub(crate) requires: Vec<Requirement>,
    /// The requirements that could cease to be fulfilled.
    pub(crate) needs: Vec<NeedId>,
    /// The requirements that nothing fulfills already.
    pub(crate) lacks: Vec<Requirement>,
}

// === impl Resident ===

impl<'a> Resident<'a> {
    /// The cluster knows best what it has; what it does not tell, the catalogs may.
    pub(super) fn of(universe: &'a Universe, installed: &'a InstalledOperator) -> Self {
        let package = installed.package.as_ref();
        let known = universe.bundle(&installed.name, package);
        let bundle = known.map(|(_, bundle)| bundle);
        let package_name =
            package.or_else(|| known.map(|(id, _)| &universe.packages[id as usize].name));
        let (provides, properties, requires) = told(installed.facts.as_deref(), bundle);
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

    /// The start of its paths.
    pub(super) fn known(&self) -> graph::Installed {
        graph::Installed {
            name: self.installed.name.clone(),
            version: self.version.cloned(),
        }
    }

    /// Its rank among all residents, in whatever order these come.
    pub(super) fn order(&self) -> impl Ord + 'a {
        let version = self.version.map(ToString::to_string);
        (&self.installed.name, self.package_name, version)
    }

    /// The bundle that it is, if a catalog has its package.
    pub(super) fn key(&self) -> Option<(PackageId, &'a BundleName)> {
        let installed = self.installed;
        self.package.map(|package| (package, &installed.name))
    }

    /// The candidate that requirements are held against.
    pub(crate) fn offer(&self) -> catalog::Candidate<'a> {
        catalog::Candidate {
            package: self.package_name,
            version: self.version,
            provides: self.provides,
            properties: self.properties,
        }
    }
}

fn told<'a>(
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
