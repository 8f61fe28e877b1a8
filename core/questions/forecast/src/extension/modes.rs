//! The install modes of a bundle, and the namespace that a ClusterExtension lets it watch.

use portolan_core_catalog::Bundle;
use portolan_core_olm::ClusterExtensionSpec;

use super::answer::{ExtensionBlock, WatchFault};

/// The install mode that OLM v1 requires if no namespace is configured.
const ALL_NAMESPACES: &str = "AllNamespaces";
const OWN_NAMESPACE: &str = "OwnNamespace";
const SINGLE_NAMESPACE: &str = "SingleNamespace";

/// Returns the block if OLM v1 does not install a bundle because of its install modes. Many
/// catalogs do not contain the install modes.
///
/// `spec.config` exists only with the experimental CRD of OLM v1, whose manifests also enable
/// `watchNamespace`.
pub(super) fn unsupported_modes(
    bundle: &Bundle,
    spec: &ClusterExtensionSpec,
) -> Option<ExtensionBlock> {
    let modes = &bundle.display.install_modes;
    if modes.is_empty() {
        return None;
    }
    let supported = modes.iter().filter(|it| it.is_supported);
    let supported: Vec<_> = supported.map(|it| it.name.to_string()).collect();
    let has = |mode: &str| supported.iter().any(|it| it == mode);
    let Some(watched) = &spec.config.inline.watch_namespace else {
        return (!has(ALL_NAMESPACES)).then(|| ExtensionBlock::InstallModeUnsupported {
            bundle: bundle.name.to_string(),
            modes: supported,
        });
    };
    let own = &spec.namespace;
    let fault = match (has(OWN_NAMESPACE), has(SINGLE_NAMESPACE)) {
        (false, false) => Some(WatchFault::NotConfigurable),
        (true, false) if watched != own => Some(WatchFault::NotOwn(own.clone())),
        (false, true) if watched == own => Some(WatchFault::Own),
        (true | false, true) | (true, false) => None,
    };
    fault.map(|fault| ExtensionBlock::WatchNamespaceInvalid {
        bundle: bundle.name.to_string(),
        namespace: watched.clone(),
        fault,
    })
}
