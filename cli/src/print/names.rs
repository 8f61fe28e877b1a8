//! The names of the things that an answer lists: for `-o name`, and to be typed again.

use portolan_proto::basis::v1::ObjectRef;
use portolan_proto::health::v1::{GetCatalogResponse, GetOperatorResponse};
use portolan_proto::resolver::v1::find_path_response;
use portolan_proto::resolver::v1::resolve_response;
use portolan_proto::resolver::v1::{
    FindPathResponse, GetBundleResponse, GetGraphResponse, GetPackageResponse,
    ListCatalogsResponse, ListPackagesResponse, ListUpgradesResponse, PlanRouteResponse,
    PredictOlmResponse, ResolveResponse,
};

use crate::hops::WithChanges;

/// An answer that lists something.
pub(crate) trait Names {
    /// The names, in the order of the list. None where there is nothing that has a name.
    fn names(&self) -> Option<Vec<String>>;
}

/// The field that is the list, and how one of it is called.
macro_rules! lists {
    ($answer:ty, $list:ident, $name:expr) => {
        impl Names for $answer {
            fn names(&self) -> Option<Vec<String>> {
                Some(self.$list.iter().map($name).collect())
            }
        }
    };
}

lists!(GetGraphResponse, nodes, |node| node.name.clone());
lists!(GetPackageResponse, bundles, |bundle| bundle.name.clone());
lists!(ListCatalogsResponse, catalogs, |catalog| {
    catalog.name.clone()
});
lists!(ListPackagesResponse, packages, |package| format!(
    "package/{}",
    package.name
));
lists!(ListUpgradesResponse, successors, |successor| successor
    .name
    .clone());

impl Names for GetBundleResponse {
    fn names(&self) -> Option<Vec<String>> {
        Some(vec![self.name.clone()])
    }
}

/// The bundles of a path, in the order of its hops.
impl Names for FindPathResponse {
    fn names(&self) -> Option<Vec<String>> {
        use find_path_response::Answer;
        Some(match &self.answer {
            Some(Answer::Reached(path)) => path.hops.iter().map(|hop| hop.to.clone()).collect(),
            Some(Answer::AlreadyThere(_) | Answer::Blocked(_)) | None => Vec::new(),
        })
    }
}

/// The changes of hops have no names.
impl<T: Names> Names for WithChanges<T> {
    fn names(&self) -> Option<Vec<String>> {
        self.answer.names()
    }
}

/// The bundles that are gone to, step by step.
impl Names for PlanRouteResponse {
    fn names(&self) -> Option<Vec<String>> {
        let steps = self.routes.iter().flat_map(|route| &route.steps);
        let moves = steps.flat_map(|step| &step.moves);
        Some(moves.map(|made| made.to.clone()).collect())
    }
}

/// The bundles that there would be.
impl Names for ResolveResponse {
    fn names(&self) -> Option<Vec<String>> {
        use resolve_response::Answer;
        Some(match &self.answer {
            Some(Answer::Solution(solution)) => {
                let operators = solution.operators.iter();
                operators.map(|operator| operator.name.clone()).collect()
            }
            Some(Answer::Conflict(_) | Answer::GaveUp(_)) | None => Vec::new(),
        })
    }
}

impl Names for GetOperatorResponse {
    fn names(&self) -> Option<Vec<String>> {
        let subject = self.operator.as_ref()?.subject.as_ref()?;
        Some(vec![object(subject)])
    }
}

impl Names for GetCatalogResponse {
    fn names(&self) -> Option<Vec<String>> {
        let subject = self.catalog.as_ref()?.subject.as_ref()?;
        Some(vec![object(subject)])
    }
}

/// The acts of OLM have no names.
impl Names for PredictOlmResponse {
    fn names(&self) -> Option<Vec<String>> {
        None
    }
}

/// The name of an object behind its kind, as `kubectl get -o name` prints it.
pub(crate) fn object(object: &ObjectRef) -> String {
    of_kind(&object.kind, &object.name)
}

/// The same of a kind and a name.
pub(crate) fn of_kind(kind: &str, name: &str) -> String {
    // Where two groups have a kind of that name, the group is with it.
    if kind.contains('.') {
        return format!("{}/{name}", kind.to_lowercase());
    }
    let group = match kind {
        "ClusterCatalog" => "olm.operatorframework.io",
        "OperatorPolicy" => "policy.open-cluster-management.io",
        _ => "operators.coreos.com",
    };
    format!("{}.{group}/{name}", kind.to_lowercase())
}
