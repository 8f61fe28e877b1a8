//! A copy of a `ClusterServiceVersion`, of which only the metadata is read.

use kube_core::ObjectMeta;
use serde::Deserialize;

use crate::resource::resource;

/// What OLM leaves in a namespace that an operator of another one watches: the operator's
/// ClusterServiceVersion once more. A cluster may have thousands, so that no more of it is read than
/// that it is there.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct CopiedCsv {
    /// Its name, namespace and versions.
    pub metadata: ObjectMeta,
}

resource!(
    CopiedCsv as "ClusterServiceVersion",
    "clusterserviceversions",
    "operators.coreos.com",
    "v1alpha1",
    NamespaceResourceScope
);

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cluster_service_version::COPIED_FROM;
    use crate::read_value;

    #[test]
    fn a_copy_says_where_its_operator_is_and_nothing_of_it() {
        let copy = json!({
            "metadata": {"name": "ferry.v1.2.0", "namespace": "tenant",
                         "labels": {"olm.copiedFrom": "harbor"}},
            "spec": {"version": ["whatever"]},
        });
        let (copy, faults) = read_value::<CopiedCsv>(copy).expect("a copy");
        assert_eq!(faults, []);
        assert_eq!(COPIED_FROM.of(&copy.metadata), Some("harbor"));
    }
}
