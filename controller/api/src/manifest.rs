//! The manifests of our kinds, as they are in `deploy/crds`.

use kube_core::CustomResourceExt;

use crate::OperatorPolicy;

/// Says in each file where it comes from.
const HEADER: &str = "# Written by `cargo run -p portolan-api --bin crdgen`; not to be edited.\n";

/// A file of `deploy/crds`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// Its name.
    pub file: String,
    /// What is in it.
    pub text: String,
}

/// The manifest of each kind.
///
/// # Errors
/// A definition that YAML cannot hold; there is none.
pub fn manifests() -> Result<Vec<Manifest>, serde_saphyr::SerializeError> {
    let definitions = [OperatorPolicy::crd()];
    let manifests = definitions.iter().map(|definition| {
        let name = definition.metadata.name.as_deref().unwrap_or_default();
        Ok(Manifest {
            file: format!("{name}.yaml"),
            text: format!("{HEADER}{}", serde_saphyr::to_string(definition)?),
        })
    });
    manifests.collect()
}
