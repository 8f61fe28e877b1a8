//! Names as `kubectl get -o name` prints them.

use portolan_proto::basis::v1::ObjectRef;

/// Returns KIND/NAME as `kubectl get -o name` prints it.
pub(crate) fn object(object: &ObjectRef) -> String {
    of_kind(&object.kind, &object.name)
}

/// Returns the same of a kind and a name.
pub(crate) fn of_kind(kind: &str, name: &str) -> String {
    // The group is included if two groups have a kind of this name.
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
