//! `ClusterServiceVersion`: an operator of OLM v0 that is installed or is being installed.

mod history;
mod install;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeSet;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube_core::ObjectMeta;
use portolan_core_catalog::{Api, Property, Requirements};
use serde::Deserialize;

pub use self::history::CsvCondition;
pub use self::install::{
    InstallMode, InstallModeType, InstallStrategy, InstallStrategySpec, StrategyPermission,
    WantedDeployment, WantedDeploymentSpec, WebhookDefinition,
};
use crate::component::{COMPONENT, LONGEST_COMPONENT};
use crate::operator::{self, Operator};
use crate::properties::{PROPERTIES, Properties, all_properties};
use crate::resource::{resource, word};
use crate::{Label, ReadFault};

/// The label on a copied ClusterServiceVersion, with the namespace of the original. OLM creates
/// copies in the namespaces that the operator watches.
pub const COPIED_FROM: Label = Label::new("olm.copiedFrom");

/// An operator of OLM v0.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ClusterServiceVersion {
    /// The metadata, such as the name, the namespace and the resource version.
    pub metadata: ObjectMeta,
    /// The spec that the author of the operator wrote.
    pub spec: ClusterServiceVersionSpec,
    /// The state that OLM reports.
    pub status: ClusterServiceVersionStatus,
}

resource!(
    ClusterServiceVersion,
    "clusterserviceversions",
    "operators.coreos.com",
    "v1alpha1",
    NamespaceResourceScope
);

/// A copy of a ClusterServiceVersion that OLM creates in every other namespace that the operator
/// watches. A cluster may have thousands of copies, so only their metadata is read.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct CopiedCsv {
    /// The metadata, such as the name, the namespace and the resource version.
    pub metadata: ObjectMeta,
}

resource!(
    CopiedCsv as "ClusterServiceVersion",
    "clusterserviceversions",
    "operators.coreos.com",
    "v1alpha1",
    NamespaceResourceScope
);

/// The spec of a ClusterServiceVersion. The author of the operator wrote it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClusterServiceVersionSpec {
    /// The semantic version of the operator.
    pub version: String,
    /// The name of the ClusterServiceVersion that this ClusterServiceVersion replaces.
    pub replaces: String,
    /// The install modes, which determine the namespaces that the operator can watch.
    pub install_modes: Vec<InstallMode>,
    /// The install strategy.
    pub install: InstallStrategy,
    /// The webhooks of the operator. OLM creates and renews their certificates.
    #[serde(rename = "webhookdefinitions")]
    pub webhooks: Vec<WebhookDefinition>,
    /// The owned and required kinds that CRDs define.
    #[serde(rename = "customresourcedefinitions")]
    pub custom_resources: Described<CustomResource>,
    /// The owned and required kinds that a separate API server serves.
    #[serde(rename = "apiservicedefinitions")]
    pub served: Described<ServedApi>,
    /// The custom resources that OLM deletes together with the ClusterServiceVersion.
    pub cleanup: Cleanup,
}

/// The custom resources that OLM deletes together with a ClusterServiceVersion.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Cleanup {
    /// True if OLM deletes all custom resources of the owned kinds.
    pub enabled: bool,
}

/// The owned and the required APIs of an operator.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default)]
pub struct Described<A> {
    /// The APIs that the operator provides.
    pub owned: Vec<A>,
    /// The APIs that the operator requires.
    pub required: Vec<A>,
}

/// A kind that a CRD defines.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct CustomResource {
    /// The name of the CRD: the plural and the group, such as `ferries.demo.example`.
    pub name: String,
    /// The version.
    pub version: String,
    /// The kind.
    pub kind: String,
}

/// A kind that a separate API server serves.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ServedApi {
    /// The group.
    pub group: String,
    /// The version.
    pub version: String,
    /// The kind.
    pub kind: String,
}

/// The state of a ClusterServiceVersion that OLM reports.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClusterServiceVersionStatus {
    /// The phase. Empty if OLM has not processed the ClusterServiceVersion yet.
    pub phase: CsvPhase,
    /// The reason as one word.
    pub reason: String,
    /// The reason as text for users.
    pub message: String,
    /// The time of the last change of phase or reason.
    pub last_transition_time: Option<Time>,
    /// The last changes of phase and reason, oldest first. OLM keeps about twenty changes.
    pub conditions: Vec<CsvCondition>,
    /// The requirements of the operator, each with its state.
    #[serde(rename = "requirementStatus")]
    pub requirements: Vec<Requirement>,
    /// The time at which OLM last created the certificates of the webhooks.
    pub certs_last_updated: Option<Time>,
}

word! {
    /// The phase of an installation, which OLM reports.
    CsvPhase {
        /// OLM waits for a missing requirement.
        Pending = "Pending",
        /// The requirements are met. The installation has not started yet.
        InstallReady = "InstallReady",
        /// The operator is being installed.
        Installing = "Installing",
        /// The operator was installed, and OLM reports no problem.
        Succeeded = "Succeeded",
        /// The installation failed, or OLM found a problem later.
        Failed = "Failed",
        /// Another ClusterServiceVersion is replacing this one.
        Replacing = "Replacing",
        /// Another ClusterServiceVersion has replaced this one.
        Deleting = "Deleting",
        /// OLM does not know the state.
        Unknown = "Unknown",
    }
}

/// A requirement of an operator, with its state.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(default)]
pub struct Requirement {
    /// The kind of the required object.
    pub kind: String,
    /// The name of the required object.
    pub name: String,
    /// The state that OLM determined, such as `Present` or `NotPresent`.
    pub status: String,
    /// The state as text for users.
    pub message: String,
    /// The nested requirements, such as the permissions of a ServiceAccount.
    pub dependents: Vec<Dependent>,
    /// The API group of the kind.
    pub group: String,
    /// The version of the kind.
    pub version: String,
}

/// A requirement of a requirement, such as one permission of a ServiceAccount.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(default)]
pub struct Dependent {
    /// The kind, such as `PolicyRule`.
    pub kind: String,
    /// The state that OLM determined, such as `Satisfied`.
    pub status: String,
    /// The state as text for users. For a `PolicyRule`, the rule as JSON.
    pub message: String,
}

// === impl ClusterServiceVersion ===

impl ClusterServiceVersion {
    /// Returns true if this ClusterServiceVersion is a copy. OLM creates a copy in each other
    /// namespace that the operator watches.
    pub fn is_copied(&self) -> bool {
        self.status.reason == "Copied" || COPIED_FROM.of(&self.metadata).is_some()
    }

    /// Returns the operator as OLM reads it (OLM v0.46). The requirements come from the properties
    /// of the bundle. If there are no properties, the requirements come from the spec.
    ///
    /// # Errors
    /// Returns an error if the annotation with the properties is invalid.
    pub fn operator(&self) -> Result<Operator, ReadFault> {
        let told = self.properties()?;
        let (stated, properties) = match (told, self.properties_text()) {
            (Some(told), Some(text)) => (told, all_properties(text).map_err(annotated)?),
            (_, _) => self.stated(),
        };
        let Properties {
            package,
            version,
            mut provides,
            requires,
            is_prohibited: _,
            faults: _,
        } = stated;
        provides.extend(self.owned());
        Ok(Operator {
            name: self.metadata.name.clone().unwrap_or_default(),
            version: match self.spec.version.as_str() {
                "" => version,
                stated => stated.to_owned(),
            },
            package,
            provides,
            requires,
            properties,
        })
    }

    /// Returns the properties of an operator without the annotation for bundle properties. The
    /// properties come from the APIs in the spec.
    fn stated(&self) -> (Properties, Vec<Property>) {
        let required: BTreeSet<_> = self.required().collect();
        let owned = self.owned().map(|api| operator::property("olm.gvk", &api));
        let needed = required
            .iter()
            .map(|api| operator::property("olm.gvk.required", api));
        let all = owned.chain(needed).collect();
        let requires = Requirements {
            apis: required,
            ..Requirements::default()
        };
        let stated = Properties {
            requires,
            ..Properties::default()
        };
        (stated, all)
    }

    /// Returns the package of the bundle, from the properties of the bundle. If the properties
    /// contain no package, returns the package from the label that OLM sets on all objects of the
    /// operator.
    pub fn package(&self) -> Option<String> {
        let told = self.properties().ok().flatten();
        let told = told.map(|properties| properties.package);
        told.filter(|package| !package.is_empty())
            .or_else(|| self.labeled_package().map(str::to_owned))
    }

    fn labeled_package(&self) -> Option<&str> {
        let namespace = self.metadata.namespace.as_deref()?;
        let mut names = COMPONENT.suffixes(&self.metadata);
        names.find_map(|name| {
            let (package, rest) = match name.strip_suffix(namespace) {
                Some(package) => return package.strip_suffix('.'),
                None => name.rsplit_once('.')?,
            };
            // OLM truncated the namespace, and may have removed a punctuation character at the end.
            let is_cut = name.len() + 2 > LONGEST_COMPONENT && namespace.starts_with(rest);
            is_cut.then_some(package)
        })
    }

    /// Returns the times at which OLM started to install the operator again because a Deployment
    /// had changed. The oldest time is first.
    pub fn resets(&self) -> impl DoubleEndedIterator<Item = &Time> {
        let conditions = self.status.conditions.iter();
        let resets = conditions.filter(|said| said.is_reset());
        resets.filter_map(|said| said.last_transition_time.as_ref())
    }

    /// Returns OLM's first and last failed attempt to create the Deployments of the operator. OLM
    /// retries, so the current phase may be different.
    pub fn failed_attempts(&self) -> Option<[&CsvCondition; 2]> {
        let conditions = self.status.conditions.iter();
        let mut failed = conditions.filter(|said| said.is_failed_attempt());
        let first = failed.next()?;
        Some([first, failed.next_back().unwrap_or(first)])
    }

    /// Returns true if the ClusterServiceVersion has a conversion webhook for this CRD. OLM creates
    /// the certificate of the webhook.
    pub fn converts(&self, crd: &str) -> bool {
        let mut webhooks = self.spec.webhooks.iter();
        webhooks.any(|webhook| webhook.conversion_crds.iter().any(|own| own == crd))
    }

    /// Returns the Deployments that the install strategy requires.
    pub fn deployments(&self) -> &[WantedDeployment] {
        &self.spec.install.spec.deployments
    }

    /// Returns the APIs in the spec that the operator owns.
    pub fn owned(&self) -> impl Iterator<Item = Api> + use<> {
        let spec = &self.spec;
        apis(&spec.custom_resources.owned, &spec.served.owned)
    }

    /// Returns the owned APIs in the format of OperatorGroups, such as `Ferry.v1.demo.example`.
    pub fn provided_apis(&self) -> BTreeSet<String> {
        let owned = self.owned();
        let owned = owned.map(|api| format!("{}.{}.{}", api.kind, api.version, api.group));
        owned.collect()
    }

    /// Returns the APIs in the spec that the operator requires.
    pub fn required(&self) -> impl Iterator<Item = Api> + use<> {
        let spec = &self.spec;
        apis(&spec.custom_resources.required, &spec.served.required)
    }

    /// Returns the required packages, each with a version range. Returns an empty set if the
    /// properties of the bundle are missing or invalid.
    pub fn required_packages(&self) -> BTreeSet<(String, String)> {
        let packages = self.operator().ok().map(|it| it.requires.packages);
        let packages = packages.into_iter().flatten();
        packages
            .map(|it| (it.package.to_string(), it.text.to_string()))
            .collect()
    }

    /// Returns the supported install modes. Unknown install modes are omitted.
    pub fn supported_modes(&self) -> BTreeSet<&InstallModeType> {
        let supported = self.spec.install_modes.iter().filter(|mode| mode.supported);
        let types = supported.map(|mode| &mode.r#type);
        types
            .filter(|mode| !matches!(mode, InstallModeType::Other(_)))
            .collect()
    }

    /// Returns the names of the CRDs and APIServices of the owned kinds.
    pub fn definitions_owned(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let spec = &self.spec;
        definitions(&spec.custom_resources.owned, &spec.served.owned)
    }

    /// Returns the names of the CRDs and APIServices of the required kinds.
    pub fn definitions_required(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let spec = &self.spec;
        definitions(&spec.custom_resources.required, &spec.served.required)
    }

    /// Returns the unparsed annotation with the properties of the bundle.
    pub fn properties_text(&self) -> Option<&str> {
        PROPERTIES.of(&self.metadata)
    }

    /// Returns the properties of the bundle. Returns None if the annotation is missing.
    ///
    /// # Errors
    ///
    /// Returns an error if the annotation with the properties is invalid.
    pub fn properties(&self) -> Result<Option<Properties>, ReadFault> {
        let told = self.properties_text().map(Properties::parse);
        let told = told.map(|told| told.and_then(Properties::whole));
        told.transpose().map_err(annotated)
    }
}

/// Returns the fault with the path of the annotation in front of the path in the annotation.
fn annotated(fault: ReadFault) -> ReadFault {
    let within = match fault.field.as_str() {
        "." => String::new(),
        field => format!(".{field}"),
    };
    ReadFault {
        field: format!("metadata.annotations[{PROPERTIES}]{within}"),
        why: fault.why,
    }
}

fn apis(custom: &[CustomResource], served: &[ServedApi]) -> impl Iterator<Item = Api> + use<> {
    let custom = custom.iter().map(|resource| {
        // The group is the part of the CRD name after the first dot. Without a dot, the group is
        // unknown.
        let group = resource.name.split_once('.').map(|(_, group)| group);
        operator::api(group.unwrap_or_default(), &resource.version, &resource.kind)
    });
    let served = served
        .iter()
        .map(|api| operator::api(&api.group, &api.version, &api.kind));
    let all: BTreeSet<_> = custom.chain(served).flatten().collect();
    all.into_iter()
}

fn definitions<'a>(
    custom: &'a [CustomResource],
    served: &'a [ServedApi],
) -> impl Iterator<Item = Cow<'a, str>> {
    let custom = custom.iter().map(|api| Cow::from(&api.name));
    custom.chain(served.iter().map(|api| api.api_service().into()))
}

// === impl CopiedCsv ===

impl CopiedCsv {
    /// Returns the namespace of the original ClusterServiceVersion.
    pub fn copied_from(&self) -> Option<&str> {
        COPIED_FROM.of(&self.metadata)
    }
}

// === impl ServedApi ===

impl ServedApi {
    /// Returns the name of the APIService that serves the kind, such as `v1.tides.example`.
    pub fn api_service(&self) -> String {
        let Self { group, version, .. } = self;
        format!("{version}.{group}")
    }
}

// === impl Described ===

impl<A> Default for Described<A> {
    fn default() -> Self {
        Self {
            owned: Vec::new(),
            required: Vec::new(),
        }
    }
}
