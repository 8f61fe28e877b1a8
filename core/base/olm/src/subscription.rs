//! `Subscription`: a request to OLM v0 to install and upgrade an operator.

use kube_core::ObjectMeta;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::Condition;
use crate::resource::{resource, word};

/// A package of a catalog that OLM installs and upgrades.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Subscription {
    /// The metadata, such as the name, the namespace and the resource version.
    pub metadata: ObjectMeta,
    /// The desired state.
    pub spec: SubscriptionSpec,
    /// The state that OLM reports.
    pub status: SubscriptionStatus,
}

resource!(
    Subscription,
    "subscriptions",
    "operators.coreos.com",
    "v1alpha1",
    NamespaceResourceScope
);

/// The desired state of a Subscription.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SubscriptionSpec {
    /// The package.
    #[serde(rename = "name")]
    pub package: String,
    /// The channel. Empty for any channel.
    pub channel: String,
    /// The name of the CatalogSource.
    pub source: String,
    /// The namespace of the CatalogSource.
    pub source_namespace: String,
    /// The bundle to install first. If it is empty, OLM installs the channel head.
    #[serde(rename = "startingCSV")]
    pub starting_csv: String,
    /// The approval mode of the InstallPlans.
    pub install_plan_approval: Approval,
    /// The settings that OLM adds to the operator's Deployments, unparsed.
    pub config: Option<Map<String, Value>>,
}

word! {
    /// The approval mode of InstallPlans.
    Approval {
        /// OLM approves each InstallPlan. This is the default.
        Automatic = "Automatic",
        /// A user approves each InstallPlan.
        Manual = "Manual",
    }
}

/// The state of a Subscription that OLM reports.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SubscriptionStatus {
    /// The progress of OLM, such as `AtLatestKnown`.
    pub state: String,
    /// The bundle that is being installed, or was installed last.
    #[serde(rename = "currentCSV")]
    pub current_csv: String,
    /// The installed bundle.
    #[serde(rename = "installedCSV")]
    pub installed_csv: String,
    /// The InstallPlan of the current bundle.
    pub install_plan_ref: Option<InstallPlanRef>,
    /// The conditions that OLM has set.
    pub conditions: Vec<Condition>,
}

/// A reference to an InstallPlan in the same namespace.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct InstallPlanRef {
    /// The name of the InstallPlan.
    pub name: String,
}

// === impl Subscription ===

impl Subscription {
    /// The type of the condition that OLM sets if it finds no bundles that meet all requirements.
    pub const RESOLUTION_FAILED: &str = "ResolutionFailed";
    /// The type of the condition that OLM sets if it cannot unpack a bundle.
    pub const UNPACK_FAILED: &str = "BundleUnpackFailed";
    /// The type of the condition that OLM sets while it unpacks a bundle.
    pub const UNPACKING: &str = "BundleUnpacking";
    /// The type of the condition that OLM sets if its InstallPlan has failed.
    pub const PLAN_FAILED: &str = "InstallPlanFailed";

    /// The type of the condition that OLM sets while its InstallPlan is not finished.
    pub const PLAN_PENDING: &str = "InstallPlanPending";
    /// The value of `state` while OLM has chosen a bundle but has not installed it yet.
    pub const UPGRADE_PENDING: &str = "UpgradePending";

    /// Returns the condition of a type if its status is True.
    pub fn true_condition(&self, of_type: &str) -> Option<&Condition> {
        let mut said = self.status.conditions.iter();
        said.find(|said| said.r#type == of_type && said.is_true())
    }

    /// Returns true if OLM reports that the InstallPlan of this Subscription failed.
    pub fn plan_failed(&self) -> bool {
        self.true_condition(Self::PLAN_FAILED).is_some()
    }

    /// Returns the bundle that OLM is installing. Returns None if the bundle waits for an approval.
    pub fn on_the_way(&self) -> Option<&str> {
        let SubscriptionStatus {
            current_csv,
            installed_csv,
            ..
        } = &self.status;
        let is_moving = !current_csv.is_empty() && current_csv != installed_csv;
        let pending = self.true_condition(Self::PLAN_PENDING);
        let waits = pending.is_some_and(|pending| pending.reason == "RequiresApproval");
        (is_moving && !waits).then_some(current_csv)
    }

    /// Returns the name of the InstallPlan for the current bundle, or an empty string if there is
    /// no InstallPlan.
    pub fn plan(&self) -> &str {
        let plan = self.status.install_plan_ref.as_ref();
        plan.map_or("", |plan| &plan.name)
    }

    /// Returns the catalog as `namespace/name`, or an empty text if the Subscription names no
    /// catalog.
    pub fn catalog(&self) -> String {
        let spec = &self.spec;
        if spec.source.is_empty() {
            String::new()
        } else {
            format!("{}/{}", spec.source_namespace, spec.source)
        }
    }

    /// Returns true if a user must approve the InstallPlans of the Subscription.
    pub fn is_manual(&self) -> bool {
        self.spec.install_plan_approval == Approval::Manual
    }
}
