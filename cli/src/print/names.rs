//! Names of objects in the format of `kubectl get -o name`.

use portolan_proto::basis::v1::ObjectRef;

/// Returns KIND/NAME in the format of `kubectl get -o name`.
pub(crate) fn object(object: &ObjectRef) -> String {
    of_kind(&object.kind, &object.name)
}

/// Returns KIND/NAME for a kind and a name, in the format of `kubectl get -o name`.
pub(crate) fn of_kind(kind: &str, name: &str) -> String {
    // The kind contains its group if two groups have a kind with this name.
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
