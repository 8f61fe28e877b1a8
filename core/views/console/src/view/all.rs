//! The views of all pages.

use super::{
    BundlePage, CatalogRow, Diagnoses, Install, ObjectPage, Operator, OperatorPage, Overview,
    PackagePage, PackageRow, Plan, Policies, PreviewPage, Seen, Updates, UpgradeReadiness,
};
use crate::drawing::Graph;
use crate::place::{Filter, FirstRow};

/// The view for a [`ConsolePage`](crate::ConsolePage).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageView {
    /// The overview page.
    Overview(Overview),
    /// The list of operators. Contains all operators, and the filter that selects the visible rows.
    Operators(Filter, Seen<Vec<Operator>>),
    /// The page of one operator.
    Operator(Seen<Box<OperatorPage>>),
    /// The list of catalogs. Contains all catalogs, and the filter that selects the visible rows.
    Catalogs(Filter, Seen<Vec<CatalogRow>>),
    /// The packages of one catalog, with the name of the catalog.
    Catalog(String, FirstRow, Seen<Vec<PackageRow>>),
    /// The packages that match a search text, with this text.
    Search(String, FirstRow, Seen<Vec<PackageRow>>),
    /// The page of a package.
    Package(Seen<Box<PackagePage>>),
    /// The update graph of a package, as a file.
    Graph(Seen<Graph>),
    /// The page of a bundle.
    Bundle(Seen<Box<BundlePage>>),
    /// The list of plans. Contains all plans, and the filter that selects the visible rows.
    Plans(Filter, Seen<Vec<Plan>>),
    /// The list of policies. Contains all policies, and the filter that selects the visible rows.
    Policies(Filter, Policies),
    /// The list of Installs. Contains all Installs, and the filter that selects the visible rows.
    Installs(Filter, Seen<Vec<Install>>),
    /// The page of a plan, a policy or an Install.
    Object(Seen<Box<ObjectPage>>),
    /// The diagnosis: the causes of problems, for each operator.
    Diagnose(FirstRow, Seen<Diagnoses>),
    /// The page about automatic updates.
    Updates(FirstRow, Updates),
    /// The page about the readiness for a cluster upgrade.
    Readiness(FirstRow, Seen<UpgradeReadiness>),
    /// A preview of a change.
    Preview(Box<PreviewPage>),
}
