//! Renders the ClusterServiceVersion of a bundle that is installed without OLM.

use serde_json::{Value as Json, json};

use super::{Options, Targets};
use crate::bundle::Bundle;

/// Returns the ClusterServiceVersion that OLM v0 would create in the cluster, with its namespace
/// and the watched namespaces. Omits the status and the icon, which is the largest field.
pub fn cluster_service_version(bundle: &Bundle, options: &Options) -> Json {
    let mut csv = bundle.csv.json.clone();
    if let Some(fields) = csv.as_object_mut() {
        fields.remove("status");
    }
    if let Some(spec) = csv["spec"].as_object_mut() {
        spec.remove("icon");
    }
    let targets = match &options.targets {
        Targets::Default | Targets::All => String::new(),
        Targets::Of(targets) => {
            let targets: Vec<_> = targets.iter().map(String::as_str).collect();
            targets.join(",")
        }
    };
    let metadata = &mut csv["metadata"];
    metadata["namespace"] = json!(options.namespace);
    metadata["annotations"]["olm.operatorNamespace"] = json!(options.namespace);
    metadata["annotations"]["olm.targetNamespaces"] = json!(targets);
    csv
}
