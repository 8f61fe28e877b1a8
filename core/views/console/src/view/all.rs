//! The views of all pages.

use super::{
    BundlePage, CatalogRow, Diagnoses, Install, ObjectPage, Operator, OperatorPage, Overview,
    PackagePage, PackageRow, Plan, Policies, PreviewPage, Seen, Updates, UpgradeReadiness,
};
use crate::drawing::Graph;
use crate::place::Filter;

/// The view to show at a [`ConsolePage`](crate::ConsolePage).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageView {
    /// The overview page.
    Overview(Overview),
    /// The operators that match the filter. Contains all operators.
    Operators(Filter, Seen<Vec<Operator>>),
    /// One operator.
    Operator(Seen<Box<OperatorPage>>),
    /// The catalogs that match the filter. Contains all catalogs.
    Catalogs(Filter, Seen<Vec<CatalogRow>>),
    /// The packages of the catalog of this name.
    Catalog(String, Seen<Vec<PackageRow>>),
    /// The packages that match this text.
    Search(String, Seen<Vec<PackageRow>>),
    /// A package.
    Package(Seen<Box<PackagePage>>),
    /// A graph.
    Graph(Seen<Graph>),
    /// A bundle.
    Bundle(Seen<Box<BundlePage>>),
    /// The plans that match the filter. Contains all plans.
    Plans(Filter, Seen<Vec<Plan>>),
    /// The policies that match the filter. Contains all policies.
    Policies(Filter, Policies),
    /// The Installs that match the filter. Contains all Installs.
    Installs(Filter, Seen<Vec<Install>>),
    /// A plan, a policy or an Install.
    Object(Seen<Box<ObjectPage>>),
    /// The causes of problems, for each operator.
    Diagnose(Seen<Diagnoses>),
    /// Automatic updates.
    Updates(Updates),
    /// The readiness for a cluster upgrade.
    Readiness(Seen<UpgradeReadiness>),
    /// A preview of a change.
    Preview(Box<PreviewPage>),
}
