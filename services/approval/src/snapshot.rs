//! The state with which the approval service processes requests.

mod change;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_core_approval::consent::{OperatorId, Terms};
use portolan_core_approval::{Reason, Review, Standing};

pub(crate) use self::change::{Change, says_as};
use crate::Grounds;

/// The reviews at one point in time. A Snapshot is immutable. A newer Snapshot replaces it and
/// shares its unchanged content.
#[derive(Debug, Clone, Default)]
pub(crate) struct Snapshot {
    /// The namespaces with an InstallPlan, and the namespaces to which a policy applies.
    pub(crate) namespaces: BTreeMap<Arc<str>, Arc<Reviewed>>,
    /// The standings of the policies whose namespace is unknown.
    pub(crate) unplaced: Arc<[Standing]>,
    /// The reasons why other policies apply to no operator.
    pub(crate) missing: Arc<[Reason]>,
    /// The only observed namespace. None for all namespaces.
    pub(crate) only: Option<Arc<str>>,
    /// The reason why there may be unknown InstallPlans. None if all of them are known.
    pub(crate) unseen: Option<String>,
    /// The facts of the reviews. Empty if facts are not stored.
    pub(crate) grounds: Grounds,
    /// The facts about upgrades. None if upgrades are disabled.
    pub(crate) upgrades: Option<Arc<UpgradeFacts>>,
}

/// The facts that the core crate needs to judge upgrades.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct UpgradeFacts {
    pub(crate) world: portolan_core_approval::consent::PolicySet,
    /// The existing operators.
    pub(crate) operators: BTreeSet<OperatorId>,
    /// The labels of the operators that are OperatorPolicies. An OperatorPolicy without labels has
    /// no entry.
    pub(crate) labels: BTreeMap<OperatorId, BTreeMap<String, String>>,
    /// The reasons why facts are missing or outdated.
    pub(crate) unseen: Vec<String>,
    /// True if UpgradePolicies or PolicyBindings may exist. If the API server serves neither kind,
    /// they are not evaluated.
    pub(crate) are_policies_served: bool,
    /// The reasons why UpgradePolicies and PolicyBindings are unknown. Empty if they cannot exist.
    /// These reasons are also in [`Self::unseen`].
    pub(crate) unseen_policies: Vec<String>,
    /// The default decisions for upgrades in this cluster.
    pub(crate) terms: Terms,
}

/// The reviews of one namespace.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Reviewed {
    /// The review of each InstallPlan, newest InstallPlan first.
    pub(crate) reviews: Vec<Arc<Review>>,
    /// The standings of the policies that apply to the namespace, sorted by the namespace and name
    /// of the policy.
    pub(crate) policies: Vec<Standing>,
    /// The remarks on the InstallPlans of the namespace.
    pub(crate) remarks: Vec<Reason>,
}

/// The namespace and name of an InstallPlan.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Subject {
    pub(crate) namespace: Arc<str>,
    pub(crate) name: String,
}

/// A review with the namespace of its plan.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Located {
    pub(crate) namespace: Arc<str>,
    pub(crate) review: Arc<Review>,
}

// === impl Snapshot ===

impl Snapshot {
    /// Returns the reviews of a namespace. Returns None if there is nothing to report about the
    /// namespace.
    pub(crate) fn namespace(&self, name: &str) -> Option<(&Arc<str>, &Arc<Reviewed>)> {
        self.namespaces.get_key_value(name)
    }

    /// Returns the review of one InstallPlan.
    pub(crate) fn review(&self, plan: &Subject) -> Option<&Arc<Review>> {
        self.namespaces.get(&plan.namespace)?.review(&plan.name)
    }

    /// Returns all reviews.
    pub(crate) fn reviews(&self) -> impl Iterator<Item = (&Arc<str>, &Arc<Review>)> {
        let namespaces = self.namespaces.iter();
        namespaces.flat_map(|(name, reviewed)| {
            let reviews = reviewed.reviews.iter();
            reviews.map(move |review| (name, review))
        })
    }
}

// === impl Located ===

impl Located {
    pub(crate) fn subject(&self) -> Subject {
        Subject {
            namespace: self.namespace.clone(),
            name: self.review.plan.clone(),
        }
    }
}

// === impl Reviewed ===

impl Reviewed {
    pub(crate) fn review(&self, plan: &str) -> Option<&Arc<Review>> {
        self.reviews.iter().find(|review| review.plan == plan)
    }

    /// Returns true if there is nothing to report about the namespace.
    pub(crate) fn is_nothing(&self) -> bool {
        let Self {
            reviews,
            policies,
            remarks,
        } = self;
        reviews.is_empty() && policies.is_empty() && remarks.is_empty()
    }
}
