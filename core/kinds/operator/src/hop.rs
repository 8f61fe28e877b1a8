//! An InstallPlan of an Operator, with its content and progress.

mod progress;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use portolan_api::operator::{
    self, Account, AdoptionStep, BundleStatus, HOP, OPERATOR, Operator, RETIRED,
    sentence::{self, Remedied},
};
use portolan_api::plan::{ConditionType, InstallPlan, Reason};
use portolan_core_install::{Prunable, referenced};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::adoption::Adopts;
use crate::plan_fields;
use crate::question::{Installation, Requirements};
use progress::{begun, is_owned, verdict};

/// A version of an operator that an InstallPlan installs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorHop {
    pub namespace: String,
    pub plan: String,
    pub uid: String,
    pub version: String,
    /// The ServiceAccount that applies the plan, in its namespace.
    pub service_account: String,
    pub facts: HopFacts,
    pub state: HopState,
    /// True if the plan is being deleted.
    pub is_terminating: bool,
    pub is_suspended: bool,
    /// True if its Operator suspended it for good.
    pub is_retired: bool,
    /// The required `spec.lifecycle`, if another writer has changed it.
    pub edited: Option<Value>,
    /// True if the plan is refused because its objects, or fields of them, have other owners.
    pub is_owned: bool,
    /// True if a newer plan has taken over all its objects.
    pub is_handed_over: bool,
    /// The Secrets and ResourceManifests that were made with the plan.
    pub beside: BTreeSet<Prunable>,
    /// True if objects that existed before the plan count as created by it.
    pub owns_found: bool,
}

/// The facts that a plan records about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HopFacts {
    /// The number of the hop of this operator, starting at 1.
    pub number: u32,
    pub installs: Installation,
    /// The image with its digest; empty if the catalog has the manifests.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub image: String,
    pub catalog: String,
    /// The options by which the bundle was rendered.
    pub options: String,
    /// The generation of the Operator that requested it.
    pub generation: i64,
    /// The request that led to it: the version, the channels and the catalog selector. None if an
    /// older Portolan created the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wish: Option<String>,
    /// The digest of the wait settings of the plan; empty for the defaults.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub waits: String,
    /// The operators that move at the same time.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub with: BTreeSet<Partner>,
    /// The OperatorCondition in which the operator reports whether it can be upgraded, as
    /// NAMESPACE/NAME. None if the cluster had no such CRD.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// The objects that it adopts from OLM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adopts: Option<Adopts>,
    /// True if it takes over CRDs that OLM left, and no other object existed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub takes_left: bool,
    /// The names of adopted objects whose names differ from the bundle, by the kind, a slash and
    /// the name in the bundle.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub renamed: BTreeMap<String, String>,
    /// The ResourceManifest beside the plan with the ClusterServiceVersion of the bundle. None if
    /// an older Portolan created the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub csv: Option<String>,
}

/// Another operator that moves at the same time, with its target bundle.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Partner {
    pub package: String,
    pub bundle: String,
}

/// The progress of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HopState {
    /// The plan is suspended and has never written anything.
    Held(PlanValidity),
    Begun {
        /// True if all objects were applied.
        is_applied: bool,
        /// The time since which it has been ready, if it is ready.
        ready_since: Option<Timestamp>,
        /// The problem that keeps it from finishing.
        problem: Option<String>,
        /// The message about its progress.
        message: String,
    },
    /// The version was applied, and its plan is missing although the Operator did not delete the
    /// plan.
    Lost,
}

/// The validity of a suspended plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanValidity {
    Good,
    /// The plan was not checked yet, or one of its checks is still open.
    Open(String),
    Invalid(String),
    NotPermitted(String),
}

impl OperatorHop {
    /// Returns the Operator of a plan, and the hop of the plan. Returns None if the plan belongs to
    /// no Operator.
    pub fn read(plan: &InstallPlan) -> Option<(&str, Self)> {
        let metadata = &plan.metadata;
        let operator = OPERATOR.of(metadata)?;
        let facts = metadata.annotations.as_ref()?.get(HOP)?;
        let facts: HopFacts = serde_json::from_str(facts).ok()?;
        let status = plan.status.clone().unwrap_or_default();
        let spec = plan.spec.as_json();
        let is_suspended = spec["suspend"] == true;
        let state = if is_suspended && status.record.is_none() {
            HopState::Held(verdict(metadata.generation, &status))
        } else {
            begun(&status)
        };
        let annotations = metadata.annotations.as_ref();
        let csv = facts.csv.clone().map(Prunable::ResourceManifest);
        let hop = Self {
            beside: referenced(plan).into_iter().chain(csv).collect(),
            namespace: metadata.namespace.clone().unwrap_or_default(),
            plan: metadata.name.clone()?,
            uid: metadata.uid.clone()?,
            version: metadata.resource_version.clone().unwrap_or_default(),
            service_account: spec["serviceAccountName"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
            edited: plan_fields::edited(spec, facts.adopts.is_some()),
            facts,
            state,
            is_retired: annotations.is_some_and(|it| it.contains_key(RETIRED)),
            is_terminating: metadata.deletion_timestamp.is_some(),
            is_suspended,
            is_owned: is_owned(&status),
            is_handed_over: status
                .condition(ConditionType::Replaced)
                .is_some_and(|it| it.status == "True" && it.reason == Reason::HandedOver.as_str()),
            owns_found: spec["lifecycle"]["onFound"] == "Own",
        };
        Some((operator, hop))
    }

    /// Returns the installed hop in the status of an Operator, if its plan is missing. It comes
    /// before all hops that began later.
    pub(crate) fn lost(operator: &Operator, hops: &[Self]) -> Option<Self> {
        let status = operator.status.as_ref()?;
        let (plan, bundle) = (status.plan.as_ref()?, status.bundle.as_ref()?);
        let number = plan.name.rsplit_once('-')?.1.parse().ok()?;
        let is_there = |hop: &Self| {
            let is_newer = hop.facts.number >= number;
            let is_it = hop.facts.installs.bundle == bundle.name && !hop.is_suspended;
            hop.is_applied() && (is_newer || is_it)
        };
        if gives_up(status, bundle) || hops.iter().any(is_there) {
            return None;
        }
        let package = operator.spec.as_json()["packageName"].as_str()?;
        let mut requires = Requirements::reported(&bundle.name, &status.dependencies);
        requires.constraints.retain(|it| !it.is_empty());
        let installs = Installation {
            package: package.to_owned(),
            bundle: bundle.name.clone(),
            version: status.versions.installed.clone()?,
            provides: BTreeSet::new(),
            requires,
            is_remembered: true,
        };
        Some(Self {
            namespace: plan.namespace.clone(),
            plan: plan.name.clone(),
            uid: String::new(),
            version: String::new(),
            service_account: String::new(),
            facts: HopFacts {
                number,
                installs,
                image: bundle.image.clone(),
                catalog: bundle.catalog.clone(),
                csv: plan.cluster_service_version.clone(),
                ..HopFacts::default()
            },
            state: HopState::Lost,
            is_terminating: false,
            is_suspended: false,
            is_retired: false,
            edited: None,
            is_owned: false,
            is_handed_over: false,
            beside: BTreeSet::new(),
            owns_found: true,
        })
    }

    /// Returns the ServiceAccount that applies it.
    pub(crate) fn account(&self) -> Account {
        Account {
            namespace: self.namespace.clone(),
            name: self.service_account.clone(),
        }
    }

    pub fn is_held(&self) -> bool {
        matches!(self.state, HopState::Held(_))
    }

    pub fn is_applied(&self) -> bool {
        match &self.state {
            HopState::Begun { is_applied, .. } => *is_applied,
            HopState::Lost => true,
            HopState::Held(_) => false,
        }
    }

    /// Returns a sentence about its plan with the command that takes over objects of other owners;
    /// None if objects have no other owners.
    pub(crate) fn taking_over(&self, said: &str) -> Option<Remedied> {
        let plan = (&*self.namespace, &*self.plan);
        self.is_owned.then(|| sentence::adopting(said, plan))
    }

    /// Returns true if its plan is missing.
    pub(crate) fn is_lost(&self) -> bool {
        matches!(self.state, HopState::Lost)
    }

    /// Returns the message about its progress.
    pub(crate) fn message(&self) -> &str {
        match &self.state {
            HopState::Begun { message, .. } => message,
            HopState::Held(_) => "its InstallPlan is suspended",
            HopState::Lost => "its InstallPlan is missing",
        }
    }

    /// Returns the time since which it has been ready.
    pub fn ready_since(&self) -> Option<Timestamp> {
        match &self.state {
            HopState::Begun { ready_since, .. } => *ready_since,
            HopState::Held(_) | HopState::Lost => None,
        }
    }

    /// Returns the problem that keeps it from finishing.
    pub(crate) fn problem(&self) -> Option<&str> {
        match &self.state {
            HopState::Begun { problem, .. } => problem.as_deref(),
            HopState::Held(_) | HopState::Lost => None,
        }
    }

    /// Returns true if it moves together with a hop of another operator.
    pub(crate) fn is_with(&self, other: &HopFacts) -> bool {
        let mut with = self.facts.with.iter();
        with.any(|it| it.package == other.installs.package && it.bundle == other.installs.bundle)
    }

    /// Returns true if it leads to the same bundle for the same request, with the same partners.
    pub(crate) fn is_same(&self, facts: &HopFacts) -> bool {
        let own = &self.facts;
        own.installs.bundle == facts.installs.bundle
            && (own.wish.is_none() || own.wish == facts.wish)
            && own.image == facts.image
            && own.options == facts.options
            && own.with == facts.with
            && own.waits == facts.waits
            && own.adopts == facts.adopts
            && own.takes_left == facts.takes_left
    }
}

/// Returns true if the Operator itself deletes the current plan, because the version is reverted or
/// returned to OLM.
fn gives_up(status: &operator::Status, bundle: &BundleStatus) -> bool {
    let adoption = status.adoption.as_ref();
    let reverted = status.reverted.as_ref();
    adoption.is_some_and(|it| it.step != AdoptionStep::Adopted)
        || reverted.is_some_and(|it| it.bundle == bundle.name && it.image == bundle.image)
}
