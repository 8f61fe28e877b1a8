//! `ClusterExtension`: an operator that OLM v1 installs.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube_core::{Expression, ObjectMeta, Selector, SelectorExt as _};
use serde::Deserialize;

use crate::resource::{resource, word};
use crate::{ClusterCatalog, Condition, Label};

/// The label with the kind of the owner of an object that OLM v1 has installed.
const OWNER_KIND: Label = Label::new("olm.operatorframework.io/owner-kind");
/// The label with the ClusterExtension that has installed an object.
pub const EXTENSION: Label = Label::new("olm.operatorframework.io/owner-name");

/// Selects the objects that ClusterExtensions have installed.
pub fn of_extensions() -> Selector {
    let kind = ClusterExtension::KIND.to_owned();
    Expression::Equal(OWNER_KIND.name().to_owned(), kind).into()
}

/// An operator that OLM v1 installs.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ClusterExtension {
    /// The name and versions.
    pub metadata: ObjectMeta,
    /// The desired state.
    pub spec: ClusterExtensionSpec,
    /// The state that OLM reports.
    pub status: ClusterExtensionStatus,
}

resource!(
    ClusterExtension,
    "clusterextensions",
    "olm.operatorframework.io",
    "v1",
    ClusterResourceScope
);

/// The operator to install.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClusterExtensionSpec {
    /// The namespace of the operator.
    pub namespace: String,
    /// The ServiceAccount that installs the operator. OLM v1.11 and later ignore it.
    pub service_account: ExtensionAccount,
    /// The source of the operator.
    pub source: ExtensionSource,
    /// The checks before an installation.
    pub install: ExtensionChecks,
}

/// The checks before an installation.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ExtensionChecks {
    /// The checks.
    pub preflight: ExtensionPreflight,
}

/// The checks before an installation.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExtensionPreflight {
    /// The check of changed CRDs.
    pub crd_upgrade_safety: CrdUpgradeSafety,
}

/// The check of changed CRDs.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct CrdUpgradeSafety {
    /// Decides if unsafe changes are rejected.
    pub enforcement: CrdEnforcement,
}

word! {
    /// Decides if OLM v1 rejects unsafe changes of CRDs. The default is yes.
    CrdEnforcement {
        /// OLM v1 rejects unsafe changes.
        Strict = "Strict",
        /// OLM v1 does not check CRDs.
        None = "None",
    }
}

/// A ServiceAccount in the namespace of the operator.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ExtensionAccount {
    /// The name.
    pub name: String,
}

/// The source of an operator.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ExtensionSource {
    /// The only type of source.
    pub catalog: ExtensionPackage,
}

/// A package of catalogs.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExtensionPackage {
    /// The name.
    pub package_name: String,
    /// The allowed versions. Empty for all versions.
    pub version: String,
    /// The channels whose upgrades are used. Empty for all channels.
    pub channels: Vec<String>,
    /// The labels of the catalogs to use. Empty if all catalogs are used.
    pub selector: LabelSelector,
    /// The upgrades that OLM v1 performs.
    #[serde(rename = "upgradeConstraintPolicy")]
    pub upgrades: UpgradeConstraint,
}

word! {
    /// The upgrades that OLM v1 performs. The default are those of the catalog.
    UpgradeConstraint {
        /// Only upgrades along the channels of the catalog.
        CatalogProvided = "CatalogProvided",
        /// A change to any version, including older versions.
        SelfCertified = "SelfCertified",
    }
}

/// The state of a ClusterExtension that OLM reports.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ClusterExtensionStatus {
    /// The conditions that OLM has set.
    pub conditions: Vec<Condition>,
    /// The installation, if the bundle is installed.
    pub install: Option<ExtensionInstall>,
}

/// The installation of an operator.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ExtensionInstall {
    /// The bundle.
    pub bundle: ExtensionBundle,
}

/// A bundle that OLM v1 has installed.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ExtensionBundle {
    /// The name.
    pub name: String,
    /// The version.
    pub version: String,
}

// === impl ExtensionPackage ===

impl ExtensionPackage {
    /// Returns true if OLM v1 can parse the selector.
    pub fn has_valid_selector(&self) -> bool {
        Selector::try_from(self.selector.clone()).is_ok()
    }

    /// Returns true if the package may come from the catalog. An invalid selector selects none.
    pub fn may_be_from(&self, catalog: &ClusterCatalog) -> bool {
        let labels = catalog.metadata.labels.clone().unwrap_or_default();
        let selector = Selector::try_from(self.selector.clone());
        selector.is_ok_and(|selector| selector.matches(&labels))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::read_value;

    #[test]
    fn reads_package_and_installed_bundle() {
        let extension = json!({
            "metadata": {"name": "ferry"},
            "spec": {
                "namespace": "harbor",
                "serviceAccount": {"name": "installer"},
                "source": {"sourceType": "Catalog", "catalog": {
                    "packageName": "ferry", "version": "1.x", "channels": ["stable"],
                }},
            },
            "status": {"install": {"bundle": {"name": "ferry.v1.0.0", "version": "1.0.0"}}},
        });
        let (extension, faults) = read_value::<ClusterExtension>(extension).expect("an extension");
        assert_eq!(faults, []);
        assert_eq!(extension.spec.source.catalog.package_name, "ferry");
        assert_eq!(extension.spec.source.catalog.version, "1.x");
        assert_eq!(extension.spec.source.catalog.channels, ["stable"]);
        assert_eq!(extension.spec.namespace, "harbor");
        assert_eq!(extension.spec.service_account.name, "installer");
        let bundle = ExtensionBundle {
            name: "ferry.v1.0.0".to_owned(),
            version: "1.0.0".to_owned(),
        };
        assert_eq!(
            extension.status.install.map(|install| install.bundle),
            Some(bundle)
        );
    }

    #[test]
    fn new_extension_has_no_installed_bundle() {
        let extension = json!({"metadata": {"name": "ferry"}, "spec": {}});
        let (extension, _) = read_value::<ClusterExtension>(extension).expect("an extension");
        assert_eq!(extension.status.install, None);
        assert_eq!(extension.spec.source.catalog.package_name, "");
    }
}
