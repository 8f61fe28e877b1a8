//! The object that the user named, in the form of the request.

use portolan_proto::health::v1::get_operator_request::Handle as Wire;

use crate::failure::Failure;
use crate::named::{Kind, Named};

/// A single operator or catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Handle {
    /// An operator, identified by one of its names.
    Operator(Wire),
    /// A catalog, identified by the name of its CatalogSource.
    Catalog(String),
}

/// Returns the error for a kind that `diagnose` supports, but `health` does not.
fn not_judged(kind: &str, name: &str) -> Failure {
    Failure::usage(format!(
        "health supports operators and catalogs; use `portolan diagnose {kind}/{name}`"
    ))
}

// === impl Handle ===

impl Handle {
    pub(super) fn of(Named { kind, name, .. }: Named) -> Result<Self, Failure> {
        match kind {
            None => Ok(Self::Operator(Wire::Name(name))),
            Some(Kind::Subscription) => Ok(Self::Operator(Wire::Subscription(name))),
            Some(Kind::Csv) => Ok(Self::Operator(Wire::Csv(name))),
            Some(Kind::Package) => Ok(Self::Operator(Wire::Package(name))),
            Some(Kind::Catalog) => Ok(Self::Catalog(name)),
            Some(Kind::Policy) => Err(Failure::usage(format!(
                "health supports operators and catalogs; use `portolan explain {name}` for a policy"
            ))),
            Some(Kind::Operator) => Ok(Self::Operator(Wire::Operator(name))),
            Some(Kind::Extension) => Ok(Self::Operator(Wire::ClusterExtension(name))),
            Some(Kind::Install) => Ok(Self::Operator(Wire::Install(name))),
            Some(Kind::Plan) => Ok(Self::Operator(Wire::InstallPlan(name))),
            Some(Kind::UpgradePolicy) => Err(Failure::usage(format!(
                "health supports operators and catalogs; use `portolan diagnose upgradepolicy/{name}` for a Policy"
            ))),
            Some(Kind::PolicyBinding) => Err(Failure::usage(format!(
                "health supports operators and catalogs; use `portolan diagnose policybinding/{name}` for a PolicyBinding"
            ))),
            Some(Kind::ClusterCatalog) => Err(not_judged("clustercatalog", &name)),
            Some(Kind::ComponentOperator) => Err(not_judged("operatorv2alpha1", &name)),
            Some(Kind::Component) => Err(not_judged("component", &name)),
            Some(Kind::InstallPlan) => Err(Failure::usage(format!(
                "health supports operators and catalogs; use `portolan review {name}` for an InstallPlan"
            ))),
        }
    }
}
