//! `ClusterExtension`: an operator that OLM v1 installs.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube_core::{Expression, ObjectMeta, Selector, SelectorExt as _};
use serde::Deserialize;

use crate::resource::{resource, word};
use crate::{ClusterCatalog, Condition, Label};

/// The label on each object that OLM v1 installs, with the kind of its owner.
const OWNER_KIND: Label = Label::new("olm.operatorframework.io/owner-kind");
/// The label on each object that a ClusterExtension installs, with the name of the
/// ClusterExtension.
pub const EXTENSION: Label = Label::new("olm.operatorframework.io/owner-name");

/// Returns a selector for the objects that ClusterExtensions have installed.
pub fn of_extensions() -> Selector {
    let kind = ClusterExtension::KIND.to_owned();
    Expression::Equal(OWNER_KIND.name().to_owned(), kind).into()
}

/// An operator that OLM v1 installs.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ClusterExtension {
    /// The metadata, such as the name and the resource version.
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
    /// The namespace into which OLM v1 installs the operator.
    pub namespace: String,
    /// The ServiceAccount with whose permissions OLM v1 installs the operator. OLM v1.11 and later
    /// ignore it.
    pub service_account: ExtensionAccount,
    /// The source of the bundle.
    pub source: ExtensionSource,
    /// The settings for checks before an installation.
    pub install: ExtensionChecks,
    /// The configuration of the operator. Only the experimental CRD of OLM v1 has it.
    pub config: ExtensionConfig,
}

/// The configuration of an operator.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ExtensionConfig {
    /// The values.
    pub inline: ExtensionValues,
}

/// The values of a configuration.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExtensionValues {
    /// The namespace that the operator watches. None for all namespaces.
    pub watch_namespace: Option<String>,
}

/// The settings for checks before an installation.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ExtensionChecks {
    /// The settings of each check.
    pub preflight: ExtensionPreflight,
}

/// The settings of each check before an installation.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExtensionPreflight {
    /// The settings of the check that compares CRDs with the installed CRDs.
    pub crd_upgrade_safety: CrdUpgradeSafety,
}

/// The settings of the check that compares CRDs with the installed CRDs.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct CrdUpgradeSafety {
    /// Determines whether OLM v1 rejects unsafe changes of CRDs.
    pub enforcement: CrdEnforcement,
}

word! {
    /// Determines whether OLM v1 rejects unsafe changes of CRDs. By default, OLM v1 rejects them.
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
    /// The name of the ServiceAccount.
    pub name: String,
}

/// The source of the bundle.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ExtensionSource {
    /// The package in the catalogs. A catalog is the only type of source.
    pub catalog: ExtensionPackage,
}

/// A package in the catalogs, with the allowed bundles.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExtensionPackage {
    /// The name of the package.
    pub package_name: String,
    /// The allowed versions, as a range. Empty if all versions are allowed.
    pub version: String,
    /// The channels whose bundles are allowed. Empty if all channels are allowed.
    pub channels: Vec<String>,
    /// The selector for the catalogs to use. Empty if all catalogs are used.
    pub selector: LabelSelector,
    /// Determines which upgrades OLM v1 performs.
    #[serde(rename = "upgradeConstraintPolicy")]
    pub upgrades: UpgradeConstraint,
}

word! {
    /// Determines which upgrades OLM v1 performs. By default, OLM v1 performs only the upgrades
    /// that the catalog provides.
    UpgradeConstraint {
        /// OLM v1 performs only the upgrades that the channels of the catalog provide.
        CatalogProvided = "CatalogProvided",
        /// OLM v1 installs any version, also an older version.
        SelfCertified = "SelfCertified",
    }
}

/// The state of a ClusterExtension that OLM reports.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ClusterExtensionStatus {
    /// The conditions that OLM has set.
    pub conditions: Vec<Condition>,
    /// The installed bundle. None if no bundle is installed.
    pub install: Option<ExtensionInstall>,
}

/// The installation of a ClusterExtension.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ExtensionInstall {
    /// The installed bundle.
    pub bundle: ExtensionBundle,
}

/// A bundle that OLM v1 has installed.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ExtensionBundle {
    /// The name of the bundle.
    pub name: String,
    /// The version of the bundle.
    pub version: String,
}

// === impl ExtensionPackage ===

impl ExtensionPackage {
    /// Returns true if the catalog selector is valid for OLM v1.
    pub fn has_valid_selector(&self) -> bool {
        Selector::try_from(self.selector.clone()).is_ok()
    }

    /// Returns true if the selector of the ClusterExtension selects the catalog. An invalid
    /// selector selects no catalog.
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
                "config": {"configType": "Inline", "inline": {"watchNamespace": "quay"}},
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
        let watched = extension.spec.config.inline.watch_namespace.as_deref();
        assert_eq!(watched, Some("quay"));
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
