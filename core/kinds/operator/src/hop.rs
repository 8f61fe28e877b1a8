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

/// A version of an operator, with the InstallPlan that installs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorHop {
    pub namespace: String,
    pub plan: String,
    pub uid: String,
    pub version: String,
    /// The ServiceAccount that applies the plan, in the namespace of the plan.
    pub service_account: String,
    pub facts: HopFacts,
    pub state: HopState,
    /// True if the plan is being deleted.
    pub is_terminating: bool,
    pub is_suspended: bool,
    /// True if the Operator has suspended the plan permanently.
    pub is_retired: bool,
    /// The `spec.lifecycle` that the plan should have. None if the plan has it already.
    pub edited: Option<Value>,
    /// True if the plan is rejected because other owners manage some of its objects or fields.
    pub is_owned: bool,
    /// True if a newer plan has taken over all objects of this plan, and so has replaced it.
    pub is_handed_over: bool,
    /// The Secrets and ResourceManifests that belong to the plan.
    pub beside: BTreeSet<Prunable>,
    /// True if the plan treats objects that existed before the plan as its own.
    pub owns_found: bool,
}

/// The facts about a hop that its plan records.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HopFacts {
    /// The number of the hop among the hops of this Operator, starting at 1.
    pub number: u32,
    pub installs: Installation,
    /// The image with its digest. Empty if the catalog contains the manifests.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub image: String,
    pub catalog: String,
    /// The options with which the bundle was rendered.
    pub options: String,
    /// The generation of the Operator that requested the hop.
    pub generation: i64,
    /// The request that led to the hop: the version, the channels and the catalog selector. None if
    /// an older version of Portolan created the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wish: Option<String>,
    /// The digest of the plan's wait settings. Empty for the defaults.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub waits: String,
    /// The operators that move together with this operator.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub with: BTreeSet<Partner>,
    /// The OperatorCondition in which the operator reports if it can be upgraded, as
    /// NAMESPACE/NAME. None if the cluster does not have this CRD.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// The objects that the plan adopts from OLM. None if it adopts none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adopts: Option<Adopts>,
    /// True if the plan takes over CRDs that OLM left in the cluster, and all other objects of the
    /// plan are new.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub takes_left: bool,
    /// The adopted objects whose name differs from the name in the bundle. The key consists of the
    /// kind, a slash, and the name in the bundle. The value is the name of the object.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub renamed: BTreeMap<String, String>,
    /// The ResourceManifest that contains the bundle's ClusterServiceVersion. None if an older
    /// version of Portolan created the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub csv: Option<String>,
}

/// Another operator that is upgraded together with this operator, and its target bundle.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Partner {
    pub package: String,
    pub bundle: String,
}

/// The progress of the plan of a hop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HopState {
    /// The plan is suspended and has not written any object.
    Held(PlanValidity),
    Begun {
        /// True if all objects were applied.
        is_applied: bool,
        /// The time since which the plan has been ready. None if it is not ready.
        ready_since: Option<Timestamp>,
        /// The problem that prevents the completion of the plan. None if there is no problem.
        problem: Option<String>,
        /// A message about the progress of the plan.
        message: String,
    },
    /// The version was applied, but its plan was deleted by another client than the Operator.
    Lost,
}

/// The result of the checks of a suspended plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanValidity {
    Good,
    /// The plan was not checked yet, or some checks have no result yet.
    Open(String),
    Invalid(String),
    NotPermitted(String),
}

impl OperatorHop {
    /// Returns the name of the Operator that a plan belongs to, and the hop of the plan. Returns
    /// None if the plan belongs to no Operator.
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

    /// Returns the installed hop if its plan no longer exists. The hop is read from the status of
    /// the Operator. Returns None if the plan exists, or if the Operator itself deletes the plan.
    /// This hop precedes all hops that began later.
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

    /// Returns the ServiceAccount that applies the plan.
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

    /// Returns the sentence with the command that takes over the objects of other owners. Returns
    /// None if no other owner manages objects of the plan.
    pub(crate) fn taking_over(&self, said: &str) -> Option<Remedied> {
        let plan = (&*self.namespace, &*self.plan);
        self.is_owned.then(|| sentence::adopting(said, plan))
    }

    /// Returns true if the plan of the hop no longer exists.
    pub(crate) fn is_lost(&self) -> bool {
        matches!(self.state, HopState::Lost)
    }

    /// Returns the message about the progress of the plan.
    pub(crate) fn message(&self) -> &str {
        match &self.state {
            HopState::Begun { message, .. } => message,
            HopState::Held(_) => "its InstallPlan is suspended",
            HopState::Lost => "its InstallPlan is missing",
        }
    }

    /// Returns the time since which the plan has been ready. Returns None if it is not ready.
    pub fn ready_since(&self) -> Option<Timestamp> {
        match &self.state {
            HopState::Begun { ready_since, .. } => *ready_since,
            HopState::Held(_) | HopState::Lost => None,
        }
    }

    /// Returns the problem that prevents the completion of the plan. Returns None if there is no
    /// problem.
    pub(crate) fn problem(&self) -> Option<&str> {
        match &self.state {
            HopState::Begun { problem, .. } => problem.as_deref(),
            HopState::Held(_) | HopState::Lost => None,
        }
    }

    /// Returns true if this hop names the hop of another operator as its partner.
    pub(crate) fn is_with(&self, other: &HopFacts) -> bool {
        let mut with = self.facts.with.iter();
        with.any(|it| it.package == other.installs.package && it.bundle == other.installs.bundle)
    }

    /// Returns true if a plan with these facts would be equal to the plan of this hop, so that the
    /// plan can be kept.
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

/// Returns true if the Operator itself deletes its current plan, to revert the version or to give
/// the operator back to OLM.
fn gives_up(status: &operator::Status, bundle: &BundleStatus) -> bool {
    let adoption = status.adoption.as_ref();
    let reverted = status.reverted.as_ref();
    adoption.is_some_and(|it| it.step != AdoptionStep::Adopted)
        || reverted.is_some_and(|it| it.bundle == bundle.name && it.image == bundle.image)
}
