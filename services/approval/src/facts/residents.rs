//! Converts Subscriptions and ClusterServiceVersions: the requested and the installed operators of
//! a namespace.

use portolan_core_approval::{BundleIdentity, Installed, Subscription};
use portolan_core_names::PackageName;
use portolan_core_olm::{Approval, ClusterServiceVersion};

pub(crate) fn subscription(subscription: &portolan_core_olm::Subscription) -> Subscription {
    let portolan_core_olm::Subscription {
        metadata,
        spec,
        status,
    } = subscription;
    Subscription {
        name: metadata.name.clone().unwrap_or_default(),
        package: PackageName::parse(&spec.package).ok(),
        is_manual: spec.install_plan_approval == Approval::Manual,
        current: status.current_csv.clone(),
        installed: status.installed_csv.clone(),
    }
}

/// Returns an installed operator. Properties that cannot be read are ignored, because the
/// Subscription may still name the package.
pub(crate) fn installed(csv: &ClusterServiceVersion) -> Installed {
    let properties = csv.properties().ok().flatten();
    let identity = properties.and_then(|properties| BundleIdentity::of(&properties)?.ok());
    Installed {
        name: csv.metadata.name.clone().unwrap_or_default(),
        identity,
    }
}
