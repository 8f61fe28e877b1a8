//! Names as `kubectl get -o name` prints them.

use portolan_proto::basis::v1::ObjectRef;

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
